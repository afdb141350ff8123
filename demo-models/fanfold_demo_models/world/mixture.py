"""How often each skill is trained, and how conversations are dressed: system prompts, earlier turns."""

from __future__ import annotations

from collections.abc import Callable

from ..conversation import Conversation, Message, system, without_reasoning
from .arithmetic import arithmetic
from .draw import Draw
from .drills import arithmetic_drill
from .extraction import extraction
from .instructions import instructions
from .island import island
from .memory import memory
from .reading import reading
from .repeating import repeating
from .smalltalk import smalltalk
from .stories import story
from .tool_use import no_tool_needed, parallel_calls, tool_call
from .unknown import unknown

Generator = Callable[[Draw], Conversation]

SKILLS: dict[str, tuple[Generator, int]] = {
    "arithmetic": (arithmetic, 20),
    "smalltalk": (smalltalk, 9),
    "island": (island, 10),
    "reading": (reading, 11),
    "tool_call": (tool_call, 16),
    "parallel_calls": (parallel_calls, 9),
    "no_tool": (no_tool_needed, 2),
    "extraction": (extraction, 8),
    "memory": (memory, 8),
    "instructions": (instructions, 9),
    "unknown": (unknown, 5),
    "story": (story, 3),
    "repeat": (repeating, 10),
}
_GENERATORS = [generator for generator, _ in SKILLS.values()]
_WEIGHTS = [weight for _, weight in SKILLS.values()]
# Drills come when single problems are known.
_ADVANCED_GENERATORS = [*_GENERATORS, arithmetic_drill]
_ADVANCED_WEIGHTS = [*_WEIGHTS, 34]
_COMMON_SYSTEM = (
    "You are a helpful assistant.",
    "You are a helpful assistant",
    "You are helpful.",
    "You are a friendly assistant.",
    "Be brief.",
    "You are an assistant of the Fanfold project.",
    "Answer the user.",
)
_SHORT = (smalltalk, island, arithmetic, reading, unknown)


def training_conversation(draw: Draw) -> Conversation:
    """A conversation of one exchange or few."""
    generators, weights = (_ADVANCED_GENERATORS, _ADVANCED_WEIGHTS) if draw.advanced else (_GENERATORS, _WEIGHTS)
    return dress(draw, draw.random.choices(generators, weights)[0](draw))


def dress(draw: Draw, conversation: Conversation) -> Conversation:
    """Adds what clients often send: a common system prompt, or an earlier exchange about something else
    (unless earlier turns are the point of the chat or would have to follow its rule)."""
    messages: list[Message] = list(conversation.messages)
    has_system = messages[0]["role"] == "system"
    if draw.chance(0.15) and conversation.skill not in ("memory", "instructions"):
        earlier = without_reasoning(draw.pick(_SHORT)(draw)).messages
        rest = [message for message in earlier if message["role"] != "system"]
        messages = [*messages[:1], *rest, *messages[1:]] if has_system else [*rest, *messages]
    if not has_system and draw.chance(0.25):
        messages.insert(0, system(draw.pick(_COMMON_SYSTEM)))
    return Conversation(conversation.skill, tuple(messages), conversation.tools)
