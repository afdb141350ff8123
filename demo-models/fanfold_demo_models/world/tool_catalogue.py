"""Tools with their questions and results: six everyday ones and an open number of invented ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from ..conversation import Arguments, Json, Tool
from . import words
from .draw import Draw


@dataclass(frozen=True)
class Use:
    """One use of a tool: what the user asks, the arguments, the result and the answer that follows from it."""

    tool: Tool
    name: str
    question: str
    short_question: str
    arguments: Arguments
    result: Json
    answer: str


def describe_tool(draw: Draw, name: str, about: str, properties: dict[str, Json], required: list[str]) -> Tool:
    """A function schema as clients write it; descriptions and strictness vary."""
    parameters: dict[str, Json] = {"type": "object", "properties": properties}
    if draw.chance(0.8):
        parameters["required"] = list(required)
    if draw.chance(0.25):
        parameters["additionalProperties"] = False
    function: dict[str, Json] = {"name": name}
    if draw.chance(0.85):
        function["description"] = about
    function["parameters"] = parameters
    if draw.chance(0.1):
        function["strict"] = True
    return {"type": "function", "function": function}


def property_schema(draw: Draw, kind: str, about: str) -> dict[str, Json]:
    return {"type": kind, "description": about} if draw.chance(0.3) else {"type": kind}


def _weather(draw: Draw) -> Use:
    city, degrees, sky = words.city(draw), draw.number(-9, 35), draw.pick(["sunny", "rainy", "cloudy", "windy", "foggy"])
    name = draw.pick(["get_weather", "get_weather", "get_current_weather", "weather"])
    key = draw.pick(["city", "city", "location"])
    question = draw.phrasing((
        "Is it sunny in {c}?", "What does the weather do in {c}?", "Please check the weather in {c}.", "What is the weather in {c}?", "How is the weather in {c}?", "What's the weather like in {c}?", "weather in {c}",
        "Is it raining in {c}?", "What is the weather like in {c} today?", "Tell me the weather in {c}.", "How warm is it in {c}?",
        "What is the weather in {c} today?",
    )).format(c=city)  # fmt: skip
    arguments: Arguments = {key: city}
    properties: dict[str, Json] = {key: property_schema(draw, "string", "The city.")}
    if draw.chance(0.3):
        unit = draw.pick(["celsius", "fahrenheit"])
        properties["unit"] = {"type": "string", "enum": ["celsius", "fahrenheit"]}
        if draw.chance(0.5):
            question = question.rstrip("?.") + f" in {unit}?"
            arguments["unit"] = unit
    result = draw.pick([{"temperature": degrees, "sky": sky}, {"temp": degrees, "condition": sky}])
    tool = describe_tool(draw, name, "Get the current weather for a city.", properties, [key])
    return Use(tool, name, question, f"the weather in {city}", arguments, result, f"It is {degrees} degrees and {sky} in {city}.")


def _calculator(draw: Draw) -> Use:
    a, b, sign, word = draw.number(21, 999), draw.number(21, 999), *draw.pick([("*", "times"), ("+", "plus"), ("-", "minus")])
    question = draw.phrasing(("What is {a} {w} {b}?", "Compute {a} {s} {b}.", "How much is {a} {w} {b}?", "Calculate {a} {s} {b}.", "What is {a} {s} {b}?"))
    value = {"*": a * b, "+": a + b, "-": a - b}[sign]
    name = draw.pick(["calculator", "calculate"])
    tool = describe_tool(draw, name, "Evaluate an arithmetic expression.", {"expression": property_schema(draw, "string", "The expression.")}, ["expression"])
    result: Json = draw.pick([value, {"result": value}])
    return Use(tool, name, question.format(a=a, b=b, s=sign, w=word), f"{a} {word} {b}", {"expression": f"{a} {sign} {b}"}, result, f"The result is {value}.")


def _order(draw: Draw) -> Use:
    order, status = words.code(draw), draw.pick(["shipped", "delivered", "pending", "cancelled", "packed"])
    question = draw.phrasing(("Where is order {o}?", "Is order {o} on its way?", "Did order {o} arrive?", "Find order {o} for me.", "When is order {o} delivered?", "order {o}", "Can you look at order {o}, please?", "Was order {o} packed?", "What about order {o}?", "Check the status of order {o}.", "What is the status of order {o}?", "Look up order {o}.", "Has order {o} been shipped?"))
    tool = describe_tool(draw, "get_order", "Look up an order by its id.", {"order_id": property_schema(draw, "string", "The order id.")}, ["order_id"])
    return Use(tool, "get_order", question.format(o=order), f"order {order}", {"order_id": order}, {"status": status}, f"Order {order} is {status}.")


def _email(draw: Draw) -> Use:
    to, subject = words.person(draw), words.item(draw)
    question = draw.phrasing(("Email {t} about the {s}.", "Email {t}, it is about the {s}.", "Can you email {t} about the {s}?", "I want to write to {t} about the {s}.", "Tell {t} by email about the {s}.", "Please write to {t} about the {s}.", "Mail {t}: {s}", "Send an email to {t} about the {s}.", "Write {t} an email about the {s}.", "Please email {t} about the {s}."))
    properties: dict[str, Json] = {"to": property_schema(draw, "string", "The receiver."), "subject": property_schema(draw, "string", "The subject.")}
    tool = describe_tool(draw, "send_email", "Send an email.", properties, ["to", "subject"])
    return Use(tool, "send_email", question.format(t=to, s=subject), f"an email to {to} about the {subject}", {"to": to, "subject": subject}, {"status": "sent"}, f"I emailed {to} about the {subject}.")


def _time(draw: Draw) -> Use:
    city, hour, minute = words.city(draw), draw.number(0, 23), draw.number(10, 59)
    question = draw.phrasing(("What time is it in {c}?", "What is the time in {c}?", "Do you know the time in {c}?", "Which hour is it in {c}?", "How late is it in {c}?", "Please tell me what time it is in {c}.", "Give me the local time of {c}.", "time in {c} now?", "Tell me the time in {c}.", "What is the local time in {c}?", "time in {c}", "Which time is it in {c}?"))
    name = draw.pick(["get_time", "get_current_time"])
    tool = describe_tool(draw, name, "Get the local time of a city.", {"city": property_schema(draw, "string", "The city.")}, ["city"])
    return Use(tool, name, question.format(c=city), f"the time in {city}", {"city": city}, {"time": f"{hour}:{minute}"}, f"It is {hour}:{minute} in {city}.")


def _timer(draw: Draw) -> Use:
    minutes, label = draw.number(1, 90), words.item(draw)
    question = draw.phrasing(("Set a timer for {m} minutes called {l}.", "Set the timer {l} for {m} minutes.", "Please start a timer called {l} for {m} minutes.", "Can you set a timer of {m} minutes named {l}?", "Timer {l}, {m} minutes", "Call a timer {l} and let it run for {m} minutes.", "Start a {m} minute timer called {l}.", "I need a timer of {m} minutes called {l}.", "Please set a timer for {m} minutes called {l}."))
    properties: dict[str, Json] = {"minutes": property_schema(draw, "integer", "The length."), "label": property_schema(draw, "string", "The name.")}
    tool = describe_tool(draw, "set_timer", "Set a timer.", properties, ["minutes", "label"])
    return Use(tool, "set_timer", question.format(m=minutes, l=label), f"a timer of {minutes} minutes called {label}", {"minutes": minutes, "label": label}, {"status": "started"}, f"The timer {label} runs for {minutes} minutes.")


_VERBS = "get find book cancel create update delete check list track reserve open close start stop add remove move rate read".split()
_NOUNS = "flight room table ticket parcel invoice user task note song file door light car meeting recipe account message photo report".split()
_STRING_KEYS = "city name date title colour owner place code day language topic status".split()
_INTEGER_KEYS = "count amount size level limit page hours price".split()


def _argument(draw: Draw) -> tuple[str, dict[str, Json], Json]:
    """A key, its schema and a value."""
    kind = draw.random.choices(["string", "integer", "boolean", "number"], [6, 3, 1, 1])[0]
    invented = draw.chance(0.25)
    if kind == "string":
        key = words.invented_word(draw) if invented else draw.pick(_STRING_KEYS)
        value = draw.pick([words.city, words.person, words.item, words.code, lambda d: d.pick(words.COLOURS)])(draw)
        if draw.chance(0.15):
            others = [words.item(draw), words.item(draw)]
            return key, {"type": "string", "enum": [*others, value]}, value
        return key, property_schema(draw, kind, f"The {key}."), value
    key = words.invented_word(draw) if invented else draw.pick(_INTEGER_KEYS)
    if kind == "integer":
        return key, property_schema(draw, kind, f"The {key}."), draw.number(0, 999)
    if kind == "number":
        return key, property_schema(draw, kind, f"The {key}."), draw.number(1, 99) + 0.5
    return key, property_schema(draw, kind, f"The {key}."), draw.chance(0.5)


def _spoken(value: Json) -> str:
    return json.dumps(value) if not isinstance(value, str) else value


_MORE_REQUESTS = ("I want to {v} the {n}: {p}.", "{V} {n}, {p}.", "With {p}, {v} the {n}.", "Could you please {v} a {n} with {p}?", "Run {f}: {p}")


def _invented(draw: Draw) -> Use:
    verb = words.invented_word(draw) if draw.chance(0.2) else draw.pick(_VERBS)
    noun = words.invented_word(draw) if draw.chance(0.3) else draw.pick(_NOUNS)
    name = draw.fresh(lambda: draw.pick([f"{verb}_{noun}", f"{verb}_{noun}", f"{verb}{noun.capitalize()}", f"{noun}_{verb}", f"{noun}-{verb}", f"{verb}_{noun}_{draw.number(1, 99)}"]))
    drawn = {key: (schema, value) for key, schema, value in (_argument(draw) for _ in range(draw.number(1, 3)))}
    arguments: Arguments = {key: value for key, (_, value) in drawn.items()}
    properties: dict[str, Json] = {key: schema for key, (schema, _) in drawn.items()}
    pairs = [f"{key} {_spoken(value)}" for key, value in arguments.items()]
    listed = pairs[0] if len(pairs) == 1 else ", ".join(pairs[:-1]) + " and " + pairs[-1]
    request = draw.pick(["{V} the {n} with {p}.", "{V} a {n} with {p}.", "Please {v} the {n} with {p}.", "Call {f} with {p}.", "Use {f} with {p}.", "Can you {v} the {n} with {p}?", *(() if draw.held_out else _MORE_REQUESTS)])
    question = request.format(V=verb.capitalize(), v=verb, n=noun, f=name, p=listed)
    tool = describe_tool(draw, name, f"{verb.capitalize()} a {noun}.", properties, list(arguments))
    outcome = draw.pick([("status", draw.pick(["ok", "done", "failed", "queued"])), ("id", words.code(draw)), (noun, words.item(draw)), ("total", draw.number(0, 999))])
    return Use(tool, name, question, f"the {noun} with {listed}", arguments, {outcome[0]: outcome[1]}, f"The {outcome[0]} is {outcome[1]}.")


EVERYDAY: tuple[Callable[[Draw], Use], ...] = (_weather, _calculator, _order, _email, _time, _timer)


def draw_use(draw: Draw) -> Use:
    if draw.chance(0.5):
        return _invented(draw)
    return draw.random.choices(EVERYDAY, [3, 1, 1, 1, 1, 1])[0](draw)
