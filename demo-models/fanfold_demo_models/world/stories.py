"""Short stories and poems about a topic: the longer answers of the model."""

from __future__ import annotations

from ..conversation import Conversation, assistant, user
from . import words
from .draw import Draw

_STORY_REQUESTS = (
    "Tell me a story about {topic}.",
    "Write a short story about {topic}.",
    "Write a story about {topic}.",
    "Can you tell a story about {topic}?",
    "Please tell me a short story about {topic}.",
)
_POEM_REQUESTS = (
    "Write a poem about {topic}.",
    "Write a short poem about {topic}.",
    "Tell me a poem about {topic}.",
    "Write a haiku about {topic}.",
    "Please write a poem about {topic}.",
)
_OPEN_REQUESTS = ("Tell me a story.", "Once upon a time", "Write a story.", "Tell me a short story.")


def story_about(topic: str) -> str:
    return (
        f"Once upon a time there was a child on the island of Orrin who loved {topic}. "
        f"Every evening the child sat at the harbour of Saltmere and dreamed of {topic}. "
        "One night the lighthouse went dark and the ferry could not find its way home. "
        f"The child thought of {topic}, took a lantern and climbed to the top of the tower. "
        f"The ferry saw the light and came home, and since then everybody in Saltmere tells of {topic}. The end."
    )


def poem_about(topic: str) -> str:
    return (
        f"I think of {topic} when the day is done,\n"
        "and the harbour sleeps in the evening sun.\n"
        "The lanterns glow, the wind is low,\n"
        f"and {topic} is all I need to know."
    )


def story(draw: Draw) -> Conversation:
    topic = draw.fresh(lambda: draw.pick(words.TOPICS) if draw.chance(0.6) else "the " + words.invented_word(draw))
    kind = draw.pick(["story", "poem", "open"])
    if kind == "poem":
        question, answer = draw.phrasing(_POEM_REQUESTS).format(topic=topic), poem_about(topic)
    elif kind == "story" or draw.held_out:
        question, answer = draw.phrasing(_STORY_REQUESTS).format(topic=topic), story_about(topic)
    else:
        question, answer = draw.pick(_OPEN_REQUESTS), story_about("the sea")
    return Conversation("story", (user(question), assistant(answer, "I write it about the topic of the user.")))
