"""What a language model is given to read: precision and recall of retrieved contexts, as evaluations of RAG count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray
from rankscope.core.settings import Settings
from rankscope.measures.average_precision import AP
from rankscope.measures.measure import HitsFirst
from rankscope.measures.precision_recall import R
from rankscope.measures.whole_list import SetR
from rankscope.ranks.ragged import divide
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.ranks.tie_orders import expected_hits


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
        """Hits over relevant contexts."""
        return self._recall.of(queries)

    def ratio(self, queries: RelevantRanks) -> tuple[FloatArray, FloatArray]:
        """Hits and relevant contexts."""
        return self._recall.ratio(queries)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Each tied item is as likely at any of its places."""
        return self._recall.expected(queries)
