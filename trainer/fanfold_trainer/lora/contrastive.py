"""Learning what belongs together: queries near their documents, far from others (InfoNCE)."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import Tensor

from .base import Learner
from .batches import Plan, micro_batches
from .control import Control
from .data import Documents, Pair, read_corpus, read_pairs
from .failures import bad_data
from .ranking import rank
from .spec import Spec
from .task import Evaluated

REFERENCES = 3
Row = tuple[int, ...]
LossOf = Callable[[Tensor], Tensor]


class PairData:
    """The pairs of all files over one set of documents."""

    def __init__(self, spec: Spec, folder: Path, vocabulary: int, context: int) -> None:
        longest = min(spec.embedding.max_seq_length, context)
        self.vectors = _read_vectors(spec, folder)
        self.documents = Documents(None if self.vectors is None else len(self.vectors))

        def read(name: str | None) -> list[Pair]:
            return [] if name is None else read_pairs(folder / name, vocabulary, longest, self.documents)

        self.train, self.replay = read(spec.data.train), read(spec.data.replay)
        self.eval, self.control = read(spec.data.eval), read(spec.data.control)
        if spec.data.corpus is not None:
            read_corpus(folder / spec.data.corpus, vocabulary, longest, self.documents)
        if not self.train:
            raise bad_data("There is no pair to train on.", "Add examples with a query and a positive.")
        if not spec.embedding.in_batch_negatives and not any(pair.negatives for pair in self.train):
            raise bad_data("No pair has negatives, and those of the batch are off.", "Turn in_batch_negatives on.")
        #: Every document known to answer a query, so that none of them is taken for a negative.
        self.answers: dict[Row, set[int]] = {}
        for pair in self.train + self.replay + self.eval + self.control:
            self.answers.setdefault(pair.query, set()).add(pair.positive)

    def leaks(self) -> tuple[int, int]:
        """Queries that are measured and learned alike, of all that are measured."""
        held_out = {pair.query for pair in self.eval}
        return len(held_out & {pair.query for pair in self.train + self.replay}), len(held_out)


def _read_vectors(spec: Spec, folder: Path) -> Tensor | None:
    """Documents whose vectors are given: `{"vectors": [documents, width]}` as safetensors, of unit length."""
    if spec.embedding.doc_vectors is None:
        return None
    try:
        vectors = load_file(folder / spec.embedding.doc_vectors)["vectors"].float()
    except (OSError, KeyError, ValueError) as error:
        raise bad_data(f"The vectors of the documents cannot be read: {error}") from error
    if vectors.dim() != 2 or not bool(torch.isfinite(vectors).all()):
        raise bad_data("The vectors of the documents are not a finite matrix.")
    return F.normalize(vectors, dim=-1)


class Contrastive:
    def __init__(self, spec: Spec, data: PairData, learner: Learner, control: Control, most_tokens: int) -> None:
        self.most_tokens = most_tokens
        self.dropped: dict[str, int] = {}
        self._data = data
        self._pairs = data.train + data.replay
        self._texts = data.documents.texts
        self._learner = learner
        self._control = control
        self._settings = spec.embedding
        self._seed = spec.optim.seed
        self._micro = sequences_at_once(spec)
        self._max_queries = spec.evaluation.max_samples
        #: Vectors of the documents as the base makes them; in `query` mode they stay.
        self._frozen = data.vectors
        self._trains_documents = spec.embedding.mode == "both"
        self.trained_tokens = sum(map(self._tokens, data.train))
        self.context_tokens = 0
        self.plan = Plan(
            [self._tokens(pair) for pair in data.train],
            [self._tokens(pair) for pair in data.replay],
            spec.optim.replay_fraction,
            spec.optim.batch,
            spec.optim.seed,
            bucketed=False,
        )

    def _tokens(self, pair: Pair) -> int:
        if not self._trains_documents:
            return len(pair.query)
        return len(pair.query) + len(self._texts[pair.positive]) + sum(len(self._texts[other]) for other in pair.negatives)

    def prepare(self) -> None:
        if self._trains_documents:
            return
        if self._frozen is None:
            with self._learner.model.disable_adapter():
                self._frozen = self._vectors(self._texts)
        self._frozen = self._frozen.to(self._learner.machine.device)

    def learn(self, batch: list[int], step: int) -> tuple[float, int]:
        source = random.Random(f"{self._seed}:negatives:{step}")
        pairs = [self._pairs[index] for index in batch]
        numbers, owned = self._choose_documents(pairs, source)
        rows: list[Row] = [pair.query for pair in pairs]
        if self._trains_documents:
            rows += [self._texts[number] for number in numbers]
        parts = micro_batches([len(row) for row in rows], self._micro, self.most_tokens)
        if len(parts) == 1:
            vectors = self._embed(rows, parts[0], step, 0)
            loss = self._loss(vectors[_inverse(parts)], pairs, numbers, owned)
            loss.backward()
        else:
            loss = self._learn_in_parts(rows, parts, step, lambda vectors: self._loss(vectors, pairs, numbers, owned))
        return float(loss.detach()), sum(map(len, rows))

    def _choose_documents(self, pairs: list[Pair], source: random.Random) -> tuple[list[int], Tensor]:
        """The documents of a step, positives first, and which queries have each for a negative of their own."""
        most = self._settings.negatives
        own = [source.sample(pair.negatives, min(most, len(pair.negatives))) for pair in pairs]
        numbers = list(dict.fromkeys([pair.positive for pair in pairs] + [number for each in own for number in each]))
        if not self._trains_documents and self._settings.in_batch_negatives:
            total = len(self._data.documents)
            more = source.sample(range(total), min(self._settings.cached_negatives, total))
            numbers = list(dict.fromkeys(numbers + more))
        place = {number: index for index, number in enumerate(numbers)}
        owned = torch.zeros(len(pairs), len(numbers), dtype=torch.bool)
        for row, each in enumerate(own):
            owned[row, [place[number] for number in each]] = True
        return numbers, owned

    def _learn_in_parts(self, rows: list[Row], parts: list[list[int]], step: int, loss_of: LossOf) -> Tensor:
        """The gradients of one large batch, computed in parts: vectors first, then the loss's gradient at them, then a second
        pass that carries it on (GradCache)."""
        with torch.no_grad():
            vectors = torch.cat([self._embed(rows, part, step, index) for index, part in enumerate(parts)])
        vectors = vectors[_inverse(parts)].requires_grad_()
        loss = loss_of(vectors)
        loss.backward()
        for index, part in enumerate(parts):
            self._embed(rows, part, step, index).backward(vectors.grad[part])
        return loss

    def _embed(self, rows: list[Row], part: list[int], step: int, index: int) -> Tensor:
        self._control.check()
        # Dropout must fall the same way in both passes.
        torch.manual_seed(hash((self._seed, step, index)))
        return self._pooled([rows[place] for place in part])

    def _pooled(self, rows: list[Row]) -> Tensor:
        """Unit vectors: the state of the token that closes each text."""
        hidden = self._learner.hidden(rows)
        last = torch.tensor([len(row) - 1 for row in rows], device=hidden.device)
        return F.normalize(hidden[torch.arange(len(rows), device=hidden.device), last].float(), dim=-1)

    def _loss(self, vectors: Tensor, pairs: list[Pair], numbers: list[int], owned: Tensor) -> Tensor:
        """Mean over the queries. Left out are documents that are known to answer the query, and those of others that score
        above its positive by a margin, which probably do. A negative of its own was called wrong: the better it scores, the
        more there is to learn."""
        queries = vectors[: len(pairs)]
        documents = vectors[len(pairs) :] if self._trains_documents else self._frozen[torch.tensor(numbers, device=vectors.device)]
        scores = queries @ documents.T
        place = {number: index for index, number in enumerate(numbers)}
        own = torch.tensor([place[pair.positive] for pair in pairs], device=scores.device)
        positive = scores.gather(1, own[:, None])
        others = ~owned.to(scores.device)
        excluded = others & (scores.detach() > positive.detach() + self._settings.false_negative_margin)
        if not self._settings.in_batch_negatives:
            excluded |= others
        for row, pair in enumerate(pairs):
            known = [place[number] for number in self._data.answers[pair.query] if number in place]
            excluded[row, known] = True
        excluded.scatter_(1, own[:, None], False)
        return F.cross_entropy(scores.masked_fill(excluded, float("-inf")) / self._settings.temperature, own)

    def evaluate(self) -> Evaluated | None:
        return self._evaluate(self._data.eval)

    def evaluate_control(self) -> Evaluated | None:
        return self._evaluate(self._data.control)

    def _evaluate(self, pairs: list[Pair]) -> Evaluated | None:
        """Ranks every known document for each held-out query. What answers it in other files was learned, perhaps: finding that proves
        nothing, and it is not wrong either."""
        relevant: dict[Row, list[int]] = {}
        for pair in pairs:
            relevant.setdefault(pair.query, []).append(pair.positive)
        queries = list(relevant)[: self._max_queries]
        if not queries:
            return None
        documents = self._frozen if not self._trains_documents else self._vectors(self._texts)
        wanted = [sorted(set(relevant[query])) for query in queries]
        beside = [sorted(self._data.answers[query] - set(right)) for query, right in zip(queries, wanted, strict=True)]
        ranking = rank(self._vectors(queries).cpu(), documents.cpu(), wanted, beside)
        return Evaluated(ranking.means(), ranking.ndcg10)

    @torch.no_grad()
    def _vectors(self, rows: list[Row]) -> Tensor:
        self._learner.model.eval()
        parts = micro_batches([len(row) for row in rows], None, self.most_tokens)
        found: list[Tensor] = []
        for part in parts:
            self._control.check()
            found.append(self._pooled([rows[place] for place in part]))
        self._learner.model.train()
        return torch.cat(found)[_inverse(parts)]

    def is_better(self, metrics: dict[str, float], best: dict[str, float]) -> bool:
        return metrics["ndcg10"] > best["ndcg10"]

    def reference(self) -> list[dict[str, object]]:
        queries = [pair.query for pair in (self._data.eval or self._data.train)]
        chosen = sorted(dict.fromkeys(queries), key=len)[:REFERENCES]
        return [{"ids": list(query), "values": self._vectors([query])[0].cpu().tolist()} for query in chosen]


def sequences_at_once(spec: Spec) -> int | None:
    """`micro_batch` counts pairs; a pair is up to so many sequences."""
    if spec.optim.micro_batch is None:
        return None
    return spec.optim.micro_batch * (2 + spec.embedding.negatives if spec.embedding.mode == "both" else 1)


def _inverse(parts: list[list[int]]) -> Tensor:
    """Where each place ended up once the parts stand behind each other."""
    return torch.tensor([place for part in parts for place in part]).argsort()
