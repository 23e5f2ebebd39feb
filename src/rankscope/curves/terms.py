"""Measures as sums over relevant items of a weight of the rank: what they need so that their mean is exact."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.curves.chances import at_most, mean_inverse, mean_of
from rankscope.curves.distributions import Counts
from rankscope.curves.hits import RelevantHits
from rankscope.errors import MeasureError
from rankscope.measures import AP, Measure, P, R, Rprec, nDCG
from rankscope.measures.gains import discount, gain_of, ideal_order
from rankscope.ranks.relevant_ranks import RelevantRanks

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
        """The same measure of lists that end at a depth."""
        return replace(self, cut=np.minimum(self.cut, depth))

    def room(self, hits: RelevantHits) -> FloatArray:
        """How many distractors may be added before the hit falls behind the cut."""
        return self.cut[hits.row] - hits.start


@dataclass(frozen=True)
class HitTerms(Terms):
    """1 for each hit within the cut: P, R, Rprec."""

    def mean(self, hits: RelevantHits, above: Counts) -> FloatArray:
        """The chance to stand within the cut."""
        return at_most(above, self.room(hits))


@dataclass(frozen=True)
class Precisions(Terms):
    """Place over rank: AP."""

    def mean(self, hits: RelevantHits, above: Counts) -> FloatArray:
        """Place times the mean of 1 / rank."""
        if np.isinf(self.cut).all():
            return hits.place * mean_inverse(above, hits.start)
        return hits.place * mean_of(above, lambda rank: 1.0 / rank, hits.start, self.room(hits))


@dataclass(frozen=True)
class Gains(Terms):
    """Gain over the logarithm of the rank: nDCG."""

    gain: str = "linear"

    def mean(self, hits: RelevantHits, above: Counts) -> FloatArray:
        """Gain times the mean of 1 / log2(rank + 1)."""
        share = mean_of(above, lambda rank: 1.0 / np.log2(rank + 1.0), hits.start, self.room(hits))
        return gain_of(hits.grade, self.gain) * share


def terms_of(measure: Measure, queries: RelevantRanks) -> Terms:
    """The measure as a sum over hits; raises `MeasureError` for one that is none."""
    if isinstance(measure, AP) and (measure.area, measure.within) == ("none", "list") and measure.divisor != "found":
        return _precisions(measure, queries.at(rel=measure.rel))
    if isinstance(measure, nDCG) and measure.negative == "zero":
        return _gains(measure, queries)
    if (isinstance(measure, P) and measure.divisor == "k") or isinstance(measure, R | Rprec):
        return _counted(measure, queries.at(rel=measure.level))
    raise MeasureError(
        f"{measure} has no exact mean over smaller or larger collections. There are: AP, P@k, R@k, Rprec, nDCG, nDCG@k"
    )


def _counted(measure: P | R | Rprec, queries: RelevantRanks) -> Terms:
    ratio = measure.ratio(queries)
    if isinstance(measure, Rprec):
        return HitTerms(queries, ratio[1], ratio[1])
    return HitTerms(queries, ratio[1], np.full(len(queries), float(measure.scope)))


def _precisions(measure: AP, queries: RelevantRanks) -> Terms:
    relevant = queries.relevant.astype(np.float64)
    cut = np.full(len(queries), np.inf if measure.scope is None else float(measure.scope))
    return Precisions(queries, np.minimum(relevant, cut) if measure.divisor == "min" else relevant, cut)


def _gains(measure: nDCG, queries: RelevantRanks) -> Terms:
    cut = np.inf if measure.scope is None else float(measure.scope)
    ideal = ideal_order(queries)
    there = (ideal["rank"] <= cut) & (ideal["grade"] >= measure.floor)
    best = ideal.total(np.where(there, gain_of(ideal["grade"], measure.gain) / discount(ideal["rank"]), 0.0))
    return Gains(queries.at(rel=max(measure.floor, SOMETHING)), best, np.full(len(queries), cut), measure.gain)
