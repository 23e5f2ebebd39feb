"""Users who go down a list, from each rank to the next with some chance: the C/W/L framework of Moffat and others.

The weight of a rank is the chance to see it over the expected number of items seen, so that the value is the gain per
item seen. Beyond `horizon` nobody looks.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Self

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.measures.gains import gaining, need_top
from rankscope.measures.measure import Measure
from rankscope.measures.worth import gains_first
from rankscope.ranks.expectation import expected_additive
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.settings import Settings

HORIZON = 1000  # how far cwl_eval looks
CELLS_AT_ONCE = 1 << 22


class Browsing(Measure):
    """Gains between 0 and 1, which grades become between `low` and `top`."""

    needs = frozenset({"grades"})
    least = {"top": 0.0, "horizon": 1}

    top: float | None
    low: float
    horizon: int

    def bind(self, queries: RelevantRanks) -> Self:
        """The top grade comes from the judgements."""
        return replace(self, top=queries.top_grade) if self.top is None else self  # type: ignore[call-arg]

    def gains(self, grade: FloatArray, queries: RelevantRanks) -> FloatArray:
        """The share of the way from the lowest to the highest grade."""
        top = self.bind(queries).top or 0.0
        need_top(self, top, queries)
        return np.asarray(np.clip((grade - self.low) / max(top - self.low, 1e-300), 0.0, 1.0))

    @property
    def reach_of_users(self) -> int:
        """The last rank that anybody sees."""
        scope: int | None = getattr(self, "scope", None)
        return self.horizon if scope is None else min(scope, self.horizon)

    def defined(self, queries: RelevantRanks) -> Any:
        """Queries with a gain to win."""
        return queries.count_judged(least=np.nextafter(max(self.low, 0.0), np.inf)) > 0


class Steady(Browsing):
    """Users whose chance to go on depends on the rank alone."""

    @abstractmethod
    def seen(self, rank: FloatArray) -> FloatArray:
        """What each of the ranks 1, 2, ... weighs, before all are divided by their sum."""

    def _weights(self) -> FloatArray:
        weights = self.seen(np.arange(1.0, self.reach_of_users + 1.0))
        return np.asarray(weights / weights.sum())

    def of(self, queries: RelevantRanks) -> FloatArray:
        """Gains times weights."""
        found, weigh = gaining(queries), self._weigh()
        value = found.total(self.gains(found["grade"], queries) * weigh(found["rank"]))
        return np.where(self.defined(queries), value, np.nan)

    def _weigh(self) -> Any:
        weights = np.append(self._weights(), 0.0)
        return lambda rank: weights[np.minimum(rank, weights.size) - 1]

    def expected(self, queries: RelevantRanks) -> FloatArray | None:
        """Each tied item is as likely at any of its places."""
        weigh = self._weigh()
        value = expected_additive(queries, lambda rank, grade: self.gains(grade, queries) * weigh(rank))
        return np.where(self.defined(queries), value, np.nan)

    def worth(self, grade: FloatArray, settings: Settings) -> FloatArray:
        """High grades first."""
        return gains_first(np.where(grade <= self.low, np.minimum(grade, 0.0), grade))


class Adaptive(Browsing):
    """Users whose chance to go on depends on what they have found so far."""

    @abstractmethod
    def going_on(self, rank: FloatArray, gain: FloatArray, cumulated: FloatArray) -> FloatArray:
        """The chance to go on from each rank, a row for each query: from the gain there, and the gain up to there."""

    def of(self, queries: RelevantRanks) -> FloatArray:
        """A table of ranks for some queries at a time."""
        found = gaining(queries)
        gain, value = self.gains(found["grade"], queries), np.zeros(len(queries))
        rank = np.arange(1.0, self.reach_of_users + 1.0)
        for rows, table in gain_tables(found, gain, self.reach_of_users):
            chance = np.ones(table.shape)
            chance[:, 1:] = np.cumprod(self.going_on(rank, table, np.cumsum(table, axis=1))[:, :-1], axis=1)
            value[rows] = (chance * table).sum(axis=1) / chance.sum(axis=1)
        return np.where(self.defined(queries), value, np.nan)


def gain_tables(found: Ragged, gain: FloatArray, width: int) -> Iterator[tuple[IntArray, FloatArray]]:
    """The gains of the first ranks as tables of some queries each, 0 where nothing was found.

    >>> found = Ragged.of([[1, 4], [2]], "rank")
    >>> [table.tolist() for _, table in gain_tables(found, np.array([1.0, 0.5, 1.0]), 3)]
    [[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]
    """
    step = max(1, CELLS_AT_ONCE // width)
    for start in range(0, len(found), step):
        rows = np.arange(start, min(start + step, len(found)))
        here = slice(found.offsets[rows[0]], found.offsets[rows[-1] + 1])
        inside = found["rank"][here] <= width
        table = np.zeros((rows.size, width))
        table[found.row[here][inside] - start, found["rank"][here][inside] - 1] = gain[here][inside]
        yield rows, table
