"""The held-out examples of both models: what they are measured on, here and through the served API."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import NotRequired, TypedDict

from .conversation import Conversation, FunctionCall, Message, Tool, user, without_reasoning
from .world.arithmetic import SIGNS, is_held_out_pair, solve
from .world.draw import Draw
from .world.mixture import SKILLS
from .world.products import ATTRIBUTES, INSTRUCTION, ask, describe, product

CHAT_SEED = 977
SEARCH_SEED = 978


class Expected(TypedDict):
    content: NotRequired[str]
    tool_calls: NotRequired[list[FunctionCall]]


class ChatExample(TypedDict):
    skill: str
    thinking: bool
    messages: list[Message]
    tools: NotRequired[list[Tool]]
    expected: Expected


class Document(TypedDict):
    kind: str
    id: int
    text: str


class Query(TypedDict):
    kind: str
    text: str
    instruction: str
    relevant: list[int]


@dataclass(frozen=True)
class SearchTask:
    documents: list[Document]
    queries: list[Query]


def chat_examples(per_skill: int, both_modes: bool) -> list[ChatExample]:
    """`per_skill` conversations of each skill; each in both modes, or the modes in turn."""
    counts: dict[str, int] = {}
    examples: list[ChatExample] = []
    seen: set[str] = set()
    for name, (generate, _) in SKILLS.items():
        draw = Draw(random.Random(f"{CHAT_SEED}:{name}"), held_out=True)
        # Answers of tools end conversations of several skills; those of one are enough.
        wanted = {name, "tool_answer"} if name == "tool_call" else {name}
        for _ in range(per_skill * 40):
            if all(counts.get(skill, 0) >= per_skill for skill in wanted):
                break
            conversation = generate(draw)
            key = json.dumps([conversation.messages, conversation.tools])
            made = counts.get(conversation.skill, 0)
            if made >= per_skill or key in seen or conversation.skill not in wanted:
                continue
            seen.add(key)
            counts[conversation.skill] = made + 1
            modes = [False, True] if both_modes else [made % 2 == 1]
            examples += [as_example(conversation, thinking) for thinking in modes]
    return examples


def every_sum() -> list[ChatExample]:
    """`What is a + b?` for all operands of the arithmetic skill, trained or held out, in both modes."""
    examples: list[ChatExample] = []
    for word, sign in SIGNS.items():
        top = 10 if word == "times" else 20
        for a in range(top + 1):
            for b in range(top + 1):
                skill = f"{word}, held out" if is_held_out_pair(word, a, b) else f"{word}, trained"
                expected: Expected = {"content": f"{a} {sign} {b} = {solve(word, a, b)}."}
                for thinking in (False, True):
                    messages = [user(f"What is {a} {sign} {b}?")]
                    examples.append({"skill": skill, "thinking": thinking, "messages": messages, "expected": expected})
    return examples


def as_example(conversation: Conversation, thinking: bool) -> ChatExample:
    *before, last = conversation.messages
    history = before if thinking else list(without_reasoning(conversation).messages[:-1])
    expected: Expected = {"content": last["content"]}
    if "tool_calls" in last:
        expected = {"tool_calls": [call["function"] for call in last["tool_calls"]]}
    example: ChatExample = {"skill": conversation.skill, "thinking": thinking, "messages": history, "expected": expected}
    if conversation.tools:
        example["tools"] = list(conversation.tools)
    return example


def search_task(products: int = 50, attributes: int = 10, queries: int = 200) -> SearchTask:
    """Unseen products described in held-out words, and questions in held-out words."""
    draw = Draw(random.Random(SEARCH_SEED), held_out=True)
    documents: list[Document] = []
    asked: list[Query] = []
    for _ in range(products):
        name = product(draw)
        for attribute in draw.random.sample(ATTRIBUTES, attributes):
            asked.append({"kind": "query", "text": ask(draw, attribute, name), "instruction": INSTRUCTION, "relevant": [len(documents)]})
            documents.append({"kind": "document", "id": len(documents), "text": describe(draw, attribute, name)})
    return SearchTask(documents, draw.random.sample(asked, queries))
