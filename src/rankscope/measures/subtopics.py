"""What measures of subtopics share: which item serves which subtopic, how often before, and the greedy ideal order."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.errors import MeasureError
from rankscope.measures.measure import Measure
from rankscope.ranks.ragged import Ragged, sums_by
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.subtopic_ranks import ranks_of_pairs


class SubtopicMeasure(Measure):
    """A number from judgements of subtopics; a subtopic that no item serves does not count."""

    needs = frozenset({"subtopics"})
    rel: float

    def relevant(self, queries: RelevantRanks) -> Ragged:
        """All judgements that say an item serves a subtopic: item, subtopic and rank, infinite where not found."""
        if queries.subtopics is None:
            raise MeasureError(
                f"{self} needs judgements of subtopics, from the files and not from saved ranks: give --subtopics FILE "
                "(subtopics=... in Python) with lines `query subtopic item grade`"
            )
        pairs = queries.subtopics.with_columns(rank=ranks_of_pairs(queries))
        return pairs.where(pairs["grade"] >= self.rel)

    def found(self, queries: RelevantRanks) -> Ragged:
        """Those of items found, by rank."""
        pairs = self.relevant(queries)
        found = pairs.where(np.isfinite(pairs["rank"]))
        return found.sorted_by(found["rank"], found["subtopic"])

    def subtopics(self, queries: RelevantRanks) -> FloatArray:
        """How many subtopics any judged item serves (S)."""
        pairs = self.relevant(queries)
        return pairs.where(_first_of(pairs.row, pairs["subtopic"])).lengths.astype(np.float64)

    def items_of_subtopic(self, queries: RelevantRanks, found: Ragged) -> FloatArray:
        """For each item found: how many items serve this subtopic."""
        pairs = self.relevant(queries)
        number, count = _numbered(
            np.concatenate([pairs.row, found.row]), np.concatenate([pairs["subtopic"], found["subtopic"]])
        )
        return np.bincount(number[: pairs.size], minlength=count)[number[pairs.size :]].astype(np.float64)

    def defined(self, queries: RelevantRanks) -> Any:
        """Queries with an item for any subtopic."""
        return self.relevant(queries).lengths > 0


def _numbered(row: IntArray, subtopic: IntArray) -> tuple[IntArray, int]:
    """A number for each subtopic of each query, in the order of both."""
    keys = row * (int(subtopic.max(initial=0)) + 1) + subtopic
    distinct, number = np.unique(keys, return_inverse=True)
    return number, distinct.size


def _first_of(row: IntArray, subtopic: IntArray) -> BoolArray:
    """Which rows name their query's subtopic for the first time."""
    number, count = _numbered(row, subtopic)
    first = np.full(count, row.size)
    np.minimum.at(first, number, np.arange(row.size))
    return np.asarray(first[number] == np.arange(row.size))


def seen_before(found: Ragged) -> FloatArray:
    """How many items above serve the same subtopic; rows come by rank.

    >>> found = Ragged.of([[1, 1, 4]], "rank").with_columns(subtopic=np.array([0, 1, 0]))
    >>> seen_before(found)
    array([0., 0., 1.])
    """
    number, _ = _numbered(found.row, found["subtopic"])
    order = np.argsort(number, kind="stable")
    nth = np.empty(found.size)
    nth[order] = np.arange(found.size) - np.searchsorted(number[order], number[order])
    return nth


def greedy_gains(pairs: Ragged, alpha: float, depth: int | None) -> Ragged:
    """Gain and rank of the ideal order: each next item is the one that gains most; of equals the one of the highest id.

    The best order is hard to find; like ndeval, this takes the greedy one.
    >>> pairs = Ragged.of([[0, 1, 1]], "item").with_columns(subtopic=np.array([0, 0, 1]))
    >>> greedy_gains(pairs, 0.5, None)["gain"]
    array([2. , 0.5])
    """
    order = np.lexsort((pairs["subtopic"], pairs["item"], pairs.row))
    row, item = pairs.row[order], pairs["item"][order]
    new = np.ones(row.size, dtype=np.bool_)
    new[1:] = (row[1:] != row[:-1]) | (item[1:] != item[:-1])
    owner = np.cumsum(new) - 1
    subtopic, subtopics = _numbered(row, pairs["subtopic"][order])
    items = Ragged.from_rows(row[new], len(pairs))
    steps = int(min(items.lengths.max(initial=0), np.inf if depth is None else depth))
    worth, left, gains = np.ones(subtopics), np.ones(items.size, dtype=np.bool_), []
    some = np.flatnonzero(items.lengths)
    for rank in range(1, steps + 1):
        gain = np.where(left, sums_by(owner, worth[subtopic], items.size), -1.0)
        best = np.maximum.reduceat(gain, items.offsets[some])
        winners = _last_of(gain == np.repeat(best, items.lengths[some]), items.offsets[some])
        taken = winners[best >= 0]
        gains.append((some[best >= 0], np.full(taken.size, rank), best[best >= 0]))
        left[taken] = False
        chosen = np.zeros(items.size, dtype=np.bool_)
        chosen[taken] = True
        worth[subtopic[chosen[owner]]] *= 1.0 - alpha
    return _by_row(gains, len(pairs))


def _last_of(chosen: BoolArray, starts: IntArray) -> IntArray:
    """The place of the last chosen row of each list."""
    return np.asarray(np.maximum.reduceat(np.where(chosen, np.arange(chosen.size), -1), starts))


def _by_row(gains: list[tuple[IntArray, IntArray, FloatArray]], lists: int) -> Ragged:
    nothing = np.empty(0, dtype=np.int64)
    row, rank = (np.concatenate([nothing, *(each[part] for each in gains)]) for part in (0, 1))
    gain = np.concatenate([np.empty(0), *(each[2] for each in gains)])
    order = np.lexsort((rank, row))
    return Ragged.from_rows(row[order], lists, rank=rank[order], gain=gain[order])
