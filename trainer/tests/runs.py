"""Small trainings for the tests: the demos as token files, and runs of the trainer on them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from fanfold_trainer.conversation import Conversation
from fanfold_trainer.lora.demo import nickname_feedback, skill_examples
from fanfold_trainer.samples import conversation_samples
from fanfold_trainer.tokenizer import END_OF_TEXT, Tokenizer, load_hugging_face
from fanfold_trainer.train_embed import query_text

MODELS = Path(__file__).parents[2] / "models"
Line = dict[str, Any]


def sft_lines(examples: list[Line]) -> list[Line]:
    tokenizer = load_hugging_face(MODELS / "tiny-chat" / "hf" / "tokenizer.json")
    lines: list[Line] = []
    for number, example in enumerate(examples):
        (sample,) = conversation_samples(tokenizer, Conversation("demo", tuple(example["messages"])), thinking=False)
        start = sample.trained.index(True)
        lines.append({"id": str(number), "ids": sample.ids, "mask": [[start, len(sample.ids)]]})
    return lines


def pair_lines(tokenizer: Tokenizer, examples: list[Line]) -> list[Line]:
    def ids(text: str) -> list[int]:
        return [*tokenizer.encode(text), tokenizer.id_of[END_OF_TEXT]]

    return [
        {"id": f"{number}.{place}", "q": ids(query_text(example["query"])), "p": ids(positive), "n": [ids(text) for text in example["negatives"]]}
        for number, example in enumerate(examples)
        for place, positive in enumerate(example["positives"])
    ]


def write_lines(path: Path, lines: list[Line]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def write_sft(folder: Path, count: int = 80, held_out: int = 40, **changes: Any) -> Line:
    train, test = skill_examples(count=count, held_out=held_out)
    write_lines(folder / "train.jsonl", sft_lines(train))
    write_lines(folder / "eval.jsonl", sft_lines(test))
    return write_spec(folder, _spec("sft", "tiny-chat"), changes)


def write_embedding(folder: Path, **changes: Any) -> Line:
    tokenizer = load_hugging_face(MODELS / "tiny-embed" / "hf" / "tokenizer.json")
    search = nickname_feedback()
    write_lines(folder / "train.jsonl", pair_lines(tokenizer, search.train))
    write_lines(folder / "eval.jsonl", pair_lines(tokenizer, search.held_out))
    return write_spec(folder, _spec("embedding", "tiny-embed"), changes)


def _spec(kind: str, model: str) -> Line:
    return {
        "protocol": 1,
        "job_id": "test",
        "attempt": 1,
        "kind": kind,
        "base": {"dir": str(MODELS / model / "hf"), "arch": "qwen3", "sha256": "0" * 64},
        "data": {"train": "train.jsonl", "eval": "eval.jsonl"},
        "lora": {"r": 8, "alpha": 16},
        "optim": {"lr": 1e-3, "epochs": 10, "batch": 8},
        "threads": 1,
        "device": "cpu",
        "out_dir": "out",
    }


def write_spec(folder: Path, spec: Line, changes: Line) -> Line:
    for name, value in changes.items():
        spec[name] = {**spec[name], **value} if isinstance(value, dict) and name in spec else value
    (folder / "spec.json").write_text(json.dumps(spec))
    return spec


def events(folder: Path) -> list[Line]:
    return [json.loads(line) for line in (folder / "out" / "events.jsonl").read_text().splitlines()]
