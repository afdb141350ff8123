"""The training itself: steps, evaluations and checkpoints, each at a step that follows from the plan alone, so that a run that was
stopped goes on as if it had not been."""

from __future__ import annotations

import math
import resource
import time
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from .base import Learner
from .checkpoints import (
    Progress,
    Restored,
    adapter_state,
    load_adapter_state,
    load_optimizer_state,
    optimizer_state,
    save_checkpoint,
)
from .control import Control
from .events import EventLog
from .failures import DIVERGED, TIME_LIMIT, Stopped, TrainerFailure
from .memory import MEBI
from .ranking import interval
from .rates import rate
from .spec import Spec
from .task import Evaluated, Task

#: Progress is told at most this often in a run, beside once a second.
MOST_PROGRESS = 500
MOST_EVALUATIONS = 8


@dataclass
class Pace:
    """What the last step was like, for whoever watches."""

    loss: float | None = None
    grad_norm: float | None = None
    tok_s: float = 0
    step_s: float = 0
    told_step: int = 0

    def measure(self, seconds: float, tokens: int) -> None:
        weight = 1.0 if self.step_s == 0 else 0.1
        self.step_s += weight * (seconds - self.step_s)
        self.tok_s += weight * (tokens / max(seconds, 1e-9) - self.tok_s)


class Loop:
    def __init__(self, spec: Spec, task: Task, learner: Learner, events: EventLog, control: Control, out: Path, progress: Progress) -> None:
        self.spec = spec
        self.progress = progress
        self._task = task
        self._learner = learner
        self._events = events
        self._control = control
        self._out = out
        self._parameters = learner.trainable()
        self._optimizer = torch.optim.AdamW(
            self._parameters, lr=spec.optim.lr, betas=(0.9, 0.95), weight_decay=spec.optim.weight_decay, fused=True
        )
        self._best: dict[str, Tensor] | None = None
        #: Step and evaluation of the last checkpoint.
        self._saved = (-1, -1)
        self._saved_at = time.monotonic()
        self._pace = Pace()
        self._epoch: tuple[int, list[list[int]]] = (-1, [])
        planned = spec.optim.epochs * task.plan.steps_per_epoch
        self.steps_total = min(planned, spec.optim.max_steps or planned)
        self._evaluate_every = spec.evaluation.every_steps or max(10, math.ceil(self.steps_total / MOST_EVALUATIONS))

    def restore(self, restored: Restored) -> None:
        self.progress = restored.progress
        load_adapter_state(self._learner, restored.tensors["adapter_model"])
        load_optimizer_state(self._optimizer, restored.tensors["optim"])
        self._best = restored.tensors.get("best")
        self._saved = (self.progress.step, self.progress.evaluated)

    def run(self) -> None:
        """Trains to the end. Raises `Stopped` where it is asked to stop; what was done by then is in a checkpoint."""
        try:
            self._task.prepare()
            while True:
                if self.progress.evaluated < self.progress.step and self._is_evaluation_due():
                    self._evaluate()
                # Behind the evaluation, or the same step would be saved without it and with it.
                self._save_if_due()
                if self._is_finished():
                    break
                self._control.check()
                self.step()
            self.save()
        except Stopped:
            self.save()
            raise
        finally:
            self.tell()

    def _is_finished(self) -> bool:
        most = self.spec.evaluation.early_stopping_patience
        return self.progress.step >= self.steps_total or (most is not None and self.progress.worse_in_a_row >= most)

    def _is_evaluation_due(self) -> bool:
        step = self.progress.step
        return step % self._evaluate_every == 0 or step == self.steps_total

    def _batch(self, step: int) -> list[int]:
        number, place = divmod(step, self._task.plan.steps_per_epoch)
        if self._epoch[0] != number:
            self._epoch = (number, self._task.plan.epoch(number))
        return self._epoch[1][place]

    def step(self) -> None:
        """One optimizer step."""
        step = self.progress.step
        began = time.monotonic()
        self._optimizer.zero_grad(set_to_none=True)
        # Randomness follows from the step, so that no state of a generator has to be kept.
        torch.manual_seed(hash((self.spec.optim.seed, step)))
        loss, tokens = self._task.learn(self._batch(step), step)
        norm = float(torch.nn.utils.clip_grad_norm_(self._parameters, self.spec.optim.clip))
        if not (math.isfinite(loss) and math.isfinite(norm)):
            raise self._diverged(step)
        for group in self._optimizer.param_groups:
            group["lr"] = self.spec.optim.lr * rate(step, self.steps_total, self.spec.optim.warmup)
        self._optimizer.step()
        self.progress.step += 1
        self.progress.tokens += tokens
        self._pace.loss, self._pace.grad_norm = loss, norm
        self._pace.measure(time.monotonic() - began, tokens)
        interval_steps = max(1, self.steps_total // MOST_PROGRESS)
        if self.progress.step - self._pace.told_step >= interval_steps or self._events.silent_s() >= 1:
            self.tell()
        self._check_time()

    def _diverged(self, step: int) -> TrainerFailure:
        # The weights are those of the step before.
        self.save()
        hint = "Lower learning_rate, or raise warmup_ratio; look for broken examples."
        return TrainerFailure(DIVERGED, "loss_diverged", f"The loss or its gradient is not finite at step {step + 1}.", hint)

    def _check_time(self) -> None:
        most = self.spec.limits.max_active_ms
        if most is not None and self._events.active_ms > most:
            self.save()
            hint = "Train on less, or ask for a longer limit; a retry goes on from the last checkpoint."
            raise TrainerFailure(TIME_LIMIT, "time_limit", f"The limit of {most} ms is used up.", hint)

    def tell(self) -> None:
        """Progress. Also called by a clock while a step takes long, so that whoever bills by events loses a second at most."""
        step, pace = self.progress.step, self._pace
        pace.told_step = step
        self._events.emit(
            "progress",
            step=step,
            epoch=round(step / self._task.plan.steps_per_epoch, 4),
            loss=_rounded(pace.loss),
            lr=self.spec.optim.lr * rate(max(0, step - 1), self.steps_total, self.spec.optim.warmup),
            grad_norm=_rounded(pace.grad_norm),
            tokens=self.progress.tokens,
            tok_s=round(pace.tok_s, 1),
            eta_ms=int((self.steps_total - step) * pace.step_s * 1000) if pace.step_s else None,
            peak_mem_mb=self._memory(),
        )

    def _memory(self) -> int:
        if self._learner.machine.device.type == "cuda":
            return torch.cuda.max_memory_allocated() // MEBI
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

    def _evaluate(self) -> None:
        found = self._task.evaluate()
        progress = self.progress
        is_first = progress.step == 0
        if is_first:
            control = self._task.evaluate_control()
            progress.control_before = {} if control is None else control.metrics
            if found is not None:
                progress.before, progress.before_each = found.metrics, found.each
        # From here nothing can stop in between.
        progress.evaluated = progress.step
        if is_first:
            # An adapter that does nothing is no result, even where nothing better is found.
            told = {"control": progress.control_before} if progress.control_before else {}
            if found is not None or told:
                self._events.emit("eval", step=progress.step, phase="before", **progress.before, **told)
            return
        if found is None:
            return
        self._events.emit("eval", step=progress.step, phase="during", **found.metrics)
        if progress.best_step < 0 or self._task.is_better(found.metrics, progress.best):
            progress.best, progress.best_step, progress.worse_in_a_row = found.metrics, progress.step, 0
            self._best = adapter_state(self._learner)
        else:
            progress.worse_in_a_row += 1

    def _save_if_due(self) -> None:
        if self.progress.step > 0 and time.monotonic() - self._saved_at >= self.spec.checkpoint_every_s:
            self.save()

    def save(self) -> None:
        """Writes a checkpoint of the last whole step."""
        here = (self.progress.step, self.progress.evaluated)
        if here == self._saved:
            return
        self.progress.active_ms = self._events.active_ms
        tensors = {"adapter_model": adapter_state(self._learner), "optim": optimizer_state(self._optimizer)}
        if self._best is not None:
            tensors["best"] = self._best
        saved = save_checkpoint(self._out, self.progress, tensors, keep=self.spec.keep)
        self._saved, self._saved_at = here, time.monotonic()
        self._events.emit("checkpoint", sync=True, step=self.progress.step, path=saved.name, bytes=saved.bytes, sha256=saved.sha256)

    def conclude(self) -> dict[str, dict[str, float]]:
        """Takes the best weights and measures them; returns what was gained."""
        progress = self.progress
        result: dict[str, dict[str, float]] = {}
        if self._best is not None:
            load_adapter_state(self._learner, self._best)
            result = {"before": progress.before, "after": progress.best}
        control = self._task.evaluate_control()
        if control is not None:
            result |= {"control_before": progress.control_before, "control_after": control.metrics}
        if progress.before_each:
            result["gain"] = self._gain(self._task.evaluate())
        if result:
            step = max(progress.best_step, 0)
            told = {"control": control.metrics} if control is not None else {}
            self._events.emit("eval", step=step, phase="after", **progress.best, **told, **_only(result, "gain"))
        return result

    def _gain(self, after: Evaluated | None) -> dict[str, float]:
        """How much better queries find their documents, with the interval in which that lies. One that reaches 0 is no gain."""
        each = [] if after is None else [new - old for new, old in zip(after.each, self.progress.before_each, strict=True)]
        if not each:
            return {}
        low, high = interval(each, self.spec.evaluation.bootstrap, self.spec.optim.seed)
        return {"ndcg10": sum(each) / len(each), "low": low, "high": high, "measurable": float(low > 0 or high < 0)}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def _only(result: dict[str, dict[str, float]], name: str) -> dict[str, dict[str, float]]:
    return {name: result[name]} if name in result else {}
