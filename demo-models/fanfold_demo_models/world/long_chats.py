"""Chats of many turns about everything the model knows, in which the user tells things and asks for them much later."""

from __future__ import annotations

import math

from ..conversation import Conversation, Message, Tool, system
from .arithmetic import arithmetic
from .draw import Draw
from .drills import arithmetic_drill
from .extraction import extraction
from .island import island
from .memory import KINDS, recall, tell
from .mixture import Generator
from .reading import reading
from .repeating import repeating
from .smalltalk import smalltalk
from .stories import story
from .tool_use import parallel_calls, tool_call
from .unknown import unknown

_SKILLS: tuple[tuple[Generator, int], ...] = (
    (arithmetic, 6), (arithmetic_drill, 3), (smalltalk, 5), (island, 5), (reading, 3), (extraction, 2), (repeating, 3), (story, 1), (unknown, 2),
)  # fmt: skip
_TOOL_SKILLS: tuple[tuple[Generator, int], ...] = ((tool_call, 4), (parallel_calls, 1))
_RULES = ("You are a helpful assistant.", "You are a helpful assistant that answers briefly.", "Be brief.", "You are friendly and brief.")
_CHARACTERS_PER_TOKEN = 3.1


def long_chat(draw: Draw, longest: int) -> Conversation:
    """Its length in tokens is spread evenly over the orders of magnitude up to `longest`; it always ends with a question."""
    length = math.exp(draw.random.uniform(math.log(200), math.log(longest))) * _CHARACTERS_PER_TOKEN
    chat = _Chat(draw, with_tools=draw.chance(0.25))
    while chat.size < length:
        chat.go_on()
    chat.finish()
    return Conversation("long_chat", tuple(chat.messages), tuple(chat.tools.values()))


class _Chat:
    def __init__(self, draw: Draw, with_tools: bool) -> None:
        self.draw = draw
        self.messages: list[Message] = []
        self.tools: dict[str, Tool] = {}
        self.told: dict[str, str] = {}
        self.with_tools = with_tools
        if draw.chance(0.4):
            self.messages.append(system(draw.pick(_RULES)))

    @property
    def size(self) -> int:
        spoken = sum(len(message["content"]) + 30 for message in self.messages)
        return spoken + 3 * sum(len(str(tool)) for tool in self.tools.values()) // 4

    def go_on(self) -> None:
        chance = self.draw.random.random()
        if chance < 0.12:
            self._tell()
        elif chance < 0.24:
            self._ask()
        elif chance < 0.5 and self.with_tools:
            self._use_tool()
        else:
            self.messages += exchange(self.draw)

    def finish(self) -> None:
        """Half of the chats end with something from their beginning."""
        if self.told and self.draw.chance(0.5):
            self._ask()
        else:
            self.messages += exchange(self.draw)

    def _tell(self) -> None:
        kind = self.draw.pick(KINDS)
        if kind[0] not in self.told:
            self.told[kind[0]], telling = tell(self.draw, kind)
            self.messages += telling

    def _ask(self) -> None:
        known = [kind for kind in KINDS if kind[0] in self.told]
        kind = self.draw.pick(known if known and self.draw.chance(0.85) else KINDS)
        self.messages += recall(self.draw, kind, self.told.get(kind[0]))

    def _use_tool(self) -> None:
        """A tool that the chat has already described otherwise is left out."""
        drawn = _drawn(self.draw, _TOOL_SKILLS)
        described = {str(tool["function"]["name"]): tool for tool in drawn.tools if isinstance(tool["function"], dict)}
        unknown_tools = {name: tool for name, tool in described.items() if name not in self.tools}
        if len(unknown_tools) == len(described) and len(self.tools) + len(described) <= 4:
            self.tools.update(described)
            self.messages += drawn.messages


def exchange(draw: Draw) -> tuple[Message, ...]:
    """A question and its answer that depend on nothing before them."""
    return _drawn(draw, _SKILLS).messages


def _drawn(draw: Draw, skills: tuple[tuple[Generator, int], ...]) -> Conversation:
    while True:
        conversation = draw.random.choices([make for make, _ in skills], [weight for _, weight in skills])[0](draw)
        if conversation.messages[0]["role"] != "system":
            return conversation
