"""The learning rate: a linear rise, then a cosine down to a tenth."""

from __future__ import annotations

import math

LOWEST = 0.1
MOST_WARMUP = 100


def warmup_steps(total: int, ratio: float) -> int:
    wished = max(5, min(MOST_WARMUP, round(total * ratio)))
    return 0 if ratio == 0 else min(wished, max(1, total // 2))


def rate(step: int, total: int, ratio: float) -> float:
    """The share of the highest rate at a step that counts from 0."""
    rising = warmup_steps(total, ratio)
    if step < rising:
        return (step + 1) / rising
    done = (step - rising) / max(1, total - rising)
    return LOWEST + (1 - LOWEST) * 0.5 * (1 + math.cos(math.pi * done))
