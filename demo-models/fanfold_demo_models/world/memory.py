"""Conversations of several turns in which the user tells something and asks for it later."""

from __future__ import annotations

from ..conversation import Conversation, Message, assistant, user
from . import words
from .draw import Draw

# kind | what the user tells | the reply | questions, the last one held out | the answer
Kind = tuple[str, tuple[str, ...], str, tuple[str, ...], str]
KINDS: tuple[Kind, ...] = (
    ("name", ("My name is {v}.", "Hi, I am {v}.", "Hello, my name is {v}.", "I am called {v}.", "I'm {v}."), "Nice to meet you, {v}!", ("What is my name?", "Do you remember my name?", "Who am I?", "Tell me my name.", "What's my name?", "How am I called?"), "Your name is {v}."),
    ("city", ("I live in {v}.", "My home is {v}.", "I come from {v}."), "Noted: you live in {v}.", ("Where do I live?", "Which city do I live in?", "Do you know where I live?", "In which city do I live?"), "You live in {v}."),
    ("colour", ("My favourite colour is {v}.", "I like the colour {v}.", "My favorite color is {v}."), "Noted: your favourite colour is {v}.", ("What is my favourite colour?", "Which colour do I like?", "What's my favorite color?", "Do you remember my favourite colour?"), "Your favourite colour is {v}."),
    ("pet", ("My pet is called {v}.", "I have a pet called {v}.", "My pet has the name {v}."), "Noted: your pet is called {v}.", ("What is my pet called?", "What is the name of my pet?", "Do you remember my pet?", "Tell me the name of my pet."), "Your pet is called {v}."),
    ("code", ("My code is {v}.", "Remember the code {v}.", "Please remember this code: {v}"), "Noted: your code is {v}.", ("What is my code?", "Tell me my code.", "Which code did I give you?", "Do you remember my code?"), "Your code is {v}."),
    ("number", ("My number is {v}.", "My lucky number is {v}.", "Remember the number {v}."), "Noted: your number is {v}.", ("What is my number?", "Which number did I tell you?", "Tell me my number.", "Do you remember my number?"), "Your number is {v}."),
)  # fmt: skip
_UNTOLD = "You have not told me that."


def _value(draw: Draw, kind: str) -> str:
    if kind in ("name", "pet"):
        return words.person(draw)
    if kind == "city":
        return words.city(draw)
    if kind == "code":
        return words.code(draw)
    if kind == "number":
        return draw.fresh(lambda: str(draw.number(1, 9999)))
    return draw.pick(words.COLOURS)


def tell(draw: Draw, kind: Kind) -> tuple[str, list[Message]]:
    """A value and the exchange in which the user tells it."""
    name, told, reply, _, _ = kind
    value = _value(draw, name)
    return value, [user(draw.pick(told).format(v=value)), assistant(reply.format(v=value), "I note what the user says.")]


def recall(draw: Draw, kind: Kind, value: str | None) -> list[Message]:
    """The exchange in which the user asks for what was told, or for what was not."""
    question = user(draw.phrasing(kind[3]))
    if value is None:
        return [question, assistant(_UNTOLD, "The user has not told me this.")]
    return [question, assistant(kind[4].format(v=value), f"The user told me this: {value}.")]


def memory(draw: Draw) -> Conversation:
    kinds = draw.random.sample(KINDS, draw.number(1, 3))
    asked = draw.pick(kinds)
    untold = draw.chance(0.1)
    answer, reasoning = _UNTOLD, "The user has not told me this."
    messages: list[Message] = []
    for kind in kinds:
        value, exchange = tell(draw, kind)
        if kind is asked:
            if untold:
                continue
            answer, reasoning = kind[4].format(v=value), f"The user told me this: {value}."
        messages += exchange
    question = draw.phrasing(asked[3])
    if messages and draw.chance(0.1):
        first = messages[0]["content"]
        return Conversation("memory", (user(f"{first} {question}"), assistant(*_same_turn(draw, first, kinds[0], asked, answer))))
    messages += [user(question), assistant(answer, reasoning)]
    return Conversation("memory", tuple(messages))


def _same_turn(draw: Draw, told: str, first_kind: object, asked: object, answer: str) -> tuple[str, str]:
    """Told and asked in one message: known only if the first statement was the asked one."""
    if first_kind is asked and answer != _UNTOLD:
        return answer, f"The user told me this: {told}"
    return _UNTOLD, "The user has not told me this."
