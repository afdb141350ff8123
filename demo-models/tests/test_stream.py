"""The stream of training rows: repeatable, and each part of the training shows what its stage says."""

from __future__ import annotations

from pathlib import Path

import pytest

from fanfold_demo_models.shared_turns import Row
from fanfold_demo_models.stream import Stage, stage_of, training_rows
from fanfold_demo_models.tokenizer import Tokenizer, load_hugging_face
from fanfold_demo_models.train_chat import ChatRecipe

STAGES = (
    Stage(from_chunk=0, advanced=False, long_share=0.0, longest_chat=300),
    Stage(from_chunk=3, advanced=True, long_share=0.2, longest_chat=1200),
)


@pytest.fixture(scope="module")
def tokenizer(models: Path) -> Tokenizer:
    return load_hugging_face(models / "tiny-chat" / "hf" / "tokenizer.json")


def rows(tokenizer: Tokenizer, chunk: int, count: int = 150) -> list[Row]:
    return training_rows(tokenizer, 9, chunk, count, STAGES)


def longest_chat(found: list[Row]) -> int:
    return max(max(row.positions) for row in found)


def test_the_stream_is_the_same_for_the_same_seed(tokenizer: Tokenizer) -> None:
    assert rows(tokenizer, 4, 40) == rows(tokenizer, 4, 40)
    assert rows(tokenizer, 4, 40) != rows(tokenizer, 5, 40)


def test_every_row_trains_something_and_ends_with_a_trained_turn_end(tokenizer: Tokenizer) -> None:
    end = tokenizer.id_of["<|im_end|>"]
    for row in rows(tokenizer, 3):
        assert len(row.ids) == len(row.trained) == len(row.positions) == len(row.branches) == len(row.parents)
        assert any(token == end and trained for token, trained in zip(row.ids, row.trained, strict=True))
        assert row.trained[-1]


def test_the_calls_and_results_of_tools_are_shown(tokenizer: Tokenizer) -> None:
    shown = {token for row in rows(tokenizer, 0, 300) for token in row.ids}
    assert {tokenizer.id_of[token] for token in ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")} <= shown


def test_long_chats_come_with_the_stage_that_asks_for_them(tokenizer: Tokenizer) -> None:
    assert (stage_of(STAGES, 2), stage_of(STAGES, 3)) == STAGES
    assert longest_chat(rows(tokenizer, 0)) < 800 < longest_chat(rows(tokenizer, 3))


def test_the_recipe_shows_chats_of_nearly_two_thousand_tokens(tokenizer: Tokenizer) -> None:
    recipe = ChatRecipe()
    last = training_rows(tokenizer, recipe.seed, recipe.stages[-1].from_chunk, 400, recipe.stages)
    assert 1500 < longest_chat(last) < recipe.context
    assert all(len(row.ids) <= recipe.batch_tokens for row in last)
