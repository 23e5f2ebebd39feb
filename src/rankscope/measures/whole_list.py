"""Measures of the returned list as a set, and of the contexts that a language model is given to read."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray
from rankscope.core.settings import Settings
from rankscope.measures.average_precision import AP
from rankscope.measures.measure import HitsFirst, Measure, need_collection
from rankscope.measures.precision_recall import R
from rankscope.ranks.ragged import divide
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.tie_orders import expected_hits


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
        return divide(*self.ratio(queries), nothing=0.0)

    def ratio(self, queries: RelevantRanks) -> tuple[FloatArray, FloatArray]:
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
        return divide(*self.ratio(queries))

    def ratio(self, queries: RelevantRanks) -> tuple[FloatArray, FloatArray]:
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


# What a language model is given to read: precision and recall of retrieved contexts, as evaluations of RAG count.


@dataclass(frozen=True)
class ContextPrecision(HitsFirst):
    """Context precision: mean over the relevant contexts among the first `scope` of the precision at their rank.

    It says how early relevant contexts stand among those retrieved, not how many are missing; 0 where none is found.
    `count` set forgets the order: the share of the retrieved contexts that are relevant (id-based context precision);
    a short list is forgiven, an empty one has 0. Without a cut-off the whole list counts.
    """

    name = "ContextPrecision"
    aliases = ("context_precision",)
    formula = "(1/v(k)) sum over hits i within k of i / rank_i"
    source = "ragas: context precision (k relevant of those retrieved); count=set: id-based context precision"
    choices = {"count": ("ranks", "set")}

    rel: float = 1.0
    count: str = "ranks"
    scope: int | None = None

    @property
    def _mean(self) -> AP:
        return AP(rel=self.rel, divisor="found", scope=self.scope)

    def of(self, queries: RelevantRanks) -> FloatArray:
        """The mean precision at hits, or the share of hits."""
        if self.count == "ranks":
            return self._mean.of(queries)
        queries = queries.at(rel=self.rel)
        hits = queries.found if self.scope is None else queries.hits(self.scope)
        return divide(hits.astype(np.float64), self._places(queries), nothing=0.0)

    def _places(self, queries: RelevantRanks) -> FloatArray:
        """How many contexts were retrieved, within the cut-off."""
        returned = queries.depth.astype(np.float64)
        return returned if self.scope is None else np.minimum(returned, self.scope)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Where only a set counts, each tied item is as likely at any of its places."""
        if self.count == "ranks":
            return self._mean.expected(queries)
        if self.scope is None:
            return self.of(queries)
        queries = queries.at(rel=self.rel)
        return divide(expected_hits(queries, self.scope), self._places(queries), nothing=0.0)

    def unproven(self, queries: RelevantRanks, settings: Settings) -> BoolArray:
        """One more hit may lower the mean over hits."""
        if self.count == "ranks":
            return self._mean.unproven(queries, settings)
        return super().unproven(queries, settings)

    def extremes(self, queries: RelevantRanks, settings: Settings) -> tuple[FloatArray, FloatArray] | None:
        """From how many hits of a group stand within the cut-off."""
        return self._mean.extremes(queries, settings) if self.count == "ranks" else None


@dataclass(frozen=True)
class ContextRecall(HitsFirst):
    """Context recall: share of the relevant contexts that stand among the first `scope`, or anywhere in the list."""

    name = "ContextRecall"
    aliases = ("context_recall",)
    formula = "v(k) / R"
    source = "ragas: id-based context recall"

    rel: float = 1.0
    scope: int | None = None

    @property
    def _recall(self) -> R | SetR:
        return SetR(rel=self.rel) if self.scope is None else R(scope=self.scope, rel=self.rel)

    def of(self, queries: RelevantRanks) -> FloatArray:
        return self._recall.of(queries)

    def ratio(self, queries: RelevantRanks) -> tuple[FloatArray, FloatArray]:
        return self._recall.ratio(queries)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Each tied item is as likely at any of its places."""
        return self._recall.expected(queries)
