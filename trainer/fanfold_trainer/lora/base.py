"""Loading a base model and putting a LoRA on it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel, AutoModelForCausalLM, PretrainedConfig
from transformers.utils import logging as library_logging

from .failures import unsupported
from .spec import Lora, Spec

#: Architectures whose adapters the server can convert and serve, by the name that GGUF files give them.
ARCHITECTURES = {"qwen3": "qwen3", "qwen2": "qwen2", "llama": "llama", "mistral": "llama"}
#: Below this, a whole model in single precision costs less than the conversions of half precision do.
WORTH_HALF_PRECISION = 100_000_000


def read_config(spec: Spec) -> PretrainedConfig:
    """The configuration of the base. No code that comes with a model is ever run."""
    folder = Path(spec.base.dir)
    try:
        plain = json.loads((folder / "config.json").read_text())
    except (OSError, ValueError) as error:
        raise unsupported(f"The base model has no readable config.json: {error}", "Install the base model again.") from error
    kind = plain.get("model_type")
    if "auto_map" in plain or kind not in ARCHITECTURES:
        raise unsupported(f"Models of type {kind!r} cannot be trained.")
    if ARCHITECTURES[kind] != spec.base.arch:
        raise unsupported(f"The base model is of type {kind!r} but is served as {spec.base.arch!r}.")
    if not any(folder.glob("*.safetensors")):
        raise unsupported("The base model has no safetensors files.", "Install the base model again.")
    return AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)


@dataclass(frozen=True)
class Machine:
    device: torch.device
    dtype: torch.dtype
    threads: int

    @property
    def name(self) -> str:
        return torch.cuda.get_device_name(self.device) if self.device.type == "cuda" else "cpu"

    def autocast(self) -> torch.autocast:
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.dtype == torch.bfloat16)


def choose_machine(spec: Spec, parameters: int) -> Machine:
    has_gpu = torch.cuda.is_available()
    if spec.device == "cuda" and not has_gpu:
        raise unsupported("This machine has no GPU that torch can use.", "Set the device to auto or cpu.")
    device = torch.device("cuda" if has_gpu and spec.device != "cpu" else "cpu")
    threads = spec.threads or _threads()
    torch.set_num_threads(threads)
    dtype = {"fp32": torch.float32, "bf16": torch.bfloat16}.get(spec.dtype)
    if dtype is None:
        dtype = torch.bfloat16 if _has_half_precision(device, parameters) else torch.float32
    return Machine(device, dtype, threads)


def _threads() -> int:
    """Half of the processors stay with what is served from the same machine, unless the starter says otherwise."""
    wished = os.environ.get("OMP_NUM_THREADS", "")
    if wished.isdigit() and int(wished) > 0:
        return int(wished)
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, processors // 2)


def _has_half_precision(device: torch.device, parameters: int) -> bool:
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    return parameters >= WORTH_HALF_PRECISION and torch.cpu._is_avx512_bf16_supported()


def parameter_count(config: PretrainedConfig, kind: str) -> int:
    """Parameters of the base without loading it."""
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config) if kind == "sft" else AutoModel.from_config(config)
    return sum(parameter.numel() for parameter in model.parameters())


class Learner:
    """A base model with its adapter: hidden states of token ids, and logits of hidden states."""

    def __init__(self, model: PeftModel, machine: Machine, pad_id: int) -> None:
        self.model = model
        self.machine = machine
        self._pad_id = pad_id
        base = model.get_base_model()
        self._head = base.get_output_embeddings()
        self._body = base.get_decoder() if self._head is not None else base

    def watch(self, check: Callable[[], None]) -> None:
        """Has `check` called at every layer, forwards and backwards: what it raises ends the computation there."""

        def after(_module: nn.Module, _arguments: object, output: Tensor | tuple[Tensor, ...]) -> None:
            check()
            states = output if isinstance(output, Tensor) else output[0]
            if states.requires_grad:
                states.register_hook(lambda _gradient: check())

        for layer in self._body.layers:
            layer.register_forward_hook(after)

    def trainable(self) -> list[nn.Parameter]:
        return [parameter for parameter in self.model.parameters() if parameter.requires_grad]

    def hidden(self, rows: Sequence[Sequence[int]]) -> Tensor:
        """Final states [rows, longest, width]. Rows are filled up on the right, where causal attention never looks."""
        longest = max(map(len, rows))
        ids = torch.tensor([[*row, *[self._pad_id] * (longest - len(row))] for row in rows], device=self.machine.device)
        with self.machine.autocast():
            return self._body(input_ids=ids, use_cache=False).last_hidden_state

    def logits(self, states: Tensor) -> Tensor:
        with self.machine.autocast():
            return self._head(states).float()

    @property
    def vocabulary(self) -> int:
        return int(self.model.get_base_model().get_input_embeddings().weight.shape[0])


def load_learner(spec: Spec, config: PretrainedConfig, machine: Machine, *, checkpointing: bool) -> Learner:
    library_logging.set_verbosity_error()
    library_logging.disable_progress_bar()
    kind = AutoModelForCausalLM if spec.kind == "sft" else AutoModel
    model, report = kind.from_pretrained(
        spec.base.dir,
        config=config,
        local_files_only=True,
        trust_remote_code=False,
        use_safetensors=True,
        dtype=machine.dtype,
        attn_implementation="sdpa",
        output_loading_info=True,
    )
    if report["missing_keys"] or report["mismatched_keys"]:
        raise unsupported("The base model's files lack weights.", "Install the base model again.")
    if checkpointing:
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
        model.enable_input_require_grads()
    torch.manual_seed(spec.optim.seed)
    tuned = get_peft_model(model.to(machine.device), lora_config(spec.lora, spec.kind))
    tuned.train()
    return Learner(tuned, machine, spec.data.pad_id)


def lora_config(lora: Lora, kind: str) -> LoraConfig:
    return LoraConfig(
        task_type="CAUSAL_LM" if kind == "sft" else "FEATURE_EXTRACTION",
        r=lora.r,
        lora_alpha=lora.alpha,
        lora_dropout=lora.dropout,
        target_modules=list(lora.targets),
        bias="none",
    )
