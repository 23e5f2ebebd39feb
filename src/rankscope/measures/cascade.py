"""Expected reciprocal rank: a user goes down the list until an item satisfies."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.settings import Settings
from rankscope.measures.gains import GAIN_RULE, GAINS, TopGraded, gain_of, gain_worth, ideal_order, need_top, own_gains
from rankscope.ranks.ragged import Ragged, divide, ranges, sums_by
from rankscope.ranks.relevant_ranks import RelevantRanks, rank_counts
from rankscope.ranks.tie_orders import counts_in_groups, group_of

Payoff = Callable[[IntArray], FloatArray]  # what a user has who is satisfied at a rank


def chance_of(grade: FloatArray, top: float, gain: str) -> FloatArray:
    """The chance that an item satisfies: its gain over one more than the highest gain.

    >>> chance_of(np.array([1.0, 2.0]), 2.0, "exp"), chance_of(np.array([1.0, 2.0]), 2.0, "linear")
    (array([0.25, 0.75]), array([0.33333333, 0.66666667]))
    """
    return gain_of(grade, gain) / (highest_gain(top, gain) + 1.0)


def highest_gain(top: float, gain: str) -> float:
    """The highest gain of any grade up to `top`, which need not be that of `top` where each grade is given its own.

    >>> highest_gain(3.0, "exp"), highest_gain(2.0, "{1:5,2:1}"), highest_gain(3.0, "{3:1}")
    (7.0, 5.0, 2.0)
    """
    own = own_gains(gain) if gain.startswith("{") else {}
    whole = np.arange(max(1.0, np.floor(top) - len(own)), top + 1.0)  # one of them at least keeps its own
    grades = np.array([top, *own, *whole])
    return float(gain_of(grades[grades <= top], gain).max())


def most_satisfied(top: float | None, gain: str, utility: Payoff, scope: int | None) -> float:
    """What users have of a list of nothing but the best items: all stop at the first, unless its gain has an end."""
    if top is None:
        return float(utility(np.array([1]))[0])
    chance = highest_gain(top, gain) / (highest_gain(top, gain) + 1.0)
    if chance == 0:
        return 0.0
    rank = np.arange(1, min(np.inf if scope is None else scope, np.ceil(40 / chance)) + 1, dtype=np.int64)
    return float((chance * (1.0 - chance) ** (rank - 1) * utility(rank)).sum())


def stops(items: Ragged, chance: FloatArray) -> FloatArray:
    """The chance that a user stops at each item: it satisfies, and none above did."""
    with np.errstate(divide="ignore"):
        still = items.running_in_order(np.log1p(-np.minimum(chance, 1.0)))
    before = np.exp(np.concatenate([[0.0], still[:-1]])) if still.size else still
    return chance * np.where(items.position == 1, 1.0, before)


def _stopping(items: Ragged, chance: FloatArray, utility: Payoff) -> FloatArray:
    """What a user has at the end of a list."""
    return items.total(stops(items, chance) * utility(items["rank"]))


def _expected_stopping(queries: RelevantRanks, items: Ragged, chance: FloatArray, utility: Payoff) -> FloatArray:
    """The mean of `_stopping` over all orders of equal scores: a user who has come to place t of a group stops there
    with the chance S(t - 1) - S(t), S(t) being the mean chance not to be satisfied by t of its items.
    """
    with np.errstate(divide="ignore"):
        still = items.running_in_order(np.log1p(-np.minimum(chance, 1.0)))

    def reached(row: IntArray, rank: IntArray) -> FloatArray:
        count = rank_counts(items, row, rank - 1)
        return np.where(count > 0, np.exp(still[np.maximum(items.offsets[row] + count - 1, 0)]), 1.0)

    here = chance * reached(items.row, items["rank"]) * utility(items["rank"])
    value = items.total(np.where(group_of(queries, items) < 0, here, 0.0))
    before, count = counts_in_groups(queries, items)
    groups = np.flatnonzero(count > 0)
    if groups.size == 0:
        return value
    groups = groups[np.argsort(-count[groups], kind="stable")]
    row, start, size = queries.ties.row[groups], queries.ties["start"][groups], queries.ties["size"][groups]
    survival = _mean_survival(size, count[groups], items.offsets[row] + before[groups], chance)
    place, owner = ranges(np.ones_like(size), size), np.repeat(np.arange(groups.size), size)
    rank, left = start[owner] - 1 + place, survival[place + np.repeat(np.cumsum(size + 1) - size - 1, size)]
    ends = survival[place - 1 + np.repeat(np.cumsum(size + 1) - size - 1, size)] - left
    terms = ends * reached(row, start)[owner] * utility(rank)
    return value + sums_by(row[owner], terms, len(queries))


def _mean_survival(size: IntArray, count: IntArray, first: IntArray, chance: FloatArray) -> FloatArray:
    """S(0), ..., S(n) of each group, one behind the other: the mean over all sets of t of its n items of the chance
    that none satisfies. `count` of them (falling) can, those from `first` on in `chance`.

    One item more, with chance c, makes of n - 1 items: S(t) (1 - t/n) + S(t - 1) (1 - c) t/n.
    >>> _mean_survival(np.array([2]), np.array([1]), np.array([0]), np.array([0.5]))
    array([1.  , 0.75, 0.5 ])
    """
    width = size + 1
    place = ranges(np.zeros_like(size), width)
    owner, ends = np.repeat(np.arange(size.size), width), np.cumsum(width)
    survival = np.ones(place.size)
    for nth in range(int(count.max(initial=0))):
        groups = int(np.searchsorted(-count, -nth))  # those that have one more
        end = int(ends[groups - 1])
        now = (size - count + nth + 1)[owner[:end]]
        share = np.where(place[:end] <= now, place[:end] / now, 0.0)
        kept = (1.0 - chance[first[:groups] + nth])[owner[:end]]
        shifted = np.concatenate([[1.0], survival[: end - 1]])
        survival[:end] = (1.0 - share) * survival[:end] + share * kept * shifted
    return survival


class _Cascade(TopGraded):
    """A user goes down the list and stops at an item that satisfies: the mean over users of what they have then."""

    gain: str
    scope: int | None

    @abstractmethod
    def utility(self, rank: IntArray) -> FloatArray:
        """What a user has who is satisfied at a rank."""

    def bounds(self) -> tuple[float, float]:
        """Up to a list of nothing but the best items."""
        return 0.0, most_satisfied(self.top, self.gain, self.utility, self.scope)

    def of(self, queries: RelevantRanks) -> FloatArray:
        """One pass down the items with a gain."""
        value = self._value(queries, queries.gaining)
        return np.where(self.defined(queries), value, np.nan)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Over the places of each group of equal scores."""
        return np.where(self.defined(queries), self._expected(queries), np.nan)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        return gain_worth(grade, self.gain)

    def chance(self, queries: RelevantRanks, grade: FloatArray) -> FloatArray:
        """The chance of each grade to satisfy."""
        top = self.bind(queries).top
        need_top(self, top, queries)
        return chance_of(grade, top or 0.0, self.gain)

    def _utility(self, rank: IntArray) -> FloatArray:
        return np.where(rank <= self.last_rank, self.utility(rank), 0.0)

    def _value(self, queries: RelevantRanks, items: Ragged) -> FloatArray:
        return _stopping(items, self.chance(queries, items["grade"]), self._utility)

    def _expected(self, queries: RelevantRanks) -> FloatArray:
        items = queries.gaining
        return _expected_stopping(queries, items, self.chance(queries, items["grade"]), self._utility)


@dataclass(frozen=True)
class ERR(_Cascade):
    """Expected reciprocal rank: 1 over the rank at which a user is satisfied, who stops more likely at higher grades.

    `top` is the highest grade there can be; that of the judgements unless said. Some peers fix it at 4. `gain` linear
    makes the chance to stop grade / (top + 1), as NTCIREVAL does; exp is that of Chapelle et al.
    """

    name = "ERR"
    formula = "sum over k of (1/k) R_k prod over j < k of (1 - R_j), R = gain / (highest gain + 1), gain = 2^grade - 1"
    source = "Chapelle et al. 2009; gdeval; linear: NTCIREVAL"
    needs = frozenset({"grades"})
    least = {"scope": 1, "top": 0.0}
    choices = {"gain": GAINS}
    own_rules = {"gain": GAIN_RULE}

    top: float | None = None
    gain: str = "exp"
    scope: int | None = None

    def utility(self, rank: IntArray) -> FloatArray:
        return 1.0 / rank


@dataclass(frozen=True)
class nERR(ERR):
    """Expected reciprocal rank over that of the ideal order."""

    name = "nERR"
    formula = "ERR / ERR of the ideal order"
    source = "Chapelle et al. 2009; NTCIREVAL"

    def bounds(self) -> tuple[float, float]:
        """A share of the best there could be."""
        return 0.0, 1.0

    def of(self, queries: RelevantRanks) -> FloatArray:
        """ERR over the best there could be."""
        return divide(self._value(queries, queries.gaining), self._best(queries))

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """As ERR: the ideal order has no equal scores."""
        return divide(self._expected(queries), self._best(queries))

    def _best(self, queries: RelevantRanks) -> FloatArray:
        return self._value(queries, ideal_order(queries, self.gain))


@dataclass(frozen=True)
class iRBU(_Cascade):
    """Intentwise rank-biased utility: a user is satisfied as in ERR, and each item read until then costs a share 1 - p.

    `top` and `gain` as for ERR. With p near 1 it asks little more than whether the list satisfies at all.
    """

    name = "iRBU"
    formula = "sum over k of p^k R_k prod over j < k of (1 - R_j), R = gain / (highest gain + 1)"
    source = "Sakai & Zeng 2020, the one-intent case of Amigó et al. 2018 without effort"
    needs = frozenset({"grades"})
    least = {"scope": 1, "top": 0.0, "p": 0.0}
    most = {"p": 1.0}
    choices = {"gain": GAINS}
    own_rules = {"gain": GAIN_RULE}

    p: float = 0.99
    top: float | None = None
    gain: str = "exp"
    scope: int | None = None

    def utility(self, rank: IntArray) -> FloatArray:
        """What is left after so many items."""
        return self.p ** rank.astype(np.float64)
