"""Discounted cumulated gain, normalised."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.settings import Settings
from rankscope.measures.gains import (
    GAIN_RULE,
    GAINS,
    at_rank,
    discount,
    gain_of,
    gain_worth,
    gains_within,
    ideal_order,
    losing_order,
)
from rankscope.measures.measure import Measure, gains_first, not_known
from rankscope.ranks.ragged import Ragged, divide, ranges, sums_by
from rankscope.ranks.relevant_ranks import RelevantRanks, rank_counts
from rankscope.ranks.tie_orders import counts_in_groups, expected_additive, group_of, spread_evenly, sums_in_groups


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
        """DCG over ideal DCG."""
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
        """Queries with a gain to win."""
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
        """High grades first."""
        return gains_first(grade)

    def defined(self, queries: RelevantRanks) -> Any:
        """As nDCG."""
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
