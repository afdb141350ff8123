"""What a run will need, of memory and of disk, and what there is. A guess on the safe side, made before the first step: a process that the kernel
ends says nothing."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import torch
from transformers import PretrainedConfig

from .base import Machine
from .failures import DISK_FULL, TrainerFailure, out_of_memory
from .spec import Spec

MEBI = 1 << 20
#: Python and torch without any model.
RUNTIME_BYTES = 400 * MEBI
#: Largest block of logits that exists at once.
LOGITS_BYTES = 64 * MEBI


def lora_parameters(config: PretrainedConfig, spec: Spec) -> int:
    head = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    width, feed = config.hidden_size, config.intermediate_size
    queries, keys = config.num_attention_heads * head, config.num_key_value_heads * head
    ends = {
        "q_proj": width + queries,
        "k_proj": width + keys,
        "v_proj": width + keys,
        "o_proj": queries + width,
        "gate_proj": width + feed,
        "up_proj": width + feed,
        "down_proj": feed + width,
    }
    return config.num_hidden_layers * spec.lora.r * sum(ends[target] for target in spec.lora.targets)


def estimate(config: PretrainedConfig, spec: Spec, machine: Machine, parameters: int, tokens: int, *, checkpointing: bool) -> int:
    """Bytes at the highest point, for parts of at most `tokens` tokens."""
    size = 2 if machine.dtype == torch.bfloat16 else 4
    weights = parameters * size
    # The adapter, its gradient, two moments, and the copy of the best.
    adapter = lora_parameters(config, spec) * 4 * 5
    # Measured: what attention, feed-forward, norms and the adapter keep for the way back.
    layer = tokens * size * (22 * config.hidden_size + 11 * config.intermediate_size)
    kept = tokens * size * config.hidden_size * config.num_hidden_layers
    activations = kept + 2 * layer if checkpointing else layer * config.num_hidden_layers
    logits = 3 * min(LOGITS_BYTES, tokens * config.vocab_size * 4) if spec.kind == "sft" else 0
    return int((weights + adapter + activations + logits) * 1.2)


def check_memory(spec: Spec, machine: Machine, needed: int) -> None:
    """Raises where the run cannot fit."""
    there = memory_for(spec, machine)
    if needed > there:
        who = "The GPU" if machine.device.type == "cuda" else "This machine, or the limit of this job,"
        raise out_of_memory(f"The training needs about {needed // MEBI} MiB of memory. {who} has {max(0, there) // MEBI} MiB.")


def memory_for(spec: Spec, machine: Machine) -> int:
    """Bytes that the training may take, beside those of the program itself."""
    if machine.device.type == "cuda":
        return torch.cuda.mem_get_info(machine.device)[0]
    limit = spec.limits.max_rss_mb
    most = available() if limit is None else min(available(), limit * MEBI)
    return most - max(resident(), RUNTIME_BYTES)


def check_disk(out: Path, parameters: int, keep: int) -> None:
    """Raises where the checkpoints and the adapter cannot be kept: a run must not fail when it saves."""
    # Weights, the best weights and two moments; one more checkpoint while it is written, and the adapter.
    needed = parameters * 4 * 4 * (keep + 1) + parameters * 4 + MEBI
    free = shutil.disk_usage(out).free
    if free < needed:
        words = f"The training needs {needed // MEBI} MiB of disk space. There are {free // MEBI} MiB."
        raise TrainerFailure(DISK_FULL, "artifact_write_failed", words, "Free disk space and retry.", retryable=True)


def available() -> int:
    """Bytes that this process may still take, its own included: of the machine, and of the group it is confined to."""
    own = resident()
    free = _meminfo("MemAvailable") + own
    for limit, used in (
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ):
        group = Path("/sys/fs/cgroup")
        most, now = _number(group / limit), _number(group / used)
        if most is not None and now is not None:
            # Files in the page cache are counted as used but give way.
            cached = _cached(group / Path(limit).parent / "memory.stat")
            free = min(free, most - now + cached + own)
    return free


def resident() -> int:
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _meminfo(name: str) -> int:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    # Not Linux: what the machine has in all is the best that is known.
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None


def _cached(path: Path) -> int:
    try:
        for line in path.read_text().splitlines():
            if line.startswith(("inactive_file ", "total_inactive_file ")):
                return int(line.split()[1])
    except OSError:
        pass
    return 0
