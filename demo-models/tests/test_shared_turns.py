"""Folded rows: every token is computed from exactly what it is served with."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import torch

from fanfold_demo_models.conversation import Conversation
from fanfold_demo_models.qwen3 import Qwen3, Qwen3Config
from fanfold_demo_models.samples import Sample, conversation_samples
from fanfold_demo_models.shared_turns import fold
from fanfold_demo_models.tokenizer import Tokenizer, load_hugging_face
from fanfold_demo_models.train_chat import ChatRecipe, make_batch
from fanfold_demo_models.world.draw import Draw
from fanfold_demo_models.world.long_chats import long_chat
from fanfold_demo_models.world.tool_use import tool_call


@pytest.fixture(scope="module")
def tokenizer(models: Path) -> Tokenizer:
    return load_hugging_face(models / "tiny-chat" / "hf" / "tokenizer.json")


def served_turns(tokenizer: Tokenizer, conversation: Conversation) -> list[Sample]:
    direct = conversation_samples(tokenizer, conversation, thinking=False)
    return [*conversation_samples(tokenizer, conversation, thinking=True), *direct]


def folded_losses(model: Qwen3, turns: list[Sample]) -> dict[tuple[int, ...], float]:
    """The log probability of each trained token, by the tokens up to it."""
    row = fold(turns)
    batch = make_batch([row], ChatRecipe(gap_share=0.0), random.Random(1))
    chances = model.logits(model(batch.ids, batch.positions, batch.hidden))[0].log_softmax(-1)
    paths: list[tuple[int, ...]] = []
    found: dict[tuple[int, ...], float] = {}
    for place, token in enumerate(row.ids):
        paths.append((token,) if place == 0 else (*paths[row.parents[place]], token))
        if row.trained[place]:
            found[paths[-1]] = float(chances[row.parents[place], token])
    return found


@pytest.mark.parametrize("kind", ["many turns", "tool loop"])
def test_a_folded_turn_has_the_loss_of_the_turn_alone(tokenizer: Tokenizer, kind: str) -> None:
    torch.manual_seed(3)
    model = Qwen3(Qwen3Config(len(tokenizer.tokens), hidden_size=64, num_layers=2, num_heads=2, num_kv_heads=1, intermediate_size=64))
    draw = Draw(random.Random(4), held_out=False)
    chat = long_chat(draw, 400) if kind == "many turns" else tool_call(draw)
    turns = served_turns(tokenizer, chat)
    with torch.no_grad():
        folded = folded_losses(model, turns)
        expected: dict[tuple[int, ...], float] = {}
        for turn in turns:
            chances = model.logits(model(torch.tensor([turn.ids])))[0].log_softmax(-1)
            for place, trained in enumerate(turn.trained):
                if trained:
                    expected[tuple(turn.ids[: place + 1])] = float(chances[place - 1, turn.ids[place]])
    assert len(expected) > 30
    assert folded == pytest.approx(expected, abs=1e-4)


def test_a_history_is_computed_once_for_all_turns(tokenizer: Tokenizer) -> None:
    turns = served_turns(tokenizer, long_chat(Draw(random.Random(5), held_out=False), 1500))
    assert len(turns) >= 20
    assert len(fold(turns).ids) < 0.35 * sum(len(turn.ids) for turn in turns)


def test_turns_without_a_common_start_are_kept_apart() -> None:
    row = fold([Sample([1, 2, 9], [False, True, True]), Sample([1, 3, 4], [False, False, True])])
    assert row.ids == [1, 2, 9, 3, 4]
    assert row.trained == [False, True, True, False, True]
    assert (row.positions, row.branches, row.parents) == ([0, 1, 2, 1, 2], [0, 1, 1, 0, 0], [0, 0, 1, 0, 3])
