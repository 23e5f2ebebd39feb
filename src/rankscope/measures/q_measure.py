"""Q-measure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.measures.fractions import divide
from rankscope.measures.gains import GAINS, at_rank, gain_of, gaining, ideal_order
from rankscope.measures.measure import Measure
from rankscope.measures.worth import gains_first
from rankscope.ranks.expectation import expected_over_ties, relevant_in_ties, sums_in_groups
from rankscope.ranks.relevant_ranks import RelevantRanks, rank_counts
from rankscope.settings import Settings


@dataclass(frozen=True)
class Q(Measure):
    """Q-measure: AP blended with cumulated gain against the ideal order; `beta` weighs the gain, 0 gives AP."""

    name = "Q"
    aliases = ("Qmeasure", "q_measure")
    formula = "(1/R) sum over hits at k of (v(k) + beta cg(k)) / (k + beta cg*(k))"
    source = "Sakai 2004"
    needs = frozenset({"grades"})
    choices = {"gain": GAINS}
    least = {"beta": 0.0}

    beta: float = 1.0
    gain: str = "linear"
    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Sum over hits."""
        found = gaining(queries)
        hit = found["grade"] >= self.rel
        return divide(found.total(np.where(hit, self._terms(queries), 0.0)), queries.at(rel=self.rel).relevant)

    def _terms(self, queries: RelevantRanks) -> FloatArray:
        """For each item with a gain, what it adds if it is a hit."""
        found = gaining(queries)
        gained = found.running_in_order(gain_of(found["grade"], self.gain))
        count = found.running((found["grade"] >= self.rel).astype(np.int64))
        return (count + self.beta * gained) / self._most(queries, found.row, found["rank"])

    def _most(self, queries: RelevantRanks, row: IntArray, rank: IntArray) -> FloatArray:
        """k + beta cg*(k), which does not depend on the order."""
        ideal = ideal_order(queries)
        best = ideal.running_in_order(gain_of(ideal["grade"], self.gain))
        return rank + self.beta * at_rank(best, ideal, row, rank)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Counts and cumulated gains at a place that holds a hit are sums, so their means suffice: of the group's other
        items, (t - 1)/(n - 1) stand above place t on average.
        """
        found = gaining(queries)
        hits = queries.at(rel=max(self.rel, float(np.nextafter(0, 1))))
        tied = relevant_in_ties(hits)
        gain = gain_of(found["grade"], self.gain)
        hit = found["grade"] >= self.rel
        of_hits = sums_in_groups(queries, found, np.where(hit, gain, 0.0))[tied.group]
        of_all = sums_in_groups(queries, found, gain)[tied.group]
        running = found.running_in_order(gain)
        before = at_rank(running, found, tied.row, rank_counts(found, tied.row, tied.ranks_before))
        above = (tied.place - 1) / np.maximum(tied.size - 1, 1)
        gained = tied.hits * before + of_hits + above * (tied.hits * of_all - of_hits)
        counted = (tied.hits * tied.next_hit() + self.beta * gained) / tied.size
        grouped = counted / self._most(queries, tied.row, tied.rank)
        total = expected_over_ties(hits, self._terms(queries)[hit], tied, grouped)
        return divide(total, queries.at(rel=self.rel).relevant)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """High grades first; a gain below `rel` may help the hits below it more than it takes their places."""
        return np.where((grade > 0) & (grade < self.rel), np.nan, gains_first(grade))
