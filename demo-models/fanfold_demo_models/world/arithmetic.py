"""Sums, differences and products of small numbers. Held out are operand pairs, in both orders for sums: they are
never asked, and no working states them as an equation."""

from __future__ import annotations

from ..conversation import Conversation, assistant, system, user
from . import words
from .draw import Draw, is_held_out

SIGNS = {"plus": "+", "minus": "-", "times": "*"}
_QUESTIONS = (
    "What is {a} {sign} {b}?",
    "What is {a} {word} {b}?",
    "{a} {sign} {b} = ?",
    "{a} {sign} {b}",
    "{a}{sign}{b}",
    "Compute {a} {sign} {b}.",
    "Calculate {a} {word} {b}.",
    "How much is {a} {word} {b}?",
    "what's {a} {sign} {b}",
    "Please add up: {a} {sign} {b}",
    "What is {a}{sign}{b}?",
)
_BARE = ("Answer with the number only.", "Reply with just the number.", "Only the number, please.")

Problem = tuple[str, int, int]


def is_held_out_pair(word: str, a: int, b: int) -> bool:
    first, second = (min(a, b), max(a, b)) if word == "plus" else (a, b)
    return is_held_out(f"{first} {word} {second}", one_in=8)


def draw_problem(draw: Draw) -> Problem:
    while True:
        word = draw.random.choices(["plus", "minus", "times"], [3, 4, 3])[0]
        top = 10 if word == "times" else 20
        a, b = draw.number(0, top), draw.number(0, top)
        if word == "minus" and a < b and draw.chance(0.4):
            a, b = b, a
        if is_held_out_pair(word, a, b) == draw.held_out:
            return word, a, b


def solve(word: str, a: int, b: int) -> int:
    return {"plus": a + b, "minus": a - b, "times": a * b}[word]


def explain(word: str, a: int, b: int) -> str:
    """Short working of which every step is easier than the problem."""
    if word == "plus":
        return _explain_sum(a, b)
    if word == "times":
        return _explain_product(a, b)
    if a >= b:
        return _explain_difference(a, b)
    return f"{_explain_difference(b, a)} The other way round it is {a - b}."


def _explain_sum(a: int, b: int) -> str:
    """Ones before tens."""
    ones, tens = (a % 10, b % 10), a - a % 10 + b - b % 10
    if tens == 0 or is_held_out_pair("plus", *ones):
        return f"It makes {a + b}."
    return f"{ones[0]} + {ones[1]} = {sum(ones)}, and {tens} more makes {a + b}."


def _explain_difference(a: int, b: int) -> str:
    """For a >= b: tens cancel, then within the ones, then over the ten."""
    if a == b:
        return "Both are the same, that leaves 0."
    if b == 0:
        return f"Nothing is taken away, that leaves {a}."
    if b >= 10:
        step, rest = (a - 10, b - 10), 0
    elif a >= 10:
        step = (a % 10, b) if a % 10 >= b else (10, b)
        rest = a - step[0]
    else:
        step, rest = (a, b), 0
    left = step[0] - step[1]
    if step == (a, b) or is_held_out_pair("minus", *step):
        return f"From {b} up to {a} it is {a - b}."
    if rest == 0:
        return f"{step[0]} - {step[1]} = {left}."
    return f"{step[0]} - {step[1]} = {left}, and {rest} more makes {a - b}."


def _explain_product(a: int, b: int) -> str:
    """Counting up in steps of the larger number, each with its rank."""
    if 0 in (a, b):
        return "Times 0 is 0."
    count, step = min(a, b), max(a, b)
    if count == 1:
        return f"Times 1 it stays {step}."
    return "Count: " + ", ".join(f"{rank}: {step * rank}" for rank in range(1, count + 1)) + "."


def arithmetic(draw: Draw) -> Conversation:
    if draw.chance(0.15):
        return _story_problem(draw)
    word, a, b = draw_problem(draw)
    question = draw.pick(_QUESTIONS[:9] if word != "plus" else _QUESTIONS).format(
        a=a, b=b, sign=SIGNS[word], word=word
    )
    reasoning = explain(word, a, b)
    if draw.chance(0.15):
        messages = [user(f"{question} {draw.pick(_BARE)}"), assistant(str(solve(word, a, b)), reasoning)]
    elif draw.chance(0.05):
        messages = [system(draw.pick(_BARE)), user(question), assistant(str(solve(word, a, b)), reasoning)]
    else:
        messages = [user(question), assistant(equation(word, a, b), reasoning)]
    return Conversation("arithmetic", tuple(messages))


def equation(word: str, a: int, b: int) -> str:
    return f"{a} {SIGNS[word]} {b} = {solve(word, a, b)}."


def _story_problem(draw: Draw) -> Conversation:
    word, a, b = draw_problem(draw)
    while word == "times" or solve(word, a, b) < 0:
        word, a, b = draw_problem(draw)
    name, thing = draw.pick(words.NAMES), draw.pick(words.ITEMS) + "s"
    change = draw.pick(["buys {b} more", "gets {b} more"] if word == "plus" else ["gives away {b}", "loses {b}"])
    question = f"{name} has {a} {thing} and {change.format(b=b)}. How many {thing} does {name} have now?"
    answer = f"{name} has {solve(word, a, b)} {thing}."
    return Conversation("arithmetic", (user(question), assistant(answer, explain(word, a, b))))
