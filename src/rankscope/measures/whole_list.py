"""Measures of the returned list as a set."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankscope.core.arrays import FloatArray
from rankscope.core.settings import Settings
from rankscope.measures.measure import HitsFirst, Measure, need_collection
from rankscope.ranks.ragged import divide
from rankscope.ranks.relevant_ranks import RelevantRanks


@dataclass(frozen=True)
class SetP(HitsFirst):
    """Precision of the whole list; 0 for an empty one."""

    name = "SetP"
    aliases = ("set_P",)
    formula = "v / returned"
    source = "trec_eval set_P"
    trec = "set_P"
    ordered = False

    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Hits over items returned."""
        return divide(*self.ratio(queries), nothing=0.0)

    def ratio(self, queries: RelevantRanks) -> tuple[FloatArray, FloatArray]:
        """Hits and items returned."""
        queries = queries.at(rel=self.rel)
        return queries.found.astype(np.float64), queries.depth.astype(np.float64)


@dataclass(frozen=True)
class SetR(HitsFirst):
    """Recall of the whole list."""

    name = "SetR"
    aliases = ("set_recall", "SetRecall")
    formula = "v / R"
    source = "trec_eval set_recall"
    trec = "set_recall"
    ordered = False

    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Hits over relevant items."""
        return divide(*self.ratio(queries))

    def ratio(self, queries: RelevantRanks) -> tuple[FloatArray, FloatArray]:
        """Hits and relevant items."""
        queries = queries.at(rel=self.rel)
        return queries.found.astype(np.float64), queries.relevant.astype(np.float64)


@dataclass(frozen=True)
class SetRelativeP(HitsFirst):
    """Precision of the whole list as a share of the best possible: hits over the smaller of returned and R."""

    name = "SetRelativeP"
    aliases = ("set_relative_P", "SetRelP")
    formula = "v / min(returned, R)"
    source = "trec_eval set_relative_P"
    trec = "set_relative_P"
    ordered = False

    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Hits over the most there could be; 0 for an empty list."""
        queries = queries.at(rel=self.rel)
        value = divide(queries.found, np.minimum(queries.depth, queries.relevant), nothing=0.0)
        return np.where(queries.relevant > 0, value, np.nan)


@dataclass(frozen=True)
class SetAP(HitsFirst):
    """Precision times recall of the whole list: AP of an unordered set."""

    name = "SetAP"
    aliases = ("set_map",)
    formula = "v^2 / (returned R)"
    source = "trec_eval set_map"
    trec = "set_map"
    ordered = False

    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Hits squared."""
        queries = queries.at(rel=self.rel)
        found = queries.found.astype(np.float64)
        value = divide(found * found, queries.depth.astype(np.float64) * queries.relevant, nothing=0.0)
        return np.where(queries.relevant > 0, value, np.nan)


@dataclass(frozen=True)
class SetF(HitsFirst):
    """F of the whole list; `b2` weighs recall against precision (trec_eval's parameter, the square of b)."""

    name = "SetF"
    aliases = ("set_F",)
    formula = "(1 + b2) p r / (r + b2 p)"
    source = "trec_eval set_F; van Rijsbergen 1979"
    trec = "set_F"
    ordered = False
    least = {"b2": 0.0}

    b2: float = 1.0
    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Weighted harmonic mean; 0 without hits."""
        p, r = SetP(rel=self.rel).of(queries), SetR(rel=self.rel).of(queries)
        value = divide((1.0 + self.b2) * p * r, self.b2 * p + r, nothing=0.0)
        return np.where(np.isnan(r), np.nan, value)


@dataclass(frozen=True)
class Utility(Measure):
    """Utility of the whole list: a per relevant item returned, b per irrelevant one, c per relevant item missed,
    d per irrelevant item not returned (which needs the size of the collection, unless d is 0).
    """

    name = "utility"
    formula = "a v + b (returned - v) + c (R - v) + d (items not returned and not relevant)"
    source = "trec_eval utility"
    trec = "utility"
    ordered = False

    a: float = 1.0
    b: float = -1.0
    c: float = 0.0
    d: float = 0.0
    rel: float = 1.0

    def bounds(self) -> tuple[float, float]:
        """Counts have no end; where no weight is below (above) 0, neither is a value."""
        weights = self.a, self.b, self.c, self.d
        return (-math.inf if min(weights) < 0 else 0.0), (math.inf if max(weights) > 0 else 0.0)

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Weighted counts."""
        if self.d:
            need_collection(self, queries)
        queries = queries.at(rel=self.rel)
        hits, returned, relevant = queries.found, queries.depth, queries.relevant
        left = np.maximum(queries.collection, 0) + hits - returned - relevant
        value = self.a * hits + self.b * (returned - hits) + self.c * (relevant - hits) + self.d * left
        return value.astype(np.float64)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """What an item adds by being in the list, where lists are cut."""
        judged = grade >= 0
        other = self.b - self.d
        unjudged = 0.0 if settings.judged_only else other
        return np.where(judged & (grade >= self.rel), self.a - self.c, np.where(judged, other, unjudged))
