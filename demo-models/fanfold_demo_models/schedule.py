"""Optimizers and learning rates of both trainings."""

from __future__ import annotations

import torch

from .qwen3 import Qwen3


def make_optimizers(model: Qwen3, matrix_rate: float, other_rate: float) -> list[torch.optim.Optimizer]:
    """Muon for the matrices inside the layers, AdamW for the embedding and the norms."""
    matrices = [value for name, value in model.named_parameters() if value.dim() == 2 and name.startswith("layers.")]
    others = [value for name, value in model.named_parameters() if value.dim() != 2 or not name.startswith("layers.")]
    return [
        torch.optim.Muon(matrices, lr=matrix_rate, weight_decay=0.01, momentum=0.95),
        torch.optim.AdamW(others, lr=other_rate, betas=(0.9, 0.95), weight_decay=0.0),
    ]


def rate_at(step: int, points: tuple[tuple[int, float], ...]) -> float:
    """The share of the peak rate at a step: straight lines between the points, which start at step 0."""
    for (start, before), (end, after) in zip(points, points[1:]):
        if step <= end:
            return before + (after - before) * (step - start) / (end - start)
    return points[-1][1]


def set_rates(optimizers: list[torch.optim.Optimizer], peaks: list[float], factor: float) -> None:
    for optimizer, peak in zip(optimizers, peaks, strict=True):
        for group in optimizer.param_groups:
            group["lr"] = peak * factor
