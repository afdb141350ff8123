"""Runs of the trainer that cannot work, or cannot go on: each says why, and what it has is kept."""

from __future__ import annotations

import errno
import json
import os
import resource
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from runs import MODELS, Line, Run, assert_sound, events, last_error, write_small
from safetensors.torch import load_file, save_file

from fanfold_trainer.lora import checkpoints, train
from fanfold_trainer.lora.events import EventLog
from fanfold_trainer.lora.train import _beat


def test_the_time_limit_ends_a_run_with_a_checkpoint(tmp_path: Path) -> None:
    write_small(tmp_path, limits={"max_active_ms": 1})
    assert Run(tmp_path).exit_code() == 33
    assert last_error(tmp_path)["code"] == "time_limit"
    assert checkpoints.checkpoint_folders(tmp_path / "out")


def test_numbers_that_are_not_finite_end_a_run(tmp_path: Path) -> None:
    model = tmp_path / "model"
    shutil.copytree(MODELS / "tiny-chat" / "hf", model)
    weights = load_file(model / "model.safetensors")
    weights["model.norm.weight"][0] = float("inf")
    save_file(weights, model / "model.safetensors", {"format": "pt"})
    write_small(tmp_path, base={"dir": str(model)})
    assert Run(tmp_path).exit_code() == 31
    assert last_error(tmp_path)["code"] == "loss_diverged"


@pytest.mark.parametrize(("most_bytes", "is_told"), [(50_000, True), (600, False)])
def test_a_full_disk_ends_a_run_that_can_be_retried(tmp_path: Path, most_bytes: int, is_told: bool) -> None:
    """Too little for a checkpoint; too little even for the events."""
    write_small(tmp_path)
    assert Run(tmp_path, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))).exit_code() == 32
    if is_told:
        assert last_error(tmp_path)["retryable"] is True
    assert_sound(events(tmp_path))
    assert not list((tmp_path / "out").glob("*.tmp"))


@pytest.mark.parametrize(
    ("changes", "code", "words"),
    [
        ({"limits": {"max_rss_mb": 100}}, 30, "limit of this job"),
        ({"optim": {"lr": 2}}, 20, "spec.optim.lr"),
        ({"lora": {"ranks": 4}}, 20, "spec.lora.ranks"),
        ({"data": {"sha256": {"train": "0" * 64}}}, 20, "not the one that was frozen"),
        ({"data": {"max_seq_length": 8}}, 20, "no example"),
        ({"base": {"arch": "llama"}}, 21, "served as"),
        ({"base": {"dir": "/nowhere"}}, 21, "config.json"),
    ],
)
def test_what_cannot_work_is_refused_before_it_costs_anything(tmp_path: Path, changes: Line, code: int, words: str) -> None:
    write_small(tmp_path, **changes)
    assert Run(tmp_path).exit_code() == code
    assert words in last_error(tmp_path)["message"]
    assert all(event["active_ms"] == 0 for event in events(tmp_path))


def test_a_mistake_in_the_spec_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "spec.json").write_text("{}")
    command = [sys.executable, "-u", "-m", "fanfold_trainer.lora.train", "--spec", str(tmp_path / "spec.json")]
    result = subprocess.run(command, capture_output=True, text=True, env={"PYTHONPATH": str(MODELS.parent / "trainer")})
    assert result.returncode == 20
    told = json.loads(result.stdout.removeprefix("@evt "))
    assert told["error"]["message"] == "spec.protocol: is missing"
    assert "torch" not in result.stderr


def test_disk_space_for_all_that_will_be_saved_must_be_there_at_the_start(tmp_path: Path) -> None:
    write_small(tmp_path)

    def fill_disk() -> None:
        usage = shutil.disk_usage(tmp_path)
        shutil.disk_usage = lambda _: usage._replace(free=1_000_000)

    assert Run(tmp_path, fill_disk).exit_code() == 32
    assert "disk space" in last_error(tmp_path)["message"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("[]", "not an object"),
        ('{"ids":[1,99999],"mask":[[1,2]]}', "not the id of a token"),
        ('{"ids":[1,2],"mask":[]}', "no trained token"),
        ('{"ids":[1,2],"mask":[[0,2]]}', "behind the first token"),
        ('{"ids":[1,2],"mask":[[1,3]]}', "within the ids"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, words: str) -> None:
    write_small(tmp_path)
    with (tmp_path / "train.jsonl").open("a") as file:
        file.write(f"{line}\n")
    assert Run(tmp_path).exit_code() == 20
    error = last_error(tmp_path)
    assert error["code"] == "dataset_invalid"
    assert "train.jsonl, line 17" in error["message"]
    assert words in error["message"]


def test_what_a_full_disk_kept_from_its_reader_is_told_with_the_next_event(tmp_path: Path) -> None:
    """The output is a file, too, and may be out of room when the folder of the events is not."""
    path = tmp_path / "output"
    path.write_text("x" * 4_999 + "\n")
    log = EventLog(tmp_path / "out", os.open(path, os.O_WRONLY | os.O_APPEND))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5_010, limits[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            log.emit("progress", step=1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    log.emit("progress", step=2)
    assert_sound(events(tmp_path))
    told = [line.removeprefix("@evt ") for line in path.read_text().splitlines()[1:]]
    assert [json.loads(line) for line in told] == events(tmp_path)


def test_the_heart_of_a_run_beats_on_when_the_disk_was_full_for_a_moment(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "out", None)
    finished = threading.Event()
    beats = 0

    def tell() -> None:
        nonlocal beats
        beats += 1
        if beats == 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        finished.set()

    heart = threading.Thread(target=_beat, args=(log, tell, finished), daemon=True)
    heart.start()
    heart.join(60)
    assert beats == 2


def test_a_run_that_cannot_even_make_its_files_ends_as_one_on_a_full_disk(tmp_path: Path) -> None:
    write_small(tmp_path)

    def fill_disk() -> None:
        def refuse(*_: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        train.take_folder = refuse  # type: ignore[assignment]

    assert Run(tmp_path, fill_disk).exit_code() == 32
