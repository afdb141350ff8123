"""What the loop asks of a kind of training."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from .batches import Plan


@dataclass(frozen=True)
class Evaluated:
    metrics: dict[str, float]
    #: One value of the deciding metric for each held-out query, where an interval is made of them.
    each: list[float] = field(default_factory=list)


class Task(Protocol):
    plan: Plan
    trained_tokens: int
    context_tokens: int
    dropped: dict[str, int]
    #: Tokens of the largest part that is computed at once.
    most_tokens: int

    def prepare(self) -> None:
        """Work that is paid for, once the clock runs."""

    def learn(self, batch: list[int], step: int) -> tuple[float, int]:
        """Adds the gradients of a batch; returns its loss and its tokens, padding not counted."""

    def evaluate(self) -> Evaluated | None:
        """How good the model is on what was held out; None where nothing was."""

    def evaluate_control(self) -> Evaluated | None:
        """How good it is at what it could do before."""

    def is_better(self, metrics: dict[str, float], best: dict[str, float]) -> bool: ...

    def reference(self) -> list[dict[str, object]]:
        """What the model says to three short samples."""
