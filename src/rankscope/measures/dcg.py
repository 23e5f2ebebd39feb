"""Discounted cumulated gain as it is, in the two discounts of its inventors, and over an ideal list; and plain hits.

And trec_eval's two experimental gain measures, whose cost grows with the irrelevant items above, not with the rank.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
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
    gain_of,
    gain_worth,
    gains_within,
    ideal_order,
    losing_order,
)
from rankscope.measures.measure import HitsFirst, Measure, gains_first, not_known
from rankscope.measures.precision_recall import HitsWithin
from rankscope.ranks.ragged import Ragged, divide, ranges, sums_by
from rankscope.ranks.relevant_ranks import RelevantRanks, rank_counts
from rankscope.ranks.tie_orders import (
    counts_in_groups,
    expected_additive,
    found_items,
    group_of,
    spans,
    spread_evenly,
    sums_in_groups,
)


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
        found = queries.gaining
        return divide(found.total(self._term(found["rank"], found["grade"])), self.divisor(queries))

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Each tied item is as likely at any of its places."""
        return divide(expected_additive(queries, self._term), self.divisor(queries))

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        return gain_worth(grade, self.gain, self.floor)

    def defined(self, queries: RelevantRanks) -> Any:
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
        return np.where(queries.relevant > 0, hits, np.nan)


@dataclass(frozen=True)
class BinG(HitsFirst):
    """Binary G: mean over all relevant items of 1 / log2(2 + irrelevant items above)."""

    name = "binG"
    formula = "(1/R) sum over hits of 1 / log2(2 + rank - position)"
    source = "trec_eval binG (experimental)"
    trec = "binG"

    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
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
        found, ideal = queries.gaining, ideal_order(queries)
        dear = ideal.running_in_order(np.maximum(ideal["grade"], 1.0))
        beyond = np.maximum(found["rank"] - ideal.lengths[found.row], 0)
        cost = at_rank(dear, ideal, found.row, found["rank"]) + beyond
        gained = found.running_in_order(found["grade"])
        value = found.total(found["grade"] / np.log2(2.0 + cost - gained))
        return divide(value, ideal.total(ideal["grade"]))

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        return np.sign(gains_first(grade))

    def unproven(self, queries: RelevantRanks, settings: Settings) -> BoolArray:
        """Of two different gains in one group now the higher should stand first and now the lower, as costs have it."""
        return different_gains_tied(queries)

    def defined(self, queries: RelevantRanks) -> Any:
        return nDCG().defined(queries)


# Normalized by the gain of an ideal list.


@dataclass(frozen=True)
class nDCG(Measure):
    """Normalised discounted cumulated gain: DCG over the DCG of the ideal order of all judged items, found or not.

    `gain`: linear takes the grade itself (trec_eval), exp 2^grade - 1 (Burges et al.), {1:2,2:5} a gain for each grade
    (grades that are not named keep their own). The cut-off cuts the ideal order too. Grades below 0 gain nothing;
    `negative` subtract lets them take away, both lets them do so at the end of the ideal order too, as torchmetrics
    does. trec_eval's -l does not touch nDCG, so it has no `rel`; grades below `floor` gain nothing, as with ranx's -l.
    """

    name = "nDCG"
    aliases = ("NDCG", "ndcg")
    formula = "sum over k of gain_k / log2(k + 1), over the same for the ideal order"
    source = "trec_eval ndcg, ndcg_cut; Järvelin & Kekäläinen 2002"
    trec = "ndcg"
    trec_cut = "ndcg_cut_{scope}"
    needs = frozenset({"grades"})
    choices = {"gain": GAINS, "negative": ("zero", "subtract", "both")}
    own_rules = {"gain": GAIN_RULE}

    gain: str = "linear"
    negative: str = "zero"
    floor: float = 0.0
    scope: int | None = None

    def bounds(self) -> tuple[float, float]:
        """What takes away has no end; and where the ideal order has losses that a list may lack, it is not the best."""
        return (0.0 if self.negative == "zero" else -math.inf), (math.inf if self.negative == "both" else 1.0)

    def of(self, queries: RelevantRanks) -> FloatArray:
        found = queries.gaining
        value = found.total(self._weight(found["rank"], found["grade"]))
        if self.negative != "zero":
            value += queries.pooled.total(self._loss(queries.pooled["rank"], queries.pooled["grade"]))
        return divide(value, self._ideal(queries))

    def _within(self, rank: IntArray) -> Any:
        return rank <= self.last_rank

    def _weight(self, rank: IntArray, grade: FloatArray) -> FloatArray:
        return gains_within(rank, grade, self.gain, self.floor, self.scope) / discount(rank)

    def _loss(self, rank: IntArray, grade: FloatArray) -> FloatArray:
        return np.where(self._within(rank), grade / discount(rank), 0.0)

    def _ideal(self, queries: RelevantRanks) -> FloatArray:
        ideal = ideal_order(queries, self.gain, self.floor)
        best = ideal.total(self._weight(ideal["rank"], ideal["grade"]))
        if self.negative == "both":
            last = losing_order(queries)
            best += last.total(self._loss(last["rank"], last["grade"]))
        return best

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Each tied item is as likely at any of its places."""
        value = expected_additive(queries, self._weight)
        if self.negative != "zero":
            value += expected_additive(replace(queries, judged=queries.pooled), self._loss)
        return divide(value, self._ideal(queries))

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """Gains first, losses last; with both, an ideal order that changes with the list has no proven extreme."""
        if self.negative == "both" and settings.depth is not None and settings.judged_only:
            return not_known(grade)
        loss = np.where(grade < 0, grade if self.negative != "zero" else 0.0, 0.0)
        return np.where(grade < 0, loss, gain_worth(grade, self.gain, self.floor))

    def defined(self, queries: RelevantRanks) -> Any:
        return queries.count_judged(least=max(self.floor, np.nextafter(0, 1))) > 0


def cumulated_dcg(items: Ragged, gain: str = "linear") -> FloatArray:
    """Running DCG at each item."""
    return items.running_in_order(gain_of(items["grade"], gain) / discount(items["rank"]))


@dataclass(frozen=True)
class nDCGRel(Measure):
    """nDCG averaged over the relevant items: its value at the rank of each, the last value for those not found."""

    name = "nDCG_rel"
    aliases = ("ndcg_rel",)
    formula = "(1/n) (sum over items with a gain found of nDCG at their rank + (n - found) nDCG at the end)"
    source = "trec_eval ndcg_rel (experimental)"
    trec = "ndcg_rel"
    needs = frozenset({"grades"})

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Mean over all items that have a gain."""
        found, ideal = queries.gaining, ideal_order(queries)
        dcg, best = cumulated_dcg(found), cumulated_dcg(ideal)
        there = found.total(divide(dcg, at_rank(best, ideal, found.row, found["rank"])))
        rows = np.arange(len(queries))
        last = at_rank(dcg, found, rows, found.lengths)
        all_of_it = at_rank(best, ideal, rows, ideal.lengths)
        missing = ideal.lengths - found.lengths
        return divide(there + divide(missing * last, all_of_it, nothing=0.0), ideal.lengths)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """At place t of a group of n, of which a gain g_1, ..., g_a: the mean sum over them of the DCG at their rank is
        (1/n) (a DCG before + G d_t + G (a - 1)/(n - 1) (d_1 + ... + d_(t-1))), G their sum, d_t = 1/log2(b + t + 1).
        """
        found, ideal = queries.gaining, ideal_order(queries)
        best, even = cumulated_dcg(ideal), spread_evenly(queries, found)
        dcg = cumulated_dcg(even)
        rows = np.arange(len(queries))
        last, all_of_it = (at_rank(total, each, rows, each.lengths) for total, each in ((dcg, even), (best, ideal)))
        there = self._alone(queries, found, even, ideal, best) + self._tied(queries, found, even, ideal, best)
        missing = ideal.lengths - found.lengths
        return divide(there + divide(missing * last, all_of_it, nothing=0.0), ideal.lengths)

    def _alone(
        self, queries: RelevantRanks, found: Ragged, even: Ragged, ideal: Ragged, best: FloatArray
    ) -> FloatArray:
        """The sum over items that are not tied."""
        alone = found.where(group_of(queries, found) < 0)
        here = at_rank(cumulated_dcg(even), even, alone.row, rank_counts(even, alone.row, alone["rank"]))
        return alone.total(divide(here, at_rank(best, ideal, alone.row, alone["rank"])))

    def _tied(self, queries: RelevantRanks, found: Ragged, even: Ragged, ideal: Ragged, best: FloatArray) -> FloatArray:
        """The sum over the places of groups that hold a gain."""
        _, count = counts_in_groups(queries, found)
        chosen = np.flatnonzero(count > 0)
        size = queries.ties["size"][chosen]
        group = np.repeat(chosen, size)
        row, rank = queries.ties.row[group], ranges(queries.ties["start"][chosen], size)
        start, n, a = queries.ties["start"][group], queries.ties["size"][group], count[group]
        gain = sums_in_groups(queries, found, found["grade"])[group]
        before = at_rank(cumulated_dcg(even), even, row, rank_counts(even, row, start - 1))
        weights = Ragged.from_rows(np.repeat(np.arange(chosen.size), size), chosen.size)
        share = 1.0 / discount(rank)
        above = weights.running_in_order(share) - share
        mean = (a * before + gain * share + gain * (a - 1) / np.maximum(n - 1, 1) * above) / n
        return sums_by(row, divide(mean, at_rank(best, ideal, row, rank)), len(queries))

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        return gains_first(grade)

    def defined(self, queries: RelevantRanks) -> Any:
        return nDCG().defined(queries)


@dataclass(frozen=True)
class Rndcg(Measure):
    """nDCG averaged over the scopes at which the ideal order changes its grade, and at the end of the list.

    With 5 items of grade 3, 3 of 2 and 10 of 1: the mean of nDCG at 5, 8, 18, and at the end if the list goes on past
    the item behind them.
    """

    name = "Rndcg"
    formula = "mean of nDCG at R_3, R_3 + R_2, R_3 + R_2 + R_1, and at the end of the list"
    source = "trec_eval Rndcg (experimental)"
    trec = "Rndcg"
    needs = frozenset({"grades"})

    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Mean over the changes of grade."""
        return self._value(queries, queries.gaining)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Each tied item is as likely at any of its places."""
        return self._value(queries, spread_evenly(queries, queries.gaining))

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """High grades first; where judged items alone make a cut list long, its end counts or not."""
        return not_known(grade) if settings.depth is not None and settings.judged_only else gains_first(grade)

    def _value(self, queries: RelevantRanks, found: Ragged) -> FloatArray:
        ideal = ideal_order(queries)
        dcg, best = cumulated_dcg(found), cumulated_dcg(ideal)
        grade = ideal["grade"]
        same = np.zeros(ideal.size, dtype=np.bool_)
        same[:-1] = (grade[1:] == grade[:-1]) & (ideal.row[1:] == ideal.row[:-1])
        change = ideal.where(~same)
        with_gain = rank_counts(found, change.row, change["rank"])
        here = at_rank(dcg, found, change.row, with_gain)
        total = change.total(divide(here, best[~same]))
        rows = np.arange(len(queries))
        longer = queries.depth > ideal.lengths + 1
        end = divide(at_rank(dcg, found, rows, found.lengths), at_rank(best, ideal, rows, ideal.lengths), nothing=0.0)
        value = divide(total + np.where(longer, end, 0.0), change.lengths + longer)
        return np.where(queries.at(rel=self.rel).relevant > 0, value, np.nan)
