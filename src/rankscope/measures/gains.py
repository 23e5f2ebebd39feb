"""Gains of graded items, and the ideal order they are compared with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray
from rankscope.errors import MeasureError
from rankscope.measures.measure import Measure
from rankscope.ranks.ragged import Ragged, offsets_of
from rankscope.ranks.relevant_ranks import RelevantRanks

GAINS = ("linear", "exp")


def gain_of(grade: FloatArray, gain: str) -> FloatArray:
    """The gain of a grade: itself, or 2^grade - 1; nothing for grades below 0."""
    positive = np.maximum(grade, 0.0)
    return np.exp2(positive) - 1.0 if gain == "exp" else positive


def discount(rank: NDArray[np.integer]) -> FloatArray:
    """log2(rank + 1)."""
    return np.log2(rank + 1.0)


def need_top(measure: Measure, top: float | None, queries: RelevantRanks) -> None:
    """Refuse a top grade that the judgements exceed: a chance or a share would be above 1."""
    if top is not None and top < queries.top_grade:
        raise MeasureError(
            f"{measure}: the judgements go up to grade {queries.top_grade:g}, give top={queries.top_grade:g}"
        )


def ideal_order(queries: RelevantRanks) -> Ragged:
    """All items judged above 0, found or not, best first: grade and rank."""
    levels = queries.levels
    good = (levels["grade"] > 0).nonzero()[0]
    grade, row, count = levels["grade"][good], levels.row[good], levels["count"][good]
    order = np.lexsort((-grade, row))
    count = count[order]
    items = row[order].repeat(count)
    offsets = offsets_of(np.bincount(items, minlength=len(queries)))
    rank = np.arange(1, items.size + 1) - offsets[items]
    return Ragged.from_rows(items, len(queries), grade=grade[order].repeat(count), rank=rank)


def losing_order(queries: RelevantRanks) -> Ragged:
    """All items judged below 0, found or not, where the ideal order has them: behind everything else, worst last."""
    levels = queries.levels
    bad = levels.where(levels["grade"] < 0)
    order = np.lexsort((-bad["grade"], bad.row))
    count = bad["count"][order]
    last = Ragged.from_rows(np.repeat(bad.row[order], count), len(queries), grade=np.repeat(bad["grade"][order], count))
    length = np.maximum(queries.depth, queries.count_judged(least=-np.inf))
    return last.with_columns(rank=(length - last.lengths)[last.row] + last.position)


def gaining(queries: RelevantRanks) -> Ragged:
    """Items found that are judged above 0."""
    return queries.gaining


def at_rank(cumulated: FloatArray, items: Ragged, row: IntArray, rank: IntArray) -> FloatArray:
    """The running total over the first `rank` items of a list; beyond its end the last one, 0 before its first."""
    count = np.minimum(rank, items.lengths[row])
    if cumulated.size == 0:
        return np.zeros(row.size)
    return np.where(count > 0, cumulated[np.maximum(items.offsets[row] + count - 1, 0)], 0.0)
