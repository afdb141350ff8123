"""The order of the data. It depends on seed and epoch alone, so the number of a step is all that resuming needs."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

#: Batches are made of samples of similar length among so many batches' worth of samples in random order.
BUCKET_BATCHES = 16


@dataclass(frozen=True)
class Plan:
    """Which samples each step trains. Samples of the replay have numbers behind those of the data itself."""

    lengths: Sequence[int]
    replay_lengths: Sequence[int]
    replay_fraction: float
    batch: int
    seed: int
    #: Contrastive batches stay random: similar lengths would make easy negatives.
    bucketed: bool

    @property
    def replayed(self) -> int:
        """Samples of the replay in each epoch."""
        if not self.replay_lengths:
            return 0
        return round(len(self.lengths) * self.replay_fraction / (1 - self.replay_fraction))

    @property
    def steps_per_epoch(self) -> int:
        return math.ceil((len(self.lengths) + self.replayed) / self.batch)

    def length(self, index: int) -> int:
        own = len(self.lengths)
        return self.lengths[index] if index < own else self.replay_lengths[index - own]

    def epoch(self, number: int) -> list[list[int]]:
        """The batches of an epoch, each of sample numbers, the longest samples of the first epoch first, so that memory that
        does not suffice shows at once."""
        source = random.Random(f"{self.seed}:{number}")
        order = list(range(len(self.lengths)))
        pool = list(range(len(self.lengths), len(self.lengths) + len(self.replay_lengths)))
        for _ in range(math.ceil(self.replayed / len(pool)) if pool else 0):
            source.shuffle(pool)
            order.extend(pool[: len(self.lengths) + self.replayed - len(order)])
        source.shuffle(order)
        batches = self._buckets(order, source) if self.bucketed else _cut(order, self.batch)
        if number == 0:
            longest = max(range(len(batches)), key=lambda index: max(map(self.length, batches[index])))
            batches.insert(0, batches.pop(longest))
        return batches

    def _buckets(self, order: list[int], source: random.Random) -> list[list[int]]:
        batches: list[list[int]] = []
        for bucket in _cut(order, self.batch * BUCKET_BATCHES):
            batches.extend(_cut(sorted(bucket, key=self.length), self.batch))
        source.shuffle(batches)
        return batches


def micro_batches(lengths: Sequence[int], most: int | None, most_tokens: int) -> list[list[int]]:
    """Divides a batch into parts that are computed at once: places in it, the longest first, of at most `most` sequences
    and `most_tokens` tokens, padding included."""
    parts: list[list[int]] = []
    for place in sorted(range(len(lengths)), key=lambda place: -lengths[place]):
        part = parts[-1] if parts else None
        if part is None or (most is not None and len(part) >= most) or (len(part) + 1) * lengths[part[0]] > most_tokens:
            parts.append([place])
        else:
            part.append(place)
    return parts


def _cut(order: list[int], size: int) -> list[list[int]]:
    return [order[start : start + size] for start in range(0, len(order), size)]
