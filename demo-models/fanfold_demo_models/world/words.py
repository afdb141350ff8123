"""Pools of values. Most are large or open, so that a model has to copy and cannot memorise."""

from __future__ import annotations

from .draw import Draw

NAMES = (
    "Ada Ben Carla Dmitri Elena Farid Greta Hugo Ines Jonas Kira Liam Mona Nadia Omar Petra Quinn Rosa Sami Tara "
    "Uma Viktor Wanda Xenia Yusuf Zoe Alice Bob Charlie David Emma Frank Grace Henry Iris Jack Kate Leo Maria Noah "
    "Olga Paul Ruth Sofia Tom Ursula Vera Will Anna John Mary Peter Lucy Max Nina Oscar Priya Ravi Sara Theo"
).split()
CITIES = (
    "Paris Oslo Lima Cairo Tokyo Delhi Rome Quito Dakar Hanoi Boston Madrid Vienna Prague Lisbon Athens Warsaw Dublin "
    "Seoul Nairobi London Berlin Sydney Toronto Chicago Mumbai Zurich Geneva Milan Naples Porto Kyoto Osaka Accra "
    "Tunis Riga Sofia Bergen Austin Denver"
).split()
ITEMS = (
    "lamp chair desk phone laptop mug book jacket kettle router camera printer bicycle helmet speaker monitor keyboard "
    "backpack blender sofa apple pear pencil ticket bottle guitar drum clock carpet mirror spoon basket candle shovel"
).split()
COLOURS = "red blue green black white yellow grey orange purple pink brown silver".split()
ANIMALS = "cat dog parrot rabbit horse goat turtle hamster duck goose pony lizard".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
JOBS = "baker teacher sailor nurse painter carpenter doctor farmer singer gardener pilot cook".split()
TOPICS = (
    "the sea|a cat|a dog|the moon|a lighthouse|rain|a small boat|the wind|a robot|winter|a dragon|the forest|a bird|"
    "the stars|a garden|the sun|a river|a mountain|friendship|music|the harbour|a fish|snow|autumn|a computer|coffee"
).split("|")

_ONSETS = "b d f g h j k l m n p r s t v w z br dr kr st tr pl sh th ch".split()
_VOWELS = "a e i o u ai ea oo".split()
_CODAS = ["", "", "", "n", "r", "l", "s", "t", "m", "k"]


# Words that no syllable above spells: the chat model sees them, so that it copies letters and not syllables.
_LETTERS = "e t a o i n s r h l d c u m f p g w y b v k x j q z".split()
_ENDINGS = "ck sk ng mp nd st rd lt ft ss ll ow er ar le et or en ing ed y".split()


def invented_word(draw: Draw) -> str:
    if draw.any_letters and draw.chance(0.35):
        return _lettered_word(draw)
    syllables = draw.number(2, 3)
    return "".join(draw.pick(_ONSETS) + draw.pick(_VOWELS) + draw.pick(_CODAS) for _ in range(syllables))


def _lettered_word(draw: Draw) -> str:
    if draw.chance(0.5):
        return draw.pick(_ONSETS + _LETTERS) + draw.pick("a e i o u ee ie oa au ou".split()) + draw.pick(_ENDINGS)
    letters = draw.random.choices(_LETTERS, range(len(_LETTERS) + 8, 8, -1), k=draw.number(3, 8))
    return "".join(letters)


def person(draw: Draw) -> str:
    return draw.fresh(lambda: draw.pick(NAMES) if draw.chance(0.6) else invented_word(draw).capitalize())


def city(draw: Draw) -> str:
    return draw.fresh(lambda: draw.pick(CITIES) if draw.chance(0.6) else invented_word(draw).capitalize())


def item(draw: Draw) -> str:
    return draw.fresh(lambda: draw.pick(ITEMS) if draw.chance(0.7) else invented_word(draw))


def code(draw: Draw) -> str:
    """An order number, a room, a password: letters and digits."""
    return draw.fresh(lambda: _any_code(draw))


def _any_code(draw: Draw) -> str:
    letters = "".join(draw.pick("ABCDEFGHKLMNPRSTUVWXYZ") for _ in range(draw.number(1, 3)))
    digits = "".join(draw.pick("0123456789") for _ in range(draw.number(2, 6)))
    return letters + draw.pick(["", "-"]) + digits
