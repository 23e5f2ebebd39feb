"""trec_eval's two experimental gain measures, whose cost grows with the irrelevant items above, not with the rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.arrays import BoolArray, FloatArray
from rankscope.measures.blended import different_gains_tied
from rankscope.measures.fractions import divide
from rankscope.measures.gains import at_rank, gaining, ideal_order
from rankscope.measures.measure import Measure
from rankscope.measures.ndcg import nDCG
from rankscope.measures.worth import gains_first, hits_first
from rankscope.ranks.expectation import found_items, spans
from rankscope.ranks.relevant_ranks import RelevantRanks, rank_counts
from rankscope.settings import Settings


@dataclass(frozen=True)
class BinG(Measure):
    """Binary G: mean over all relevant items of 1 / log2(2 + irrelevant items above)."""

    name = "binG"
    formula = "(1/R) sum over hits of 1 / log2(2 + rank - position)"
    source = "trec_eval binG (experimental)"
    trec = "binG"

    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Sum over hits."""
        queries = queries.at(rel=self.rel)
        return divide(queries.total(1.0 / np.log2(2.0 + queries.ranks - queries.position)), queries.relevant)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Of w irrelevant items in its group a hit has 0, 1, ..., w above it with equal chance."""
        queries = queries.at(rel=self.rel)
        found = found_items(queries)
        start, size = spans(queries, found)
        hits = rank_counts(found, found.row, start - 1)
        before = start - 1 - hits
        wrong = size - (rank_counts(found, found.row, start + size - 1) - hits)
        most = int((before + wrong).max(initial=0))
        sums = np.concatenate([[0.0], np.cumsum(1.0 / np.log2(2.0 + np.arange(most + 1)))])
        return divide(found.total((sums[before + wrong + 1] - sums[before]) / (wrong + 1)), queries.relevant)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """Hits first."""
        return hits_first(grade, self.rel)


@dataclass(frozen=True)
class G(Measure):
    """Normalised gain: each item's gain over log2(2 + cost so far - gain so far), over all gain there is.

    The cost of a place is the gain of the ideal order there, at least 1.
    """

    name = "G"
    formula = "sum over items of gain / log2(2 + cost(rank) - gained), over the sum of all gains"
    source = "trec_eval G (experimental)"
    trec = "G"
    needs = frozenset({"grades"})

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Sum over items with a gain."""
        found, ideal = gaining(queries), ideal_order(queries)
        dear = ideal.running_in_order(np.maximum(ideal["grade"], 1.0))
        beyond = np.maximum(found["rank"] - ideal.lengths[found.row], 0)
        cost = at_rank(dear, ideal, found.row, found["rank"]) + beyond
        gained = found.running_in_order(found["grade"])
        value = found.total(found["grade"] / np.log2(2.0 + cost - gained))
        return divide(value, ideal.total(ideal["grade"]))

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """Items with a gain first."""
        return np.sign(gains_first(grade))

    def unproven(self, queries: RelevantRanks, settings: Settings) -> BoolArray:
        """Of two different gains in one group now the higher should stand first and now the lower, as costs have it."""
        return different_gains_tied(queries)

    def defined(self, queries: RelevantRanks) -> Any:
        """As nDCG."""
        return nDCG().defined(queries)
