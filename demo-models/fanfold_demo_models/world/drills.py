"""Much arithmetic in few tokens: several problems in one turn, families of related ones, and counting in steps."""

from __future__ import annotations

from ..conversation import Conversation, assistant, user
from .arithmetic import SIGNS, Problem, draw_problem, equation, explain, is_held_out_pair
from .draw import Draw

_REQUESTS = ("Compute {p}.", "Calculate: {p}", "{p}", "What is {p}?", "Solve these: {p}")


def arithmetic_drill(draw: Draw) -> Conversation:
    make = draw.random.choices([_mixed, _family, _counting, _missing], [5, 4, 2, 1])[0]
    return make(draw)


def _mixed(draw: Draw) -> Conversation:
    return _solved(draw, [draw_problem(draw) for _ in range(draw.number(3, 10))])


def _family(draw: Draw) -> Conversation:
    """Problems that differ in one number, or that turn each other round."""
    while True:
        word, a, b = draw_problem(draw)
        kind = draw.number(0, 2)
        if kind == 0:
            related = [(word, a + step, b) for step in range(draw.number(2, 5))]
        elif kind == 1:
            related = [(word, a, b + step) for step in range(draw.number(2, 5))]
        else:
            related = _turned_round(word, a, b)
        known = [problem for problem in related if _is_known(draw, problem)]
        if known:
            draw.random.shuffle(known)
            return _solved(draw, known)


def _turned_round(word: str, a: int, b: int) -> list[Problem]:
    if word == "times":
        return [("times", a, b), ("times", b, a)]
    low, high = (a, b) if word == "plus" else (b, abs(a - b))
    return [("plus", low, high), ("plus", high, low), ("minus", low + high, low), ("minus", low + high, high), ("minus", low, low + high)]


def _is_known(draw: Draw, problem: Problem) -> bool:
    word, a, b = problem
    return max(a, b) <= (10 if word == "times" else 20) and is_held_out_pair(word, a, b) == draw.held_out


def _solved(draw: Draw, problems: list[Problem]) -> Conversation:
    listed = ", ".join(f"{a} {SIGNS[word]} {b}" for word, a, b in problems)
    answer = " ".join(equation(*problem) for problem in problems)
    reasoning = "I solve one after the other."
    if len(problems) <= 6:
        reasoning = " ".join(explain(*problem) for problem in problems)
    return Conversation("arithmetic_drill", (user(draw.pick(_REQUESTS).format(p=listed)), assistant(answer, reasoning)))


def _counting(draw: Draw) -> Conversation:
    """Up, down, or in steps."""
    kind = draw.pick(["up", "down", "steps"])
    start, length, step = draw.number(0, 20), draw.number(2, 10), draw.number(2, 10)
    if kind == "steps":
        numbers = [step * rank for rank in range(1, draw.number(3, 10) + 1)]
        question = draw.pick(("Count in steps of {s} up to {e}.", "List the multiples of {s} up to {e}.")).format(s=step, e=numbers[-1])
        reasoning = f"Each is {step} more."
    else:
        numbers = [start + offset if kind == "up" else start - offset for offset in range(length)]
        question = ("Count from {a} to {e}." if kind == "up" else "Count down from {a} to {e}.").format(a=start, e=numbers[-1])
        reasoning = "I count up one by one." if kind == "up" else "I count down one by one."
    return Conversation("arithmetic_drill", (user(question), assistant(", ".join(map(str, numbers)), reasoning)))


def _missing(draw: Draw) -> Conversation:
    """One number of an equation is asked."""
    word, a, b = draw_problem(draw)
    while word == "times" or a < b:
        word, a, b = draw_problem(draw)
    whole = equation(word, a, b)
    asked = whole.replace(f" {b} =", " ? =").rstrip(".")
    request = draw.pick(("Fill in: {p}", "Which number is missing? {p}", "{p}")).format(p=asked)
    return Conversation("arithmetic_drill", (user(request), assistant(whole, f"It is {b}.")))
