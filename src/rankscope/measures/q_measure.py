"""Measures of the blended ratio: Q-measure and its relatives, and those for finding one good item."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray
from rankscope.core.settings import Settings
from rankscope.measures.cascade import chance_of, most_satisfied, stops
from rankscope.measures.gains import Blended, TopGraded, at_rank, blended_worth, different_gains_tied, gain_of, need_top
from rankscope.measures.measure import hits_first
from rankscope.measures.reciprocal_rank import expected_of_first
from rankscope.ranks.ragged import divide
from rankscope.ranks.relevant_ranks import RelevantRanks, rank_counts
from rankscope.ranks.tie_orders import TiedPlaces, expected_over_ties, relevant_in_ties, sums_in_groups

# Q-measure and its relatives: a population of users who stop at relevant items, and what each has read by then.


class _Population(Blended):
    """Users stop at hits, each hit with its own share: the mean of the blended ratio over them."""

    scope: int | None = None

    @abstractmethod
    def shares(self, queries: RelevantRanks) -> FloatArray:
        """How many users stop at each item found that is judged above 0, before all are divided by their number."""

    @abstractmethod
    def users(self, queries: RelevantRanks) -> FloatArray:
        """The number of users, including those whose item was not found."""

    def of(self, queries: RelevantRanks) -> FloatArray:
        found = queries.gaining
        counts = self.is_hit(found) & (found["rank"] <= self.last_rank)
        total = found.total(np.where(counts, self.shares(queries) * self.ratios(queries), 0.0))
        return divide(total, self.users(queries))

    def _expected(self, queries: RelevantRanks) -> FloatArray:
        """Where shares do not depend on the order: counts and cumulated gains at a place that holds a hit are sums, so
        their means suffice; of the group's other items, (t - 1)/(n - 1) stand above place t on average.
        """
        hits = self.hits(queries)
        tied = relevant_in_ties(hits)
        found = queries.gaining
        grouped = self._at_places(queries, tied) / self.most_at(queries, tied.row, tied.rank)
        counts = found["rank"] <= self.last_rank
        terms = np.where(counts, self.shares(queries) * self.ratios(queries), 0.0)[self.is_hit(found)]
        total = expected_over_ties(hits, terms, tied, np.where(tied.rank <= self.last_rank, grouped, 0.0))
        return divide(total, self.users(queries))

    def _at_places(self, queries: RelevantRanks, tied: TiedPlaces) -> FloatArray:
        """The mean over orders of share (count + beta gain) at each tied place."""
        found = queries.gaining
        gain, share = gain_of(found["grade"], self.gain), np.where(self.is_hit(found), self.shares(queries), 0.0)
        shares, own, gains = (sums_in_groups(queries, found, each)[tied.group] for each in (share, share * gain, gain))
        before = at_rank(found.running_in_order(gain), found, tied.row, rank_counts(found, tied.row, tied.ranks_before))
        above = (tied.place - 1) / np.maximum(tied.size - 1, 1)
        gained = shares * before + own + above * (shares * gains - own)
        return (shares * tied.next_hit() + self.beta * gained) / tied.size


@dataclass(frozen=True)
class Q(_Population):
    """Q-measure: AP blended with cumulated gain against the ideal order; `beta` weighs the gain, 0 gives AP.

    `gain`: linear takes the grade itself, exp 2^grade - 1, {1:2,2:5} a gain for each grade. With a cut-off only hits
    within it count, and the sum is divided by the smaller of R and the cut-off.
    """

    name = "Q"
    aliases = ("Qmeasure", "q_measure")
    formula = "(1/min(R, k)) sum over hits at j <= k of (v(j) + beta cg(j)) / (j + beta cg*(j))"
    source = "Sakai 2004; Sakai & Song 2011; NTCIREVAL"

    beta: float = 1.0
    gain: str = "linear"
    rel: float = 1.0
    scope: int | None = None

    def shares(self, queries: RelevantRanks) -> FloatArray:
        return np.ones(queries.gaining.size)

    def users(self, queries: RelevantRanks) -> FloatArray:
        """As many as there are relevant items, or as the cut-off leaves room for."""
        return np.minimum(self.hits(queries).relevant, self.last_rank)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Each tied item is as likely at any of its places."""
        return self._expected(queries)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        return blended_worth(grade, self.gain, self.rel)


@dataclass(frozen=True)
class NCU(_Population):
    """Normalised cumulative utility: Q-measure with other users.

    `stop` graded: users stop at a relevant item in proportion to its gain; biased: most at the first relevant item of
    the list, and at each later one `gamma` times as many. `beta` 0 makes the utility plain precision. NTCIREVAL prints
    four of them: NCUguP, NCUguBR, NCUrbP and NCUrbBR.
    """

    name = "NCU"
    formula = "sum over hits at k of share_k (v(k) + beta cg(k)) / (k + beta cg*(k)), shares of all hits add to 1"
    source = "Sakai & Robertson 2008; NTCIREVAL"
    choices = {"stop": ("graded", "biased")}
    above = {"gamma": 0.0}
    most = {"gamma": 1.0}

    stop: str = "graded"
    beta: float = 1.0
    gamma: float = 0.95
    gain: str = "linear"
    rel: float = 1.0

    def shares(self, queries: RelevantRanks) -> FloatArray:
        """The gain, or a power of gamma."""
        found = queries.gaining
        if self.stop == "graded":
            return gain_of(found["grade"], self.gain)
        return np.asarray(self.gamma ** (found.running(self.is_hit(found).astype(np.int64)) - 1.0))

    def users(self, queries: RelevantRanks) -> FloatArray:
        """All gains there are, or all powers."""
        if self.stop == "graded":
            levels = queries.levels
            gain = np.where(levels["grade"] >= self.rel, gain_of(levels["grade"], self.gain), 0.0)
            return levels.total(levels["count"] * gain)
        relevant = self.hits(queries).relevant
        powers = self.gamma ** np.arange(int(relevant.max(initial=0)), dtype=np.float64)
        return np.concatenate([[0.0], np.cumsum(powers)])[relevant]

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Each tied item is as likely at any of its places; shares that depend on hits above have no closed form."""
        return self._expected(queries) if self.stop == "graded" else None

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """High gains first; hits in the first place, where users stop by gain."""
        worth = blended_worth(grade, self.gain, self.rel)
        return np.sign(worth) if self.stop == "graded" else worth

    def unproven(self, queries: RelevantRanks, settings: Settings) -> BoolArray:
        """Where users stop by gain, of two gains now the higher should stand first and now the lower."""
        if self.stop == "graded":
            return different_gains_tied(queries, self.gain)
        return super().unproven(queries, settings)


# Measures for finding one good item: the blended ratio at the first hit, at the first of the best, or on the way.


@dataclass(frozen=True)
class Omeasure(Blended):
    """O-measure: the blended ratio at the first relevant item, 0 if none was found; `beta` 0 gives reciprocal rank.

    `gain`: linear takes the grade itself, exp 2^grade - 1, {1:2,2:5} a gain for each grade.
    """

    name = "Omeasure"
    aliases = ("O_measure", "O")
    formula = "(1 + beta gain(r)) / (r + beta cg*(r)), r = rank of the first hit"
    source = "Sakai 2007; NTCIREVAL"

    beta: float = 1.0
    gain: str = "linear"
    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        hits = self.hits(queries)
        first = hits.position == 1
        row, rank = hits.row[first], hits.ranks[first]
        value = np.zeros(len(queries))
        own = gain_of(hits.grades[first], self.gain)
        value[row] = (1.0 + self.beta * own) / self.most_at(queries, row, rank)
        return np.where(hits.relevant > 0, value, np.nan)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Each hit of a group is as likely to be its first, so that their mean gain counts."""
        hits = self.hits(queries)
        tied = relevant_in_ties(hits)
        found = queries.gaining
        gain = np.where(self.is_hit(found), gain_of(found["grade"], self.gain), 0.0)
        mean = sums_in_groups(queries, found, gain)[tied.group] / np.maximum(tied.hits, 1)
        value = (1.0 + self.beta * mean) / self.most_at(queries, tied.row, tied.rank)
        return expected_of_first(hits, value, tied, self.of(queries))

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """Hits first, those of the highest gain before the others."""
        hits = hits_first(grade, self.rel)
        return np.where(hits > 0, 1.0 + gain_of(grade, self.gain), hits)


def best_found(queries: RelevantRanks) -> tuple[FloatArray, FloatArray]:
    """The highest grade that each list holds, and the rank of its first item of that grade; -inf and inf for none."""
    found = queries.gaining
    grade = np.full(len(queries), -np.inf)
    np.maximum.at(grade, found.row, found["grade"])
    top = found.where(found["grade"] == grade[found.row]) if found.size else found
    rank = np.full(len(queries), np.inf)
    np.minimum.at(rank, top.row, top["rank"])
    return grade, rank


@dataclass(frozen=True)
class Pmeasure(Blended):
    """P-measure: the blended ratio at the first of the best items that the list holds; the preferred rank of a user
    who wants one highly relevant item. 0 if nothing relevant was found.

    `gain`: linear takes the grade itself, exp 2^grade - 1, {1:2,2:5} a gain for each grade.
    """

    name = "Pmeasure"
    aliases = ("P_measure",)
    formula = "(v(r) + beta cg(r)) / (r + beta cg*(r)), r = rank of the first item of the highest grade found"
    source = "Sakai 2007; NTCIREVAL"

    beta: float = 1.0
    gain: str = "linear"
    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        found, (grade, rank) = queries.gaining, best_found(queries)
        here = (found["rank"] == rank[found.row]) & (grade[found.row] >= self.rel)
        return np.where(self.defined(queries), found.total(np.where(here, self.ratios(queries), 0.0)), np.nan)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """The first of m best items of a group stands at place t; of the group's other items, (t - 1)/(n - m) are
        above it on average.
        """
        grade, _ = best_found(queries)
        judged = queries.judged  # with the best items as the only relevant ones, if they are relevant at all
        chosen = (judged["grade"] == grade[judged.row]) & (judged["grade"] >= self.rel)
        best = replace(queries, judged=judged.with_columns(grade=np.where(chosen, 1.0, 0.0)), rel=1.0)
        tied = relevant_in_ties(best)
        value = self._at_places(queries, tied) / self.most_at(queries, tied.row, tied.rank)
        fixed = np.nan_to_num(self.of(queries))
        return np.where(self.defined(queries), expected_of_first(best, value, tied, fixed), np.nan)

    def _at_places(self, queries: RelevantRanks, tied: TiedPlaces) -> FloatArray:
        """Count and gain up to a place that holds the first of the best, on average."""
        found, (grade, _) = queries.gaining, best_found(queries)
        others = found["grade"] < grade[found.row]
        hit, gain = self.is_hit(found), gain_of(found["grade"], self.gain)
        share = (tied.place - 1) / np.maximum(tied.size - tied.hits, 1)
        weight = np.where(hit, 1.0, 0.0) + self.beta * gain
        inside = sums_in_groups(queries, found, np.where(others, weight, 0.0))[tied.group]
        before = at_rank(
            found.running_in_order(weight), found, tied.row, rank_counts(found, tied.row, tied.ranks_before)
        )
        own = 1.0 + self.beta * gain_of(grade, self.gain)[tied.row]
        return before + own + share * inside


@dataclass(frozen=True)
class Pplus(Blended):
    """P-plus-measure: the mean blended ratio over the relevant items down to the first of the best that the list holds.

    `gain`: linear takes the grade itself, exp 2^grade - 1, {1:2,2:5} a gain for each grade.
    """

    name = "Pplus"
    aliases = ("P_plus", "P+", "PPlusMeasure")
    formula = "mean over hits at k <= r of (v(k) + beta cg(k)) / (k + beta cg*(k)), r as for P-measure"
    source = "Sakai 2007; NTCIREVAL"

    beta: float = 1.0
    gain: str = "linear"
    rel: float = 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Mean over the hits on the way."""
        found, (_, rank) = queries.gaining, best_found(queries)
        here = self.is_hit(found) & (found["rank"] <= rank[found.row])
        value = divide(found.total(np.where(here, self.ratios(queries), 0.0)), found.count(here), nothing=0.0)
        return np.where(self.defined(queries), value, np.nan)


@dataclass(frozen=True)
class EBR(TopGraded, Blended):
    """Expected blended ratio: the blended ratio at the item that satisfies a user, who stops as in ERR.

    `top` is the highest grade there can be; that of the judgements unless said. `gain` sets the chance to stop,
    gain / (highest gain + 1), and the gain of the blended ratio: linear, exp, or {1:2,2:5}.
    """

    name = "EBR"
    formula = "sum over k of R_k prod over j < k of (1 - R_j) (v(k) + beta cg(k)) / (k + beta cg*(k))"
    source = "Sakai & Zeng 2020"
    least = {"top": 0.0, "scope": 1}

    beta: float = 1.0
    top: float | None = None
    gain: str = "exp"
    rel: float = 1.0
    scope: int | None = None

    def bounds(self) -> tuple[float, float]:
        """All who stop within the cut-off stop at a ratio of 1."""
        return 0.0, most_satisfied(self.top, self.gain, np.ones_like, self.scope)

    def of(self, queries: RelevantRanks) -> FloatArray:
        """One pass down the items with a gain."""
        found, top = queries.gaining, self.bind(queries).top
        need_top(self, top, queries)
        stop = stops(found, chance_of(found["grade"], top or 0.0, self.gain))
        within = found["rank"] <= self.last_rank
        here = np.where(within, stop * self.ratios(queries), 0.0)
        return np.where(self.defined(queries), found.total(here), np.nan)
