"""Recall within a scope, plain and capped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.measures.fractions import divide
from rankscope.measures.measure import Measure
from rankscope.measures.worth import hits_first
from rankscope.notation import given_behind_at
from rankscope.ranks.expectation import expected_hits
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.settings import Settings


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
