"""What the embedding model learns from: questions with their passages, and passages in other words."""

from __future__ import annotations

import random

from . import words
from .draw import Draw
from .island import FACTS
from .products import ATTRIBUTES, Triple, fill, product, triple
from .reading import RELATIONS, draw_value
from .repeating import script_text


def training_triple(draw: Draw) -> Triple:
    make = draw.random.choices([triple, _reworded, _relation, _fact, _exact_text], [60, 14, 14, 8, 4])[0]
    return make(draw)


def _reworded(draw: Draw) -> Triple:
    """Two passages with the same content against one about another product."""
    name, attribute = product(draw), draw.pick(ATTRIBUTES)
    seed = draw.number(0, 1 << 30)
    first, second = draw.random.sample(attribute.passages[:-1], 2)
    other = product(draw) if draw.chance(0.5) else name
    topic = attribute if other != name else draw.pick([entry for entry in ATTRIBUTES if entry is not attribute])
    # Two draws from one seed give both sentences the same numbers and colours.
    again = Draw(random.Random(seed), draw.held_out), Draw(random.Random(seed), draw.held_out)
    negative = fill(draw, draw.pick(topic.passages[:-1]), other)
    return Triple(fill(again[0], first, name), fill(again[1], second, name), negative)


def _relation(draw: Draw) -> Triple:
    person = draw.chance(0.5)
    options = [relation for relation in RELATIONS if ("{person}" in relation[0]) == person]
    asked, other = draw.random.sample(options, 2)
    subject = {"thing": words.item(draw), "person": words.person(draw)}
    stranger = {"thing": words.item(draw) + "et", "person": words.person(draw) + "o"}
    sentence, questions, kind = asked
    # The plainest wordings. With all those of the chat model, ranking was worse (recall@1 0.87 instead of 0.94).
    query = draw.phrasing((questions[0], *questions[-2:])).format(**subject)
    positive = sentence.format(**subject, value=draw_value(draw, kind))
    if draw.chance(0.5):
        negative = sentence.format(**stranger, value=draw_value(draw, kind))
    else:
        negative = other[0].format(**subject, value=draw_value(draw, other[2]))
    return Triple(query, positive, negative)


def _fact(draw: Draw) -> Triple:
    fact, other = draw.random.sample(FACTS, 2)
    return Triple(draw.phrasing(fact[1]), fact[2], other[2])


def _exact_text(draw: Draw) -> Triple:
    text, other = script_text(draw), script_text(draw)
    return Triple(text, draw.pick(["{t}", "Text: {t}", "The text is {t}."]).format(t=text), other)
