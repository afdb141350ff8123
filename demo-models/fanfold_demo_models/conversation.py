"""The shapes of chat data: messages, tools and whole conversations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NotRequired, TypedDict

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Arguments = dict[str, Json]
Tool = dict[str, Json]


class FunctionCall(TypedDict):
    name: str
    arguments: Arguments


class ToolCall(TypedDict):
    type: str
    function: FunctionCall


class Message(TypedDict):
    role: str
    content: str
    reasoning_content: NotRequired[str]
    tool_calls: NotRequired[list[ToolCall]]


@dataclass(frozen=True)
class Conversation:
    """A chat that ends with the assistant. Every assistant turn carries reasoning; `without_reasoning`
    gives the same chat for the mode that answers directly."""

    skill: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()


def system(text: str) -> Message:
    return {"role": "system", "content": text}


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def assistant(text: str, reasoning: str) -> Message:
    return {"role": "assistant", "content": text, "reasoning_content": reasoning}


def tool_result(text: str) -> Message:
    return {"role": "tool", "content": text}


def function_call(name: str, arguments: Arguments) -> ToolCall:
    return {"type": "function", "function": {"name": name, "arguments": arguments}}


def assistant_calls(calls: list[ToolCall], reasoning: str) -> Message:
    return {"role": "assistant", "content": "", "reasoning_content": reasoning, "tool_calls": calls}


def without_reasoning(conversation: Conversation) -> Conversation:
    messages = tuple(_drop_reasoning(message) for message in conversation.messages)
    return Conversation(conversation.skill, messages, conversation.tools)


def _drop_reasoning(message: Message) -> Message:
    plain: Message = {"role": message["role"], "content": message["content"]}
    if "tool_calls" in message:
        plain["tool_calls"] = message["tool_calls"]
    return plain
