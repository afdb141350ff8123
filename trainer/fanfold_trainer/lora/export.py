"""The result: an adapter as PEFT reads it, and what the model says with it, so that whoever serves it can compare."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save

from .base import Learner
from .checkpoints import adapter_state, load_adapter_state, write_synced
from .events import EventLog
from .failures import EXPORT_FAILED, TrainerFailure, disk_failure
from .spec import Spec
from .task import Task

#: Merging in half precision rounds the weights.
LEAST_COSINE = {torch.float32: 0.9999, torch.bfloat16: 0.99}


def export(spec: Spec, learner: Learner, task: Task, out: Path, events: EventLog) -> None:
    """Writes `adapter/` and `check.json`. What is checked is the file that was written, not what is in memory."""
    folder = out / "adapter"
    try:
        folder.mkdir(exist_ok=True)
        weights, config = folder / "adapter_model.safetensors", folder / "adapter_config.json"
        write_synced(weights, save(adapter_state(learner), {"format": "pt"}))
        write_synced(config, _config(spec, learner))
        load_adapter_state(learner, load_file(weights))
        check = out / "check.json"
        write_synced(check, json.dumps(_check(spec, learner, task)).encode())
    except OSError as error:
        raise disk_failure(error) from error
    for path in (config, weights, check):
        content = path.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        place = path.relative_to(out).as_posix()
        events.emit("artifact", sync=True, name=path.name, path=place, bytes=len(content), sha256=digest)


def _config(spec: Spec, learner: Learner) -> bytes:
    """The same bytes for the same training: sets are sorted, and no path of this machine is told."""
    config = learner.model.peft_config["default"].to_dict()
    config["base_model_name_or_path"] = spec.base.name
    config["inference_mode"] = True
    plain = {name: sorted(value) if isinstance(value, (set, frozenset)) else value for name, value in config.items()}
    return (json.dumps(plain, indent=2, sort_keys=True, default=str) + "\n").encode()


def _check(spec: Spec, learner: Learner, task: Task) -> dict[str, object]:
    adapted = task.reference()
    with learner.model.disable_adapter():
        base = task.reference()
    learner.model.merge_adapter()
    merged = task.reference()
    learner.model.unmerge_adapter()
    for with_adapter, in_one in zip(adapted, merged, strict=True):
        if not _agree(with_adapter["values"], in_one["values"], LEAST_COSINE[learner.machine.dtype]):
            hint = "Lower learning_rate; very large weights do not survive merging."
            raise TrainerFailure(EXPORT_FAILED, "artifact_write_failed", "Base and adapter say something else when they are merged.", hint)
    samples = [
        {"ids": each["ids"], "stride": each.get("stride", 1), "base": _rounded(before["values"]), "adapter": _rounded(each["values"])}
        for each, before in zip(adapted, base, strict=True)
    ]
    return {"format": 1, "kind": spec.kind, "samples": samples}


def _rounded(values: object) -> list[float]:
    """To seven digits, which is what single precision holds."""
    return [float(f"{value:.7g}") for value in values] if isinstance(values, list) else []


def _agree(some: object, others: object, least: float) -> bool:
    first, second = torch.tensor(some, dtype=torch.float64), torch.tensor(others, dtype=torch.float64)
    return bool(torch.isfinite(first).all()) and float(F.cosine_similarity(first, second, dim=0)) >= least
