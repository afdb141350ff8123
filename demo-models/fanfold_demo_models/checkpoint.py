"""Training state on disk: safetensors for the tensors, JSON for the rest. A checkpoint appears whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

_STEP = "step"


def save_checkpoint(folder: Path, step: int, model: nn.Module, optimizers: list[torch.optim.Optimizer]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {f"model.{name}": value.detach() for name, value in model.state_dict().items()}
    for rank, optimizer in enumerate(optimizers):
        for index, state in optimizer.state_dict()["state"].items():
            for key, value in state.items():
                tensors[f"optimizer{rank}.{index}.{key}"] = torch.as_tensor(value)
    target = folder / "state.safetensors"
    temporary = folder / "state.safetensors.part"
    save_file({name: value.contiguous().clone() for name, value in tensors.items()}, temporary, {_STEP: json.dumps(step)})
    with temporary.open("rb") as written:
        os.fsync(written.fileno())
    temporary.replace(target)


def load_checkpoint(folder: Path, model: nn.Module, optimizers: list[torch.optim.Optimizer]) -> int:
    """Restores model and optimizers; returns the number of finished steps, 0 where there is no checkpoint."""
    path = folder / "state.safetensors"
    if not path.exists():
        return 0
    tensors = load_file(path)
    model.load_state_dict(_under(tensors, "model."))
    for rank, optimizer in enumerate(optimizers):
        state: dict[int, dict[str, Tensor]] = {}
        for name, value in _under(tensors, f"optimizer{rank}.").items():
            index, key = name.split(".", 1)
            state.setdefault(int(index), {})[key] = value
        optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})
    return _read_step(path)


def _under(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name[len(prefix) :]: value for name, value in tensors.items() if name.startswith(prefix)}


def _read_step(path: Path) -> int:
    with path.open("rb") as file:
        header_size = int.from_bytes(file.read(8), "little")
        return int(json.loads(json.loads(file.read(header_size))["__metadata__"][_STEP]))
