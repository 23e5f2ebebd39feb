"""Q-measure and its relatives: a population of users who stop at relevant items, and what each has read by then."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import BoolArray, FloatArray
from rankscope.measures.blended import Blended, blended_worth, different_gains_tied
from rankscope.measures.fractions import divide
from rankscope.measures.gains import at_rank, gain_of, gaining
from rankscope.ranks.expectation import TiedPlaces, expected_over_ties, relevant_in_ties, sums_in_groups
from rankscope.ranks.relevant_ranks import RelevantRanks, rank_counts
from rankscope.settings import Settings


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
        """Sum over hits."""
        found = gaining(queries)
        counts = self.is_hit(found) & (found["rank"] <= self._limit)
        total = found.total(np.where(counts, self.shares(queries) * self.ratios(queries), 0.0))
        return divide(total, self.users(queries))

    @property
    def _limit(self) -> float:
        return np.inf if self.scope is None else self.scope

    def _expected(self, queries: RelevantRanks) -> FloatArray:
        """Where shares do not depend on the order: counts and cumulated gains at a place that holds a hit are sums, so
        their means suffice; of the group's other items, (t - 1)/(n - 1) stand above place t on average.
        """
        hits = self.hits(queries)
        tied = relevant_in_ties(hits)
        found = gaining(queries)
        grouped = self._at_places(queries, tied) / self.most_at(queries, tied.row, tied.rank)
        counts = found["rank"] <= self._limit
        terms = np.where(counts, self.shares(queries) * self.ratios(queries), 0.0)[self.is_hit(found)]
        total = expected_over_ties(hits, terms, tied, np.where(tied.rank <= self._limit, grouped, 0.0))
        return divide(total, self.users(queries))

    def _at_places(self, queries: RelevantRanks, tied: TiedPlaces) -> FloatArray:
        """The mean over orders of share (count + beta gain) at each tied place."""
        found = gaining(queries)
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
        """One for each."""
        return np.ones(gaining(queries).size)

    def users(self, queries: RelevantRanks) -> FloatArray:
        """As many as there are relevant items, or as the cut-off leaves room for."""
        return np.minimum(self.hits(queries).relevant, self._limit)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Each tied item is as likely at any of its places."""
        return self._expected(queries)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """High gains first."""
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
        found = gaining(queries)
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
