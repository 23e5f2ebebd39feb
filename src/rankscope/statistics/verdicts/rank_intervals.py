"""Which ranks a system's mean can have: a list of systems by their means hides how many of them are tied by chance.

From pairwise tests that hold together (Holm): a system ranks below all that are significantly better and above all that
are significantly worse; in between, every rank is possible. In addition, how often it takes each rank when queries are
drawn again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.errors import SettingError
from rankscope.measures.direction import turn
from rankscope.statistics.intervals.bootstrap import resamples_for
from rankscope.statistics.pairs.corrections import adjust
from rankscope.statistics.pairs.family import Family
from rankscope.statistics.pairs.trust import decide_p
from rankscope.statistics.table.resampling import in_batches
from rankscope.statistics.table.score_table import ScoreTable
from rankscope.statistics.table.shared_draws import resampled_times
from rankscope.statistics.verdicts.groups import groups_of, letters_of

EQUAL = 1e-12


@dataclass(frozen=True, eq=False)
class RankIntervals:
    """Systems from the best mean to the worst; ranks count from 1. All intervals hold together at `level`."""

    measure: str
    systems: tuple[str, ...]
    mean: FloatArray
    low: IntArray  # best rank possible
    high: IntArray  # worst rank possible
    letters: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    chance: FloatArray  # systems x ranks: share of resamples
    queries: int
    family: Family
    level: float = 0.95
    seed: int = 0

    def rows(self) -> list[dict[str, object]]:
        """One row for each system, in plain numbers."""
        columns = (self.systems, self.mean.tolist(), self.low.tolist(), self.high.tolist(), self.letters)
        names = ("system", self.measure, "best rank", "worst rank", "group")
        return [dict(zip(names, each, strict=True)) for each in zip(*columns, strict=True)]


def rank_intervals(
    table: ScoreTable,
    *,
    correction: str = "holm",
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 0,
    adjusted: FloatArray | None = None,
) -> RankIntervals:
    """Rank intervals and groups of two systems or more, on the queries that all of them have.

    `adjusted` are p-values of all pairs, in order, where they were corrected over more than these pairs.

    >>> table = ScoreTable.make({"A": [0.1, 0.2] * 4, "B": [0.5, 0.7] * 4, "C": [0.4, 0.9] * 4})
    >>> made = rank_intervals(table, resamples=100)
    >>> made.systems, made.low.tolist(), made.high.tolist(), made.letters
    (('C', 'B', 'A'), [1, 1, 3], [2, 2, 3], ('a', 'a', 'b'))
    """
    whole = table.complete()
    if len(table.systems) < 2:
        raise SettingError("rank intervals need two systems at least")
    if not len(whole):
        raise SettingError(f"no query has a value of {table.measure} for every system")
    family = Family.of(table.systems, [table.measure], correction=correction)
    mean = whole.gains.mean(axis=0)
    order = np.argsort(-mean, kind="stable")
    gains = whole.gains[:, order]
    own = _own_p(whole.gains, correction) if adjusted is None else adjusted
    different = _different(whole.gains, own, 1 - level)[np.ix_(order, order)]
    names = tuple(table.systems[each] for each in order.tolist())
    chance = rank_chances(gains, resamples=resamples, seed=seed)
    ahead = mean[order][:, None] > mean[order]  # of row over column
    return RankIntervals(
        measure=table.measure,
        systems=names,
        mean=mean[order] * turn(table.lower_is_better),
        low=1 + (different & ahead.T).sum(axis=1),
        high=len(names) - (different & ahead).sum(axis=1),
        letters=letters_of(different),
        groups=tuple(tuple(names[each] for each in members) for members in groups_of(different)),
        chance=chance,
        queries=len(whole),
        family=family,
        level=level,
        seed=seed,
    )


def _own_p(gains: FloatArray, correction: str) -> FloatArray:
    first, second = np.triu_indices(gains.shape[1], 1)
    return adjust(decide_p(gains[:, second] - gains[:, first]), correction).p


def _different(gains: FloatArray, p: FloatArray, alpha: float) -> BoolArray:
    """Which pairs of columns are shown to differ."""
    first, second = np.triu_indices(gains.shape[1], 1)
    mean = gains.mean(axis=0)
    table = np.zeros((gains.shape[1], gains.shape[1]), dtype=np.bool_)
    table[first, second] = table[second, first] = (p <= alpha) & (mean[first] != mean[second])
    return table


def rank_chances(gains: FloatArray, *, resamples: int | None = None, seed: int = 0) -> FloatArray:
    """How often each system (row) takes each rank (column) when queries are drawn again; equal means share ranks.

    >>> rank_chances(np.array([[0.3, 0.2, 0.2], [0.5, 0.1, 0.1]]), resamples=10).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.0, 0.5, 0.5]]
    """
    queries = len(gains)
    total = resamples or resamples_for(queries)
    return chances_of_ranks(
        np.concatenate([times @ gains / queries for times in resampled_times(queries, total, seed)])
    )


def chances_of_ranks(drawn: FloatArray) -> FloatArray:
    """In which share of the draws (rows) each system takes each rank; equal means share their ranks.

    >>> chances_of_ranks(np.array([[0.3, 0.2], [0.1, 0.1]])).tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    """
    systems = drawn.shape[1]
    chance = np.zeros((systems, systems))
    for means in in_batches(drawn, systems**2):
        above = (means[:, None, :] > means[:, :, None] + EQUAL).sum(axis=2)
        tied = (np.abs(means[:, None, :] - means[:, :, None]) <= EQUAL).sum(axis=2)
        for rank in range(systems):
            here = (above <= rank) & (rank < above + tied)
            chance[:, rank] += (here / tied).sum(axis=0)
    return chance / len(drawn)
