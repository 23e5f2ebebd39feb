"""Every labelled item in turn is the query, the rest of its class the target: exact ranks over the whole collection."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import FloatArray, IntArray
from rankscope.engines.nearest import spaces
from rankscope.engines.nearest.counting import best, ranks_of, too_close
from rankscope.errors import SettingError
from rankscope.inputs.features import Features
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.reduce import KEPT_DISTRACTORS, versions
from rankscope.ranks.relevant_ranks import RelevantRanks

MEMORY = 64 << 20
ARRAYS_AT_ONCE = 4  # of the size of a block of scores


def nearest_ranks(
    features: ArrayLike,
    labels: Iterable[Any],
    metric: str = "cosine",
    ids: Iterable[Any] | None = None,
    *,
    block: int | None = None,
    memory: int = MEMORY,
    keep_scores: bool = False,
    progress: Callable[[int, int], None] | None = None,
    system: str = "nearest",
) -> RelevantRanks:
    """Exact ranks of all class mates of every item that has any, the query itself removed from the collection.

    In a collection of n items a query of a class of m has d = n - 1 and c = m - 1: a class of two means c = 1. Items
    without a class (label -1, None or empty) and lone members of a class are distractors and never queries. Equal
    scores stand in the order of the items. Queries are worked on `block` at a time, or as many as fit into `memory`
    bytes; neither changes a bit of the result. `progress` is called with the number of queries done and of all.
    `keep_scores` keeps the scores of the hits and of the best distractors, for the growth forecast.

    Raises `InputError` with every problem of the input, `SettingError` for an unknown metric.
    >>> ranks = nearest_ranks([[0], [1], [3], [4]], labels=["a", "b", "a", ""], metric="l1")
    >>> ranks.queries, ranks.judged.lists("rank"), ranks.collection
    (('0', '2'), [[2], [3]], array([3, 3]))
    """
    kind = spaces.by_name(metric)
    items = Features.of(features, labels, ids)
    classes = _Classes.of(items)
    step = _block_size(block, memory, len(items))
    found = _Found(kind(items.matrix), classes, keep_scores)
    for start in range(0, classes.queries.size, step):
        found.add(classes.queries[start : start + step])
        if progress is not None:
            progress(min(start + step, classes.queries.size), classes.queries.size)
    return found.assembled(items, system)


def _block_size(block: int | None, memory: int, items: int) -> int:
    for name, value in (("block", block), ("memory", memory)):
        if value is not None and value < 1:
            raise SettingError(f"{name} must be at least 1, got {value}")
    return block or max(1, memory // (ARRAYS_AT_ONCE * 8 * items))


@dataclass(frozen=True)
class _Classes:
    """Which items are queries, in byte order of their ids, and which are the members of each class."""

    number: IntArray
    members: Ragged
    queries: IntArray

    @classmethod
    def of(cls, items: Features) -> _Classes:
        number = items.class_number
        order = np.argsort(number, kind="stable")
        labelled = order[number[order] >= 0]
        members = Ragged.from_rows(number[labelled], int(number.max()) + 1, item=labelled)
        queries = [row for row in labelled.tolist() if members.lengths[number[row]] > 1]
        queries.sort(key=lambda row: items.ids[row].encode())
        return cls(number, members, np.array(queries, dtype=np.int64))

    def of_query(self, query: int) -> IntArray:
        """All members of the query's class, the query included, in the order of the items."""
        start, end = self.members.offsets[self.number[query] : self.number[query] + 2]
        return self.members["item"][start:end]


class _Found:
    """What has been found so far, query by query."""

    def __init__(self, space: spaces.Space, classes: _Classes, keep_scores: bool) -> None:
        self.space, self.classes, self.keep_scores = space, classes, keep_scores
        self.ranks: list[IntArray] = []
        self.scores: list[FloatArray] = []
        self.starts: list[IntArray] = []
        self.sizes: list[IntArray] = []
        self.best: list[FloatArray] = []

    def add(self, queries: IntArray) -> None:
        """Rank the class mates of a block of queries."""
        block = self.space.scores(queries)
        block[np.arange(queries.size), queries] = -np.inf  # the query is not in its own collection
        for query, scores in zip(queries.tolist(), block, strict=True):
            mates = self.classes.of_query(query)
            self._add_one(query, scores, mates, mates[mates != query])

    def _add_one(self, query: int, scores: FloatArray, mates: IntArray, hits: IntArray) -> None:
        self._settle(query, scores, mates, hits)
        rank, start, size = ranks_of(scores, hits)
        order = np.argsort(rank)
        groups, first = np.unique(start[size > 1], return_index=True)
        self.ranks.append(rank[order])
        self.starts.append(groups)
        self.sizes.append(size[size > 1][first])
        if self.keep_scores:
            self.scores.append(self.space.shown(scores[hits[order]]))
            self.best.append(self.space.shown(best(np.delete(scores, mates), KEPT_DISTRACTORS)))

    def _settle(self, query: int, scores: FloatArray, mates: IntArray, hits: IntArray) -> None:
        """Put the reference score where the screening leaves a doubt: then every comparison with a hit comes out right.

        Two scores that are further apart than twice the slack stand in the order of their references, and still do when
        one of the two is replaced by its reference.
        """
        reach = 2 * self.space.slack(query)
        if reach == 0:
            return
        doubtful = np.zeros(scores.size, dtype=np.bool_)
        doubtful[too_close(scores, hits, reach)] = True
        if self.keep_scores:
            others = best(np.delete(scores, mates), KEPT_DISTRACTORS)
            doubtful |= scores >= others.min(initial=np.inf) - reach
            doubtful[hits] = True
        rows = np.flatnonzero(doubtful)
        scores[rows] = self.space.reference(query, rows)

    def assembled(self, items: Features, system: str) -> RelevantRanks:
        """All queries together."""
        queries, count = self.classes.queries, len(self.ranks)
        judged = Ragged.of(self.ranks, "rank")
        judged = judged.with_columns(grade=np.ones(judged.size))
        if self.keep_scores:
            judged = judged.with_columns(score=np.concatenate(self.scores))
        ties = Ragged.of(self.starts, "start").with_columns(size=np.concatenate(self.sizes))
        others = np.full(count, len(items) - 1, dtype=np.int64)
        rows = np.arange(count)
        return RelevantRanks(
            queries=tuple(items.ids[row] for row in queries.tolist()),
            judged=judged,
            pooled=judged.where(np.zeros(judged.size, dtype=np.bool_)),
            levels=Ragged.from_rows(rows, count, grade=np.ones(count), count=judged.lengths),
            depth=others,
            answered=np.ones(count, dtype=np.bool_),
            collection=others,
            ties=ties,
            system=system,
            classes=tuple(items.labels[row] for row in queries.tolist()),
            distractors=Ragged.of(self.best, "score", np.float64) if self.keep_scores else None,
            provenance=_provenance(items, self.space.name),
        )


def _provenance(items: Features, metric: str) -> dict[str, Any]:
    """Where the numbers come from, without path or time: equal inputs give equal bytes."""
    rows, columns = items.matrix.shape
    return {
        "features": {"sha256": items.digest, "rows": rows, "columns": columns, "type": str(items.matrix.dtype)},
        "judgements": {"complete": True},
        "settings": {"metric": metric, "ties": "position", "query_item": "removed"},
        "versions": versions(),
    }
