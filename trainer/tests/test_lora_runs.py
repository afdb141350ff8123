"""Whole runs of the trainer, in processes that are killed, cancelled, orphaned and starved."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from runs import MODELS, SMALL, Line, Run, assert_sound, events, last_error, write_embedding, write_sft, write_small
from safetensors.torch import load_file, save_file
from transformers import AutoModel

from fanfold_trainer.lora import checkpoints


def adapter(folder: Path) -> bytes:
    return (folder / "out" / "adapter" / "adapter_model.safetensors").read_bytes()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("undisturbed")
    write_small(folder)
    assert Run(folder).exit_code() == 0, (folder / "log.txt").read_text()
    return folder


def test_a_run_tells_what_it_does(undisturbed: Path) -> None:
    told = events(undisturbed)
    assert_sound(told)
    names = list(dict.fromkeys(event["event"] for event in told))
    assert names == ["hello", "prepared", "started", "eval", "progress", "checkpoint", "artifact", "finished"]
    prepared = told[1]
    assert (prepared["samples"], prepared["steps_total"]) == (16, 12)
    assert [event["active_ms"] for event in told[:3]] == [0, 0, 0]
    assert told[-1]["after"]["loss"] < told[-1]["before"]["loss"]
    # Each step once, also one at which there is an evaluation.
    assert [event["step"] for event in told if event["event"] == "checkpoint"] == list(range(1, 13))
    lines = (undisturbed / "log.txt").read_text().splitlines()
    assert [json.loads(line.removeprefix("@evt ")) for line in lines if line.startswith("@evt ")] == told


def test_a_run_that_is_killed_again_and_again_ends_with_the_same_bits(undisturbed: Path, tmp_path: Path) -> None:
    write_small(tmp_path)
    source = random.Random(os.getpid())
    for step in sorted(source.sample(range(1, 12), 2)):
        assert Run(tmp_path).wait_for(step).signal(signal.SIGKILL).exit_code() == -signal.SIGKILL
    assert Run(tmp_path).exit_code() == 0
    assert adapter(tmp_path) == adapter(undisturbed)
    assert_sound(events(tmp_path))
    before, after = events(undisturbed)[-1], events(tmp_path)[-1]
    assert (after["best"], after["before"], after["after"]) == (before["best"], before["before"], before["after"])


def test_a_cancelled_run_has_a_checkpoint_and_a_damaged_one_is_passed_over(undisturbed: Path, tmp_path: Path) -> None:
    write_small(tmp_path)
    assert Run(tmp_path).wait_for(6).signal(signal.SIGTERM).exit_code() == 10
    assert events(tmp_path)[-1]["event"] == "cancelled"
    newest, older = checkpoints.checkpoint_folders(tmp_path / "out")
    weights = newest / "optim.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    assert Run(tmp_path).exit_code() == 0
    resumed = [event for event in events(tmp_path) if event["event"] in ("warning", "started")][1:]
    assert resumed[0]["code"] == "checkpoint_unusable"
    assert resumed[1]["resumed_step"] == int(older.name[5:])
    assert adapter(tmp_path) == adapter(undisturbed)


def test_a_command_on_standard_input_cancels(tmp_path: Path) -> None:
    write_small(tmp_path, optim={**SMALL["optim"], "epochs": 1000})
    assert Run(tmp_path).wait_for(1).say('{"cmd":"cancel"}\n').exit_code() == 10


def test_an_orphan_stops_with_a_checkpoint(tmp_path: Path) -> None:
    write_small(tmp_path, optim={**SMALL["optim"], "epochs": 1000})
    assert Run(tmp_path).wait_for(2).close_input().exit_code() == 75
    assert last_error(tmp_path)["retryable"] is True
    assert checkpoints.checkpoint_folders(tmp_path / "out")


def test_a_second_trainer_waits_for_the_first_in_the_same_folder(undisturbed: Path, tmp_path: Path) -> None:
    write_small(tmp_path)
    first = Run(tmp_path).wait_for(2)
    second = Run(tmp_path)
    first.signal(signal.SIGTERM)
    assert first.exit_code() == 10
    assert second.exit_code() == 0
    assert_sound(events(tmp_path))
    assert adapter(tmp_path) == adapter(undisturbed)


def test_what_makes_nothing_better_is_still_an_adapter(tmp_path: Path) -> None:
    write_embedding(tmp_path, optim={"lr": 1e-9, "max_steps": 6}, evaluation={"every_steps": 2})
    assert Run(tmp_path).exit_code() == 0
    finished = events(tmp_path)[-1]
    assert finished["best"]["step"] == 2
    assert finished["gain"]["measurable"] == 0
    weights = load_file(tmp_path / "out" / "adapter" / "adapter_model.safetensors")
    assert any(value.abs().max() > 0 for name, value in weights.items() if "lora_B" in name)


@pytest.mark.parametrize(("write", "what"), [(write_sft, "conversations"), (write_embedding, "queries")])
def test_what_is_measured_and_learned_alike_is_told_once(tmp_path: Path, write: Callable[..., Line], what: str) -> None:
    write(tmp_path, optim={"max_steps": 2}, checkpoint_every_s=0)
    held_out = (tmp_path / "eval.jsonl").read_text().splitlines(keepends=True)
    with (tmp_path / "train.jsonl").open("a") as train:
        train.writelines(held_out[:3] + held_out[:1])
    assert Run(tmp_path).exit_code() == 0
    assert Run(tmp_path).exit_code() == 0
    (warning,) = [event for event in events(tmp_path) if event["event"] == "warning"]
    assert warning["code"] == "held_out_is_learned"
    assert warning["message"].startswith(f"3 of {len(held_out)} held-out {what} are learned from as well")


def test_an_orphan_goes_on_where_somebody_else_minds_it(tmp_path: Path) -> None:
    write_small(tmp_path, orphan="continue", optim={**SMALL["optim"], "max_steps": 3})
    assert Run(tmp_path).close_input().exit_code() == 0


def test_replay_and_control_tell_what_is_forgotten(tmp_path: Path) -> None:
    write_small(tmp_path, optim={**SMALL["optim"], "replay_fraction": 0.5, "max_steps": 3})
    spec = json.loads((tmp_path / "spec.json").read_text())
    shutil.copy(tmp_path / "eval.jsonl", tmp_path / "other.jsonl")
    spec["data"] = {"train": "train.jsonl", "replay": "other.jsonl", "control": "other.jsonl"}
    (tmp_path / "spec.json").write_text(json.dumps(spec))
    assert Run(tmp_path).exit_code() == 0
    finished = events(tmp_path)[-1]
    assert "after" not in finished
    told = {event["phase"]: event["control"] for event in events(tmp_path) if event["event"] == "eval"}
    assert told == {"before": finished["control_before"], "after": finished["control_after"]}
    assert finished["control_after"]["loss"] < finished["control_before"]["loss"]
    assert finished["best"] == {"step": 3}


@pytest.mark.parametrize("kind", ["sft", "embedding"])
def test_half_precision_learns_and_its_export_holds(tmp_path: Path, kind: str) -> None:
    optim = {"lr": 5e-3, "batch": 8 if kind == "sft" else 32, "max_steps": 6}
    changes = {"dtype": "bf16", "optim": optim, "evaluation": {"every_steps": 6}}
    write_sft(tmp_path, 32, 8, **changes) if kind == "sft" else write_embedding(tmp_path, **changes)
    assert Run(tmp_path).exit_code() == 0, (tmp_path / "log.txt").read_text()
    before, after = events(tmp_path)[-1]["before"], events(tmp_path)[-1]["after"]
    assert after["loss"] < before["loss"] - 1 if kind == "sft" else after["ndcg10"] > before["ndcg10"] + 0.1


def test_documents_whose_vectors_are_given_are_the_same_as_documents(tmp_path: Path) -> None:
    losses = []
    for given in (False, True):
        folder = tmp_path / str(given)
        folder.mkdir()
        write_embedding(folder, optim={"lr": 5e-3, "batch": 16, "max_steps": 3}, embedding={"mode": "query"})
        if given:
            replace_documents(folder)
        assert Run(folder).exit_code() == 0, (folder / "log.txt").read_text()
        # By step: a clock tells of a step that takes long once more.
        losses.append({event["step"]: event["loss"] for event in events(folder) if event["event"] == "progress" and event["step"] > 0})
    assert list(losses[0]) == [1, 2, 3]
    assert losses[0] == pytest.approx(losses[1], rel=1e-3)


def replace_documents(folder: Path) -> None:
    """Documents as rows of a matrix that the base model made, in the order in which they occur."""
    base = AutoModel.from_pretrained(MODELS / "tiny-embed" / "hf", local_files_only=True, dtype=torch.float32)
    rows: dict[tuple[int, ...], int] = {}
    for name in ("train.jsonl", "eval.jsonl"):
        lines = [json.loads(line) for line in (folder / name).read_text().splitlines()]
        for line in lines:
            line["p"], *line["n"] = [rows.setdefault(tuple(text), len(rows)) for text in (line["p"], *line["n"])]
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    with torch.no_grad():
        vectors = torch.cat([base(input_ids=torch.tensor([text])).last_hidden_state[:, -1] for text in rows])
    save_file({"vectors": vectors}, folder / "vectors.safetensors")
    spec = json.loads((folder / "spec.json").read_text())
    spec["embedding"]["doc_vectors"] = "vectors.safetensors"
    (folder / "spec.json").write_text(json.dumps(spec))


@pytest.mark.parametrize(("mode", "epochs", "gain"), [("query", 8, 0.3), ("both", 3, 0.1)])
def test_search_gets_better_on_queries_that_were_held_out(tmp_path: Path, mode: str, epochs: int, gain: float) -> None:
    optim = {"lr": 3e-3, "epochs": epochs, "batch": 24}
    write_embedding(tmp_path, optim=optim, embedding={"mode": mode, "temperature": 0.05}, evaluation={"every_steps": 12})
    assert Run(tmp_path).exit_code() == 0
    finished = events(tmp_path)[-1]
    assert finished["after"]["ndcg10"] > finished["before"]["ndcg10"] + gain
    assert finished["gain"]["low"] > 0
    check = json.loads((tmp_path / "out" / "check.json").read_text())
    for sample in check["samples"]:
        assert torch.tensor(sample["adapter"]).norm().item() == pytest.approx(1, abs=1e-4)
