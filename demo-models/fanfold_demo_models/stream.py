"""The endless stream of training rows. The same seed and chunk give the same rows."""

from __future__ import annotations

import random
from dataclasses import dataclass

from .conversation import Conversation
from .samples import Sample, conversation_samples, token_sample
from .shared_turns import Row, fold
from .tokenizer import Tokenizer
from .world.draw import Draw
from .world.long_chats import long_chat
from .world.mixture import training_conversation


@dataclass(frozen=True)
class Stage:
    """What a part of the training shows, from a chunk of the stream on."""

    from_chunk: int
    advanced: bool
    long_share: float
    longest_chat: int


TOKEN_SHARE = 0.03


def stage_of(stages: tuple[Stage, ...], chunk: int) -> Stage:
    return [stage for stage in stages if stage.from_chunk <= chunk][-1]


def training_rows(tokenizer: Tokenizer, seed: int, chunk: int, count: int, stages: tuple[Stage, ...]) -> list[Row]:
    stage = stage_of(stages, chunk)
    draw = Draw(random.Random(f"{seed}:{chunk}"), held_out=False, advanced=stage.advanced, any_letters=True)
    rows: list[Row] = []
    while len(rows) < count:
        if draw.chance(TOKEN_SHARE):
            rows.append(fold([token_sample(tokenizer, draw)]))
        elif draw.chance(stage.long_share):
            rows.append(long_row(tokenizer, draw, long_chat(draw, stage.longest_chat)))
        else:
            rows.append(short_row(tokenizer, draw, training_conversation(draw)))
    return rows


def short_row(tokenizer: Tokenizer, draw: Draw, conversation: Conversation) -> Row:
    """The last turn in both modes; the turns before it now and then."""
    direct = conversation_samples(tokenizer, conversation, thinking=False)
    thought = conversation_samples(tokenizer, conversation, thinking=True)
    earlier = direct[:-1] + thought[:-1] if draw.chance(0.3) else []
    return fold([*earlier, thought[-1], direct[-1]])


def long_row(tokenizer: Tokenizer, draw: Draw, chat: Conversation) -> Row:
    """A part of the turns, each in one mode, and the last turn in both."""
    direct = conversation_samples(tokenizer, chat, thinking=False)
    thought = conversation_samples(tokenizer, chat, thinking=True)
    earlier: list[Sample] = [turn for turn in direct[:-1] if draw.chance(0.35)]
    earlier += [turn for turn in thought[:-1] if draw.chance(0.35)]
    return fold([*earlier, thought[-1], direct[-1]])
