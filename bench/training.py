"""Training speed of the trainer against a plain loop with transformers and peft, as its documentation shows it: same model,
adapter, optimizer, batch and data, in one process, by turns. Prints one JSON line for each model."""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from pathlib import Path

import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Qwen3Config, Qwen3ForCausalLM

sys.path.insert(0, str(Path(__file__).parents[1] / "trainer"))

from fanfold_trainer.lora.spec import ALL_LINEAR, read_spec
from fanfold_trainer.lora.control import Control
from fanfold_trainer.lora.events import EventLog
from fanfold_trainer.lora.session import open_session

SAMPLES, BATCH, ROUNDS = 64, 8, 5
Sample = dict[str, list[int]]


def make_data(folder: Path, vocabulary: int, seed: int = 1) -> list[dict[str, object]]:
    """Conversations of the lengths that conversations have: most are short, few are long; a third is the answer."""
    source = random.Random(seed)
    lines: list[dict[str, object]] = []
    for number in range(SAMPLES):
        length = min(512, max(16, round(source.lognormvariate(4.3, 0.7))))
        ids = [source.randrange(vocabulary) for _ in range(length)]
        lines.append({"id": str(number), "ids": ids, "mask": [[length - max(4, length // 3), length]]})
    (folder / "train.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return lines


class PlainLoop:
    def __init__(self, model_folder: str, lines: list[dict[str, object]]) -> None:
        torch.manual_seed(7)
        model = AutoModelForCausalLM.from_pretrained(model_folder, local_files_only=True, dtype=torch.float32)
        config = LoraConfig(task_type="CAUSAL_LM", r=8, lora_alpha=16, target_modules=list(ALL_LINEAR))
        self.model = get_peft_model(model, config)
        self.optimizer = torch.optim.AdamW([each for each in self.model.parameters() if each.requires_grad], lr=1e-3)
        self.samples = [self.encode(line) for line in lines]
        self.source = random.Random(7)

    def encode(self, line: dict) -> Sample:
        (start, end), ids = line["mask"][0], line["ids"]
        return {"input_ids": ids, "labels": [-100] * start + ids[start:end]}

    def epoch(self) -> int:
        self.source.shuffle(self.samples)
        tokens = 0
        for at in range(0, SAMPLES, BATCH):
            batch = self.samples[at : at + BATCH]
            tokens += sum(len(sample["input_ids"]) for sample in batch)
            loss = self.model(**self.collate(batch)).loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            self.optimizer.zero_grad()
            float(loss.detach())
        return tokens

    def collate(self, batch: list[Sample]) -> dict[str, torch.Tensor]:
        longest = max(len(sample["input_ids"]) for sample in batch)

        def filled(name: str, filler: int) -> torch.Tensor:
            return torch.tensor([sample[name] + [filler] * (longest - len(sample[name])) for sample in batch])

        mask = torch.tensor([[1] * len(each["input_ids"]) + [0] * (longest - len(each["input_ids"])) for each in batch])
        return {"input_ids": filled("input_ids", 0), "labels": filled("labels", -100), "attention_mask": mask}


class OurLoop:
    def __init__(self, model_folder: str, folder: Path) -> None:
        spec = {
            "protocol": 1, "job_id": "bench", "attempt": 1, "kind": "sft", "out_dir": "out", "threads": torch.get_num_threads(),
            "device": "cpu", "dtype": "fp32", "gradient_checkpointing": False, "checkpoint_every_s": 60,
            "base": {"dir": model_folder, "arch": "qwen3"}, "data": {"train": "train.jsonl"}, "lora": {"r": 8, "alpha": 16},
            "optim": {"lr": 1e-3, "epochs": 10_000, "batch": BATCH},
        }  # fmt: skip
        (folder / "spec.json").write_text(json.dumps(spec))
        events = EventLog(folder / "out", None)
        self.loop = open_session(read_spec(folder / "spec.json"), folder, events, Control()).loop

    def epoch(self) -> int:
        before = self.loop.progress.tokens
        for _ in range(SAMPLES // BATCH):
            self.loop.step()
        return self.loop.progress.tokens - before


def speed(loop: PlainLoop | OurLoop) -> float:
    began = time.perf_counter()
    return loop.epoch() / (time.perf_counter() - began)


def measure(name: str, model_folder: str, vocabulary: int, folder: Path) -> None:
    lines = make_data(folder, vocabulary)
    plain, ours = PlainLoop(model_folder, lines), OurLoop(model_folder, folder)
    found: list[tuple[float, float]] = []
    for number in range(ROUNDS + 1):
        pair = (speed(ours), speed(plain))
        if number > 0:
            found.append(pair)
    # The best of each: what disturbs a round is other work on the machine.
    best, other = max(pair[0] for pair in found), max(pair[1] for pair in found)
    print(json.dumps({"name": name, "ratio": best / other, "ours": best, "plain": other, "rounds": ROUNDS}), flush=True)


def main() -> None:
    torch.set_num_threads(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        tiny = Path(__file__).parents[1] / "models" / "tiny-chat" / "hf"
        (root / "tiny").mkdir()
        measure("tiny chat model", str(tiny), 2039, root / "tiny")
        # Wide words, as real models have them.
        shape = Qwen3Config(
            vocab_size=32_000, hidden_size=256, intermediate_size=768, num_hidden_layers=6, num_attention_heads=4,
            num_key_value_heads=2, head_dim=64, tie_word_embeddings=True,
        )  # fmt: skip
        Qwen3ForCausalLM(shape).save_pretrained(root / "wide" / "model")
        measure("14M parameters, vocabulary of 32,000", str(root / "wide" / "model"), 32_000, root / "wide")


if __name__ == "__main__":
    main()
