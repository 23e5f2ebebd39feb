"""Precision at a multiple of the number of relevant items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.measures.fractions import divide
from rankscope.measures.measure import Measure
from rankscope.measures.worth import hits_first
from rankscope.ranks.expectation import expected_hits
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.settings import Settings


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
