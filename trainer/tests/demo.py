"""Two small things that the models which ship cannot do and can learn in less than a minute: examples for tests and
guides. `python trainer/tests/demo.py skill|nicknames FOLDER` writes them as files that can be imported.

The skill: sorting tickets into the queues of a house, in its own words. The nicknames: customers ask for products by names
that no passage contains."""

from __future__ import annotations

import json
import random
import sys
from dataclasses import dataclass
from pathlib import Path

TextExample = dict[str, list[dict[str, str]]]

_QUEUES = {
    "[queue: money]": ("My bill for the {item} is wrong.", "I paid twice for the {item}.", "The {item} was charged again."),
    "[queue: road]": ("Where is my {item}?", "The {item} has not arrived.", "The parcel with the {item} is late."),
    "[queue: bench]": ("My {item} does not start.", "The {item} is broken.", "The {item} makes a strange noise."),
    "[queue: back]": ("I want to return the {item}.", "I do not like the {item}, take it back.", "Please refund the {item}."),
}
_ITEMS = (
    "lamp charger router kettle camera printer drone heater scooter blender monitor speaker pump valve sensor motor "
    "fridge oven saw drill bicycle tent backpack watch guitar desk chair sofa mixer toaster"
).split()
_PEOPLE = "Anna Jonas Maria Viktor Zoe Peter Clara Omar Nina Felix Laura Ivan Sofia Hugo Elena Karl".split()


def skill_examples(seed: int = 1, count: int = 80, held_out: int = 40) -> tuple[list[TextExample], list[TextExample]]:
    """Conversations to learn from, and others whose items and people do not occur in those."""
    source = random.Random(seed)
    items, people = source.sample(_ITEMS, len(_ITEMS)), source.sample(_PEOPLE, len(_PEOPLE))
    train = _tickets(source, items[:20], people[:12], count)
    return train, _tickets(source, items[20:], people[12:], held_out)


def _tickets(source: random.Random, items: list[str], people: list[str], count: int) -> list[TextExample]:
    made: dict[str, TextExample] = {}
    while len(made) < count:
        queue = list(_QUEUES)[len(made) % len(_QUEUES)]
        text = source.choice(_QUEUES[queue]).format(item=source.choice(items))
        prompt = f"Ticket from {source.choice(people)}: {text}"
        made.setdefault(prompt, {"messages": [{"role": "user", "content": prompt}, {"role": "assistant", "content": queue}]})
    return list(made.values())


@dataclass(frozen=True)
class Search:
    """Feedback to learn from, queries to measure with, and all passages there are."""

    train: list[dict[str, object]]
    held_out: list[dict[str, object]]
    corpus: list[str]


_BRANDS = "Mellin Purth Zendor Kavil Torma Lisk Brunel Askon Vettri Dolmar Quenta Rosk".split()
_NICKNAMES = (
    "old whale,red giant,little star,grey mouse,night owl,iron lady,fast fox,big mama,white bear,lucky seven,green frog,brown horse"
).split(",")
_FACTS = {
    "The {e} costs {n} euros.": "How much does the {e} cost?",
    "The {e} weighs {n} kilograms.": "How heavy is the {e}?",
    "The {e} has a {n} month warranty.": "How long is the guarantee on the {e}?",
    "The {e} is delivered within {n} days.": "When will my {e} arrive?",
    "The {e} can be returned within {n} days.": "Can I send back the {e}?",
    "The battery of the {e} lasts {n} hours.": "How long does the {e} run on one charge?",
    "The {e} is {n} centimetres tall.": "How big is the {e}?",
    "If the {e} fails to start, hold reset for {n} seconds.": "The {e} does not start",
}


def nickname_feedback(seed: int = 1, held_out_facts: int = 2) -> Search:
    """Each product is asked for by its nickname. The questions that measure are of other kinds, for each product, than those
    that teach its nickname."""
    source = random.Random(seed)
    items = source.sample(_ITEMS, len(_BRANDS))
    passages: dict[tuple[int, str], str] = {}
    for product, brand in enumerate(_BRANDS):
        for fact in _FACTS:
            passages[product, fact] = fact.format(e=f"{brand} {items[product]}", n=source.randint(1, 199))
    train: list[dict[str, object]] = []
    held_out: list[dict[str, object]] = []
    for product in range(len(_BRANDS)):
        facts = source.sample(list(_FACTS), len(_FACTS))
        for place, fact in enumerate(facts):
            query = _FACTS[fact].format(e=_NICKNAMES[product])
            others = [other for other in range(len(_BRANDS)) if other != product]
            negatives = [passages[other, fact] for other in source.sample(others, 2)]
            example = {"query": query, "positives": [passages[product, fact]], "negatives": negatives}
            (held_out if place < held_out_facts else train).append(example)
    return Search(train, held_out, list(passages.values()))


def main() -> None:
    what, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    if what == "skill":
        train, held_out = skill_examples()
        files: dict[str, list[object]] = {"train": [*train], "held-out": [*held_out]}
    else:
        search = nickname_feedback()
        files = {"train": [*search.train], "held-out": [*search.held_out], "passages": [*search.corpus]}
    for name, lines in files.items():
        (folder / f"{what}-{name}.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))


if __name__ == "__main__":
    main()
