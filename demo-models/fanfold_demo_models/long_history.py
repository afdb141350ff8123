"""Held-out examples in which the question comes after a long chat about other things: how well the model still answers
with so much behind it. The wordings are those of training, so that nothing but the length is new."""

from __future__ import annotations

import random

from .conversation import Conversation, Message, without_reasoning
from .held_out import ChatExample, as_example
from .samples import prompt_ids
from .tokenizer import Tokenizer
from .world.arithmetic import arithmetic
from .world.draw import Draw
from .world.island import island
from .world.long_chats import exchange
from .world.memory import KINDS, recall, tell

LONG_SEED = 979
HISTORY_TOKENS = (300, 1000, 2000)
KINDS_OF_QUESTION = ("fact", "sum", "told first")
SECOND_TURN = "told in the turn before"


def long_examples(tokenizer: Tokenizer, per_kind: int, both_modes: bool) -> list[ChatExample]:
    """`per_kind` chats of each kind of question and length; each in both modes, or the modes in turn."""
    examples: list[ChatExample] = []
    for kind in KINDS_OF_QUESTION:
        for tokens in HISTORY_TOKENS:
            draw = Draw(random.Random(f"{LONG_SEED}:{kind}:{tokens}"), held_out=False)
            for rank in range(per_kind):
                conversation = _chat(tokenizer, draw, kind, tokens)
                examples += _in_modes(conversation, rank, both_modes)
    draw = Draw(random.Random(f"{LONG_SEED}:{SECOND_TURN}"), held_out=False)
    for rank in range(per_kind):
        examples += _in_modes(_chat(tokenizer, draw, SECOND_TURN, 0), rank, both_modes)
    return examples


def skill_name(kind: str, tokens: int) -> str:
    return f"{kind}, {tokens} tokens" if tokens else kind


def _in_modes(conversation: Conversation, rank: int, both_modes: bool) -> list[ChatExample]:
    modes = [False, True] if both_modes else [rank % 2 == 1]
    return [as_example(conversation, thinking) for thinking in modes]


def _chat(tokenizer: Tokenizer, draw: Draw, kind: str, tokens: int) -> Conversation:
    messages, question = _opening_and_question(draw, kind)
    while tokens and _length(tokenizer, [*messages, question[0]]) < tokens:
        messages += exchange(draw)
    return Conversation(skill_name(kind, tokens), (*messages, *question))


def _opening_and_question(draw: Draw, kind: str) -> tuple[list[Message], list[Message]]:
    if kind == "fact":
        return [], list(island(draw).messages)
    if kind == "sum":
        plain = arithmetic(draw)
        while plain.messages[0]["role"] == "system":
            plain = arithmetic(draw)
        return [], list(plain.messages)
    asked = draw.pick(KINDS)
    value, opening = tell(draw, asked)
    return opening, recall(draw, asked, value)


def _length(tokenizer: Tokenizer, messages: list[Message]) -> int:
    plain = without_reasoning(Conversation("", tuple(messages)))
    return len(prompt_ids(tokenizer, list(plain.messages), None, thinking=False))
