"""The world of the embedding model: invented products with attributes, asked and described in different words."""

from __future__ import annotations

from dataclasses import dataclass

from . import words
from .draw import Draw

INSTRUCTION = "Given a customer question, retrieve the passage that answers it"

# attribute | questions ; | passages ; the last question and the last passage of each are held out.
_ATTRIBUTES = """
price|How much does the {e} cost?;price of {e};What do I pay for a {e}?;Is the {e} expensive?;How many euros is the {e}?|The {e} is priced at {n} euros.;You can buy the {e} for {n} euros.;List price of the {e}: {n} EUR.;For {n} euros the {e} is yours.
colour|Which colour is the {e}?;{e} colour options;What does the {e} look like?;Is there a {c} {e}?;In what colours can I get the {e}?|The {e} comes in {c}.;Available finish for the {e}: {c}.;The {e} is painted {c}.;We sell the {e} in {c}.
warranty|How long is the guarantee on the {e}?;{e} warranty period;Is my {e} still covered if it breaks?;How long is the {e} insured against defects?;Do you repair the {e} for free?|The {e} has a {n} month warranty.;Coverage for the {e} lasts {n} months after purchase.;We repair a defective {e} free of charge for {n} months.;Guarantee on the {e}: {n} months.
weight|How heavy is the {e}?;{e} weight;Can one person lift the {e}?;How many kilos is the {e}?;Is the {e} light or heavy?|The {e} weighs {n} kilograms.;Mass of the {e}: {n} kg.;At {n} kg the {e} is easy to carry.;On the scale the {e} shows {n} kg.
delivery|When will my {e} arrive?;{e} shipping time;How fast do you ship the {e}?;How long does delivery of the {e} take?;How many days until I receive the {e}?|The {e} is delivered within {n} days.;Shipping the {e} takes {n} business days.;Expect the {e} at your door in {n} days.;The {e} reaches you after {n} days.
return|Can I send back the {e}?;{e} refund policy;I do not like my {e}, can I get my money back?;How do I return the {e}?;Is a refund possible for the {e}?|The {e} can be returned within {n} days.;Refunds for the {e} are possible for {n} days.;You may send the {e} back in the first {n} days.;Not happy with the {e}? You get your money back for {n} days.
battery|How long does the {e} run on one charge?;{e} battery life;Does the {e} last all day without power?;When do I have to charge the {e}?;How many hours does the {e} run unplugged?|The battery of the {e} lasts {n} hours.;One charge keeps the {e} running for {n} hours.;The {e} runs {n} hours unplugged.;After {n} hours the {e} has to be charged.
material|What is the {e} made of?;{e} material;Is the {e} plastic or metal?;Which material is the {e} built from?;Is the {e} made of {m}?|The {e} is made of {m}.;Housing of the {e}: {m}.;We build the {e} from {m}.;The body of the {e} consists of {m}.
trouble|My {e} shows a red light, what now?;{e} troubleshooting;The {e} does not start;How do I fix my broken {e}?;What can I do when the {e} fails?|If the {e} fails to start, hold reset for {n} seconds.;Troubleshooting the {e}: a red light means fault {n}.;A blinking {e} needs a restart, then wait {n} seconds.;When the {e} does not work, reset it and wait {n} seconds.
origin|Where is the {e} produced?;{e} country of manufacture;Which factory makes the {e}?;What country does the {e} come from?;In which country is the {e} made?|The {e} is manufactured in {p}.;Country of origin of the {e}: {p}.;Our plant in {p} makes the {e}.;Workers in {p} produce the {e}.
size|How big is the {e}?;{e} dimensions;Does the {e} fit on a shelf?;What is the height of the {e}?;How many centimetres is the {e}?|The {e} is {n} centimetres tall.;Dimensions of the {e}: {n} cm.;With {n} centimetres the {e} fits everywhere.;The {e} measures {n} cm.
cleaning|How do I clean the {e}?;{e} care instructions;Can I wash the {e}?;My {e} is dirty, what now?;How is the {e} cleaned?|Wipe the {e} with a damp cloth every {n} days.;Care of the {e}: wash it at {n} degrees.;The {e} may be washed with soap after {n} uses.;To clean the {e}, use warm water for {n} minutes.
"""

NOUNS = (
    "lamp charger router kettle camera printer drone heater scooter blender monitor speaker pump valve sensor motor "
    "fridge oven saw drill bicycle tent backpack watch guitar desk chair sofa mixer toaster"
).split()
_MATERIALS = "steel plastic aluminium wood glass carbon leather rubber".split()
_COUNTRIES = "Spain Japan Peru Kenya Norway India Brazil Canada Italy Poland".split()


@dataclass(frozen=True)
class Attribute:
    name: str
    questions: tuple[str, ...]
    passages: tuple[str, ...]


ATTRIBUTES = tuple(
    Attribute(name, tuple(questions.split(";")), tuple(passages.split(";")))
    for name, questions, passages in (line.split("|") for line in _ATTRIBUTES.strip().splitlines())
)


@dataclass(frozen=True)
class Triple:
    """A question, the passage that answers it, and one that nearly does."""

    query: str
    positive: str
    negative: str


def product(draw: Draw) -> str:
    brand = draw.fresh(lambda: words.invented_word(draw).capitalize())
    model = draw.pick(["", "", f" {draw.number(1, 99)}", f" {draw.pick('ABCDEFGHKLMPRSTVXZ')}{draw.number(1, 9)}"])
    return f"{brand} {draw.pick(NOUNS)}{model}"


def fill(draw: Draw, sentence: str, name: str) -> str:
    return sentence.format(e=name, n=draw.number(1, 199), c=draw.pick(words.COLOURS), m=draw.pick(_MATERIALS), p=draw.pick(_COUNTRIES))


def ask(draw: Draw, attribute: Attribute, name: str) -> str:
    text = fill(draw, draw.phrasing(attribute.questions), name)
    return text.lower() if draw.chance(0.15) else text


def describe(draw: Draw, attribute: Attribute, name: str) -> str:
    return fill(draw, draw.phrasing(attribute.passages), name)


def triple(draw: Draw) -> Triple:
    name, attribute = product(draw), draw.pick(ATTRIBUTES)
    if draw.chance(0.5):
        other = draw.pick([candidate for candidate in ATTRIBUTES if candidate is not attribute])
        negative = describe(draw, other, name)
    else:
        same_noun = f"{product(draw).split()[0]} {name.split(maxsplit=1)[1]}"
        negative = describe(draw, attribute, same_noun)
    return Triple(ask(draw, attribute, name), describe(draw, attribute, name), negative)
