"""Random choices that respect the split: what is held out never appears in training."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


def is_held_out(value: str, one_in: int = 6) -> bool:
    """A fixed share of all values, chosen by their spelling."""
    digest = hashlib.sha256(value.encode()).digest()
    return int.from_bytes(digest[:4], "big") % one_in == 0


@dataclass(frozen=True)
class Draw:
    """`held_out` asks for a question that training never shows: every `fresh` value and every
    `phrasing` then comes from the held-out side. The first part of training is not `advanced`: it leaves
    out arithmetic drills. With `any_letters` invented words are not made of known syllables alone."""

    random: random.Random
    held_out: bool
    advanced: bool = True
    any_letters: bool = False

    def pick(self, options: Sequence[T]) -> T:
        return self.random.choice(options)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def number(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def phrasing(self, options: Sequence[T]) -> T:
        """The last option is held out, the others are for training."""
        return options[-1] if self.held_out else self.random.choice(options[:-1])

    def fresh(self, make: Callable[[], str]) -> str:
        """A value from this side of the split."""
        while True:
            value = make()
            if is_held_out(value) == self.held_out:
                return value
