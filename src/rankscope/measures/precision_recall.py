"""Precision and recall within a scope: plain, capped, and at a multiple of the number of relevant items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.notation import given_behind_at
from rankscope.core.settings import Settings
from rankscope.measures.measure import Measure, hits_first, not_known
from rankscope.ranks.ragged import divide
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.tie_orders import expected_hits

# Precision within a scope.


@dataclass(frozen=True)
class P(Measure):
    """Precision: share of the first `scope` items that are relevant. A short list is not forgiven: the divisor stays.

    `divisor` min divides by the smaller of scope and number of relevant items (open-metric-learning), deepest by the
    smaller of scope and the rank of the last relevant item (revisitop).
    """

    name = "P"
    aliases = ("precision", "Precision")
    formula = "v(k) / k"
    source = "trec_eval P; van Rijsbergen 1979"
    trec_cut = "P_{scope}"
    choices = {"divisor": ("k", "min", "deepest")}

    scope: int = given_behind_at()
    rel: float = 1.0
    divisor: str = "k"

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Hits within the scope over the scope."""
        return divide(*self.ratio(queries))

    def ratio(self, queries: RelevantRanks) -> tuple[FloatArray, FloatArray]:
        """Hits and places."""
        queries = queries.at(rel=self.rel)
        places = np.full(len(queries), self.scope, dtype=np.int64)
        if self.divisor == "min":
            places = np.minimum(places, queries.relevant)
        if self.divisor == "deepest":
            deepest = np.zeros(len(queries), dtype=np.int64)
            np.maximum.at(deepest, queries.row, queries.ranks)
            places = np.where(deepest > 0, np.minimum(places, deepest), places)
        return queries.hits(self.scope).astype(np.float64), places.astype(np.float64)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Each tied item is as likely at any of its places."""
        if self.divisor == "deepest":
            return None
        queries = queries.at(rel=self.rel)
        return divide(expected_hits(queries, self.scope), self.ratio(queries)[1])

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """Hits first; in a list that is cut, the deepest hit may be worse than none."""
        if self.divisor == "deepest" and settings.depth is not None:
            return not_known(grade)
        return hits_first(grade, self.rel)


# Recall within a scope, plain and capped.


@dataclass(frozen=True)
class R(Measure):
    """Recall: share of the relevant items that stand among the first `scope`.

    What metric learning calls R@1 is success@1: whether any of the first items is relevant.
    """

    name = "R"
    aliases = ("recall", "Recall")
    formula = "v(k) / R"
    source = "trec_eval recall"
    trec_cut = "recall_{scope}"

    scope: int = given_behind_at()
    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Hits within the scope over all relevant items."""
        return divide(*self.ratio(queries))

    def ratio(self, queries: RelevantRanks) -> tuple[FloatArray, FloatArray]:
        """Hits and relevant items."""
        queries = queries.at(rel=self.rel)
        return queries.hits(self.scope).astype(np.float64), queries.relevant.astype(np.float64)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Each tied item is as likely at any of its places."""
        queries = queries.at(rel=self.rel)
        return divide(expected_hits(queries, self.scope), queries.relevant)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """Hits first."""
        return hits_first(grade, self.rel)


@dataclass(frozen=True)
class CappedRecall(Measure):
    """Recall as a share of what the scope can hold: hits over the smaller of scope and number of relevant items."""

    name = "CappedRecall"
    aliases = ("capped_recall", "R_cap", "relative_P")
    formula = "v(k) / min(k, R)"
    source = "trec_eval relative_P; BEIR recall_cap"
    trec_cut = "relative_P_{scope}"

    scope: int = given_behind_at()
    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Hits within the scope over the most there could be."""
        return divide(*self.ratio(queries))

    def ratio(self, queries: RelevantRanks) -> tuple[FloatArray, FloatArray]:
        """Hits, and the most there could be."""
        queries = queries.at(rel=self.rel)
        most = np.minimum(queries.relevant, self.scope)
        return queries.hits(self.scope).astype(np.float64), most.astype(np.float64)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Each tied item is as likely at any of its places."""
        queries = queries.at(rel=self.rel)
        return divide(expected_hits(queries, self.scope), self.ratio(queries)[1])

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """Hits first."""
        return hits_first(grade, self.rel)


# Precision at a multiple of the number of relevant items.


@dataclass(frozen=True)
class Rprec(Measure):
    """R-precision: precision at scope R, where it equals recall; with `a`, precision at scope int(a R + .9).

    This whole scope is trec_eval's. Curves over relevant scope interpolate instead; where a R is whole they agree.
    """

    name = "Rprec"
    aliases: ClassVar[tuple[str, ...]] = ("R-prec", "RPrec", "r_precision", "r-precision")
    formula = "v(s) / s with s = int(a R + .9)"
    source = "trec_eval Rprec, Rprec_mult; Huijsmans & Sebe 2001 (p = r)"
    least = {"a": 0.0}

    a: float = 1.0
    rel: float = 1.0

    def bounds(self) -> tuple[float, float]:
        """At most R hits in int(a R + .9) places; of more than 1000 relevant items less than 1/(a - .0001)."""
        if self.a <= 1:
            return 0.0, 1.0
        relevant = np.arange(1, 1001)
        return 0.0, min(1.0, max(1.0 / (self.a - 1e-4), float((relevant / np.floor(self.a * relevant + 0.9)).max())))

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Hits within the query's own scope over that scope."""
        return divide(*self.ratio(queries))

    def ratio(self, queries: RelevantRanks) -> tuple[FloatArray, FloatArray]:
        """Hits and places."""
        scope = self.reach(queries)
        return queries.at(rel=self.rel).hits(scope).astype(np.float64), scope.astype(np.float64)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Each tied item is as likely at any of its places."""
        scope = self.reach(queries)
        return divide(expected_hits(queries.at(rel=self.rel), scope), scope)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """Hits first."""
        return hits_first(grade, self.rel)

    def reach(self, queries: RelevantRanks) -> IntArray:
        """The query's own scope; 0 without relevant items."""
        relevant = queries.at(rel=self.rel).relevant
        scope = relevant if self.a == 1 else (self.a * relevant + 0.9).astype(np.int64)
        return np.where(relevant > 0, scope, 0)

    def trec_name(self) -> str | None:
        """Rprec, or Rprec_mult_0.20."""
        return "Rprec" if self.a == 1 else f"Rprec_mult_{self.a:.2f}"


@dataclass(frozen=True)
class RprecMult(Rprec):
    """R-precision at a multiple, always under trec_eval's name Rprec_mult: its list has Rprec and Rprec_mult_1.00."""

    name = "Rprec_mult"
    aliases = ()

    def trec_name(self) -> str | None:
        """Rprec_mult_1.00."""
        return f"Rprec_mult_{self.a:.2f}"
