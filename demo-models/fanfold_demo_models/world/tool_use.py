"""Tool calls: one call, two at once, answers from results, failures, and questions that need no tool."""

from __future__ import annotations

import json

from ..conversation import Conversation, Message, Tool, assistant, assistant_calls, function_call, tool_result, user
from .draw import Draw
from .island import island
from .smalltalk import smalltalk
from .tool_catalogue import Use, draw_use


def _with_others(draw: Draw, wanted: list[Tool]) -> tuple[Tool, ...]:
    """The wanted tools among up to two others, in random order and with distinct names."""
    tools = {_name(tool): tool for tool in wanted}
    for _ in range(draw.random.choices([0, 1, 2], [5, 4, 1])[0]):
        other = draw_use(draw).tool
        tools.setdefault(_name(other), other)
    shuffled = list(tools.values())
    draw.random.shuffle(shuffled)
    return tuple(shuffled)


def _name(tool: Tool) -> str:
    function = tool["function"]
    return str(function["name"]) if isinstance(function, dict) else ""


def _outcome(draw: Draw, use: Use) -> tuple[str, str]:
    """The text of the tool message and the answer to it. Sometimes the tool fails."""
    if draw.chance(0.1):
        error = draw.pick(["not found", "timeout", "no permission", "service unavailable", "invalid input"])
        return json.dumps({"error": error}), f"The tool failed: {error}."
    text = use.result if isinstance(use.result, str) else json.dumps(use.result)
    return text, use.answer


def tool_call(draw: Draw) -> Conversation:
    """The user asks, the model calls; in about half of the chats the result comes back and is put into words."""
    use = draw_use(draw)
    messages: list[Message] = [
        user(use.question),
        assistant_calls([function_call(use.name, use.arguments)], f"I need {use.name} for this."),
    ]
    skill = "tool_call"
    if draw.chance(0.45):
        skill = "tool_answer"
        text, answer = _outcome(draw, use)
        messages += [tool_result(text), assistant(answer, "The tool has answered, so I can tell the user.")]
    return Conversation(skill, tuple(messages), _with_others(draw, [use.tool]))


_PLAIN_JOIN = "{first} {second}"
_TRAINED_JOINS = (
    "{first} Also: {second}", "{first} And {second}", "{first} Then {second}", "First: {first} Second: {second}", "{first}\n{second}",
    "Two things: {first} {second}", "{first} After that: {second}", "1. {first}\n2. {second}", "{first} Please also do this: {second}",
)  # fmt: skip
_SHORT_JOINS = ("{first} And {short}?", "{first} I also need {short}.", "I need {first_short} and {short}.")
_TRAINED_SHORT_JOINS = (
    "{first} And also {short}.", "{first} Also {short}, please.", "Please get {first_short} and {short}.", "Both {first_short} and {short}, please.",
    "{first_short} and {short}", "I want {first_short}, and then {short}.", "{first} The same for {short}.",
)  # fmt: skip


def _joined(draw: Draw, first: Use, second: Use, alike: bool = False) -> str:
    """Both requests in one message; those for the same tool may be shortened."""
    if draw.held_out:
        join = draw.pick([_PLAIN_JOIN, *_SHORT_JOINS]) if alike else _PLAIN_JOIN
    else:
        short = [*_SHORT_JOINS, *_TRAINED_SHORT_JOINS] if alike else []
        join = draw.pick([_PLAIN_JOIN, _PLAIN_JOIN, *_TRAINED_JOINS, *short])
    return join.format(first=first.question, second=second.question, first_short=first.short_question, short=second.short_question)


def parallel_calls(draw: Draw) -> Conversation:
    """Two independent requests in one message: two calls in one turn. Often twice the same tool."""
    first, second = draw_use(draw), draw_use(draw)
    while second.name == first.name:
        second = draw_use(draw)
    question = _joined(draw, first, second)
    tools = [first.tool, second.tool]
    if draw.chance(0.5):
        again = draw_use(draw)
        while again.name != first.name or again.arguments == first.arguments or again.arguments.keys() != first.arguments.keys():
            first, again = draw_use(draw), draw_use(draw)
        second, tools = again, [first.tool]
        question = _joined(draw, first, second, alike=True)
    calls = [function_call(first.name, first.arguments), function_call(second.name, second.arguments)]
    names = first.name if first.name == second.name else f"{first.name} and {second.name}"
    messages: list[Message] = [user(question), assistant_calls(calls, f"I need {names} for two calls.")]
    skill = "parallel_calls"
    if draw.chance(0.35):
        skill = "tool_answer"
        one, first_answer = _outcome(draw, first)
        two, second_answer = _outcome(draw, second)
        messages += [
            tool_result(one),
            tool_result(two),
            assistant(f"{first_answer} {second_answer}", "The tools have answered, so I can tell the user."),
        ]
    return Conversation(skill, tuple(messages), _with_others(draw, tools))


def no_tool_needed(draw: Draw) -> Conversation:
    """Tools are offered, but the question is one that the model answers itself."""
    plain = draw.pick([island, smalltalk])(draw)
    question, answer = plain.messages
    return Conversation("no_tool", (question, answer), _with_others(draw, [draw_use(draw).tool]))
