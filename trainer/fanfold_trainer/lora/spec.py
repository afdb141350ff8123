"""The spec of a run: one JSON file, read strictly. A word that is unknown here is a mistake there."""

from __future__ import annotations

import hashlib
import json
import types
import typing
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from .failures import bad_spec

PROTOCOL = 1
ALL_LINEAR = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


@dataclass(frozen=True)
class Base:
    dir: str
    arch: str
    sha256: str | None = None
    name: str | None = None


@dataclass(frozen=True)
class Data:
    train: str
    eval: str | None = None
    control: str | None = None
    replay: str | None = None
    corpus: str | None = None
    sha256: dict[str, str | None] = field(default_factory=dict)
    pad_id: int = 0
    max_seq_length: int | None = None


@dataclass(frozen=True)
class Lora:
    r: int = 16
    alpha: float = 32
    dropout: float = 0
    targets: tuple[str, ...] = ALL_LINEAR


@dataclass(frozen=True)
class Optim:
    lr: float
    epochs: int = 3
    max_steps: int | None = None
    batch: int = 8
    micro_batch: int | None = None
    warmup: float = 0.1
    weight_decay: float = 0
    clip: float = 1
    replay_fraction: float = 0
    seed: int = 7


@dataclass(frozen=True)
class Limits:
    max_active_ms: int | None = None
    max_rss_mb: int | None = None


@dataclass(frozen=True)
class Evaluation:
    every_steps: int | None = None
    early_stopping_patience: int | None = 3
    max_samples: int = 500
    bootstrap: int = 1000


@dataclass(frozen=True)
class Embedding:
    mode: Literal["query", "both"] = "query"
    temperature: float = 0.02
    max_seq_length: int = 1024
    in_batch_negatives: bool = True
    negatives: int = 2
    cached_negatives: int = 1024
    false_negative_margin: float = 0.1
    doc_vectors: str | None = None


@dataclass(frozen=True)
class Spec:
    protocol: int
    job_id: str
    attempt: int
    kind: Literal["sft", "embedding"]
    base: Base
    data: Data
    optim: Optim
    out_dir: str
    lora: Lora = Lora()
    limits: Limits = Limits()
    evaluation: Evaluation = Evaluation()
    embedding: Embedding = Embedding()
    device: Literal["auto", "cpu", "cuda"] = "auto"
    dtype: Literal["auto", "fp32", "bf16"] = "auto"
    threads: int | None = None
    gradient_checkpointing: bool | None = None
    checkpoint_every_s: float = 60
    keep: int = 2
    resume_from: str | None = None
    orphan: Literal["stop", "continue"] = "stop"


def read_spec(path: Path) -> Spec:
    """Reads and checks a spec. Paths in it are relative to its folder."""
    try:
        content = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise bad_spec("spec", f"cannot be read: {error}") from error
    spec: Spec = _build(Spec, content, "spec")
    _check(spec)
    return spec


def _build(shape: Any, content: object, where: str) -> Any:
    if not isinstance(content, dict):
        raise bad_spec(where, "must be an object")
    hints = typing.get_type_hints(shape)
    known = {entry.name: entry for entry in fields(shape)}
    for name in content:
        if name not in known:
            raise bad_spec(f"{where}.{name}", "is not known")
    values = {}
    for name, entry in known.items():
        if name in content:
            values[name] = _convert(hints[name], content[name], f"{where}.{name}")
        elif entry.default is MISSING and entry.default_factory is MISSING:
            raise bad_spec(f"{where}.{name}", "is missing")
    return shape(**values)


def _convert(hint: Any, value: object, where: str) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        if value is None:
            return None
        return _convert(next(part for part in arguments if part is not type(None)), value, where)
    if origin is Literal:
        if value not in arguments:
            raise bad_spec(where, f"must be one of {', '.join(map(str, arguments))}")
        return value
    if origin is tuple:
        if not isinstance(value, list):
            raise bad_spec(where, "must be a list")
        return tuple(_convert(arguments[0], part, where) for part in value)
    if origin is dict:
        if not isinstance(value, dict):
            raise bad_spec(where, "must be an object")
        return {str(key): _convert(arguments[1], part, f"{where}.{key}") for key, part in value.items()}
    if isinstance(hint, type) and hasattr(hint, "__dataclass_fields__"):
        return _build(hint, value, where)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint) or (isinstance(value, bool) and hint is not bool):
        raise bad_spec(where, f"must be of type {hint.__name__}")
    return value


def _check(spec: Spec) -> None:
    def within(name: str, value: float | None, low: float, high: float) -> None:
        if value is not None and not low <= value <= high:
            raise bad_spec(f"spec.{name}", f"must be from {low} to {high}")

    if spec.protocol != PROTOCOL:
        raise bad_spec("spec.protocol", f"must be {PROTOCOL}")
    if not spec.lora.targets or not set(spec.lora.targets) <= set(ALL_LINEAR):
        raise bad_spec("spec.lora.targets", f"must be some of {', '.join(ALL_LINEAR)}")
    within("lora.r", spec.lora.r, 1, 256)
    within("lora.alpha", spec.lora.alpha, 1e-3, 4096)
    within("lora.dropout", spec.lora.dropout, 0, 0.9)
    within("optim.lr", spec.optim.lr, 1e-9, 1)
    within("optim.epochs", spec.optim.epochs, 1, 10_000)
    within("optim.max_steps", spec.optim.max_steps, 1, 10_000_000)
    within("optim.batch", spec.optim.batch, 1, 4096)
    within("optim.micro_batch", spec.optim.micro_batch, 1, 4096)
    within("optim.warmup", spec.optim.warmup, 0, 1)
    within("optim.weight_decay", spec.optim.weight_decay, 0, 1)
    within("optim.clip", spec.optim.clip, 1e-3, 1e6)
    within("optim.replay_fraction", spec.optim.replay_fraction, 0, 0.9)
    within("optim.seed", spec.optim.seed, 0, 2**31)
    within("evaluation.every_steps", spec.evaluation.every_steps, 1, 10_000_000)
    within("evaluation.early_stopping_patience", spec.evaluation.early_stopping_patience, 1, 1000)
    within("evaluation.max_samples", spec.evaluation.max_samples, 1, 100_000)
    within("evaluation.bootstrap", spec.evaluation.bootstrap, 100, 100_000)
    within("embedding.temperature", spec.embedding.temperature, 1e-3, 10)
    within("embedding.max_seq_length", spec.embedding.max_seq_length, 8, 32_768)
    within("embedding.negatives", spec.embedding.negatives, 0, 64)
    within("embedding.cached_negatives", spec.embedding.cached_negatives, 0, 100_000)
    within("data.max_seq_length", spec.data.max_seq_length, 8, 1_000_000)
    within("threads", spec.threads, 1, 1024)
    within("checkpoint_every_s", spec.checkpoint_every_s, 0, 86_400)
    within("keep", spec.keep, 1, 100)
    if spec.optim.replay_fraction > 0 and spec.data.replay is None:
        raise bad_spec("spec.data.replay", "is needed where optim.replay_fraction is above 0")
    if spec.kind == "embedding" and spec.embedding.mode == "both" and spec.embedding.doc_vectors is not None:
        raise bad_spec("spec.embedding.doc_vectors", "has no meaning where documents are trained, too")


def spec_hash(spec: Spec, digests: dict[str, str]) -> str:
    """What must be equal for a checkpoint to be taken up: all that changes the result, and nothing that only changes how it is
    computed, so that a run that lacked memory can go on in smaller parts."""
    optim = {name: value for name, value in asdict(spec.optim).items() if name != "micro_batch"}
    content = {
        "protocol": PROTOCOL,
        "kind": spec.kind,
        "base": spec.base.sha256,
        "data": digests,
        "max_seq_length": spec.data.max_seq_length,
        "lora": asdict(spec.lora),
        "optim": optim,
        "evaluation": asdict(spec.evaluation),
        "embedding": asdict(spec.embedding) if spec.kind == "embedding" else None,
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
