"""Relevant items with the distractors above them, and measures as sums over them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from rankscope.analysis.curves.distributions import Counts, at_most, mean_inverse, mean_of
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import MeasureError
from rankscope.core.wording import setting_usage
from rankscope.measures import AP, Measure, P, R, Rprec, nDCG
from rankscope.measures.gains import discount, gain_of, ideal_order
from rankscope.ranks.ragged import Ragged, sums_by
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks


@dataclass(frozen=True)
class RelevantHits:
    """Relevant items of many queries, flat: the query, the place among the relevant items, the distractors above."""

    row: IntArray
    place: FloatArray  # 1 for the first relevant item of the query
    above: FloatArray
    grade: FloatArray
    queries: int
    certain: FloatArray | float = 0.0  # distractors above that chance leaves alone

    @property
    def start(self) -> FloatArray:
        """The rank if chance adds nothing."""
        return self.place + self.certain

    def total(self, values: FloatArray) -> FloatArray:
        return sums_by(self.row, values, self.queries)

    def take(self, chosen: IntArray) -> RelevantHits:
        certain = self.certain[chosen] if isinstance(self.certain, np.ndarray) else self.certain
        return RelevantHits(
            row=self.row[chosen],
            place=self.place[chosen],
            above=self.above[chosen],
            grade=self.grade[chosen],
            queries=self.queries,
            certain=certain,
        )


@dataclass(frozen=True)
class AllHits:
    """The items found, and those not found at the best and at the worst places they can have."""

    found: RelevantHits
    best: RelevantHits
    worst: RelevantHits
    relevant: IntArray  # c of each query
    distractors: IntArray  # e of each query

    def of(self, chosen: BoolArray) -> AllHits:
        """The hits of the chosen queries, whose numbers stay.

        >>> both = hits_of(RelevantRanks.from_ranks([[1, 3], [2]], collection=100))
        >>> both.of(np.array([False, True])).found.row
        array([1])
        """
        if chosen.all():
            return self
        found, best, worst = (
            each.take(np.flatnonzero(chosen[each.row])) for each in (self.found, self.best, self.worst)
        )
        return replace(self, found=found, best=best, worst=worst)


def hits_of(queries: RelevantRanks) -> AllHits:
    """All relevant items of all queries; raises `MeasureError` where the size of the collection is not known.

    An item that was not found has at least the distractors of the whole list above it, and at most all there are.
    >>> hits = hits_of(RelevantRanks.from_ranks([[1, 3]], relevant=[3], depth=20, collection=100))
    >>> hits.found.above, hits.best.above, hits.worst.above
    (array([0., 1.]), array([18.]), array([97.]))
    """
    distractors = distractors_of(queries)
    found = RelevantHits(
        row=queries.row,
        place=queries.position.astype(np.float64),
        above=(queries.ranks - queries.position).astype(np.float64),
        grade=queries.grades,
        queries=len(queries),
    )
    seen = np.minimum(queries.depth - queries.found, distractors)
    lost = _lost_grades(queries)
    return AllHits(
        found=found,
        best=_missing(queries, seen, lost.sorted_by(-lost["grade"])),
        worst=_missing(queries, distractors, lost),
        relevant=queries.relevant,
        distractors=distractors,
    )


def distractors_of(queries: RelevantRanks) -> IntArray:
    """How many items of the collection are not relevant (e), checked against what the lists hold."""
    if (queries.collection == UNKNOWN).any():
        raise MeasureError(
            "another size of the collection can be computed only from the present one, which a run file does not tell: "
            f"give {setting_usage('collection_size', 'D')}"
        )
    distractors = queries.collection - queries.relevant
    # The rank of each query's last hit, 0 where it has none: ranks ascend.
    needed = np.zeros(len(queries), dtype=np.int64)
    some = queries.found > 0
    needed[some] = queries.ranks[np.cumsum(queries.found)[some] - 1]
    short = np.flatnonzero(distractors < needed - queries.found)
    if short.size:
        row = int(short[0])
        raise MeasureError(
            f"query {queries.queries[row]} ranks a hit at {int(needed[row])} and has {int(queries.relevant[row])} "
            f"relevant items: more than a collection of {int(queries.collection[row])} can hold"
        )
    return distractors


def _missing(queries: RelevantRanks, above: IntArray, lost: Ragged) -> RelevantHits:
    """Relevant items that were not found, in the order of the grades given."""
    return RelevantHits(
        row=lost.row,
        place=(queries.found[lost.row] + lost.position).astype(np.float64),
        above=above[lost.row].astype(np.float64),
        grade=lost["grade"],
        queries=len(queries),
    )


def _lost_grades(queries: RelevantRanks) -> Ragged:
    """The grades of the relevant items that were not found, ascending."""
    short = queries.found < queries.relevant
    levels, hits = queries.levels, np.flatnonzero(short[queries.row])
    levels = levels.where((levels["grade"] >= queries.rel) & short[levels.row])
    levels = levels.sorted_by(levels["grade"])
    grades, number = np.unique(np.concatenate([levels["grade"], queries.grades[hits]]), return_inverse=True)
    place = queries.row[hits] * grades.size + number[levels.size :]
    here = np.bincount(place, minlength=len(queries) * grades.size)
    lost = levels["count"] - here[levels.row * grades.size + number[: levels.size]]
    return Ragged.from_rows(np.repeat(levels.row, lost), len(queries), grade=np.repeat(levels["grade"], lost))


# Measures as sums over relevant items of a weight of the rank: what they need so that their mean is exact.

SOMETHING = float(np.nextafter(0, 1))  # any grade above 0


@dataclass(frozen=True)
class Terms(ABC):
    """A measure is (1 / divisor) sum over hits of a weight of their rank; behind the cut they weigh nothing."""

    queries: RelevantRanks  # at the measure's lowest relevant grade
    divisor: FloatArray
    cut: FloatArray  # per query; infinite where there is none

    @abstractmethod
    def mean(self, hits: RelevantHits, above: Counts) -> FloatArray:
        """Mean weight of each hit when `above` distractors are added to those that are above in any case."""

    def cut_at(self, depth: FloatArray) -> Self:
        return replace(self, cut=np.minimum(self.cut, depth))

    def room(self, hits: RelevantHits) -> FloatArray:
        """How many distractors may be added before the hit falls behind the cut."""
        return self.cut[hits.row] - hits.start


@dataclass(frozen=True)
class HitTerms(Terms):
    """1 for each hit within the cut: P, R, Rprec."""

    def mean(self, hits: RelevantHits, above: Counts) -> FloatArray:
        return at_most(above, self.room(hits))


@dataclass(frozen=True)
class Precisions(Terms):
    """Place over rank: AP."""

    def mean(self, hits: RelevantHits, above: Counts) -> FloatArray:
        if np.isinf(self.cut).all():
            return hits.place * mean_inverse(above, hits.start)
        return hits.place * mean_of(above, lambda rank: 1.0 / rank, hits.start, self.room(hits))


@dataclass(frozen=True)
class Gains(Terms):
    """Gain over the logarithm of the rank: nDCG."""

    gain: str = "linear"

    def mean(self, hits: RelevantHits, above: Counts) -> FloatArray:
        share = mean_of(above, lambda rank: 1.0 / np.log2(rank + 1.0), hits.start, self.room(hits))
        return gain_of(hits.grade, self.gain) * share


def terms_of(measure: Measure, queries: RelevantRanks) -> Terms:
    """The measure as a sum over hits; raises `MeasureError` for one that is none."""
    if isinstance(measure, AP) and (measure.area, measure.within) == ("none", "list") and measure.divisor != "found":
        queries = queries.at(rel=measure.rel)
        relevant = queries.relevant.astype(np.float64)
        cut = np.full(len(queries), np.inf if measure.scope is None else float(measure.scope))
        return Precisions(queries, np.minimum(relevant, cut) if measure.divisor == "min" else relevant, cut)
    if isinstance(measure, nDCG) and measure.negative == "zero":
        end = np.inf if measure.scope is None else float(measure.scope)
        ideal = ideal_order(queries)
        there = (ideal["rank"] <= end) & (ideal["grade"] >= measure.floor)
        best = ideal.total(np.where(there, gain_of(ideal["grade"], measure.gain) / discount(ideal["rank"]), 0.0))
        gaining = queries.at(rel=max(measure.floor, SOMETHING))
        return Gains(gaining, best, np.full(len(queries), end), measure.gain)
    if (isinstance(measure, P) and measure.divisor == "k") or isinstance(measure, R | Rprec):
        queries = queries.at(rel=measure.level)
        divisor = measure.ratio(queries)[1]
        cut = divisor if isinstance(measure, Rprec) else np.full(len(queries), float(measure.scope))
        return HitTerms(queries, divisor, cut)
    raise MeasureError(
        f"{measure} has no exact mean over smaller or larger collections. There are: AP, P@k, R@k, Rprec, nDCG, nDCG@k"
    )
