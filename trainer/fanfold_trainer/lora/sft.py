"""Learning to answer: next-token loss on the trained spans of conversations."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from .base import Learner
from .batches import Plan, micro_batches
from .control import Control
from .data import Dropped, Sample, read_samples
from .failures import bad_data
from .memory import LOGITS_BYTES
from .spec import Spec
from .task import Evaluated

#: Samples and tokens of the reference, few enough for a file of kilobytes.
REFERENCES, REFERENCE_TOKENS, REFERENCE_LOGITS = 3, 64, 4096


@dataclass(frozen=True)
class SftData:
    train: list[Sample]
    replay: list[Sample]
    eval: list[Sample]
    control: list[Sample]
    dropped: Dropped

    def leaks(self) -> tuple[int, int]:
        """Conversations that are measured and learned alike, of all that are measured."""
        held_out = {sample.ids.tobytes() for sample in self.eval}
        return len({ids for sample in self.train + self.replay if (ids := sample.ids.tobytes()) in held_out}), len(held_out)


def read_sft_data(spec: Spec, folder: Path, vocabulary: int, context: int) -> SftData:
    longest = min(spec.data.max_seq_length or context, context)
    dropped = Dropped()

    def read(name: str | None, counter: Dropped) -> list[Sample]:
        return [] if name is None else read_samples(folder / name, vocabulary, longest, counter)

    unseen = Dropped()
    data = SftData(
        read(spec.data.train, dropped),
        read(spec.data.replay, unseen),
        read(spec.data.eval, unseen)[: spec.evaluation.max_samples],
        read(spec.data.control, unseen)[: spec.evaluation.max_samples],
        dropped,
    )
    if not data.train:
        raise bad_data("There is no example to train on.", "Add examples, or allow longer ones.")
    return data


class Sft:
    def __init__(self, spec: Spec, data: SftData, learner: Learner, control: Control, most_tokens: int) -> None:
        self.most_tokens = most_tokens
        self.dropped = data.dropped.counts
        self.trained_tokens = sum(sample.trained for sample in data.train)
        self.context_tokens = sum(len(sample.ids) for sample in data.train) - self.trained_tokens
        self._samples = data.train + data.replay
        self._data = data
        self._learner = learner
        self._control = control
        self._micro = spec.optim.micro_batch
        self._positions = max(1, LOGITS_BYTES // (4 * learner.vocabulary))
        self.plan = Plan(
            [len(sample.ids) for sample in data.train],
            [len(sample.ids) for sample in data.replay],
            spec.optim.replay_fraction,
            spec.optim.batch,
            spec.optim.seed,
            bucketed=True,
        )

    def prepare(self) -> None:
        pass

    def learn(self, batch: list[int], step: int) -> tuple[float, int]:
        samples = [self._samples[index] for index in batch]
        trained = sum(sample.trained for sample in samples)
        total = 0.0
        for part in self._parts(samples):
            self._control.check()
            states, targets = self._trained_states([samples[place] for place in part])
            # Each token weighs the same, whatever part of the batch it is computed in.
            loss = self._loss(states, targets) / trained
            loss.backward()
            total += float(loss.detach())
        return total, sum(len(sample.ids) for sample in samples)

    def _parts(self, samples: list[Sample]) -> list[list[int]]:
        return micro_batches([len(sample.ids) for sample in samples], self._micro, self.most_tokens)

    def _trained_states(self, samples: list[Sample]) -> tuple[Tensor, Tensor]:
        """The states that predict trained tokens, sample by sample, and those tokens."""
        hidden = self._learner.hidden([sample.ids for sample in samples])
        places = [(row, place) for row, sample in enumerate(samples) for span in sample.spans for place in range(*span)]
        rows, columns = torch.tensor(places, device=hidden.device).T
        targets = torch.tensor([samples[row].ids[place] for row, place in places], device=hidden.device)
        return hidden[rows, columns - 1], targets

    def _loss(self, states: Tensor, targets: Tensor) -> Tensor:
        """Summed over the tokens. The logits of a large vocabulary exist for a stretch at a time."""
        parts = list(zip(states.split(self._positions), targets.split(self._positions), strict=True))
        if len(parts) == 1:
            return self._stretch_loss(states, targets)
        return torch.stack([checkpoint(self._stretch_loss, *part, use_reentrant=False) for part in parts]).sum()

    def _stretch_loss(self, states: Tensor, targets: Tensor) -> Tensor:
        return F.cross_entropy(self._learner.logits(states), targets, reduction="sum")

    def evaluate(self) -> Evaluated | None:
        return self._evaluate(self._data.eval)

    def evaluate_control(self) -> Evaluated | None:
        return self._evaluate(self._data.control)

    @torch.no_grad()
    def _evaluate(self, samples: list[Sample]) -> Evaluated | None:
        """Loss per token, and the share of spans that greedy decoding would write exactly: those whose every token is the
        most likely one behind the tokens before it."""
        if not samples:
            return None
        self._learner.model.eval()
        loss, tokens, exact, spans = 0.0, 0, 0, 0
        for part in self._parts(samples):
            self._control.check()
            chosen = [samples[place] for place in part]
            states, targets = self._trained_states(chosen)
            hits: list[Tensor] = []
            for stretch, wanted in zip(states.split(self._positions), targets.split(self._positions), strict=True):
                logits = self._learner.logits(stretch)
                loss += float(F.cross_entropy(logits, wanted, reduction="sum"))
                hits.append(logits.argmax(-1) == wanted)
            tokens += len(targets)
            lengths = [end - start for sample in chosen for start, end in sample.spans]
            exact += sum(bool(span.all()) for span in torch.cat(hits).split(lengths))
            spans += len(lengths)
        self._learner.model.train()
        return Evaluated({"loss": loss / tokens, "exact_match": exact / spans})

    def is_better(self, metrics: dict[str, float], best: dict[str, float]) -> bool:
        return metrics["loss"] < best["loss"]

    @torch.no_grad()
    def reference(self) -> list[dict[str, object]]:
        """Logits behind the last token, of every n-th token where the vocabulary is large."""
        stride = -(-self._learner.vocabulary // REFERENCE_LOGITS)
        samples = sorted(self._data.eval or self._data.train, key=lambda sample: len(sample.ids))[:REFERENCES]
        self._learner.model.eval()
        entries: list[dict[str, object]] = []
        for sample in samples:
            ids = list(sample.ids[: sample.spans[0][0] + 1][-REFERENCE_TOKENS:])
            values = self._learner.logits(self._learner.hidden([ids])[0, -1])[::stride]
            entries.append({"ids": ids, "stride": stride, "values": values.cpu().tolist()})
        self._learner.model.train()
        return entries
