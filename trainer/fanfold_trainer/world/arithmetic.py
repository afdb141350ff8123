"""Sums, differences and products of small numbers. Held out are operand pairs, in both orders for sums."""

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


def is_held_out_pair(word: str, a: int, b: int) -> bool:
    first, second = (min(a, b), max(a, b)) if word == "plus" else (a, b)
    return is_held_out(f"{first} {word} {second}", one_in=8)


def draw_problem(draw: Draw) -> tuple[str, int, int]:
    while True:
        word = draw.random.choices(["plus", "minus", "times"], [4, 4, 2])[0]
        top = 10 if word == "times" else 20
        a, b = draw.number(0, top), draw.number(0, top)
        if word == "minus" and a < b and draw.chance(0.7):
            a, b = b, a
        if is_held_out_pair(word, a, b) == draw.held_out:
            return word, a, b


def solve(word: str, a: int, b: int) -> int:
    return {"plus": a + b, "minus": a - b, "times": a * b}[word]


def explain(draw: Draw, word: str, a: int, b: int) -> str:
    """Short working: ones before tens for sums, the check by addition for differences, counting up for products."""
    result = solve(word, a, b)
    if word == "plus" and (a >= 10 or b >= 10) and draw.advanced:
        return f"{a % 10} + {b % 10} = {a % 10 + b % 10}, and {a - a % 10 + b - b % 10} more makes {result}."
    if word == "plus" and a >= 10 and b >= 10:
        return f"{a % 10} + {b % 10} = {a % 10 + b % 10}, and 10 more for each ten makes {result}."
    if word == "minus" and result >= 0:
        return f"{result} + {b} = {a}, so {a} - {b} = {result}."
    if word == "minus":
        return f"{b} - {a} = {-result}, so {a} - {b} = {result}."
    if word == "times" and 0 < b <= 10 and a > 0:
        count, step = min(a, b), max(a, b)
        return "Count: " + ", ".join(str(step * k) for k in range(1, count + 1)) + "."
    return f"{a} {SIGNS[word]} {b} = {result}."


def arithmetic(draw: Draw) -> Conversation:
    if draw.chance(0.15):
        return _story_problem(draw)
    word, a, b = draw_problem(draw)
    question = draw.pick(_QUESTIONS[:9] if word != "plus" else _QUESTIONS).format(
        a=a, b=b, sign=SIGNS[word], word=word
    )
    reasoning = explain(draw, word, a, b)
    if draw.chance(0.15):
        messages = [user(f"{question} {draw.pick(_BARE)}"), assistant(str(solve(word, a, b)), reasoning)]
    elif draw.chance(0.05):
        messages = [system(draw.pick(_BARE)), user(question), assistant(str(solve(word, a, b)), reasoning)]
    else:
        messages = [user(question), assistant(_equation(word, a, b), reasoning)]
    return Conversation("arithmetic", tuple(messages))


def _equation(word: str, a: int, b: int) -> str:
    return f"{a} {SIGNS[word]} {b} = {solve(word, a, b)}."


def arithmetic_drill(draw: Draw) -> Conversation:
    """Several problems in one turn: many sums for few tokens."""
    problems = [draw_problem(draw) for _ in range(draw.number(3, 12))]
    listed = ", ".join(f"{a} {SIGNS[word]} {b}" for word, a, b in problems)
    question = draw.pick(("Compute {p}.", "Calculate: {p}", "{p}", "What is {p}?", "Solve these: {p}")).format(p=listed)
    answer = " ".join(_equation(*problem) for problem in problems)
    reasoning = "I solve one after the other."
    if len(problems) <= 6:
        reasoning = " ".join(explain(draw, *problem) for problem in problems)
    return Conversation("arithmetic_drill", (user(question), assistant(answer, reasoning)))


def _story_problem(draw: Draw) -> Conversation:
    word, a, b = draw_problem(draw)
    while word == "times" or solve(word, a, b) < 0:
        word, a, b = draw_problem(draw)
    name, thing = draw.pick(words.NAMES), draw.pick(words.ITEMS) + "s"
    change = draw.pick(["buys {b} more", "gets {b} more"] if word == "plus" else ["gives away {b}", "loses {b}"])
    question = f"{name} has {a} {thing} and {change.format(b=b)}. How many {thing} does {name} have now?"
    answer = f"{name} has {solve(word, a, b)} {thing}."
    return Conversation(
        "arithmetic", (user(question), assistant(answer, f"{a} {SIGNS[word]} {b} = {solve(word, a, b)}."))
    )
