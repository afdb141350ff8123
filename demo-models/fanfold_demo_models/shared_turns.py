"""Turns that begin alike, folded into one row: their common history is computed once, and each turn branches off it
exactly as it is served. A token sees the history before its branch and its own branch."""

from __future__ import annotations

from dataclasses import dataclass

from .samples import Sample

TRUNK = 0


@dataclass(frozen=True)
class Row:
    ids: list[int]
    trained: list[bool]
    positions: list[int]
    branches: list[int]
    """The branch of each token; the history is branch 0."""
    parents: list[int]
    """The place in the row of the token before; the first has none and names itself."""


def fold(turns: list[Sample]) -> Row:
    """The last turn is the trunk; where an earlier one leaves it, a branch follows."""
    trunk = turns[-1]
    trained = list(trunk.trained)
    leaving: dict[int, list[Sample]] = {}
    for turn in turns[:-1]:
        shared = shared_length(trunk.ids, turn.ids)
        for place in range(shared):
            trained[place] = trained[place] or turn.trained[place]
        if shared < len(turn.ids):
            leaving.setdefault(shared, []).append(Sample(turn.ids[shared:], turn.trained[shared:]))
    row = Row([], [], [], [], [])
    previous, branch = 0, TRUNK
    for place in range(len(trunk.ids) + 1):
        for turn in leaving.get(place, []):
            branch += 1
            parent = previous
            for offset, token in enumerate(turn.ids):
                parent = _append(row, token, turn.trained[offset], place + offset, branch, parent)
        if place < len(trunk.ids):
            previous = _append(row, trunk.ids[place], trained[place], place, TRUNK, previous)
    return row


def shared_length(first: list[int], second: list[int]) -> int:
    for place, (left, right) in enumerate(zip(first, second)):
        if left != right:
            return place
    return min(len(first), len(second))


def _append(row: Row, token: int, trained: bool, position: int, branch: int, parent: int) -> int:
    row.ids.append(token)
    row.trained.append(trained)
    row.positions.append(position)
    row.branches.append(branch)
    row.parents.append(parent)
    return len(row.ids) - 1
