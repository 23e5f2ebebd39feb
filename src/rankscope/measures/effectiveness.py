"""Precision and recall in one number: F, van Rijsbergen's error, effectiveness and its gain over chance."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.notation import given_behind_at
from rankscope.core.settings import Settings
from rankscope.measures.measure import HitsFirst, Measure, need_collection
from rankscope.measures.precision_recall import HitsWithin
from rankscope.ranks.ragged import divide
from rankscope.ranks.relevant_ranks import RelevantRanks


def _scope_or_relevant(scope: int | None, relevant: IntArray) -> IntArray:
    """The scope, one for all queries, or each query's number of relevant items."""
    return relevant if scope is None else np.full(relevant.shape, scope, dtype=np.int64)


@dataclass(frozen=True)
class F(HitsWithin):
    """F: weighted harmonic mean of precision and recall at a scope; `b` > 1 weighs recall more. 0 without hits."""

    name = "F"
    aliases = ("F1", "f1", "F_measure")
    formula = "(1 + b^2) v / (b^2 R + k), which is (1 + b^2) / (b^2/r + 1/p)"
    source = "van Rijsbergen 1979"
    least = {"b": 0.0, "scope": 1}

    scope: int = given_behind_at()
    b: float = 1.0
    rel: float = 1.0

    def value(self, hits: IntArray | FloatArray, queries: RelevantRanks) -> FloatArray:
        """One fraction of counts, so that nothing is divided twice."""
        square = self.b * self.b
        value = (1.0 + square) * hits / (square * queries.relevant + self.scope)
        return np.where(queries.relevant > 0, value, np.nan)


@dataclass(frozen=True)
class E(HitsWithin):
    """Van Rijsbergen's error at a scope, `alpha` the weight of precision; 1 without hits. 1 - F, b^2 = 1/alpha - 1."""

    name = "E"
    formula = "1 - 1/(alpha/p + (1 - alpha)/r)"
    source = "van Rijsbergen 1979; Huijsmans & Sebe 2001 eq. 4"
    lower_is_better = True
    worst = 1.0
    least = {"alpha": 0.0, "scope": 1}
    most = {"alpha": 1.0}

    scope: int = given_behind_at()
    alpha: float = 0.5
    rel: float = 1.0

    def value(self, hits: IntArray | FloatArray, queries: RelevantRanks) -> FloatArray:
        """One minus v / (alpha k + (1 - alpha) R)."""
        value = 1.0 - divide(hits, self.alpha * self.scope + (1.0 - self.alpha) * queries.relevant)
        return np.where(queries.relevant > 0, value, np.nan)


@dataclass(frozen=True)
class Effectiveness(HitsWithin):
    """Effectiveness: 2v/(s + R), at a scope or, without one, at s = R, where it equals R-precision."""

    name = "Effectiveness"
    aliases = ("effectiveness",)
    formula = "2 v / (s + R)"
    source = "Huijsmans & Sebe 2001 eq. 9, 13"

    scope: int | None = None
    rel: float = 1.0

    def value(self, hits: IntArray | FloatArray, queries: RelevantRanks) -> FloatArray:
        """Twice the hits over scope and class."""
        value = divide(2.0 * hits, self.reach(queries) + queries.relevant)
        return np.where(queries.relevant > 0, value, np.nan)

    def reach(self, queries: RelevantRanks) -> IntArray:
        """The scope, or as many items as are relevant."""
        return _scope_or_relevant(self.scope, queries.at(rel=self.rel).relevant)


@dataclass(frozen=True)
class Estar(HitsFirst):
    """Effectiveness minus what a random order would have: 0 is chance, and it may be negative.

    `baseline` general subtracts 2 a g/(1 + a), right at every scope; g subtracts the generality itself, as Huijsmans &
    Sebe's equation 15 does, which is exact at s = R only.
    """

    name = "Estar"
    aliases = ("E*",)
    formula = "2 v / (s + R) - 2 a g / (1 + a), a = s/R, g = R/d"
    source = "Huijsmans & Sebe 2001 eq. 15, 16"
    needs = frozenset({"collection"})
    choices = {"baseline": ("general", "g")}

    scope: int | None = None
    baseline: str = "general"
    rel: float = 1.0

    def bounds(self) -> tuple[float, float]:
        return -1.0, 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        return Effectiveness(self.scope, rel=self.rel).of(queries) - self._chance(queries)

    def _chance(self, queries: RelevantRanks) -> FloatArray:
        need_collection(self, queries)
        queries = queries.at(rel=self.rel)
        generality = queries.relevant / queries.collection
        a = divide(_scope_or_relevant(self.scope, queries.relevant), queries.relevant)
        return np.asarray(generality if self.baseline == "g" else 2.0 * a * generality / (1.0 + a))

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """As effectiveness: chance does not depend on the order."""
        return np.asarray(Effectiveness(self.scope, rel=self.rel).expected(queries)) - self._chance(queries)

    def reach(self, queries: RelevantRanks) -> IntArray:
        """The scope, or as many items as are relevant."""
        return _scope_or_relevant(self.scope, queries.at(rel=self.rel).relevant)


@dataclass(frozen=True)
class Enorm(HitsFirst):
    """Precision at s = R between chance (0) and the ideal (1); may be negative. Undefined where all is relevant."""

    name = "Enorm"
    formula = "(p - g) / (1 - g) at s = R"
    source = "Huijsmans & Sebe 2001, normalised"
    needs = frozenset({"collection"})

    rel: float = 1.0

    def bounds(self) -> tuple[float, float]:
        """Where nearly all is relevant, a list may fall below chance by any multiple of what is left above it."""
        return -math.inf, 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Gain over chance as a share of the most there could be."""
        return self._value(Effectiveness(rel=self.rel).of(queries), queries)

    def _value(self, precision: FloatArray, queries: RelevantRanks) -> FloatArray:
        need_collection(self, queries)
        generality = queries.at(rel=self.rel).relevant / queries.collection
        return divide(precision - generality, 1.0 - generality)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """As effectiveness: chance does not depend on the order."""
        return self._value(np.asarray(Effectiveness(rel=self.rel).expected(queries)), queries)

    def reach(self, queries: RelevantRanks) -> IntArray:
        return queries.at(rel=self.rel).relevant


@dataclass(frozen=True)
class Generality(Measure):
    """Generality: share of the collection that is relevant, the precision expected of a random order."""

    name = "generality"
    aliases = ("Generality",)
    formula = "R / d"
    source = "Salton & Lesk 1968; Huijsmans & Sebe 2001"
    needs = frozenset({"collection"})
    ordered = False

    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        need_collection(self, queries)
        queries = queries.at(rel=self.rel)
        return np.where(queries.relevant > 0, queries.relevant / queries.collection, np.nan)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        return np.zeros(grade.shape)


@dataclass(frozen=True)
class GeneralityIndex(Measure):
    """Generality index: how often the collection must be halved until only as many items are left as are relevant."""

    name = "generality_index"
    aliases = ("GeneralityIndex",)
    formula = "log2(d / R)"
    source = "Sebe et al. 2004"
    needs = frozenset({"collection"})
    ordered = False
    lower_is_better = True

    rel: float = 1.0

    def bounds(self) -> tuple[float, float]:
        """From all items relevant; collections have no largest size."""
        return 0.0, math.inf

    def of(self, queries: RelevantRanks) -> FloatArray:
        return -np.log2(Generality(rel=self.rel).of(queries))

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        return np.zeros(grade.shape)
