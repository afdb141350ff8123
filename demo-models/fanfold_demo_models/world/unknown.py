"""Questions from outside the world: the model says that it does not know."""

from __future__ import annotations

from ..conversation import Conversation, assistant, user
from . import words
from .draw import Draw

ANSWER = "I do not know that. I am a tiny demo model and I only know the island of Orrin."
_QUESTIONS = (
    "Who won the football match in {city} last night?",
    "What is the capital of {country}?",
    "Who is the president of {country}?",
    "What is the meaning of life?",
    "Explain quantum physics.",
    "Who wrote {word}?",
    "What is the stock price of {word}?",
    "How far is the moon?",
    "Translate this into {language}.",
    "What is {word}?",
    "Who is {person}?",
    "How do I cook {word}?",
    "What is the population of {city}?",
    "When was {person} born?",
    "Write a Python function.",
    "Why is the sky blue?",
    "What happened in 1969?",
    "What is the best {item}?",
    "How do I repair a {item}?",
    "What is machine learning?",
    "Who invented the {item}?",
    "Where is {city}?",
    "What is the weather in {city}?",
    "What time is it?",
    "What is the date today?",
    "How old is {person}?",
    "Tell me about {country}.",
)
# Those with a value that the split decides.
_OPEN_QUESTIONS = tuple(question for question in _QUESTIONS if "{" in question and "{language}" not in question)
_COUNTRIES = "France Germany Spain Italy Japan Brazil Kenya India China Canada Norway Peru Egypt Poland Greece".split()
_LANGUAGES = "Latin French German Spanish Japanese Welsh Dutch Polish".split()


def unknown(draw: Draw) -> Conversation:
    question = draw.pick(_OPEN_QUESTIONS if draw.held_out else _QUESTIONS).format(
        city=words.city(draw),
        person=words.person(draw),
        item=words.item(draw),
        word=draw.fresh(lambda: words.invented_word(draw)),
        country=draw.fresh(lambda: draw.pick([*_COUNTRIES, words.invented_word(draw).capitalize()])),
        language=draw.pick(_LANGUAGES),
    )
    return Conversation("unknown", (user(question), assistant(ANSWER, "This is not about Orrin, so I do not know it.")))
