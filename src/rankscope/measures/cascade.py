"""Expected reciprocal rank: a user goes down the list until an item satisfies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.measures.fractions import divide
from rankscope.measures.gains import gaining, ideal_order, need_top
from rankscope.measures.measure import Measure
from rankscope.measures.worth import gains_first
from rankscope.ranks.expectation import counts_in_groups, group_of
from rankscope.ranks.ragged import Ragged, ranges, sums_by
from rankscope.ranks.relevant_ranks import RelevantRanks, rank_counts
from rankscope.settings import Settings


def _chance(grade: FloatArray, top: float) -> FloatArray:
    """The chance that an item satisfies."""
    return np.asarray((np.exp2(np.maximum(grade, 0.0)) - 1.0) / np.exp2(top))


def _stopping(items: Ragged, top: float, scope: float) -> FloatArray:
    """ERR of a list: each item satisfies with its chance if none above did."""
    satisfied = np.where(items["rank"] <= scope, _chance(items["grade"], top), 0.0)
    with np.errstate(divide="ignore"):
        still = items.running_in_order(np.log1p(-np.minimum(satisfied, 1.0)))
    before = np.exp(np.concatenate([[0.0], still[:-1]])) if still.size else still
    before = np.where(items.position == 1, 1.0, before)
    return items.total(satisfied * before / items["rank"])


def _expected_stopping(queries: RelevantRanks, items: Ragged, top: float, scope: float) -> FloatArray:
    """The mean of `_stopping` over all orders of equal scores: a user who has come to place t of a group stops there
    with the chance S(t - 1) - S(t), S(t) being the mean chance not to be satisfied by t of its items.
    """
    chance = _chance(items["grade"], top)
    with np.errstate(divide="ignore"):
        still = items.running_in_order(np.log1p(-np.minimum(chance, 1.0)))

    def reached(row: IntArray, rank: IntArray) -> FloatArray:
        count = rank_counts(items, row, rank - 1)
        return np.where(count > 0, np.exp(still[np.maximum(items.offsets[row] + count - 1, 0)]), 1.0)

    alone = (group_of(queries, items) < 0) & (items["rank"] <= scope)
    value = items.total(np.where(alone, chance * reached(items.row, items["rank"]) / items["rank"], 0.0))
    before, count = counts_in_groups(queries, items)
    groups = np.flatnonzero(count > 0)
    if groups.size == 0:
        return value
    groups = groups[np.argsort(-count[groups], kind="stable")]
    row, start, size = queries.ties.row[groups], queries.ties["start"][groups], queries.ties["size"][groups]
    survival = _mean_survival(size, count[groups], items.offsets[row] + before[groups], chance)
    place, owner = ranges(np.ones_like(size), size), np.repeat(np.arange(groups.size), size)
    rank, left = start[owner] - 1 + place, survival[place + np.repeat(np.cumsum(size + 1) - size - 1, size)]
    stops = survival[place - 1 + np.repeat(np.cumsum(size + 1) - size - 1, size)] - left
    terms = np.where(rank <= scope, stops * reached(row, start)[owner] / rank, 0.0)
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


@dataclass(frozen=True)
class ERR(Measure):
    """Expected reciprocal rank: 1 over the rank at which a user is satisfied, who stops more likely at higher grades.

    `top` is the highest grade there can be; that of the judgements unless said. Some peers fix it at 4.
    """

    name = "ERR"
    formula = "sum over k of (1/k) R_k prod over j < k of (1 - R_j), R = (2^grade - 1) / 2^top"
    source = "Chapelle et al. 2009; gdeval"
    needs = frozenset({"grades"})
    least = {"scope": 1, "top": 0.0}

    top: float | None = None
    scope: int | None = None

    def bind(self, queries: RelevantRanks) -> Self:
        """The top grade comes from the judgements."""
        return replace(self, top=queries.top_grade) if self.top is None else self

    def of(self, queries: RelevantRanks) -> FloatArray:
        """One pass down the items with a gain."""
        value = self._value(queries, gaining(queries))
        return np.where(self.defined(queries), value, np.nan)

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Over the places of each group of equal scores."""
        return np.where(self.defined(queries), self._expected(queries), np.nan)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """High grades first."""
        return gains_first(grade)

    def _value(self, queries: RelevantRanks, items: Ragged) -> FloatArray:
        return _stopping(items, *self._bounds(queries))

    def _expected(self, queries: RelevantRanks) -> FloatArray:
        return _expected_stopping(queries, gaining(queries), *self._bounds(queries))

    def _bounds(self, queries: RelevantRanks) -> tuple[float, float]:
        """The highest grade and the last rank."""
        top = self.bind(queries).top
        need_top(self, top, queries)
        return 0.0 if top is None else top, np.inf if self.scope is None else self.scope

    def defined(self, queries: RelevantRanks) -> Any:
        """Queries with a gain to win."""
        return queries.count_judged(least=np.nextafter(0, 1)) > 0


@dataclass(frozen=True)
class nERR(ERR):
    """Expected reciprocal rank over that of the ideal order."""

    name = "nERR"
    formula = "ERR / ERR of the ideal order"
    source = "Chapelle et al. 2009; ntcir"

    def of(self, queries: RelevantRanks) -> FloatArray:
        """ERR over the best there could be."""
        return divide(self._value(queries, gaining(queries)), self._value(queries, ideal_order(queries)))

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """As ERR: the ideal order has no equal scores."""
        return divide(self._expected(queries), self._value(queries, ideal_order(queries)))
