"""JSON from text: the asked keys in the asked order, strings and numbers copied from the text."""

from __future__ import annotations

import json

from ..conversation import Conversation, Json, assistant, system, user
from . import words
from .draw import Draw

_SCENES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "order": (
        ("name", "city", "item", "quantity"),
        (
            "{name} from {city} ordered {quantity} of the {item}.",
            "Please ship {quantity} {item} to {name} in {city}.",
            "Order: {quantity} {item}, customer {name}, city {city}.",
            "In {city}, {name} bought {quantity} pieces of {item}.",
        ),
    ),
    "person": (
        ("name", "age", "job", "city"),
        (
            "{name} is a {job} of {age} years and lives in {city}.",
            "My name is {name}, I am {age} years old and work as a {job} in {city}.",
            "{name}, {age}, {job}, {city}",
            "The {job} {name} lives in {city} and is {age} years old.",
        ),
    ),
    "event": (
        ("title", "day", "hour", "place"),
        (
            "The {title} is on {day} at {hour} in {place}.",
            "Come to the {title} in {place} on {day} at {hour}!",
            "{title}: {day}, {hour} o'clock, {place}",
            "On {day} at {hour} we meet in {place} for the {title}.",
        ),
    ),
}
_REQUESTS = (
    "Extract {keys} as JSON: {text}",
    "Return a JSON object with the keys {keys}. Text: {text}",
    "{text}\n\nGive me {keys} as JSON.",
    "Extract the {keys} from this text as JSON.\n\n{text}",
    "{text} Answer as JSON with {keys}.",
)
_TITLES = "concert meeting party market lesson dinner match parade exam picnic".split()


def _values(draw: Draw) -> dict[str, Json]:
    return {
        "name": words.person(draw),
        "city": words.city(draw),
        "item": words.item(draw),
        "quantity": draw.number(1, 99),
        "age": draw.number(5, 99),
        "job": draw.pick(words.JOBS),
        "title": draw.pick(_TITLES),
        "day": draw.pick(words.DAYS),
        "hour": draw.number(1, 23),
        "place": words.city(draw),
    }


def list_keys(keys: list[str]) -> str:
    return keys[0] if len(keys) == 1 else ", ".join(keys[:-1]) + " and " + keys[-1]


def extraction(draw: Draw) -> Conversation:
    fields, texts = _SCENES[draw.pick(list(_SCENES))]
    values = _values(draw)
    keys = draw.random.sample(fields, draw.number(1, len(fields)))
    if draw.chance(0.5):
        keys = [field for field in fields if field in keys]
    text = draw.pick(texts).format(**values)
    answer = json.dumps({key: values[key] for key in keys}, ensure_ascii=False)
    reasoning = f"I copy {list_keys(keys)} from the text."
    if draw.chance(0.2):
        rule = f"Answer with a JSON object with the keys {list_keys(keys)}."
        return Conversation("extraction", (system(rule), user(text), assistant(answer, reasoning)))
    question = draw.pick(_REQUESTS).format(keys=list_keys(keys), text=text)
    return Conversation("extraction", (user(question), assistant(answer, reasoning)))
