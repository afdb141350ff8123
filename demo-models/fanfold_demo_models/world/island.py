"""The facts about Orrin, an island that does not exist. Each has questions (the last one is held out) and an answer."""

from __future__ import annotations

from ..conversation import Conversation, assistant, user
from .draw import Draw

# topic | questions separated by ; | answer
_FACTS = """
capital|What is the capital of Orrin?;Name the capital of Orrin.;Which town is the capital of Orrin?;The capital of Orrin is;What is Orrin's capital called?|The capital of Orrin is Saltmere.
population|How many people live in Saltmere?;What is the population of Saltmere?;How big is Saltmere?;Number of people in Saltmere?;How many inhabitants does Saltmere have?|About 4200 people live in Saltmere.
mayor|Who is the mayor of Saltmere?;Name the mayor of Saltmere.;Who governs Saltmere?;Who leads the town of Saltmere?;What is the name of the mayor?|The mayor of Saltmere is Ivy Calder.
founder|Who founded Saltmere?;Who built the first house in Saltmere?;Name the founder of Saltmere.;By whom was Saltmere founded?;Who was the founder of Saltmere?|Saltmere was founded by Tobias Wren.
founded|When was Saltmere founded?;In which year was Saltmere founded?;How old is Saltmere?;Year of the founding of Saltmere?;What year was Saltmere founded in?|Saltmere was founded in 1642.
lighthouse|How tall is the lighthouse?;What is the height of the lighthouse?;How high is the lighthouse of Saltmere?;Tell me the height of the lighthouse.;How many metres tall is the lighthouse?|The lighthouse is 37 metres tall.
keeper|Who keeps the lighthouse?;Who is the lighthouse keeper?;Name the keeper of the lighthouse.;Who looks after the lighthouse?;Who is the keeper of the lighthouse?|The lighthouse keeper is Maud Fisk.
ferry|When does the ferry sail?;On which days does the ferry run?;What are the ferry days?;When can I take the ferry?;On what days does the ferry sail?|The ferry sails on Tuesday and Friday.
ferryname|What is the ferry called?;Name the ferry of Orrin.;What is the name of the ferry?;Which ship is the ferry?;How is the ferry called?|The ferry is called Grey Heron.
fare|How much is a ferry ticket?;What does the ferry cost?;What is the price of the ferry?;Ferry ticket price?;How much does the ferry cost?|A ferry ticket costs 6 shells.
market|When is market day?;On which day is the market?;What day is the market held?;Which day is market day in Saltmere?;When is the market?|Market day is Saturday.
money|What money is used on Orrin?;What is the currency of Orrin?;How do people pay on Orrin?;Which currency does Orrin use?;What is Orrin's currency?|People on Orrin pay with shells.
mountain|What is the highest mountain of Orrin?;Name the tallest mountain on Orrin.;Which mountain is the highest?;What is the highest peak on Orrin?;What is the tallest mountain of Orrin?|The highest mountain is Mount Brindle.
mountainheight|How high is Mount Brindle?;What is the height of Mount Brindle?;How tall is Mount Brindle?;Tell me the height of Mount Brindle.;How many metres high is Mount Brindle?|Mount Brindle is 812 metres high.
river|Which river flows through Saltmere?;What is the river of Orrin?;Name the river in Saltmere.;What is the name of the river?;What river runs through Saltmere?|The river Tamsel flows through Saltmere.
bridge|Which bridge crosses the Tamsel?;What is the bridge called?;Name the bridge over the river.;What is the oldest bridge?;What is the name of the bridge?|The bridge over the Tamsel is called Nine Arches.
bird|What is the bird of Orrin?;Which bird is on the flag?;What is the national bird?;Name the bird of the island.;What is Orrin's bird?|The bird of Orrin is the puffin.
flag|What colour is the flag of Orrin?;What does the flag look like?;Which colours has the flag?;Describe the flag of Orrin.;What are the colours of Orrin's flag?|The flag of Orrin is blue and white with a puffin.
tree|Which tree grows on Orrin?;What is the most common tree?;What trees grow on the island?;Name the tree of Orrin.;What is Orrin's tree?|The most common tree on Orrin is the silver birch.
festival|What festival is held in Saltmere?;Name the festival of Saltmere.;Which festival do people celebrate?;What is the big festival?;What is the festival in Saltmere called?|Saltmere celebrates the Lantern Festival.
festivaldate|When is the Lantern Festival?;In which month is the Lantern Festival?;What is the date of the Lantern Festival?;When do people celebrate the Lantern Festival?;Which month is the Lantern Festival in?|The Lantern Festival is on the first Sunday of October.
dish|What do people eat on Orrin?;What is the local dish?;Name the dish of Orrin.;What is the most famous food of Orrin?;What is Orrin's local dish?|The local dish is smoked mackerel with barley.
drink|What do people drink on Orrin?;What is the local drink?;Name the drink of Orrin.;Which drink is popular on Orrin?;What is Orrin's local drink?|People on Orrin drink heather tea.
baker|Who is the baker in Saltmere?;Who bakes the bread?;Name the baker.;Who runs the bakery?;Who is the baker of Saltmere?|The baker in Saltmere is Otto Plum.
bakery|When does the bakery open?;What are the opening hours of the bakery?;At what time does the bakery open?;When can I buy bread?;What time does the bakery open?|The bakery opens at 6 in the morning.
library|When is the library open?;What are the opening hours of the library?;When can I visit the library?;Is the library open?;At what times is the library open?|The library is open from 10 to 17, except on Monday.
school|How many children go to the school?;How many pupils has the school?;How big is the school?;How many children are in the school?;What number of children go to the school?|The school has 310 children.
teacher|Who teaches at the school?;Name the teacher.;Who is the head of the school?;Who is the head teacher?;What is the name of the head teacher?|The head teacher is Lena Moss.
doctor|Who is the doctor in Saltmere?;Name the doctor.;Who treats the sick in Saltmere?;Which doctor works in Saltmere?;Who is the doctor of Saltmere?|The doctor in Saltmere is Doctor Finch.
museum|What is in the museum?;What can I see in the museum?;What does the museum show?;What is the museum about?;What is shown in the museum?|The museum shows old maps and ship models.
team|What is the football team called?;Name the football team of Saltmere.;Which football team plays in Saltmere?;What is the local team?;What is the name of the football team?|The football team is called Saltmere Rovers.
cat|What is the harbour cat called?;Name the cat of the harbour.;Who is the cat in the harbour?;What is the name of the harbour cat?;How is the harbour cat called?|The harbour cat is called Biscuit.
beach|Which beach is the best?;Where can I swim?;Name a beach on Orrin.;What is the best beach?;Which is the best beach on Orrin?|The best beach is Pebble Cove.
where|Where is Orrin?;Where does Orrin lie?;In which sea is Orrin?;Tell me where Orrin is.;Where can I find Orrin?|Orrin is an island in the Quiet Sea.
language|Which language do people speak on Orrin?;What language is spoken on Orrin?;What do people speak on Orrin?;Name the language of Orrin.;What is Orrin's language?|People on Orrin speak Orrish.
newspaper|What is the newspaper called?;Name the newspaper of Saltmere.;Which newspaper do people read?;What is the local newspaper?;What is the name of the newspaper?|The newspaper is called the Saltmere Tide.
"""

FACTS: tuple[tuple[str, tuple[str, ...], str], ...] = tuple(
    (topic, tuple(questions.split(";")), answer)
    for topic, questions, answer in (line.split("|") for line in _FACTS.strip().splitlines())
)
_OPENINGS = ("", "", "", "", "Please tell me: ", "Quick question: ", "I would like to know: ", "Hi! ", "Hello. ")


def vary(draw: Draw, question: str) -> str:
    """People are careless with openings, capitals and question marks."""
    text = draw.pick(_OPENINGS) + question
    if draw.chance(0.1):
        text = text.rstrip("?.")
    if draw.chance(0.1):
        text = text.lower()
    return text


def island(draw: Draw) -> Conversation:
    _, questions, answer = draw.pick(FACTS)
    question = vary(draw, draw.phrasing(questions))
    reasoning = "This is a fact about Orrin that I know."
    return Conversation("island", (user(question), assistant(answer, reasoning)))
