"""Checkpoints: folders that appear whole or not at all, and are verified before anything is taken from them. Tensors
as safetensors, the rest as JSON: loading one never runs code."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch
from peft import get_peft_model_state_dict, set_peft_model_state_dict
from safetensors.torch import load_file, save
from torch import Tensor

from .base import Learner
from .failures import disk_failure

MANIFEST = "manifest.json"


@dataclass
class Progress:
    """Where the training stands. All that it needs beside tensors; order and randomness follow from step and seed."""

    spec_hash: str
    step: int = 0
    tokens: int = 0
    #: Step of the last evaluation; -1: not even the base was evaluated.
    evaluated: int = -1
    before: dict[str, float] = field(default_factory=dict)
    control_before: dict[str, float] = field(default_factory=dict)
    #: One value for each held-out query, for the interval of the gain.
    before_each: list[float] = field(default_factory=list)
    best: dict[str, float] = field(default_factory=dict)
    best_step: int = -1
    worse_in_a_row: int = 0
    active_ms: int = 0


def adapter_state(learner: Learner) -> dict[str, Tensor]:
    state = get_peft_model_state_dict(learner.model)
    return {name: value.detach().float().cpu().clone().contiguous() for name, value in sorted(state.items())}


def load_adapter_state(learner: Learner, state: dict[str, Tensor]) -> None:
    result = set_peft_model_state_dict(learner.model, state)
    if result.unexpected_keys:
        raise ValueError(f"The adapter has unknown weights: {result.unexpected_keys[:3]}")


def optimizer_state(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    tensors: dict[str, Tensor] = {}
    for index, state in optimizer.state_dict()["state"].items():
        for name, value in state.items():
            tensors[f"{index}.{name}"] = torch.as_tensor(value).cpu().contiguous()
    return tensors


def load_optimizer_state(optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor]) -> None:
    state: dict[int, dict[str, Tensor]] = {}
    for name, value in tensors.items():
        index, key = name.split(".", 1)
        state.setdefault(int(index), {})[key] = value
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


@dataclass(frozen=True)
class Saved:
    name: str
    bytes: int
    sha256: str


def save_checkpoint(out: Path, progress: Progress, tensors: dict[str, dict[str, Tensor]], *, keep: int) -> Saved:
    """Writes `ckpt-NNNNNN` with one file for each entry of `tensors`, and removes older ones but the last `keep`."""
    name = f"ckpt-{progress.step:06d}"
    contents = {f"{part}.safetensors": save(each) for part, each in tensors.items()}
    contents["state.json"] = json.dumps(asdict(progress)).encode()
    digests = {part: hashlib.sha256(each).hexdigest() for part, each in contents.items()}
    manifest = json.dumps({"format": 1, "step": progress.step, "spec_hash": progress.spec_hash, "files": digests}, sort_keys=True)
    draft = out / f"{name}.tmp"
    try:
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir()
        for part, each in contents.items():
            write_synced(draft / part, each)
        write_synced(draft / MANIFEST, manifest.encode())
        _sync_folder(draft)
        # The same step may stand there already, perhaps damaged.
        shutil.rmtree(out / name, ignore_errors=True)
        draft.rename(out / name)
        _sync_folder(out)
    except OSError as error:
        shutil.rmtree(draft, ignore_errors=True)
        raise disk_failure(error) from error
    for old in checkpoint_folders(out)[keep:]:
        shutil.rmtree(old, ignore_errors=True)
    size = sum(map(len, contents.values())) + len(manifest)
    return Saved(name, size, hashlib.sha256(manifest.encode()).hexdigest())


def checkpoint_folders(out: Path) -> list[Path]:
    """The newest first."""
    found = [path for path in out.glob("ckpt-*") if path.is_dir() and path.name[5:].isdigit()]
    return sorted(found, key=lambda path: -int(path.name[5:]))


@dataclass(frozen=True)
class Restored:
    progress: Progress
    tensors: dict[str, dict[str, Tensor]]


def restore(folder: Path, spec_hash: str) -> Restored:
    """Takes a checkpoint whose files are those of its manifest and which belongs to the same training. Raises
    `ValueError` or `OSError` otherwise."""
    manifest = json.loads((folder / MANIFEST).read_text())
    if not isinstance(manifest, dict) or manifest.get("format") != 1 or not isinstance(manifest.get("files"), dict):
        raise ValueError("the manifest is not of this format")
    if manifest.get("spec_hash") != spec_hash:
        raise ValueError("it belongs to another training")
    for name, digest in manifest["files"].items():
        if Path(name).name != name or hashlib.sha256((folder / name).read_bytes()).hexdigest() != digest:
            raise ValueError(f"{name} is damaged")
    progress = Progress(**json.loads((folder / "state.json").read_text()))
    tensors = {Path(name).stem: load_file(folder / name) for name in manifest["files"] if name.endswith(".safetensors")}
    return Restored(progress, tensors)


def write_synced(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
