"""trec_eval's two experimental gain measures, whose cost grows with the irrelevant items above, not with the rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.measures.fractions import divided
from rankscope.measures.gains import at_rank, gaining, ideal_order
from rankscope.measures.measure import Measure
from rankscope.measures.ndcg import nDCG
from rankscope.ranks.relevant_ranks import RelevantRanks


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
        return divided(queries.total(1.0 / np.log2(2.0 + queries.ranks - queries.position)), queries.relevant)


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
        return divided(value, ideal.total(ideal["grade"]))

    def defined(self, queries: RelevantRanks) -> Any:
        """As nDCG."""
        return nDCG().defined(queries)
