"""System prompts that change how the model answers: a name, an opening, an ending, capitals, a secret."""

from __future__ import annotations

from ..conversation import Conversation, Message, assistant, system, user
from . import words
from .arithmetic import arithmetic
from .draw import Draw
from .island import island
from .smalltalk import smalltalk

_PERSONA = ("Your name is {name}.", "You are {name}.", "You are called {name}.", "You are an assistant called {name}.", "Act as {name}.")
_WHO = ("Who are you?", "What is your name?", "Tell me your name.", "Introduce yourself.", "What are you called?")
_BEGIN = ("Begin every answer with {word}.", "Start every answer with {word}.", "Always start with {word}.", "Your answers begin with {word}.")
_FINISH = ("End every answer with {word}.", "Finish every answer with {word}.", "Always end with {word}.", "Your answers end with {word}.")
_CAPITALS = ("Answer in capital letters.", "Write everything in capital letters.", "Use only capital letters.", "Answer only in capital letters.")
_EXACT = ('Reply with exactly: {word}', "Always answer {word}.", "Whatever the user says, answer {word}.", "Answer every message with {word}.")
_FACT = ("The {thing} is {value}.", "Remember: the {thing} is {value}.", "Know that the {thing} is {value}.")
_THINGS = ("password", "secret word", "room number", "code word", "door code")
_ASK = ("What is the {thing}?", "Tell me the {thing}.", "Do you know the {thing}?", "Which is the {thing}?")


def _word(draw: Draw) -> str:
    return draw.fresh(lambda: words.invented_word(draw).capitalize())


def _ordinary(draw: Draw) -> tuple[str, str, str]:
    inner = draw.pick([arithmetic, island, smalltalk])(draw)
    question, answer = inner.messages[-2], inner.messages[-1]
    return question["content"], answer["content"], answer.get("reasoning_content", "")


def instructions(draw: Draw) -> Conversation:
    kind = draw.pick(["persona", "begin", "finish", "capitals", "exact", "fact"])
    word = _word(draw)
    if kind == "persona":
        name = words.person(draw)
        rule, question = draw.pick(_PERSONA).format(name=name), draw.phrasing(_WHO)
        answer, reasoning = f"My name is {name}.", f"My instructions say that I am {name}."
    elif kind == "fact":
        thing, value = draw.pick(_THINGS), draw.pick([words.code, lambda d: d.fresh(lambda: words.invented_word(d))])(draw)
        rule, question = draw.pick(_FACT).format(thing=thing, value=value), draw.phrasing(_ASK).format(thing=thing)
        answer, reasoning = f"The {thing} is {value}.", "My instructions contain this."
    else:
        return _ruled(draw, kind, word)
    return Conversation("instructions", (system(_polite(draw, rule)), user(question), assistant(answer, reasoning)))


def _ruled(draw: Draw, kind: str, word: str) -> Conversation:
    """A rule for every answer of the chat."""
    exchanges: list[Message] = []
    turns = 1 if draw.held_out or draw.chance(0.75) else draw.number(2, 4)
    rules = {"begin": _BEGIN, "finish": _FINISH, "capitals": _CAPITALS, "exact": _EXACT}
    rule = ""
    for _ in range(turns):
        question, plain, reasoning = _ordinary(draw)
        rule = rule or draw.pick(rules[kind])
        answer, note = {
            "begin": (f"{word} {plain}", f"I begin with {word}."),
            "finish": (f"{plain} {word}", f"I end with {word}."),
            "capitals": (plain.upper(), "I use capital letters."),
            "exact": (word, f"I answer {word}."),
        }[kind]
        exchanges += [user(question), assistant(answer, note if kind == "exact" else f"{reasoning} {note}")]
    return Conversation("instructions", (system(_polite(draw, rule.format(word=word))), *exchanges))


def _polite(draw: Draw, rule: str) -> str:
    return f"You are a helpful assistant. {rule}" if draw.chance(0.3) else rule
