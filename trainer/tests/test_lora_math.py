"""What is computed: losses, gradients, metrics and the order of the data."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import pytest
import torch
from peft import PeftModel
from runs import MODELS, Run, opened, write_embedding, write_sft, write_spec
from transformers import AutoModel, AutoModelForCausalLM

from fanfold_trainer.lora.base import Machine, read_config
from fanfold_trainer.lora.batches import Plan, micro_batches
from fanfold_trainer.lora.control import Control
from fanfold_trainer.lora.events import EventLog
from fanfold_trainer.lora.failures import Stopped
from fanfold_trainer.lora.memory import MEBI, RUNTIME_BYTES, resident
from fanfold_trainer.lora.ranking import interval, rank
from fanfold_trainer.lora.rates import rate
from fanfold_trainer.lora.session import Fit, Session, find_fit, open_session
from fanfold_trainer.lora.sft import Sft
from fanfold_trainer.lora.spec import read_spec


def gradients(session: Session, batch: list[int]) -> tuple[float, torch.Tensor]:
    session.task.prepare()
    for parameter in session.learner.trainable():
        parameter.grad = None
    loss, _ = session.task.learn(batch, 0)
    return loss, torch.cat([parameter.grad.flatten() for parameter in session.learner.trainable() if parameter.grad is not None])


@pytest.mark.parametrize("kind", ["sft", "query", "both"])
def test_a_batch_in_eight_parts_is_the_same_as_in_one(tmp_path: Path, kind: str) -> None:
    """Also where activations are computed twice instead of kept."""
    found = []
    for part in (1, 8):
        changes = {"optim": {"micro_batch": part}, "gradient_checkpointing": part == 1}
        if kind == "sft":
            write_sft(tmp_path, 16, 8, **changes)
        else:
            write_embedding(tmp_path, embedding={"mode": kind, "temperature": 0.05}, **changes)
        found.append(gradients(opened(tmp_path), list(range(8))))
    (loss, gradient), (other_loss, other_gradient) = found
    assert loss == pytest.approx(other_loss, rel=1e-5)
    assert torch.allclose(gradient, other_gradient, rtol=1e-3, atol=1e-6)
    assert gradient.norm() > 1e-3


def test_the_loss_is_that_of_transformers_on_trained_tokens_alone(tmp_path: Path) -> None:
    write_sft(tmp_path, 16, 8)
    session = opened(tmp_path)
    assert isinstance(session.task, Sft)
    samples = session.task._samples[:4]
    total, tokens = 0.0, 0
    for sample in samples:
        labels = [token if any(start <= place < end for start, end in sample.spans) else -100 for place, token in enumerate(sample.ids)]
        with torch.no_grad():
            loss = session.learner.model(input_ids=torch.tensor([list(sample.ids)]), labels=torch.tensor([labels])).loss
        total += float(loss) * sample.trained
        tokens += sample.trained
    loss, _ = session.task.learn([0, 1, 2, 3], 0)
    assert loss == pytest.approx(total / tokens, rel=1e-5)
    # In stretches, as with a large vocabulary.
    session.task._positions = 3
    assert session.task.learn([0, 1, 2, 3], 0)[0] == pytest.approx(loss, rel=1e-5)


@pytest.fixture(scope="module")
def learnt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("learnt")
    write_sft(folder, 32, 12, optim={"lr": 5e-3, "epochs": 8})
    assert Run(folder).exit_code() == 0, (folder / "log.txt").read_text()
    return folder


def test_exact_matches_are_what_greedy_decoding_writes(learnt: Path) -> None:
    session = open_session(read_spec(learnt / "spec.json"), learnt, EventLog(learnt / "again", None), Control())
    assert isinstance(session.task, Sft)
    found = session.task.evaluate()
    session.learner.model.eval()
    hits = 0
    for sample in session.task._data.eval:
        start, end = sample.spans[0]
        written = session.learner.model.generate(
            input_ids=torch.tensor([list(sample.ids[:start])]), max_new_tokens=end - start, do_sample=False, eos_token_id=sample.ids[-1]
        )
        hits += written[0, start:].tolist() == list(sample.ids[start:end])
    assert found is not None
    assert found.metrics["exact_match"] == pytest.approx(hits / len(session.task._data.eval))
    assert hits > 0


def test_plain_peft_loads_the_adapter_and_says_the_same(learnt: Path) -> None:
    base = AutoModelForCausalLM.from_pretrained(MODELS / "tiny-chat" / "hf", local_files_only=True, dtype=torch.float32)
    check = json.loads((learnt / "out" / "check.json").read_text())
    for sample in check["samples"]:
        logits = base(input_ids=torch.tensor([sample["ids"]])).logits[0, -1]
        assert torch.allclose(logits, torch.tensor(sample["base"]), atol=1e-3)
    tuned = PeftModel.from_pretrained(base, learnt / "out" / "adapter").eval()
    merged = [tuned(input_ids=torch.tensor([sample["ids"]])).logits[0, -1] for sample in check["samples"]]
    for sample, logits in zip(check["samples"], merged, strict=True):
        assert torch.allclose(logits, torch.tensor(sample["adapter"]), atol=1e-3)
        assert not torch.allclose(logits, torch.tensor(sample["base"]), atol=0.1)


def test_plain_peft_loads_the_adapter_of_an_embedding_model(tmp_path: Path) -> None:
    write_embedding(tmp_path, optim={"lr": 3e-3, "max_steps": 4})
    assert Run(tmp_path).exit_code() == 0
    base = AutoModel.from_pretrained(MODELS / "tiny-embed" / "hf", local_files_only=True, dtype=torch.float32)
    tuned = PeftModel.from_pretrained(base, tmp_path / "out" / "adapter").eval()
    for sample in json.loads((tmp_path / "out" / "check.json").read_text())["samples"]:
        state = tuned(input_ids=torch.tensor([sample["ids"]])).last_hidden_state[0, -1]
        assert torch.allclose(torch.nn.functional.normalize(state, dim=0), torch.tensor(sample["adapter"]), atol=1e-5)


def test_memory_that_is_short_makes_smaller_parts_before_it_ends_a_run(tmp_path: Path) -> None:
    spec = write_sft(tmp_path, 64, 8)
    config = read_config(read_spec(tmp_path / "spec.json"))
    machine = Machine(torch.device("cpu"), torch.float32, 1)
    lengths = [100] * 64

    def fitted(megabytes: int | None) -> Fit:
        write_spec(tmp_path, spec, {"limits": {"max_rss_mb": megabytes}})
        return find_fit(read_spec(tmp_path / "spec.json"), config, machine, 2_755_776, lengths)

    own = max(RUNTIME_BYTES, resident()) // MEBI
    roomy, short, shortest = fitted(None), fitted(own + 160), fitted(own + 10)
    assert (roomy.part_tokens, roomy.checkpointing) == (2048, False)
    assert 100 <= short.part_tokens < 2048
    assert (shortest.part_tokens, shortest.checkpointing) == (100, True)
    assert roomy.needed > short.needed > shortest.needed


@pytest.mark.parametrize("checkpointing", [False, True])
def test_a_wish_to_stop_ends_a_step_on_its_way_forwards_and_backwards(tmp_path: Path, checkpointing: bool) -> None:
    write_sft(tmp_path, 16, 8, gradient_checkpointing=checkpointing)
    control = Control()
    session = open_session(read_spec(tmp_path / "spec.json"), tmp_path, EventLog(tmp_path / "out", None), control)
    states = session.learner.hidden([[1, 2, 3]])
    control.ask("cancel")
    with pytest.raises(Stopped):
        states.sum().backward()
    with pytest.raises(Stopped):
        session.learner.hidden([[1, 2, 3]])


def test_rankings_count_as_the_books_say() -> None:
    documents = torch.eye(12)
    query = torch.arange(12, 0, -1).float()[None]
    first = rank(query, documents, [[0]])
    assert first.means() == {"ndcg10": 1, "mrr10": 1, "recall1": 1, "recall10": 1, "recall100": 1}
    third = rank(query, documents, [[2, 11]])
    ideal = 1 + 1 / math.log2(3)
    assert third.means() == pytest.approx({"ndcg10": 0.5 / ideal, "mrr10": 1 / 3, "recall1": 0, "recall10": 0.5, "recall100": 1})
    beside = rank(query, documents, [[2, 11]], [[0]])
    assert beside.means() == pytest.approx({"ndcg10": 1 / math.log2(3) / ideal, "mrr10": 1 / 2, "recall1": 0, "recall10": 0.5, "recall100": 1})
    # Where everything scores the same, nothing is found.
    assert rank(torch.zeros(1, 12), documents, [[0]]).means()["ndcg10"] == 0
    # The eleventh place is not among the ten, and with more than ten answers ten are all that can be among them.
    assert rank(query, documents, [[10]]).means() == {"ndcg10": 0, "mrr10": 0, "recall1": 0, "recall10": 0, "recall100": 1}
    assert rank(query, documents, [list(range(11))]).means()["ndcg10"] == pytest.approx(1)
    low, high = interval([0.0, 1.0] * 50, 1000, 1)
    assert 0.35 < low < 0.45 < 0.55 < high < 0.65


def test_an_epoch_has_every_sample_once_and_its_share_of_the_replay() -> None:
    lengths = [5 + (number * 37) % 90 for number in range(103)]
    plan = Plan(lengths, [7] * 10, 0.25, 8, seed=3, bucketed=True)
    for epoch in range(3):
        order = [index for batch in plan.epoch(epoch) for index in batch]
        assert sorted(index for index in order if index < 103) == list(range(103))
        replayed = Counter(index for index in order if index >= 103)
        assert (sum(replayed.values()), max(replayed.values()) - min(replayed.values())) == (34, 1)
        assert len(plan.epoch(epoch)) == plan.steps_per_epoch
    assert plan.epoch(1) != plan.epoch(2)
    assert plan.epoch(1) == plan.epoch(1)
    longest = max(plan.lengths)
    assert longest in [plan.length(index) for index in plan.epoch(0)[0]]
    padded = sum(len(batch) * max(map(plan.length, batch)) for batch in plan.epoch(0))
    assert padded < 1.2 * (sum(lengths) + 34 * 7)


def test_parts_of_a_batch_keep_their_bounds() -> None:
    lengths = [3, 90, 40, 41, 12, 60]
    assert sorted(place for part in micro_batches(lengths, None, 100) for place in part) == list(range(6))
    assert all(len(part) * max(lengths[place] for place in part) <= 100 for part in micro_batches(lengths, None, 100))
    assert [len(part) for part in micro_batches(lengths, 1, 1000)] == [1] * 6
    assert micro_batches([500], None, 100) == [[0]]


def test_the_rate_rises_and_falls_to_a_tenth() -> None:
    rates = [rate(step, 200, 0.1) for step in range(200)]
    assert rates[19] == 1 and rates[0] == pytest.approx(0.05)
    assert rates[:20] == sorted(rates[:20]) and rates[20:] == sorted(rates[20:], reverse=True)
    assert rates[-1] == pytest.approx(0.1, abs=0.01)
    # A short training reaches the highest rate as well, a long one does not rise for ever, and none rises unasked.
    assert [max(rate(step, total, 0.1) for step in range(total)) for total in (1, 2, 4, 8)] == [1, 1, 1, 1]
    assert (rate(98, 100_000, 0.1), rate(99, 100_000, 0.1)) == (0.99, 1)
    assert rate(0, 200, 0) == 1


def test_counting_goes_on_behind_what_a_crash_cut_or_spoilt(tmp_path: Path) -> None:
    told = tmp_path / "events.jsonl"
    first = EventLog(tmp_path, None)
    first.emit("hello")
    first.emit("started")
    for damage in (b'{"event":"prog', b"\0\0\0\0\n", b"[]\n"):
        with told.open("ab") as file:
            file.write(damage)
        EventLog(tmp_path, None).emit("hello")
    numbers = [json.loads(line)["seq"] for line in told.read_bytes().splitlines() if line.startswith(b"{")]
    assert numbers == [1, 2, 3, 4, 5]


def test_nothing_that_is_loaded_can_run_code() -> None:
    folder = Path(__file__).parents[1] / "fanfold_trainer" / "lora"
    sources = {path.name: path.read_text() for path in folder.glob("*.py")}
    assert len(sources) > 10
    for name, source in sources.items():
        for word in ("torch.load", "pickle", "joblib", "trust_remote_code=True", "eval(", "exec("):
            assert word not in source.replace(".eval(", ""), f"{name}: {word}"
