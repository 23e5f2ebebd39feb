"""Discounted cumulated gain as it is, in the two discounts of its inventors, and plain hits.

And trec_eval's two experimental gain measures, whose cost grows with the irrelevant items above, not with the rank.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.settings import Settings
from rankscope.measures.gains import (
    GAIN_RULE,
    GAINS,
    NEARLY_NOTHING,
    at_rank,
    different_gains_tied,
    discount,
    gain_worth,
    gains_within,
    ideal_order,
)
from rankscope.measures.measure import HitsFirst, Measure, gains_first
from rankscope.measures.ndcg import nDCG
from rankscope.measures.precision_recall import HitsWithin
from rankscope.ranks.ragged import divide
from rankscope.ranks.relevant_ranks import RelevantRanks, rank_counts
from rankscope.ranks.tie_orders import expected_additive, found_items, spans

# Discounted cumulated gain as it is, and in the two discounts of its inventors.


class _Additive(Measure):
    """A sum over items of their gain times a weight of their rank."""

    gain: str
    floor: float = 0.0
    scope: int | None

    def bounds(self) -> tuple[float, float]:
        """A sum of gains has no end."""
        return 0.0, math.inf

    @abstractmethod
    def weight(self, rank: IntArray) -> FloatArray:
        """What a rank weighs."""

    def _term(self, rank: IntArray, grade: FloatArray) -> FloatArray:
        return gains_within(rank, grade, self.gain, self.floor, self.scope) * self.weight(rank)

    def divisor(self, queries: RelevantRanks) -> FloatArray:
        """What the sum is divided by: 1, or the sum of the ideal order; 0 where there is nothing to win."""
        return np.where(self.defined(queries), 1.0, 0.0)

    def of(self, queries: RelevantRanks) -> FloatArray:
        """The sum, added in rank order."""
        found = queries.gaining
        return divide(found.total(self._term(found["rank"], found["grade"])), self.divisor(queries))

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Each tied item is as likely at any of its places."""
        return divide(expected_additive(queries, self._term), self.divisor(queries))

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        return gain_worth(grade, self.gain, self.floor)

    def defined(self, queries: RelevantRanks) -> Any:
        """Queries with a gain to win."""
        return queries.count_judged(least=max(self.floor, NEARLY_NOTHING)) > 0


@dataclass(frozen=True)
class DCG(_Additive):
    """Discounted cumulated gain, not normalised: queries with many relevant items reach more.

    `gain`: linear takes the grade itself, exp 2^grade - 1, {1:2,2:5} a gain for each grade. Grades below `floor` gain
    nothing.
    """

    name = "DCG"
    aliases = ("dcg",)
    formula = "sum over k of gain_k / log2(k + 1)"
    source = "Järvelin & Kekäläinen 2002 with the discount of Burges et al. 2005; ranx dcg, dcg_burges"
    needs = frozenset({"grades"})
    choices = {"gain": GAINS}
    own_rules = {"gain": GAIN_RULE}

    gain: str = "linear"
    floor: float = 0.0
    scope: int | None = None

    def weight(self, rank: IntArray) -> FloatArray:
        """One over log2(k + 1)."""
        return 1.0 / discount(rank)


@dataclass(frozen=True)
class jDCG(_Additive):
    """Discounted cumulated gain as Järvelin and Kekäläinen wrote it: ranks before `base` are not discounted at all.

    `gain` as for DCG.
    """

    name = "jDCG"
    formula = "sum over k of gain_k / max(1, log_b(k))"
    source = "Järvelin & Kekäläinen 2002; NTCIREVAL"
    needs = frozenset({"grades"})
    choices = {"gain": GAINS}
    own_rules = {"gain": GAIN_RULE}
    above = {"base": 1.0}

    base: float = 2.0
    gain: str = "linear"
    scope: int | None = None

    def weight(self, rank: IntArray) -> FloatArray:
        """One over log_b(k), at most 1."""
        return 1.0 / np.maximum(np.log(rank) / np.log(self.base), 1.0)


@dataclass(frozen=True)
class jnDCG(jDCG):
    """Järvelin and Kekäläinen's own nDCG: ranks before `base` are not discounted, the ideal order is cut at k too."""

    name = "jnDCG"
    formula = "jDCG over that of the ideal order"

    def bounds(self) -> tuple[float, float]:
        """A share of the ideal order's sum."""
        return 0.0, 1.0

    def divisor(self, queries: RelevantRanks) -> FloatArray:
        """The sum over the ideal order of all judged items."""
        ideal = ideal_order(queries, self.gain)
        return ideal.total(self._term(ideal["rank"], ideal["grade"]))


@dataclass(frozen=True)
class HitCount(HitsWithin):
    """Hits: how many of the returned items (of the first `scope`) are relevant."""

    name = "hits"
    aliases = ("Hits",)
    formula = "v(k)"
    source = "ranx hits"

    rel: float = 1.0
    scope: int | None = None

    def bounds(self) -> tuple[float, float]:
        """As many as the cut-off leaves room for."""
        return 0.0, math.inf if self.scope is None else float(self.scope)

    def value(self, hits: IntArray | FloatArray, queries: RelevantRanks) -> FloatArray:
        """Counted."""
        return np.where(queries.relevant > 0, hits, np.nan)


# trec_eval's two experimental gain measures, whose cost grows with the irrelevant items above, not with the rank.


@dataclass(frozen=True)
class BinG(HitsFirst):
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
        found, ideal = queries.gaining, ideal_order(queries)
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
