"""What the trainings of both tiny models share: the tokenizer they learn first, and their steps."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import torch
from torch import Tensor

from .checkpoint import load_checkpoint, save_checkpoint
from .qwen3 import Qwen3
from .schedule import make_optimizers, rate_at, set_rates
from .tokenizer import Tokenizer, load_merges, save_merges

TELL_EVERY = 50


class Recipe(Protocol):
    """What a training is told of its steps."""

    @property
    def rates(self) -> tuple[tuple[int, float], ...]:
        """Step and share of the peak rate, joined by straight lines; the last point is the end."""
        ...

    @property
    def matrix_rate(self) -> float: ...

    @property
    def other_rate(self) -> float: ...

    @property
    def checkpoint_every(self) -> int: ...


@dataclass(frozen=True)
class StepLoss:
    minimised: Tensor
    told: float
    """The loss as the log tells it."""


def learned_tokenizer(folder: Path, learn: Callable[[], Tokenizer]) -> Tokenizer:
    """The tokenizer of a training, which is learned once."""
    folder.mkdir(parents=True, exist_ok=True)
    merges = folder / "merges.json"
    if not merges.exists():
        save_merges(learn(), merges)
    return load_merges(merges)


def run_steps(
    model: Qwen3,
    recipe: Recipe,
    folder: Path,
    losses_after: Callable[[int], Iterator[StepLoss]],
    stop_after: int | None = None,
) -> list[float]:
    """Trains to the recipe's last step (or `stop_after`), saving the state as it goes, on from what is saved already. `losses_after`
    computes the loss of one step after another, once so many are done. Returns the losses as they are told."""
    peaks = [recipe.matrix_rate, recipe.other_rate]
    optimizers = make_optimizers(model, *peaks)
    done = load_checkpoint(folder, model, optimizers)
    losses = losses_after(done)
    told: list[float] = []
    started = time.monotonic()
    steps = recipe.rates[-1][0]
    for step in range(done, min(steps, stop_after or steps)):
        set_rates(optimizers, peaks, rate_at(step, recipe.rates))
        loss = next(losses)
        loss.minimised.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
        told.append(loss.told)
        if (step + 1) % TELL_EVERY == 0:
            recent = sum(told[-TELL_EVERY:]) / len(told[-TELL_EVERY:])
            minutes = round((time.monotonic() - started) / 60, 1)
            print(json.dumps({"step": step + 1, "loss": round(recent, 4), "minutes": minutes}), flush=True)
        if (step + 1) % recipe.checkpoint_every == 0 or step + 1 == steps:
            save_checkpoint(folder, step + 1, model, optimizers)
    return told


def work_folder() -> Path:
    """Where a training that is run as a program keeps its tokenizer and its state."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", type=Path, required=True, help="folder for merges and checkpoints")
    return parser.parse_args().work
