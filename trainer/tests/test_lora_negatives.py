"""Which documents a query is taught to stay away from."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import torch
from runs import opened, write_embedding, write_lines

from fanfold_trainer.lora.contrastive import Contrastive


def test_what_answers_a_query_is_never_its_negative(tmp_path: Path) -> None:
    write_embedding(tmp_path, embedding={"mode": "both", "temperature": 0.05, "false_negative_margin": 2})
    session = opened(tmp_path)
    task = session.task
    assert isinstance(task, Contrastive)
    one, two = task._pairs[0], task._pairs[1]
    numbers = [one.positive, two.positive]
    vectors = torch.nn.functional.normalize(torch.randn(4, 8, generator=torch.Generator().manual_seed(1)), dim=-1)
    nothing = torch.zeros(2, 2, dtype=torch.bool)
    assert float(task._loss(vectors, [one, two], numbers, nothing)) > 0
    task._data.answers[one.query].add(two.positive)
    task._data.answers[two.query].add(one.positive)
    assert float(task._loss(vectors, [one, two], numbers, nothing)) == 0


def test_an_answer_that_is_only_measured_is_no_negative_and_one_that_is_only_learned_no_mistake(tmp_path: Path) -> None:
    write_embedding(tmp_path, embedding={"mode": "both", "temperature": 0.05, "false_negative_margin": 2})
    held_out = [json.loads(line) for line in (tmp_path / "eval.jsonl").read_text().splitlines()]
    learned = json.loads((tmp_path / "train.jsonl").read_text().splitlines()[0])
    write_lines(tmp_path / "eval.jsonl", [{**held_out[0], "q": learned["q"]}])
    session = opened(tmp_path)
    task = session.task
    assert isinstance(task, Contrastive)
    one, two = task._data.train[0], task._data.eval[0]
    assert (one.query, one.positive != two.positive) == (two.query, True)
    assert task._data.leaks() == (1, 1)
    vectors = torch.nn.functional.normalize(torch.randn(3, 8, generator=torch.Generator().manual_seed(1)), dim=-1)
    owned = torch.tensor([[False, True]])
    assert float(task._loss(vectors, [one], [one.positive, two.positive], owned)) == 0
    with torch.no_grad():
        # Both are as near to the query as can be.
        task._texts[one.positive] = task._texts[two.positive] = one.query
        found = task.evaluate()
    assert found is not None
    assert found.metrics["mrr10"] == 1


def test_a_negative_of_its_own_is_learned_however_well_it_scores_and_one_of_others_is_not(tmp_path: Path) -> None:
    write_embedding(tmp_path, embedding={"mode": "both", "temperature": 0.05})
    task = opened(tmp_path).task
    assert isinstance(task, Contrastive)
    pair, other = task._pairs[0], task._pairs[1]
    # The query, its positive, and a document that looks far more like it.
    vectors = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])

    def loss(owned: bool) -> float:
        return float(task._loss(vectors, [pair], [pair.positive, other.positive], torch.tensor([[False, owned]])))

    assert loss(owned=False) == 0
    assert loss(owned=True) == pytest.approx(20, abs=0.01)


def test_where_negatives_of_the_batch_are_off_only_its_own_count(tmp_path: Path) -> None:
    write_embedding(tmp_path, embedding={"mode": "both", "temperature": 0.05, "false_negative_margin": 2, "in_batch_negatives": False})
    task = opened(tmp_path).task
    assert isinstance(task, Contrastive)
    one, two = task._pairs[0], task._pairs[1]
    vectors = torch.nn.functional.normalize(torch.randn(4, 8, generator=torch.Generator().manual_seed(1)), dim=-1)

    def loss(*owned: list[bool]) -> float:
        return float(task._loss(vectors, [one, two], [one.positive, two.positive], torch.tensor(owned)))

    assert loss([False, False], [False, False]) == 0
    assert loss([False, True], [False, False]) > 0


@pytest.mark.parametrize(("in_batch", "cached", "more"), [(True, 3, 3), (True, 10_000, None), (False, 3, 0)])
def test_a_step_learns_from_so_many_negatives_of_each_query_and_so_many_of_nobody(tmp_path: Path, in_batch: bool, cached: int, more: int | None) -> None:
    settings = {"mode": "query", "negatives": 1, "cached_negatives": cached, "in_batch_negatives": in_batch}
    write_embedding(tmp_path, embedding=settings)
    lines = [{"q": [number], "p": [100 + number], "n": [[200 + number], [300 + number], [400 + number]]} for number in range(1, 9)]
    write_lines(tmp_path / "train.jsonl", lines)
    task = opened(tmp_path).task
    assert isinstance(task, Contrastive)
    pairs = task._pairs[:4]
    numbers, owned = task._choose_documents(pairs, random.Random(1))
    assert numbers[:4] == [pair.positive for pair in pairs]
    for pair, row in zip(pairs, owned.tolist(), strict=True):
        (own,) = [number for number, is_own in zip(numbers, row, strict=True) if is_own]
        assert own in pair.negatives
    assert len(set(numbers)) == len(numbers)
    assert len(numbers) <= 8 + cached if more is None else 8 <= len(numbers) <= 8 + more
    if more is None:
        assert sorted(numbers) == list(range(len(task._data.documents)))
