"""The training loops: the loss falls, and a run that is cut continues to the same weights."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import torch

from fanfold_demo_models import train_chat, train_embed
from fanfold_demo_models.qwen3 import Qwen3
from fanfold_demo_models.samples import Sample
from fanfold_demo_models.schedule import rate_at
from fanfold_demo_models.shared_turns import fold
from fanfold_demo_models.stream import Stage
from fanfold_demo_models.train_chat import ChatRecipe, group_by_size, make_batch
from fanfold_demo_models.train_embed import EmbedRecipe

STAGES = (Stage(from_chunk=0, advanced=False, long_share=0.05, longest_chat=250),)
CHAT = ChatRecipe(stages=STAGES, rates=((0, 0.5), (1, 1.0), (5, 1.0), (9, 0.1)), batch_tokens=768, chunk_rows=48, checkpoint_every=3, vocabulary=400, vocabulary_samples=200)
EMBED = EmbedRecipe(rates=((0, 0.5), (1, 1.0), (5, 1.0), (9, 0.1)), batch=8, checkpoint_every=3, vocabulary=400, vocabulary_samples=200)


def test_the_chat_loss_falls_and_a_cut_run_continues_to_the_same_weights(tmp_path: Path) -> None:
    whole, tokenizer, _ = train_chat.train(CHAT, tmp_path / "whole")
    shown = next(train_chat.batches(tokenizer, CHAT))
    with torch.no_grad():
        before, after = (train_chat.batch_loss(model, shown)[1] for model in (Qwen3(whole.config), whole))
    assert after < 0.9 * before
    train_chat.train(CHAT, tmp_path / "cut", stop_after=4)
    resumed, _, rest = train_chat.train(CHAT, tmp_path / "cut")
    assert len(rest) == 6
    for name, value in whole.state_dict().items():
        assert torch.equal(value, resumed.state_dict()[name]), name


def test_the_embedding_loss_falls_and_a_cut_run_continues_to_the_same_weights(tmp_path: Path) -> None:
    whole, tokenizer, _ = train_embed.train(EMBED, tmp_path / "whole")
    shown = train_embed.draw_batch(EMBED, 0)
    with torch.no_grad():
        before, after = (train_embed.contrastive_loss(model, tokenizer, shown, EMBED) for model in (Qwen3(whole.config), whole))
    assert after < before
    train_embed.train(EMBED, tmp_path / "cut", stop_after=4)
    resumed, _, _ = train_embed.train(EMBED, tmp_path / "cut")
    for name, value in whole.state_dict().items():
        assert torch.equal(value, resumed.state_dict()[name]), name


def test_batches_stay_within_their_budget_of_tokens() -> None:
    rows = [fold([Sample([1] * length, [True] * length)]) for length in range(1, 60)]
    groups = group_by_size(rows, 256)
    assert sum(len(group) for group in groups) == len(rows)
    assert all(len(group) * len(group[-1].ids) <= 256 for group in groups)


def test_padding_has_no_weight_and_prompts_have_little() -> None:
    rows = [fold([Sample([5, 6, 7, 8], [False, False, True, True])]), fold([Sample([5, 8], [False, True])])]
    batch = make_batch(rows, ChatRecipe(), random.Random(1))
    # Nothing comes before the first token, so it cannot be learned.
    assert batch.weights.tolist() == [[0.0, pytest.approx(0.1), 1.0, 1.0], [0.0, 1.0, 0.0, 0.0]]


def test_the_rate_follows_straight_lines_between_its_points() -> None:
    points = ((0, 0.1), (9, 1.0), (50, 1.0), (100, 0.02))
    rates = [rate_at(step, points) for step in range(101)]
    assert rates[0] == 0.1 and rates[50] == 1.0
    assert [rates[3], rates[9], rates[75], rates[100]] == pytest.approx([0.4, 1.0, 0.51, 0.02])


def test_the_generator_reads_no_pickles() -> None:
    source = Path(train_chat.__file__).parent
    for file in source.rglob("*.py"):
        text = file.read_text()
        assert "import pickle" not in text and "torch.load(" not in text, file
