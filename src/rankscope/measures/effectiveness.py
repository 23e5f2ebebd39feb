"""Precision and recall in one number: F, van Rijsbergen's error, effectiveness and its gain over chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.measures.fractions import divided
from rankscope.measures.measure import Measure, need_collection
from rankscope.ranks.relevant_ranks import RelevantRanks


@dataclass(frozen=True)
class F(Measure):
    """F: weighted harmonic mean of precision and recall at a scope; `b` > 1 weighs recall more. 0 without hits."""

    name = "F"
    aliases = ("F1", "f1", "F_measure")
    formula = "(1 + b^2) v / (b^2 R + k), which is (1 + b^2) / (b^2/r + 1/p)"
    source = "van Rijsbergen 1979"
    least = {"b": 0.0, "scope": 1}

    scope: int
    b: float = 1.0
    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """One fraction of counts, so that nothing is divided twice."""
        queries = queries.at(rel=self.rel)
        square = self.b * self.b
        value = (1.0 + square) * queries.hits(self.scope) / (square * queries.relevant + self.scope)
        return np.where(queries.relevant > 0, value, np.nan)


@dataclass(frozen=True)
class E(Measure):
    """Van Rijsbergen's error at a scope, `alpha` the weight of precision; 1 without hits. 1 - F, b^2 = 1/alpha - 1."""

    name = "E"
    formula = "1 - 1/(alpha/p + (1 - alpha)/r)"
    source = "van Rijsbergen 1979; Huijsmans & Sebe 2001 eq. 4"
    lower_is_better = True
    worst = 1.0
    least = {"alpha": 0.0, "scope": 1}
    most = {"alpha": 1.0}

    scope: int
    alpha: float = 0.5
    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """One less v / (alpha k + (1 - alpha) R)."""
        queries = queries.at(rel=self.rel)
        share = divided(queries.hits(self.scope), self.alpha * self.scope + (1.0 - self.alpha) * queries.relevant)
        value = 1.0 - share
        return np.where(queries.relevant > 0, value, np.nan)


@dataclass(frozen=True)
class Effectiveness(Measure):
    """Effectiveness: 2v/(s + R), at a scope or, without one, at s = R, where it equals R-precision."""

    name = "Effectiveness"
    aliases = ("effectiveness",)
    formula = "2 v / (s + R)"
    source = "Huijsmans & Sebe 2001 eq. 9, 13"

    scope: int | None = None
    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Twice the hits over scope and class."""
        queries = queries.at(rel=self.rel)
        scope = queries.relevant if self.scope is None else np.full(len(queries), self.scope)
        value = divided(2.0 * queries.hits(scope), scope + queries.relevant)
        return np.where(queries.relevant > 0, value, np.nan)


@dataclass(frozen=True)
class Estar(Measure):
    """Effectiveness less what a random order would have: 0 is chance, and it may be negative.

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

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Effectiveness less the random level."""
        need_collection(self, queries)
        queries = queries.at(rel=self.rel)
        generality = queries.relevant / queries.collection
        scope = queries.relevant if self.scope is None else np.full(len(queries), self.scope)
        a = divided(scope, queries.relevant)
        chance = generality if self.baseline == "g" else 2.0 * a * generality / (1.0 + a)
        return Effectiveness(self.scope, rel=self.rel).of(queries) - chance


@dataclass(frozen=True)
class Enorm(Measure):
    """Precision at s = R between chance (0) and the ideal (1); may be negative. Undefined where all is relevant."""

    name = "Enorm"
    formula = "(p - g) / (1 - g) at s = R"
    source = "Huijsmans & Sebe 2001, normalised"
    needs = frozenset({"collection"})

    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Gain over chance as a share of the most there could be."""
        need_collection(self, queries)
        queries = queries.at(rel=self.rel)
        generality = queries.relevant / queries.collection
        return divided(Effectiveness(rel=self.rel).of(queries) - generality, 1.0 - generality)


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
        """Relevant items over all items."""
        need_collection(self, queries)
        queries = queries.at(rel=self.rel)
        return np.where(queries.relevant > 0, queries.relevant / queries.collection, np.nan)


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

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Minus the logarithm of the generality."""
        return -np.log2(Generality(rel=self.rel).of(queries))
