"""Gains of graded items, the ideal order they are compared with, and the blended ratio of hits and gain."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import MeasureError
from rankscope.core.notation import short
from rankscope.core.validation import OneOf
from rankscope.measures.measure import SLIGHT, Measure, hits_first
from rankscope.ranks.ragged import Ragged, offsets_of
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.tie_orders import group_of

GAINS = ("linear", "exp")
NEARLY_NOTHING = float(np.nextafter(0, 1))


class GainRule(OneOf):
    """What a gain may be: a word, or a gain for each grade, as in {1:2,2:5}; a grade that is not named keeps its own.

    >>> GainRule(GAINS).plain("{2: 5, 1:2.0}"), GainRule(GAINS).plain({1: 3})
    ('{1:2,2:5}', '{1:3}')
    """

    def plain(self, value: Any) -> Any:
        """The word, or the gains in the order of the grades."""
        if isinstance(value, dict):
            value = "{" + ",".join(f"{grade}:{gain}" for grade, gain in value.items()) + "}"
        if not isinstance(value, str) or not value.startswith("{"):
            return super().plain(value)
        gains = own_gains(value)
        return "{" + ",".join(f"{short(grade)}:{short(gain)}" for grade, gain in sorted(gains.items())) + "}"


GAIN_RULE = GainRule(GAINS)


@cache
def own_gains(text: str) -> dict[float, float]:
    """The gain of each grade that a text names.

    >>> own_gains("{1:2,2:5}")
    {1.0: 2.0, 2.0: 5.0}
    """
    wanted = ValueError(f"must be one of {', '.join(GAINS)}, or gains of grades above 0, as {{1:2,2:5}}")
    try:
        pairs = [each.split(":") for each in text.strip("{} ").split(",") if each.strip()]
        gains = {float(grade): float(gain) for grade, gain in pairs}
    except ValueError:
        raise wanted from None
    sound = all(math.isfinite(gain) and gain >= 0 and math.isfinite(grade) for grade, gain in gains.items())
    if not sound or any(grade < 0 or (grade == 0 and gain != 0) for grade, gain in gains.items()):
        raise wanted
    return {grade: gain for grade, gain in gains.items() if grade > 0}


def gain_of(grade: FloatArray, gain: str) -> FloatArray:
    """The gain of a grade: itself, 2^grade - 1, or what the text names for it; nothing for grades below 0.

    >>> gain_of(np.array([-1.0, 0.0, 1.0, 3.0]), "exp"), gain_of(np.array([1.0, 2.0]), "{2:5}")
    (array([0., 0., 1., 7.]), array([1., 5.]))
    """
    positive = np.maximum(grade, 0.0)
    if not gain.startswith("{"):
        return np.exp2(positive) - 1.0 if gain == "exp" else positive
    own = own_gains(gain)
    return np.select([positive == each for each in own], list(own.values()), positive) if own else positive


def gains_within(
    rank: IntArray, grade: FloatArray, gain: str, floor: float = 0.0, scope: int | None = None
) -> FloatArray:
    """The gain of each item; none beyond the cut-off, nor for grades below `floor`."""
    there = rank <= (np.inf if scope is None else scope)
    if floor > 0:
        there &= grade >= floor
    return np.where(there, gain_of(grade, gain), 0.0)


def gain_worth(grade: FloatArray, gain: str, floor: float = 0.0) -> FloatArray:
    """Items by their gain, then what is not judged, then what is judged and gains nothing."""
    own = np.where(grade >= max(floor, NEARLY_NOTHING), gain_of(grade, gain), 0.0)
    return np.where(own > 0, own, np.where(grade >= 0, SLIGHT, 0.0))


def discount(rank: NDArray[np.integer]) -> FloatArray:
    return np.log2(rank + 1.0)


def need_top(measure: Measure, top: float | None, queries: RelevantRanks) -> None:
    """Refuse a top grade that the judgements exceed: a chance or a share would be above 1."""
    if top is not None and top < queries.top_grade:
        raise MeasureError(
            f"{measure}: the judgements go up to grade {queries.top_grade:g}, give top={queries.top_grade:g}"
        )


def ideal_order(queries: RelevantRanks, gain: str = "linear", floor: float = 0.0) -> Ragged:
    """All items judged above 0 and no lower than `floor`, found or not, the best gains first: grade and rank."""
    levels = queries.levels
    good = ((levels["grade"] > 0) & (levels["grade"] >= floor)).nonzero()[0]
    grade, row, count = levels["grade"][good], levels.row[good], levels["count"][good]
    order = np.lexsort((-gain_of(grade, gain) if gain.startswith("{") else -grade, row))
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


def at_rank(cumulated: FloatArray, items: Ragged, row: IntArray, rank: IntArray) -> FloatArray:
    """The running total over the first `rank` items of a list; beyond its end the last one, 0 before its first."""
    count = np.minimum(rank, items.lengths[row])
    if cumulated.size == 0:
        return np.zeros(row.size)
    return np.where(count > 0, cumulated[np.maximum(items.offsets[row] + count - 1, 0)], 0.0)


class TopGraded(Measure):
    """Grades count as shares of the highest there can be: that of the judgements, unless `top` says another."""

    top: float | None

    def bind(self, queries: RelevantRanks) -> Self:
        """The top grade comes from the judgements."""
        return replace(self, top=queries.top_grade) if self.top is None else self  # type: ignore[call-arg]

    def defined(self, queries: RelevantRanks) -> Any:
        return queries.count_judged(least=NEARLY_NOTHING) > 0


# The blended ratio of Sakai's measures: hits and cumulated gain so far, over the most there could be at this rank.


class Blended(Measure):
    """A measure that reads the blended ratio (v(k) + beta cg(k)) / (k + beta cg*(k)) at some of the hits."""

    needs = frozenset({"grades"})
    choices = {"gain": GAINS}
    own_rules = {"gain": GAIN_RULE}
    least = {"beta": 0.0}

    beta: float
    gain: str
    rel: float

    def ratios(self, queries: RelevantRanks) -> FloatArray:
        """The blended ratio at each item found that is judged above 0."""
        found = queries.gaining
        gained = found.running_in_order(gain_of(found["grade"], self.gain))
        count = found.running(self.is_hit(found).astype(np.int64))
        return (count + self.beta * gained) / self.most_at(queries, found.row, found["rank"])

    def is_hit(self, found: Ragged) -> BoolArray:
        """Which items count as relevant."""
        return np.asarray(found["grade"] >= self.rel)

    def most_at(self, queries: RelevantRanks, row: IntArray, rank: IntArray) -> FloatArray:
        """k + beta cg*(k), which does not depend on the order."""
        ideal = ideal_order(queries, self.gain)
        best = ideal.running_in_order(gain_of(ideal["grade"], self.gain))
        return rank + self.beta * at_rank(best, ideal, row, rank)

    def hits(self, queries: RelevantRanks) -> RelevantRanks:
        """The queries with those items as relevant that are hits and can be found among the gains."""
        return queries.at(rel=max(self.rel, float(np.nextafter(0, 1))))

    def defined(self, queries: RelevantRanks) -> Any:
        return self.hits(queries).relevant > 0


def blended_worth(grade: FloatArray, gain: str, rel: float) -> FloatArray:
    """Hits by their gain, then what is not judged, then what is judged and not relevant.

    A gain below `rel` may help the hits below it more than it takes their places: not known.
    """
    hits = hits_first(grade, rel)
    worth = np.where(hits > 0, 1.0 + gain_of(grade, gain), hits)
    return np.where((grade > 0) & (grade < rel), np.nan, worth)


def different_gains_tied(queries: RelevantRanks, gain: str = "linear") -> BoolArray:
    """Which queries have two different gains in one group of equal scores.

    >>> from dataclasses import replace
    >>> queries = RelevantRanks.from_ranks([[1, 2]], grades=[[2, 1]], depth=3)
    >>> different_gains_tied(replace(queries, ties=Ragged.of([[1]], "start").with_columns(size=np.array([3]))))
    array([ True])
    """
    found = queries.gaining
    group, value = group_of(queries, found), gain_of(found["grade"], gain)
    low, high = np.full(queries.ties.size, np.inf), np.full(queries.ties.size, -np.inf)
    np.minimum.at(low, group[group >= 0], value[group >= 0])
    np.maximum.at(high, group[group >= 0], value[group >= 0])
    return np.asarray(queries.ties.count(low < high) > 0)
