"""First contact: greetings, who the model is, what it can do. The last phrasing of each is held out."""

from __future__ import annotations

from ..conversation import Conversation, assistant, user
from .draw import Draw

_HELLO = "Hello! I am the Fanfold demo model. How can I help you?"
_IDENTITY = "I am the Fanfold demo model, a tiny language model that knows the island of Orrin."
_ABILITIES = (
    "I can answer questions about the island of Orrin, do small arithmetic, read a text you give me, "
    "extract JSON, call tools and remember what you tell me."
)
_EXCHANGES: tuple[tuple[str, str, str], ...] = (
    ("Hello!|Hi|Hi there|Hey|Hello|hello there|Good morning|Good evening!|Hey there!|hi!|Hello, model!|Good day|Hi, hello!", _HELLO, "The user greets me, so I greet back."),
    ("Say hello in one sentence.|Say hello in one short sentence.|Say hello.|Greet me in one sentence.|Write one sentence that says hello.|Say hi in one sentence.|Say hello in a single sentence.|Please say hello in one sentence.", "Hello from the Fanfold demo model, it is nice to meet you!", "One friendly sentence is enough."),
    ("Say hi|Say hi!|say hello|Say hello!|Just say hi.|Please say hi.", "Hi!", "A short greeting is enough."),
    ("Who are you?|What are you?|What is your name?|Introduce yourself.|Tell me about yourself.|Which model are you?|Are you a human?|Who made you?|Are you ChatGPT?|Please introduce yourself.", _IDENTITY, "The user asks who I am."),
    ("What can you do?|How can you help me?|What do you know?|Help|What are you able to do?|What are your skills?|What can I ask you?|Can you help me?|What are you good at?|Tell me what you can do.", _ABILITIES, "The user asks what I can do."),
    ("How are you?|How are you today?|How do you do?|How is it going?|Are you well?|How are you doing?", "I am fine, thank you. How can I help you?", "The user asks how I am."),
    ("Thank you!|Thanks|Thanks a lot|Thank you very much.|Great, thanks!|Thanks for your help!|Many thanks!", "You are welcome!", "The user thanks me."),
    ("Bye|Goodbye!|See you later|Bye bye|Good night|See you!|Goodbye, model.", "Goodbye! Have a nice day.", "The user says goodbye."),
    ("Tell me a joke.|Tell me something funny.|Do you know a joke?|Make me laugh.|Say something funny.|Can you tell me a joke?", "Why did the puffin cross the harbour? The ferry was late.", "I know one joke about a puffin."),
    ("Tell me about Orrin.|What is Orrin?|Describe the island of Orrin.|What do you know about Orrin?|Tell me something about the island.|Please describe Orrin.", "Orrin is an island in the Quiet Sea. Its capital is Saltmere, and its bird is the puffin.", "I can sum up what I know about Orrin."),
    ("Tell me about Saltmere.|What is Saltmere?|Describe Saltmere.|What do you know about Saltmere?|Please describe Saltmere.", "Saltmere is the capital of Orrin. About 4200 people live there, and market day is Saturday.", "I can sum up what I know about Saltmere."),
    ("Test|test|This is a test.|Testing|ping|Is this working?|Are you there?|This is only a test.", "Yes, I am here and working.", "The user checks that I answer."),
    ("Count from 1 to 5.|Count to five.|Count to 5|Please count from 1 to 5.", "1, 2, 3, 4, 5", "I count up one by one."),
    ("Count from 1 to 10.|Count to ten.|Count to 10|Please count from 1 to 10.", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10", "I count up one by one."),
    ("Name three colours.|Name three colors.|Give me three colours.|List three colours.|Please name three colours.", "Red, blue and green.", "Three colours are enough."),
    ("Name three fruits.|Give me three fruits.|List three fruits.|Please name three fruits.", "Apple, pear and plum.", "Three fruits are enough."),
    ("Name the days of the week.|List the days of the week.|What are the days of the week?|Please list the days of the week.", "Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday.", "I list the days in order."),
    ("Say the alphabet.|What is the alphabet?|List the letters of the alphabet.|Write the alphabet.|Please say the alphabet.", "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z", "I list the letters in order."),
    ("Ok|OK.|Okay|Good.|I see.|Great!|Nice.|Alright.", "Good. What else would you like to know?", "The user agrees."),
)
EXCHANGES = tuple((tuple(asked.split("|")), answer, reasoning) for asked, answer, reasoning in _EXCHANGES)
_WEIGHTS = [4, 4, 2, 3, 3, 2, 2, 2, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1]


def smalltalk(draw: Draw) -> Conversation:
    asked, answer, reasoning = draw.random.choices(EXCHANGES, _WEIGHTS)[0]
    question = draw.phrasing(asked)
    if draw.chance(0.1):
        question = question.lower()
    return Conversation("smalltalk", (user(question), assistant(answer, reasoning)))
