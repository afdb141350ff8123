"""Trains the tiny embedding model: `python -m fanfold_trainer.train_embed --work FOLDER`. Continues from the last checkpoint."""

from __future__ import annotations

import argparse
import json
import random
import time
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from .checkpoint import load_checkpoint, save_checkpoint
from .qwen3 import Qwen3, Qwen3Config
from .schedule import make_optimizers, rate_at, set_rates
from .tokenizer import END_OF_TEXT, MARKUP_TOKENS, Tokenizer, load_merges, save_merges, train_tokenizer
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


def train(recipe: EmbedRecipe, folder: Path, stop_after: int | None = None) -> tuple[Qwen3, Tokenizer, list[float]]:
    folder.mkdir(parents=True, exist_ok=True)
    merges = folder / "merges.json"
    if not merges.exists():
        save_merges(make_tokenizer(recipe), merges)
    tokenizer = load_merges(merges)
    torch.manual_seed(recipe.seed)
    model = Qwen3(embed_config(len(tokenizer.tokens)))
    peaks = [recipe.matrix_rate, recipe.other_rate]
    optimizers = make_optimizers(model, *peaks)
    done = load_checkpoint(folder, model, optimizers)
    losses: list[float] = []
    started = time.monotonic()
    steps = recipe.rates[-1][0]
    for step in range(done, min(steps, stop_after or steps)):
        set_rates(optimizers, peaks, rate_at(step, recipe.rates))
        loss = contrastive_loss(model, tokenizer, draw_batch(recipe, step), recipe)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
        losses.append(float(loss.detach()))
        if (step + 1) % 50 == 0:
            recent = sum(losses[-50:]) / len(losses[-50:])
            print(json.dumps({"step": step + 1, "loss": round(recent, 4), "minutes": round((time.monotonic() - started) / 60, 1)}), flush=True)
        if (step + 1) % recipe.checkpoint_every == 0 or step + 1 == steps:
            save_checkpoint(folder, step + 1, model, optimizers)
    return model, tokenizer, losses


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", type=Path, required=True, help="folder for merges and checkpoints")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    train(EmbedRecipe(), arguments.work)


if __name__ == "__main__":
    main()
