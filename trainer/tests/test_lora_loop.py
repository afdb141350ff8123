"""What a training keeps of what it has measured."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from runs import SMALL, events, opened, write_small

from fanfold_trainer.lora.checkpoints import adapter_state
from fanfold_trainer.lora.control import Control
from fanfold_trainer.lora.failures import Stopped
from fanfold_trainer.lora.session import Session
from fanfold_trainer.lora.task import Evaluated

#: By step: the second measurement is worse than the first, the third is the best, and no later one is any better.
LOSSES = {0: 3.0, 1: 2.0, 2: 2.5, 3: 1.0, 4: 1.5, 5: 1.25}
Weights = dict[str, torch.Tensor]


def measure_as_told(session: Session, control: Control, seen: dict[int, Weights], stop_at: int | None = None) -> None:
    """Evaluations that say what stands above; the weights at each of them are remembered."""

    def evaluate() -> Evaluated:
        step = session.loop.progress.step
        seen[step] = adapter_state(session.learner)
        if step == stop_at:
            control.ask("cancel")
        return Evaluated({"loss": LOSSES[step], "exact_match": 0.0})

    session.task.evaluate = evaluate  # type: ignore[method-assign]


def is_same(one: Weights, other: Weights) -> bool:
    return all(torch.equal(value, other[name]) for name, value in one.items())


@pytest.mark.parametrize("stop_at", [None, 4])
def test_a_training_ends_when_nothing_gets_better_and_gives_the_best_weights_also_after_a_restart(tmp_path: Path, stop_at: int | None) -> None:
    write_small(tmp_path, optim={**SMALL["optim"], "max_steps": 6}, evaluation={"every_steps": 1, "early_stopping_patience": 2})
    control = Control()
    session = opened(tmp_path, control)
    seen: dict[int, Weights] = {}
    measure_as_told(session, control, seen, stop_at)
    if stop_at is not None:
        with pytest.raises(Stopped):
            session.loop.run()
        session = opened(tmp_path)
        measure_as_told(session, control, seen)
    session.loop.run()
    assert session.loop.progress.step == 5
    result = session.loop.conclude()
    assert (session.loop.progress.best_step, result["after"]["loss"]) == (3, 1.0)
    assert is_same(adapter_state(session.learner), seen[3])
    assert not is_same(seen[3], seen[5])


def test_a_checkpoint_of_another_training_is_not_gone_on_from(tmp_path: Path) -> None:
    write_small(tmp_path, optim={**SMALL["optim"], "max_steps": 2})
    opened(tmp_path).loop.run()
    assert opened(tmp_path).loop.progress.step == 2
    write_small(tmp_path, optim={**SMALL["optim"], "max_steps": 2, "lr": 1e-3})
    assert opened(tmp_path).loop.progress.step == 0
    assert "another training" in next(event["message"] for event in events(tmp_path) if event["event"] == "warning")
