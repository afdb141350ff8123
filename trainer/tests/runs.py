"""Small trainings for the tests: the demos as token files, and runs of the trainer on them."""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from demo import nickname_feedback, skill_examples
from transformers import AutoTokenizer

from fanfold_trainer.lora.control import Control
from fanfold_trainer.lora.events import EventLog
from fanfold_trainer.lora.session import Session, open_session
from fanfold_trainer.lora.spec import read_spec
from fanfold_trainer.lora.train import main

MODELS = Path(__file__).parents[2] / "models"
QUERY = "Instruct: Given a customer question, retrieve the passage that answers it\nQuery:"
Line = dict[str, Any]

# Dropout, so that randomness has to be resumed as well.
SMALL = {
    "lora": {"r": 4, "alpha": 8, "dropout": 0.1},
    "optim": {"lr": 3e-3, "epochs": 3, "batch": 4},
    "evaluation": {"every_steps": 4},
    "checkpoint_every_s": 0,
}


def sft_lines(examples: list[Line]) -> list[Line]:
    """The answers are trained, up to the token that ends them."""
    tokenizer = AutoTokenizer.from_pretrained(MODELS / "tiny-chat" / "hf", local_files_only=True)
    lines: list[Line] = []
    for number, example in enumerate(examples):
        *before, answer = example["messages"]
        rendered = tokenizer.apply_chat_template(before, tokenize=False, add_generation_prompt=True, enable_thinking=False)
        prompt, completion = tokenizer([rendered, answer["content"] + "<|im_end|>"])["input_ids"]
        lines.append({"id": str(number), "ids": prompt + completion, "mask": [[len(prompt), len(prompt + completion)]]})
    return lines


def pair_lines(examples: list[Line]) -> list[Line]:
    tokenizer = AutoTokenizer.from_pretrained(MODELS / "tiny-embed" / "hf", local_files_only=True)

    def ids(text: str) -> list[int]:
        # With the token that closes a text: the tokenizer adds it.
        return tokenizer(text)["input_ids"]

    return [
        {"id": f"{number}.{place}", "q": ids(QUERY + example["query"]), "p": ids(positive), "n": [ids(text) for text in example["negatives"]]}
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
    search = nickname_feedback()
    write_lines(folder / "train.jsonl", pair_lines(search.train))
    write_lines(folder / "eval.jsonl", pair_lines(search.held_out))
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


def opened(folder: Path, control: Control | None = None) -> Session:
    """A training that was begun already: a fresh adapter does nothing, and some gradients are 0."""
    session = open_session(read_spec(folder / "spec.json"), folder, EventLog(folder / "out", None), control or Control())
    with torch.no_grad():
        for number, parameter in enumerate(session.learner.trainable()):
            parameter.add_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(number)) * 0.02)
    return session


class Run:
    """A training in a process of its own, forked so that what takes seconds to import is imported once."""

    def __init__(self, folder: Path, before: Callable[[], None] | None = None) -> None:
        self.folder = folder
        read_end, self._input = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os._exit(self._train(read_end, before))
        os.close(read_end)
        self._code: int | None = None

    def _train(self, read_end: int, before: Callable[[], None] | None) -> int:
        os.close(self._input)
        os.dup2(read_end, 0)
        log = os.open(self.folder / "log.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(log, 1)
        os.dup2(log, 2)
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, mode) for number, mode in ((0, "r"), (1, "w"), (2, "w")))
        try:
            if before is not None:
                before()
            return main(["--spec", str(self.folder / "spec.json")])
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
            return 99

    def wait_for(self, step: int) -> Run:
        """Until the run has told of a step."""
        path = self.folder / "out" / "events.jsonl"
        while not (path.exists() and any(f'"step":{number},' in path.read_text() for number in range(step, step + 20))):
            if self._poll():
                raise AssertionError(f"The run ended with {self._code}: {(self.folder / 'log.txt').read_text()}")
            time.sleep(0.005)
        return self

    def signal(self, number: int) -> Run:
        os.kill(self.pid, number)
        return self

    def say(self, line: str) -> Run:
        os.write(self._input, line.encode())
        return self

    def close_input(self) -> Run:
        os.close(self._input)
        self._input = -1
        return self

    def _poll(self) -> bool:
        if self._code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self._code = os.waitstatus_to_exitcode(status) if pid else None
        return self._code is not None

    def exit_code(self) -> int:
        while not self._poll():
            time.sleep(0.005)
        if self._input >= 0:
            self.close_input()
        return int(self._code or 0)


def write_small(folder: Path, **changes: object) -> Line:
    return write_sft(folder, 16, 8, **{**SMALL, **changes})


def last_error(folder: Path) -> Line:
    last = events(folder)[-1]
    assert last["event"] == "failed"
    return last["error"]


def assert_sound(told: list[Line]) -> None:
    assert [event["seq"] for event in told] == list(range(1, len(told) + 1))
    active = [event["active_ms"] for event in told]
    assert active == sorted(active)
