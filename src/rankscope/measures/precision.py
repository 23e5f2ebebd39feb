"""Precision within a scope."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.measures.fractions import divide
from rankscope.measures.measure import Measure
from rankscope.measures.worth import hits_first, not_known
from rankscope.notation import given_behind_at
from rankscope.ranks.expectation import expected_hits
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.settings import Settings


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
