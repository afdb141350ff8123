"""Everything before the first step: the machine, the data, the model, the memory, and where an earlier run stopped."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy
import peft
import torch
import transformers
from transformers import PretrainedConfig

from .base import WORTH_HALF_PRECISION, Learner, Machine, choose_machine, load_learner, parameter_count, read_config
from .batches import micro_batches
from .checkpoints import Progress, Restored, checkpoint_folders, restore
from .contrastive import Contrastive, PairData, sequences_at_once
from .control import Control
from .data import check_digests
from .events import EventLog
from .export import export
from .loop import Loop
from .memory import MEBI, check_disk, check_memory, estimate, lora_parameters, memory_for
from .sft import Sft, SftData, read_sft_data
from .spec import PROTOCOL, Spec, spec_hash
from .task import Task

#: Most tokens that are computed at once, padding included. Contrastive batches that fit in one part need one pass instead of two.
PART_TOKENS = {("cpu", "sft"): 2048, ("cpu", "embedding"): 8192, ("cuda", "sft"): 16_384, ("cuda", "embedding"): 65_536}
#: A processor computes parts of a large model no faster when they are larger.
LARGE_MODEL_PART_TOKENS = 512
#: From here activations are computed twice rather than kept, whatever room there is.
CHECKPOINTING_PARAMETERS, CHECKPOINTING_TOKENS = 1_000_000_000, 1024


@dataclass(frozen=True)
class Session:
    spec: Spec
    out: Path
    events: EventLog
    learner: Learner
    task: Task
    loop: Loop

    def export(self) -> None:
        export(self.spec, self.learner, self.task, self.out, self.events)


def open_session(spec: Spec, folder: Path, events: EventLog, control: Control) -> Session:
    out = folder / spec.out_dir
    config = read_config(spec)
    parameters = parameter_count(config, spec.kind)
    machine = choose_machine(spec, parameters)
    _say_hello(events, machine)
    digests = check_digests(spec.data, folder)
    data = _read_data(spec, folder, config.vocab_size, config.max_position_embeddings)
    control.check()

    lengths = _sequence_lengths(data, spec)
    fit = find_fit(spec, config, machine, parameters, lengths)
    check_memory(spec, machine, fit.needed)
    out.mkdir(parents=True, exist_ok=True)
    check_disk(out, lora_parameters(config, spec), spec.keep)

    learner = load_learner(spec, config, machine, checkpointing=fit.checkpointing)
    learner.watch(control.check)
    task: Task
    if isinstance(data, PairData):
        task = Contrastive(spec, data, learner, control, fit.part_tokens)
    else:
        task = Sft(spec, data, learner, control, fit.part_tokens)
    digest = spec_hash(spec, digests)
    loop = Loop(spec, task, learner, events, control, out, Progress(spec_hash=digest))
    restored = _find_checkpoint(spec, out, digest, events)
    if restored is None:
        _warn_of_leaks(events, data)
    else:
        loop.restore(restored)
    events.emit(
        "prepared",
        samples=len(task.plan.lengths),
        trained_tokens=task.trained_tokens,
        context_tokens=task.context_tokens,
        dropped=dict(task.dropped),
        steps_total=loop.steps_total,
        params_trainable=sum(parameter.numel() for parameter in learner.trainable()),
        mem_estimate_mb=fit.needed // MEBI,
    )
    control.check()
    return Session(spec, out, events, learner, task, loop)


def _warn_of_leaks(events: EventLog, data: SftData | PairData) -> None:
    """Who measures with what was learned is told more than is true."""
    learned, held_out = data.leaks()
    if learned > 0:
        what = "queries" if isinstance(data, PairData) else "conversations"
        words = f"{learned} of {held_out} held-out {what} are learned from as well, so the metrics promise too much."
        events.emit("warning", code="held_out_is_learned", message=f"{words} Give each of them one split.")


def _say_hello(events: EventLog, machine: Machine) -> None:
    versions = {
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "peft": peft.__version__,
        "numpy": numpy.__version__,
    }
    events.emit("hello", protocol=PROTOCOL, versions=versions, device=machine.name, threads=machine.threads, pid=os.getpid())


def _read_data(spec: Spec, folder: Path, vocabulary: int, context: int) -> SftData | PairData:
    if spec.kind == "sft":
        return read_sft_data(spec, folder, vocabulary, context)
    return PairData(spec, folder, vocabulary, context)


def _sequence_lengths(data: SftData | PairData, spec: Spec) -> list[int]:
    if isinstance(data, SftData):
        return [len(sample.ids) for sample in data.train + data.replay]
    queries = [len(pair.query) for pair in data.train + data.replay]
    return queries + [len(text) for text in data.documents.texts] if spec.embedding.mode == "both" else queries


@dataclass(frozen=True)
class Fit:
    """How the computation is cut to the memory there is. Nothing of it changes the result."""

    part_tokens: int
    checkpointing: bool
    needed: int


def find_fit(spec: Spec, config: PretrainedConfig, machine: Machine, parameters: int, lengths: list[int]) -> Fit:
    """Takes the fastest way that leaves half of the memory to others; where there is none, the way that needs least."""
    longest = max(lengths)
    wish = spec.gradient_checkpointing
    if wish is None and (parameters > CHECKPOINTING_PARAMETERS or longest > CHECKPOINTING_TOKENS):
        wish = True
    most = PART_TOKENS[machine.device.type, spec.kind]
    if machine.device.type == "cpu" and spec.kind == "sft" and parameters >= WORTH_HALF_PRECISION:
        most = LARGE_MODEL_PART_TOKENS
    sizes = [max(longest, most)]
    while sizes[-1] > longest:
        sizes.append(max(longest, sizes[-1] // 2))
    at_once = sequences_at_once(spec) if spec.kind == "embedding" else spec.optim.micro_batch
    room = memory_for(spec, machine) // 2
    fit: Fit | None = None
    for checkpointing in (False, True) if wish is None else (wish,):
        for size in sizes:
            largest = max(len(part) * lengths[part[0]] for part in micro_batches(lengths, at_once, size))
            fit = Fit(size, checkpointing, estimate(config, spec, machine, parameters, largest, checkpointing=checkpointing))
            if fit.needed <= room:
                return fit
    assert fit is not None
    return fit


def _find_checkpoint(spec: Spec, out: Path, digest: str, events: EventLog) -> Restored | None:
    """The newest whole checkpoint of this training. A damaged one is passed over for the one before it."""
    for draft in out.glob("ckpt-*.tmp"):
        shutil.rmtree(draft, ignore_errors=True)
    candidates = checkpoint_folders(out)
    if spec.resume_from is not None and (out / spec.resume_from).is_dir() and out / spec.resume_from not in candidates:
        candidates.insert(0, out / spec.resume_from)
    for candidate in candidates:
        try:
            return restore(candidate, digest)
        except (OSError, ValueError, TypeError, KeyError) as error:
            events.emit("warning", code="checkpoint_unusable", message=f"{candidate.name}: {error}"[:500])
    if spec.resume_from is not None:
        events.emit("warning", code="resumed_from_start", message="No checkpoint is usable; the training begins anew.")
    return None
