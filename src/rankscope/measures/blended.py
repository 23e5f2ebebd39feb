"""The blended ratio of Sakai's measures: hits and cumulated gain so far, over the most there could be at this rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.measures.gains import GAIN_RULE, GAINS, at_rank, gain_of, gaining, ideal_order
from rankscope.measures.measure import Measure
from rankscope.measures.worth import hits_first
from rankscope.ranks.expectation import group_of
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks


class Blended(Measure):
    """A measure that reads the blended ratio (v(k) + beta cg(k)) / (k + beta cg*(k)) at some of the hits."""

    needs = frozenset({"grades"})
    choices = {"gain": GAINS}
    own_rules = {"gain": GAIN_RULE}
    least = {"beta": 0.0}

    beta: float
    gain: str
    rel: float

    def ratios(self, queries: RelevantRanks) -> FloatArray:
        """The blended ratio at each item found that is judged above 0."""
        found = gaining(queries)
        gained = found.running_in_order(gain_of(found["grade"], self.gain))
        count = found.running(self.is_hit(found).astype(np.int64))
        return (count + self.beta * gained) / self.most_at(queries, found.row, found["rank"])

    def is_hit(self, found: Ragged) -> BoolArray:
        """Which items count as relevant."""
        return np.asarray(found["grade"] >= self.rel)

    def most_at(self, queries: RelevantRanks, row: IntArray, rank: IntArray) -> FloatArray:
        """k + beta cg*(k), which does not depend on the order."""
        ideal = ideal_order(queries, self.gain)
        best = ideal.running_in_order(gain_of(ideal["grade"], self.gain))
        return rank + self.beta * at_rank(best, ideal, row, rank)

    def hits(self, queries: RelevantRanks) -> RelevantRanks:
        """The queries with those items as relevant that are hits and can be found among the gains."""
        return queries.at(rel=max(self.rel, float(np.nextafter(0, 1))))

    def defined(self, queries: RelevantRanks) -> Any:
        """Queries with a relevant item."""
        return self.hits(queries).relevant > 0


def blended_worth(grade: FloatArray, gain: str, rel: float) -> FloatArray:
    """Hits by their gain, then what is not judged, then what is judged and not relevant.

    A gain below `rel` may help the hits below it more than it takes their places: not known.
    """
    hits = hits_first(grade, rel)
    worth = np.where(hits > 0, 1.0 + gain_of(grade, gain), hits)
    return np.where((grade > 0) & (grade < rel), np.nan, worth)


def different_gains_tied(queries: RelevantRanks, gain: str = "linear") -> BoolArray:
    """Which queries have two different gains in one group of equal scores.

    >>> from dataclasses import replace
    >>> queries = RelevantRanks.from_ranks([[1, 2]], grades=[[2, 1]], depth=3)
    >>> different_gains_tied(replace(queries, ties=Ragged.of([[1]], "start").with_columns(size=np.array([3]))))
    array([ True])
    """
    found = gaining(queries)
    group, value = group_of(queries, found), gain_of(found["grade"], gain)
    low, high = np.full(queries.ties.size, np.inf), np.full(queries.ties.size, -np.inf)
    np.minimum.at(low, group[group >= 0], value[group >= 0])
    np.maximum.at(high, group[group >= 0], value[group >= 0])
    return np.asarray(queries.ties.count(low < high) > 0)
