"""The world of the embedding model: invented products with attributes, asked and described in different words."""

from __future__ import annotations

from dataclasses import dataclass

from . import words
from .draw import Draw

INSTRUCTION = "Given a customer question, retrieve the passage that answers it"

# attribute | questions ; | passages ; the last question and the last passage of each are held out.
_ATTRIBUTES = """
price|How much does the {e} cost?;price of {e};What do I pay for a {e}?;Is the {e} expensive?;What does a {e} cost?;How many euros do I pay for the {e}?;Is the {e} cheap?;What is the list price of the {e}?;I want to buy a {e}, how much is it?;{e} cost in euros;How much money do I need for the {e}?|The {e} is priced at {n} euros.;You can buy the {e} for {n} euros.;List price of the {e}: {n} EUR.;The {e} costs {n} euros.;For only {n} euros you get the {e}.;We sell the {e} at a price of {n} EUR.;Pay {n} euros and take the {e} home.;The cost of the {e} is {n} euros.
colour|Which colour is the {e}?;{e} colour options;What does the {e} look like?;Is there a {c} {e}?;What colour does the {e} have?;Can I get the {e} in {c}?;Do you sell a {c} {e}?;What is the colour of the {e}?;{e} colours;I would like a {c} {e}, do you have it?;In what colours can I get the {e}?|The {e} comes in {c}.;Available colour of the {e}: {c}.;The {e} is painted {c}.;We sell the {e} in {c} and {d}.;You can choose the {e} in {c} or {d}.;The {e} looks {c}.;Colours of the {e}: {c} and {d}.;The {e} is available in the colours {c} and {d}.
warranty|How long is the guarantee on the {e}?;{e} warranty period;Is my {e} still covered if it breaks?;How long is the {e} covered?;Does the {e} have a guarantee?;What is the warranty of the {e}?;How many months of warranty has the {e}?;Do you repair a defective {e} free of charge?;{e} guarantee;My {e} has a defect, is it under warranty?;Is there a warranty on the {e}?|The {e} has a {n} month warranty.;Coverage for the {e} lasts {n} months after purchase.;We repair a defective {e} free of charge for {n} months.;The guarantee on the {e} is valid for {n} months.;Warranty period of the {e}: {n} months.;The {e} is covered by a guarantee for {n} months.;If the {e} breaks within {n} months we repair it free of charge.;Guarantee on the {e}: {n} months.
weight|How heavy is the {e}?;{e} weight;Can one person lift the {e}?;How many kilos is the {e}?;What does the {e} weigh?;Is the {e} easy to carry?;How many kilograms does the {e} weigh?;Is the {e} light?;What is the weight of the {e}?;Can I carry the {e} alone?;Is the {e} light or heavy?|The {e} weighs {n} kilograms.;Weight of the {e}: {n} kg.;At {n} kg the {e} is easy to carry.;The {e} has a weight of {n} kilos.;One person can lift the {e}, it weighs {n} kg.;The {e} is light with {n} kilograms.;The {e} is heavy, {n} kg.;With {n} kilograms the {e} is easy to lift.
delivery|When will my {e} arrive?;{e} shipping time;How fast do you ship the {e}?;When is the {e} delivered?;How long does shipping the {e} take?;When do I get my {e}?;How many days does delivery of the {e} take?;I ordered a {e}, when is it here?;{e} delivery time;Do you ship the {e} quickly?;How long does delivery of the {e} take?|The {e} is delivered within {n} days.;Shipping the {e} takes {n} business days.;Expect the {e} at your door in {n} days.;Delivery of the {e} takes {n} days.;We ship the {e} in {n} days.;After your order the {e} arrives in {n} days.;Delivery time of the {e}: {n} business days.;Your {e} arrives at your door after {n} days.
return|Can I send back the {e}?;{e} refund policy;I do not like my {e}, can I get my money back?;How do I return the {e}?;Can I return my {e}?;Do you refund the {e}?;Until when can I send the {e} back?;I want my money back for the {e};{e} returns;Can I exchange the {e}?;Is a refund possible for the {e}?|The {e} can be returned within {n} days.;Refunds for the {e} are possible for {n} days.;You may send the {e} back in the first {n} days.;If you do not like the {e}, return it within {n} days.;You get your money back for the {e} within {n} days.;We refund the {e} for {n} days.;Return policy of the {e}: {n} days, then no refund.;Send the {e} back within {n} days and get your money back.
battery|How long does the {e} run on one charge?;{e} battery life;Does the {e} last all day without power?;How often do I charge the {e}?;How long does the battery of the {e} last?;When is the battery of the {e} empty?;How many hours does the {e} run?;Can I use the {e} unplugged?;{e} battery hours;Does the {e} need to be charged every day?;When do I have to charge the {e}?|The battery of the {e} lasts {n} hours.;One charge keeps the {e} running for {n} hours.;The {e} runs {n} hours unplugged.;Charge the {e} after {n} hours.;Battery life of the {e}: {n} hours.;The {e} works {n} hours without power.;A full battery runs the {e} for {n} hours.;After {n} hours the battery of the {e} has to be charged.
material|What is the {e} made of?;{e} material;Is the {e} plastic or metal?;Which material is the {e} built from?;Is the {e} made of {m}?;What material do you use for the {e}?;Is the housing of the {e} {m}?;Is the {e} built from {m}?;Does the {e} consist of {m}?;From which material do you build the {e}?;What material is the {e}?|The {e} is made of {m}.;Housing of the {e}: {m}.;We build the {e} from {m}.;The {e} consists of {m}.;The material of the {e} is {m}.;The housing of the {e} is built from {m}.;We use {m} for the {e}.;The body of the {e} is made of {m}.
trouble|My {e} shows a red light, what now?;{e} troubleshooting;The {e} does not start;How do I fix my broken {e}?;My {e} does not work;What can I do when the {e} fails?;The {e} is blinking, what does it mean?;How do I restart the {e}?;My {e} has an error;How do I reset the {e}?;What can I do when my {e} does not start?|If the {e} fails to start, hold reset for {n} seconds.;Troubleshooting the {e}: a red light means fault {n}.;A blinking {e} needs a restart, then wait {n} seconds.;When the {e} does not work, reset it and wait {n} seconds.;To fix an error of the {e}, restart it after {n} seconds.;The {e} blinks red when it fails, press reset {n} times.;Error {n} of the {e} means that it has to be restarted.;If the {e} does not start, restart it and wait {n} seconds.
origin|Where is the {e} produced?;{e} country of manufacture;Which factory makes the {e}?;What country does the {e} come from?;Where do you make the {e}?;Is the {e} made in {p}?;Does the {e} come from {p}?;Where is the factory of the {e}?;{e} origin;Who produces the {e} and where?;In which country is the {e} made?|The {e} is manufactured in {p}.;Country of origin of the {e}: {p}.;Our plant in {p} makes the {e}.;The {e} comes from {p}.;The {e} is made in {p}.;A factory in {p} produces the {e}.;We manufacture the {e} in {p}.;The {e} is produced in our factory in {p}.
size|How big is the {e}?;{e} dimensions;Does the {e} fit on a shelf?;What is the height of the {e}?;How tall is the {e}?;How many centimetres does the {e} measure?;Is the {e} small?;How wide is the {e}?;{e} size;Will the {e} fit into my room?;What are the dimensions of the {e}?|The {e} is {n} centimetres tall.;Dimensions of the {e}: {n} cm.;With {n} centimetres the {e} fits everywhere.;The {e} measures {n} cm.;The {e} is {n} centimetres wide.;Size of the {e}: {n} by {k} cm.;The {e} is small, only {n} cm, and fits on a shelf.;The {e} has a height of {n} centimetres.
cleaning|How do I clean the {e}?;{e} care instructions;Can I wash the {e}?;My {e} is dirty, what now?;How do I care for the {e}?;Can I use soap on the {e}?;How often do I wash the {e}?;What do I clean the {e} with?;{e} cleaning;How do I get my {e} clean?;How is the {e} cleaned?|Wipe the {e} with a damp cloth every {n} days.;Care of the {e}: wash it at {n} degrees.;The {e} may be washed with soap after {n} uses.;Clean the {e} with warm water every {n} days.;A dirty {e} is cleaned with a cloth and {n} drops of soap.;Cleaning the {e}: wipe it with warm water.;To care for the {e}, wash it every {n} days.;To clean the {e}, wipe it with soap and warm water.
"""

_QUESTION_OPENINGS = ("Hello, ", "Please tell me: ", "Quick question: ", "I want to know: ", "Hi! ", "Can you help me? ")
_PASSAGE_OPENINGS = ("Good to know: ", "Note: ", "From the manual: ", "Our shop informs: ", "Hint: ", "Product data. ")
_PASSAGE_ENDINGS = (" See the manual.", " This is valid in all shops.", " Thank you for your interest.", " Ask our team for more.")

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
    colour, other_colour = draw.random.sample(words.COLOURS, 2)
    return sentence.format(
        e=name, n=draw.number(1, 199), k=draw.number(1, 199), c=colour, d=other_colour,
        m=draw.pick(_MATERIALS), p=draw.pick(_COUNTRIES),
    )  # fmt: skip


def ask(draw: Draw, attribute: Attribute, name: str) -> str:
    text = fill(draw, draw.phrasing(attribute.questions), name)
    if draw.chance(0.2):
        text = draw.pick(_QUESTION_OPENINGS) + text
    return text.lower() if draw.chance(0.15) else text


def describe(draw: Draw, attribute: Attribute, name: str) -> str:
    text = fill(draw, draw.phrasing(attribute.passages), name)
    if draw.chance(0.2):
        text = draw.pick(_PASSAGE_OPENINGS) + text
    return text + draw.pick(_PASSAGE_ENDINGS) if draw.chance(0.15) else text


def triple(draw: Draw) -> Triple:
    name, attribute = product(draw), draw.pick(ATTRIBUTES)
    kind = draw.pick(["other attribute", "other brand", "other noun"])
    if kind == "other attribute":
        other = draw.pick([candidate for candidate in ATTRIBUTES if candidate is not attribute])
        negative = describe(draw, other, name)
    else:
        brand, rest = name.split(maxsplit=1)
        stranger = product(draw)
        near = f"{stranger.split()[0]} {rest}" if kind == "other brand" else f"{brand} {stranger.split(maxsplit=1)[1]}"
        negative = describe(draw, attribute, near if near != name else stranger)
    return Triple(ask(draw, attribute, name), describe(draw, attribute, name), negative)
