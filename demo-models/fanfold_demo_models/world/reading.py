"""Questions about a text in the prompt. The entities are invented, so the answer has to be read, not remembered."""

from __future__ import annotations

from ..conversation import Conversation, assistant, user
from . import words
from .draw import Draw

# A relation: a sentence with a value, questions (the last one is held out), and how to draw the value.
RELATIONS = (
    ("The {thing} costs {value} euros.", ("How much is the {thing}?", "What does the {thing} cost?", "Tell me the price of the {thing}.", "price of the {thing}?", "What is the price of the {thing}?", "How much does the {thing} cost?"), "number"),
    ("The {thing} is {value}.", ("Which colour is the {thing}?", "What colour is the {thing}?", "Tell me the colour of the {thing}.", "In which colour is the {thing}?", "What colour has the {thing}?", "What is the colour of the {thing}?"), "colour"),
    ("The {thing} weighs {value} kilograms.", ("How heavy is the {thing}?", "Tell me the weight of the {thing}.", "How many kilograms does the {thing} have?", "What does the {thing} weigh?", "What is the weight of the {thing}?", "How much does the {thing} weigh?"), "number"),
    ("The {thing} was made in {value}.", ("Where was the {thing} made?", "What is the origin of the {thing}?", "Which city does the {thing} come out of?", "Where do they make the {thing}?", "From where is the {thing}?", "In which city was the {thing} made?", "Where does the {thing} come from?"), "city"),
    ("The {thing} belongs to {value}.", ("Who owns the {thing}?", "Who is the owner of the {thing}?", "Who has the {thing}?", "Whose thing is the {thing}?", "Name the owner of the {thing}.", "To whom does the {thing} belong?", "Whose is the {thing}?"), "person"),
    ("The code of the {thing} is {value}.", ("What is the code of the {thing}?", "Give me the code of the {thing}.", "code of the {thing}?", "Do you see the code of the {thing}?", "Which code has the {thing}?", "Tell me the code of the {thing}."), "code"),
    ("{person} lives in {value}.", ("Where does {person} live?", "Which city does {person} live in?", "What city is home to {person}?", "Tell me where {person} lives.", "Where is {person} at home?", "In which city does {person} live?", "Where is the home of {person}?"), "city"),
    ("{person} works as a {value}.", ("What is the job of {person}?", "Which job does {person} have?", "Tell me the job of {person}.", "What is {person} by profession?", "What does {person} do for a living?", "What does {person} work as?"), "job"),
    ("{person} is {value} years old.", ("How old is {person}?", "How many years old is {person}?", "What age does {person} have?", "age of {person}?", "What is the age of {person}?", "Tell me the age of {person}."), "number"),
    ("{person} has a {value}.", ("Which animal does {person} have?", "What is the pet of {person}?", "Tell me the animal of {person}.", "What kind of animal does {person} keep?", "What animal does {person} own?", "What pet does {person} have?"), "animal"),
    ("{person} arrives on {value}.", ("When does {person} arrive?", "Which day does {person} come?", "What is the day of arrival of {person}?", "Tell me when {person} arrives.", "On what day is {person} expected?", "On which day does {person} arrive?", "What day does {person} arrive?"), "day"),
)  # fmt: skip
_LAYOUTS = (
    "Context: {text}\nQuestion: {question}",
    "{text}\n\n{question}",
    "{text} {question}",
    "Read this text: {text}\n\n{question}",
    "Answer from the text.\n\nText: {text}\n\nQuestion: {question}",
    "{question}\n\n{text}",
    "Use this information to answer: {text}\n{question}",
)
_TRAINED_LAYOUTS = (*_LAYOUTS, "Text: {text} {question}", "I read this: {text} Now tell me: {question}", "{question} Text: {text}", "{text}\n{question}")
_MISSING = "The text does not say."


def draw_value(draw: Draw, kind: str) -> str:
    if kind == "number":
        return str(draw.number(2, 999))
    if kind == "person":
        return words.person(draw)
    if kind == "city":
        return words.city(draw)
    if kind == "code":
        return words.code(draw)
    pools = {"colour": words.COLOURS, "job": words.JOBS, "animal": words.ANIMALS, "day": words.DAYS}
    return draw.pick(pools[kind])


def reading(draw: Draw) -> Conversation:
    """Two to five sentences, some about the same subject and some about another with the same relation."""
    thing = f"{words.invented_word(draw)} {words.item(draw)}" if draw.chance(0.4) else words.item(draw)
    subject = {"thing": thing, "person": words.person(draw)}
    asked, *others = draw.random.sample(RELATIONS, draw.number(2, 4))
    known = [(asked, subject)] + [(relation, subject) for relation in others]
    if draw.chance(0.6):
        known.append((asked, {"thing": words.item(draw) + "et", "person": words.person(draw) + "o"}))
    sentences = [sentence.format(**who, value=draw_value(draw, kind)) for (sentence, _, kind), who in known]
    answer = sentences[0]
    if draw.chance(0.12):
        sentences.pop(0)
        answer = _MISSING
    draw.random.shuffle(sentences)
    question = draw.phrasing(asked[1]).format(**subject)
    prompt = draw.pick(_LAYOUTS if draw.held_out else _TRAINED_LAYOUTS).format(text=" ".join(sentences), question=question)
    reasoning = "The text does not contain this." if answer == _MISSING else f"The text says: {answer}"
    return Conversation("reading", (user(prompt), assistant(answer, reasoning)))
