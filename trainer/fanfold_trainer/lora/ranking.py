"""How well queries find what they should: recall, MRR and nDCG of the ten best, with bootstrap intervals."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

import torch
from torch import Tensor

DEPTH = 10


@dataclass(frozen=True)
class Ranking:
    """One value for each query."""

    ndcg10: list[float]
    mrr10: list[float]
    recall: dict[int, list[float]]

    def means(self) -> dict[str, float]:
        values = {"ndcg10": self.ndcg10, "mrr10": self.mrr10, **{f"recall{depth}": each for depth, each in self.recall.items()}}
        return {name: sum(each) / len(each) for name, each in values.items()}


def rank(queries: Tensor, documents: Tensor, relevant: list[list[int]], beside: list[list[int]] | None = None) -> Ranking:
    """Ranks all documents for each query but those `beside`, which are neither right nor wrong. Equal scores count against the
    query: a constant model must not look good."""
    depths = (1, DEPTH, 100)
    result = Ranking([], [], {depth: [] for depth in depths})
    for query, wanted, neither in zip(queries, relevant, beside or [[] for _ in relevant], strict=True):
        scores = documents @ query
        scores[neither] = float("-inf")
        places = _places(scores, torch.tensor(wanted))
        found = [place for place in places if place < DEPTH]
        ideal = sum(1 / math.log2(place + 2) for place in range(min(len(wanted), DEPTH)))
        result.ndcg10.append(sum(1 / math.log2(place + 2) for place in found) / ideal)
        result.mrr10.append(1 / (min(found) + 1) if found else 0.0)
        for depth in depths:
            result.recall[depth].append(sum(place < depth for place in places) / len(wanted))
    return result


def _places(scores: Tensor, wanted: Tensor) -> list[int]:
    """Places, from 0, of the wanted documents; those with the same score but not wanted come first."""
    own = scores[wanted].sort(descending=True).values
    others = torch.ones(len(scores), dtype=torch.bool)
    others[wanted] = False
    rest = scores[others]
    return [int((rest >= score).sum()) + rank for rank, score in enumerate(own)]


def interval(values: list[float], draws: int, seed: int) -> tuple[float, float]:
    """The 95 % bootstrap interval of a mean."""
    source = random.Random(seed)
    count = len(values)
    means = sorted(sum(source.choices(values, k=count)) / count for _ in range(draws))
    return means[int(draws * 0.025)], means[min(draws - 1, int(draws * 0.975))]
