"""Which ranks a system can have, and groups of systems without significant differences with their letters.

A list of systems by their means hides how many of them are tied by chance. From
pairwise tests that hold together (Holm): a system ranks below all that are significantly better and above all that are
significantly worse; in between, every rank is possible. In addition, how often it takes each rank when queries are
drawn again.

"No significant difference" is not transitive: A and B, B and C may be alike while A and C differ. A group is therefore
a largest set in which no two differ, and a system may belong to several. Two systems differ exactly if they share no
letter (compact letter display).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from string import ascii_letters

import numpy as np

from rankscope.analysis.statistics.bootstrap import resamples_for
from rankscope.analysis.statistics.corrections import Family, adjust
from rankscope.analysis.statistics.deciding_test import decide_p
from rankscope.analysis.statistics.resampling import in_batches, resampled_times
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.measures.direction import turn

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
    first, second = np.triu_indices(len(order), 1)
    if adjusted is None:
        adjusted = adjust(decide_p(whole.gains[:, second] - whole.gains[:, first]), correction).p
    differ = np.zeros((len(order), len(order)), dtype=np.bool_)
    differ[first, second] = differ[second, first] = (adjusted <= 1 - level) & (mean[first] != mean[second])
    different = differ[np.ix_(order, order)]
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


def rank_chances(gains: FloatArray, *, resamples: int | None = None, seed: int = 0) -> FloatArray:
    """How often each system (row) takes each rank (column) when queries are drawn again; equal means share ranks.

    >>> rank_chances(np.array([[0.3, 0.2, 0.2], [0.5, 0.1, 0.1]]), resamples=10).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.0, 0.5, 0.5]]
    """
    return chances_of_ranks(means_of_draws(gains, resamples, seed))


def means_of_draws(values: FloatArray, resamples: int | None, seed: int) -> FloatArray:
    """Means over rows that are drawn with replacement: draws x columns."""
    count = len(values)
    total = resamples or resamples_for(count)
    return np.concatenate([times @ values / count for times in resampled_times(count, total, seed)])


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


def groups_of(different: BoolArray) -> tuple[tuple[int, ...], ...]:
    """All largest sets of systems of which no two differ; `different` is a symmetric table of yes and no.

    Groups come in the order of their members: sort systems by their mean first, and the best group is the first.
    >>> groups_of(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool))
    ((0, 1), (1, 2))
    """
    if different.ndim != 2 or (different != different.T).any() or different.diagonal().any():
        raise SettingError("differences are a symmetric table, and no system differs from itself")
    alike = [set(np.flatnonzero(~row).tolist()) - {number} for number, row in enumerate(different)]
    return tuple(sorted(tuple(sorted(found)) for found in _largest(set(), set(range(len(alike))), set(), alike)))


def _largest(chosen: set[int], possible: set[int], done: set[int], alike: list[set[int]]) -> Iterator[set[int]]:
    """Bron and Kerbosch (1973) with a pivot: only systems unlike the pivot need to be tried."""
    if not possible and not done:
        if chosen:
            yield chosen
        return
    pivot = max(possible | done, key=lambda each: len(alike[each] & possible))
    for each in sorted(possible - alike[pivot]):
        yield from _largest(chosen | {each}, possible & alike[each], done & alike[each], alike)
        possible = possible - {each}
        done = done | {each}


def needed_groups(different: BoolArray) -> tuple[tuple[int, ...], ...]:
    """Groups without those that say nothing new: every two of their members share another group too.

    >>> alike = [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (1, 4), (2, 4), (0, 5), (2, 5)]
    >>> different = ~np.eye(6, dtype=bool)
    >>> for one, other in alike: different[one, other] = different[other, one] = False
    >>> len(groups_of(different)), needed_groups(different)
    (4, ((0, 1, 3), (0, 2, 5), (1, 2, 4)))
    """
    groups = groups_of(different)
    shared = np.zeros(different.shape, dtype=np.int64)
    for members in groups:
        shared[np.ix_(members, members)] += 1
    kept = []
    for members in sorted(groups, key=len):
        if (shared[np.ix_(members, members)] > 1).all():
            shared[np.ix_(members, members)] -= 1
        else:
            kept.append(members)
    return tuple(sorted(kept))


def letters_of(different: BoolArray) -> tuple[str, ...]:
    """The letters of each system, one for each group that is needed to say which systems differ.

    >>> letters_of(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool))
    ('a', 'ab', 'b')
    """
    texts = [""] * len(different)
    for number, members in enumerate(needed_groups(different)):
        for member in members:
            texts[member] += letter(number)
    return tuple(texts)


def letter(number: int) -> str:
    """a to z, A to Z, then a1, b1, ...

    >>> letter(0), letter(26), letter(53)
    ('a', 'A', 'b1')
    """
    again, place = divmod(number, len(ascii_letters))
    return ascii_letters[place] + (str(again) if again else "")
