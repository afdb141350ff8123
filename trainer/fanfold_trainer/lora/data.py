"""The frozen data: lines of token ids. Everything is checked before the first step, because a mistake that is found later
costs hours."""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from .failures import bad_data
from .spec import Data

Read = TypeVar("Read")


@dataclass(frozen=True)
class Sample:
    """A conversation. `spans`: first and behind-last place of each stretch that is trained."""

    #: Four bytes each: large datasets have to fit.
    ids: array[int]
    spans: list[tuple[int, int]]

    @property
    def trained(self) -> int:
        return sum(end - start for start, end in self.spans)


@dataclass(frozen=True)
class Pair:
    """A query and documents by their number in `Documents`."""

    query: tuple[int, ...]
    positive: int
    negatives: tuple[int, ...]


@dataclass
class Documents:
    """Every distinct document once. Where the vectors are given, `texts` is empty and numbers are rows."""

    given: int | None = None
    texts: list[tuple[int, ...]] = field(default_factory=list)
    _numbers: dict[tuple[int, ...], int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.texts) if self.given is None else self.given

    def number(self, content: object, check: Callable[[object], list[int]]) -> int:
        if self.given is not None:
            if not isinstance(content, int) or isinstance(content, bool) or not 0 <= content < self.given:
                raise ValueError("a document must be the number of a row of doc_vectors")
            return content
        text = tuple(check(content))
        if text not in self._numbers:
            self._numbers[text] = len(self.texts)
            self.texts.append(text)
        return self._numbers[text]


@dataclass
class Dropped:
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, reason: str) -> None:
        self.counts[reason] = self.counts.get(reason, 0) + 1


def file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_digests(data: Data, folder: Path) -> dict[str, str]:
    """Digests of the files by role; they are what resuming compares."""
    digests: dict[str, str] = {}
    for role in ("train", "eval", "control", "replay", "corpus"):
        name = getattr(data, role)
        if name is None:
            continue
        path = folder / name
        if not path.is_file():
            raise bad_data(f"The file for {role} is missing.")
        digests[role] = file_digest(path)
        wanted = data.sha256.get(role)
        if wanted is not None and wanted != digests[role]:
            raise bad_data(f"The file for {role} is not the one that was frozen.")
    return digests


def token_check(vocabulary: int) -> Callable[[object], list[int]]:
    def check(content: object) -> list[int]:
        if not isinstance(content, list) or not content:
            raise ValueError("token ids must be a list that is not empty")
        for token in content:
            if not isinstance(token, int) or isinstance(token, bool) or not 0 <= token < vocabulary:
                raise ValueError(f"{str(token)[:20]} is not the id of a token of this model")
        return content

    return check


def read_samples(path: Path, vocabulary: int, longest: int, dropped: Dropped) -> list[Sample]:
    check = token_check(vocabulary)

    def read(line: dict[str, object]) -> Sample:
        ids = check(line.get("ids"))
        return Sample(array("i", ids), _spans(line.get("mask"), len(ids)))

    samples: list[Sample] = []
    for sample in _read_lines(path, read):
        if len(sample.ids) > longest:
            dropped.add("too_long")
        else:
            samples.append(sample)
    return samples


def _spans(mask: object, length: int) -> list[tuple[int, int]]:
    if not isinstance(mask, list) or not mask:
        raise ValueError("there is no trained token")
    spans: list[tuple[int, int]] = []
    before = 1  # Nothing predicts the first token.
    for span in mask:
        if not isinstance(span, list) or len(span) != 2 or not all(isinstance(place, int) for place in span):
            raise ValueError("mask must be a list of [start, end]")
        start, end = span
        if not before <= start < end <= length:
            raise ValueError("spans must ascend, be within the ids, and begin behind the first token")
        spans.append((start, end))
        before = end
    return spans


def read_pairs(path: Path, vocabulary: int, longest: int, documents: Documents) -> list[Pair]:
    """Texts that are too long lose tokens before their last one, which closes them and carries the vector."""
    check = token_check(vocabulary)

    def cut(content: object) -> list[int]:
        ids = check(content)
        return ids if len(ids) <= longest else [*ids[: longest - 1], ids[-1]]

    def read(line: dict[str, object]) -> Pair:
        negatives = line.get("n", [])
        if not isinstance(negatives, list):
            raise ValueError("n must be a list")
        positive = documents.number(line.get("p"), cut)
        others = dict.fromkeys(documents.number(entry, cut) for entry in negatives)
        others.pop(positive, None)
        return Pair(tuple(cut(line.get("q"))), positive, tuple(others))

    return list(_read_lines(path, read))


def read_corpus(path: Path, vocabulary: int, longest: int, documents: Documents) -> None:
    """More documents to search among; lines `{"ids": [...]}`."""
    check = token_check(vocabulary)

    def read(line: dict[str, object]) -> int:
        ids = check(line.get("ids"))
        return documents.number(ids if len(ids) <= longest else [*ids[: longest - 1], ids[-1]], check)

    for _ in _read_lines(path, read):
        pass


def _read_lines(path: Path, read: Callable[[dict[str, object]], Read]) -> Iterator[Read]:
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                content = json.loads(line)
                if not isinstance(content, dict):
                    raise ValueError("the line is not an object")
                yield read(content)
            except (ValueError, RecursionError) as error:
                raise bad_data(f"{path.name}, line {number}: {error}.") from error
