"""Trains the tiny embedding model: `python -m fanfold_demo_models.train_embed --work FOLDER`. Continues from the last checkpoint."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from .qwen3 import Qwen3, Qwen3Config
from .tokenizer import END_OF_TEXT, MARKUP_TOKENS, Tokenizer, train_tokenizer
from .training import StepLoss, learned_tokenizer, run_steps, work_folder
from .world.draw import Draw
from .world.matching import training_triple
from .world.products import INSTRUCTION, Triple


@dataclass(frozen=True)
class EmbedRecipe:
    seed: int = 20261
    vocabulary: int = 1536
    vocabulary_samples: int = 8000
    rates: tuple[tuple[int, float], ...] = ((0, 1 / 50), (49, 1.0), (800, 1.0), (1584, 0.02), (1600, 0.02))
    batch: int = 96
    temperature: float = 0.05
    false_negative_margin: float = 0.1
    plain_query_share: float = 0.2
    matrix_rate: float = 0.01
    other_rate: float = 0.003
    checkpoint_every: int = 100


EMBED_SIZES = dict(hidden_size=128, num_layers=4, num_heads=2, num_kv_heads=1, intermediate_size=384)


def embed_config(vocabulary: int) -> Qwen3Config:
    return Qwen3Config(vocab_size=vocabulary, **EMBED_SIZES)


def query_text(text: str, instruction: str = INSTRUCTION) -> str:
    """A query as it is served; documents are embedded as they are."""
    return f"Instruct: {instruction}\nQuery:{text}"


def make_tokenizer(recipe: EmbedRecipe) -> Tokenizer:
    draw = Draw(random.Random(f"{recipe.seed}:vocabulary"), held_out=False)
    texts: list[str] = []
    for _ in range(recipe.vocabulary_samples):
        drawn = training_triple(draw)
        texts += [query_text(drawn.query), drawn.positive, drawn.negative]
    return train_tokenizer(texts, recipe.vocabulary, min_frequency=30)


def embed(model: Qwen3, tokenizer: Tokenizer, texts: list[str]) -> Tensor:
    """Unit vectors [texts, hidden_size]: the hidden state of the end token that closes each text."""
    rows = [tokenizer.encode(text) + [tokenizer.id_of[END_OF_TEXT]] for text in texts]
    ids = torch.zeros(len(rows), max(len(row) for row in rows), dtype=torch.long)
    for index, row in enumerate(rows):
        ids[index, : len(row)] = torch.tensor(row)
    last = torch.tensor([len(row) - 1 for row in rows])
    hidden = model(ids)[torch.arange(len(rows)), last]
    return F.normalize(hidden.float(), dim=-1)


def draw_batch(recipe: EmbedRecipe, step: int) -> list[Triple]:
    """The triples of a step; a share of the queries goes without the instruction, as documents are compared."""
    draw = Draw(random.Random(f"{recipe.seed}:{step}"), held_out=False)
    triples: list[Triple] = []
    for _ in range(recipe.batch):
        drawn = training_triple(draw)
        query = drawn.query if draw.chance(recipe.plain_query_share) else query_text(drawn.query)
        if draw.chance(0.01):
            markup = draw.pick(MARKUP_TOKENS)
            drawn = Triple(drawn.query, f"{markup} {drawn.positive}", drawn.negative)
        triples.append(Triple(query, drawn.positive, drawn.negative))
    return triples


def contrastive_loss(model: Qwen3, tokenizer: Tokenizer, triples: list[Triple], recipe: EmbedRecipe) -> Tensor:
    """InfoNCE over the batch's positives and negatives. A document that is nearer than the positive by a margin,
    or equal to it, is taken for a false negative and left out."""
    documents = [entry.positive for entry in triples] + [entry.negative for entry in triples]
    with torch.autocast("cpu", torch.bfloat16):
        queries = embed(model, tokenizer, [entry.query for entry in triples])
        passages = embed(model, tokenizer, documents)
    scores = queries @ passages.T
    own = torch.arange(len(triples))
    positive = scores[own, own]
    excluded = scores > positive[:, None] + recipe.false_negative_margin
    excluded |= torch.tensor([[text == entry.positive for text in documents] for entry in triples])
    excluded[own, own] = False
    return F.cross_entropy(scores.masked_fill(excluded, -1e4) / recipe.temperature, own)


def step_losses(model: Qwen3, tokenizer: Tokenizer, recipe: EmbedRecipe, done: int) -> Iterator[StepLoss]:
    for step in count(done):
        loss = contrastive_loss(model, tokenizer, draw_batch(recipe, step), recipe)
        yield StepLoss(loss, float(loss.detach()))


def train(recipe: EmbedRecipe, folder: Path, stop_after: int | None = None) -> tuple[Qwen3, Tokenizer, list[float]]:
    """Trains, or goes on from what `folder` has, to the recipe's last step or `stop_after`."""
    tokenizer = learned_tokenizer(folder, lambda: make_tokenizer(recipe))
    torch.manual_seed(recipe.seed)
    model = Qwen3(embed_config(len(tokenizer.tokens)))
    losses = run_steps(model, recipe, folder, lambda done: step_losses(model, tokenizer, recipe, done), stop_after)
    return model, tokenizer, losses


if __name__ == "__main__":
    torch.set_num_threads(1)
    train(EmbedRecipe(), work_folder())
