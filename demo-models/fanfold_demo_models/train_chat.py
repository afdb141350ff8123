"""Trains the tiny chat model: `python -m fanfold_demo_models.train_chat --work FOLDER`. Continues from the last checkpoint."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from .chat_template import render
from .conversation import without_reasoning
from .qwen3 import Qwen3, Qwen3Config, hidden_tokens
from .shared_turns import TRUNK, Row
from .stream import Stage, training_rows
from .tokenizer import Tokenizer, train_tokenizer
from .training import StepLoss, learned_tokenizer, run_steps, work_folder
from .world.draw import Draw
from .world.mixture import training_conversation


@dataclass(frozen=True)
class ChatRecipe:
    seed: int = 20260
    vocabulary: int = 2048
    vocabulary_samples: int = 8000
    # Step and share of the peak rate, joined by straight lines.
    rates: tuple[tuple[int, float], ...] = ((0, 1 / 60), (59, 1.0), (1200, 1.0), (3500, 0.53), (4750, 0.02))
    # Short texts first: most skills are learned from them, and they are cheap.
    stages: tuple[Stage, ...] = (
        Stage(from_chunk=0, advanced=False, long_share=0.02, longest_chat=500),
        Stage(from_chunk=15, advanced=True, long_share=0.06, longest_chat=900),
        Stage(from_chunk=35, advanced=True, long_share=0.08, longest_chat=2000),
    )
    batch_tokens: int = 3072
    chunk_rows: int = 1024
    gap_share: float = 0.15
    matrix_rate: float = 0.02
    other_rate: float = 0.004
    prompt_weight: float = 0.1
    context: int = 4096
    checkpoint_every: int = 250


CHAT_SIZES = dict(hidden_size=192, num_layers=6, num_heads=3, num_kv_heads=1, intermediate_size=512)


@dataclass(frozen=True)
class Batch:
    ids: Tensor
    positions: Tensor
    hidden: Tensor
    """[batch, length, length]: what a token does not see."""
    parents: Tensor
    weights: Tensor
    """1 for a trained token, the prompt weight for a prompt token, 0 for padding; weights[i] belongs to ids[i]."""


def chat_config(vocabulary: int) -> Qwen3Config:
    return Qwen3Config(vocab_size=vocabulary, **CHAT_SIZES)


def make_tokenizer(recipe: ChatRecipe) -> Tokenizer:
    draw = Draw(random.Random(f"{recipe.seed}:vocabulary"), held_out=False, advanced=False, any_letters=True)
    texts: list[str] = []
    for _ in range(recipe.vocabulary_samples):
        conversation = training_conversation(draw)
        chat = conversation if draw.chance(0.5) else without_reasoning(conversation)
        texts.append(render(chat.messages, list(chat.tools) or None))
    return train_tokenizer(texts, recipe.vocabulary, min_frequency=30)


def batches(tokenizer: Tokenizer, recipe: ChatRecipe) -> Iterator[Batch]:
    """The endless stream of batches, each of rows of similar length."""
    chunk = 0
    while True:
        rows = training_rows(tokenizer, recipe.seed, chunk, recipe.chunk_rows, recipe.stages)
        rows = sorted((row for row in rows if len(row.ids) <= recipe.batch_tokens), key=lambda row: len(row.ids))
        shuffler = random.Random(f"{recipe.seed}:{chunk}:order")
        groups = group_by_size(rows, recipe.batch_tokens)
        shuffler.shuffle(groups)
        for group in groups:
            yield make_batch(group, recipe, shuffler)
        chunk += 1


def group_by_size(rows: list[Row], budget: int) -> list[list[Row]]:
    """Rows come sorted by length; a group padded to its longest row stays within the budget of tokens."""
    groups: list[list[Row]] = [[]]
    for row in rows:
        if groups[-1] and (len(groups[-1]) + 1) * len(row.ids) > budget:
            groups.append([])
        groups[-1].append(row)
    return groups


def make_batch(group: list[Row], recipe: ChatRecipe, chooser: random.Random) -> Batch:
    length = max(len(row.ids) for row in group)
    ids, positions, parents, branches = (torch.zeros(len(group), length, dtype=torch.long) for _ in range(4))
    weights = torch.zeros(len(group), length)
    for index, row in enumerate(group):
        size = len(row.ids)
        ids[index, :size] = torch.tensor(row.ids)
        parents[index, :size] = torch.tensor(row.parents)
        branches[index, :size] = torch.tensor(row.branches)
        weights[index, :size] = torch.tensor([1.0 if trained else recipe.prompt_weight for trained in row.trained])
        weights[index, 0] = 0.0
        positions[index, :size] = torch.tensor(row.positions)
        if chooser.random() < recipe.gap_share:
            # A gap in the positions shows the model the distances of long contexts at the price of short ones.
            last = max(row.positions)
            positions[index, positions[index] >= chooser.randint(0, last)] += chooser.randrange(recipe.context - last)
    own = branches[:, :, None] == branches[:, None, :]
    hidden = hidden_tokens(length) | ~(own | (branches == TRUNK)[:, None, :])
    return Batch(ids, positions, hidden, parents, weights)


def batch_loss(model: Qwen3, batch: Batch) -> tuple[Tensor, float]:
    """The weighted mean loss, and for the log the mean loss of the trained tokens alone."""
    with torch.autocast("cpu", torch.bfloat16):
        states = model(batch.ids, batch.positions, batch.hidden)
        rows, places = torch.nonzero(batch.weights, as_tuple=True)
        targets, weights = batch.ids[rows, places], batch.weights[rows, places]
        logits = model.logits(states[rows, batch.parents[rows, places]])
    losses = F.cross_entropy(logits.float(), targets, reduction="none")
    trained = weights == 1.0
    return (losses * weights).sum() / weights.sum(), float(losses.detach()[trained].mean())


def step_losses(model: Qwen3, tokenizer: Tokenizer, recipe: ChatRecipe, done: int) -> Iterator[StepLoss]:
    for batch in islice(batches(tokenizer, recipe), done, None):
        loss, trained_loss = batch_loss(model, batch)
        yield StepLoss(loss, trained_loss)


def train(recipe: ChatRecipe, folder: Path, stop_after: int | None = None) -> tuple[Qwen3, Tokenizer, list[float]]:
    """Trains, or goes on from what `folder` has, to the recipe's last step or `stop_after`."""
    tokenizer = learned_tokenizer(folder, lambda: make_tokenizer(recipe))
    torch.manual_seed(recipe.seed)
    model = Qwen3(chat_config(len(tokenizer.tokens)))
    losses = run_steps(model, recipe, folder, lambda done: step_losses(model, tokenizer, recipe, done), stop_after)
    return model, tokenizer, losses


if __name__ == "__main__":
    torch.set_num_threads(1)
    train(ChatRecipe(), work_folder())
