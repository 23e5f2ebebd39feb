"""Ranks of the hits from counts, with what was too close to tell settled by the references."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.ranks.ragged import Ragged


@dataclass(frozen=True)
class Ranked:
    """Ranks of the hits of each query, ascending, and the groups of equal scores that hold a hit."""

    rank: IntArray
    ties: Ragged  # start and size


@dataclass(frozen=True)
class Close:
    """Items that are no hits and too close to some hit: their row, place, reference; ordered by row.

    `counted` is how many of a row's were already counted above each hit, `within` how many are close to it.
    """

    row: IntArray
    item: IntArray
    score: FloatArray
    counted: IntArray
    within: IntArray

    @classmethod
    def none(cls, hits: int) -> Close:
        """Nothing is close to any of so many hits."""
        nothing, zeros = np.empty(0, dtype=np.int64), np.zeros(hits, dtype=np.int64)
        return cls(row=nothing, item=nothing, score=np.empty(0), counted=zeros, within=zeros)


def final_ranks(hits: Ragged, above: IntArray, close: Close) -> Ranked:
    """Final ranks; `hits` has item and score, best first, the earlier of two equals first.

    An item that is not close to any hit of its row stands on the same side of each by its reference as by its screened
    score, so the number above a hit is: those counted, minus the close ones among them, plus the close ones that really
    stand above. Items equal to a hit are all close or hits themselves.
    >>> hits = Ragged(np.array([0, 2]), {"item": np.array([1, 4]), "score": np.array([.5, .2])})
    >>> close = Close(np.array([0]), np.array([0]), np.array([.5]), np.array([0, 1]), np.array([1, 0]))
    >>> final_ranks(hits, np.array([0, 1]), close).rank, final_ranks(hits, np.array([0, 1]), close).ties["size"]
    (array([2, 3]), array([2]))
    """
    mixed = close.within > 0  # the others need no second look: nothing is close to them
    row = np.concatenate([hits.row[mixed], close.row])
    item = np.concatenate([hits["item"][mixed], close.item])
    score = np.concatenate([hits["score"][mixed], close.score])
    is_hit = np.arange(row.size) < np.count_nonzero(mixed)
    order = np.lexsort((item, -score, row))
    row, score, is_hit = row[order], score[order], is_hit[order]
    others_before = _others_before(row, is_hit)[is_hit]
    rank = hits.position + above
    rank[mixed] += others_before - close.counted[mixed]
    plain = _groups(hits.row[~mixed], hits["score"][~mixed], rank[~mixed], None)
    hit_rank = np.zeros(row.size, dtype=np.int64)
    hit_rank[is_hit] = rank[mixed]
    groups = [np.concatenate(pair) for pair in zip(plain, _groups(row, score, hit_rank, is_hit), strict=True)]
    by_row = np.lexsort((groups[1], groups[0]))
    ties = Ragged.from_rows(groups[0][by_row], len(hits), start=groups[1][by_row], size=groups[2][by_row])
    return Ranked(rank, ties)


def _others_before(row: IntArray, is_hit: BoolArray) -> IntArray:
    """For each entry, how many entries of its row before it are no hits."""
    running = np.cumsum(~is_hit)
    first = np.searchsorted(row, row)
    return running - (running[first] - ~is_hit[first])


def _groups(
    row: IntArray, score: FloatArray, rank: IntArray, is_hit: BoolArray | None
) -> tuple[IntArray, IntArray, IntArray]:
    """Row, first rank and size of each run of two or more equal scores that holds a hit."""
    if row.size == 0:
        return row, row, row
    new = np.concatenate([[True], (row[1:] != row[:-1]) | (score[1:] != score[:-1])])
    start = np.flatnonzero(new)
    size = np.diff(np.append(start, row.size))
    hit = np.ones(row.size, dtype=np.bool_) if is_hit is None else is_hit
    place = np.where(hit, np.arange(row.size), row.size)
    first_hit = np.minimum.reduceat(place, start)
    chosen = (size >= 2) & (first_hit < row.size)
    first_rank = rank[np.minimum(first_hit, row.size - 1)] - (first_hit - start)
    return row[start][chosen], first_rank[chosen].astype(np.int64), size[chosen]
