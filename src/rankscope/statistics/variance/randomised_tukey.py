"""Randomised Tukey HSD (Carterette 2012): which systems differ, without a distribution assumed.

If systems did not differ, the scores of a query could be shuffled among them. Shuffle within every query, and see how
far apart the best and the worst mean come to lie.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import permutations as arrangements

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.statistics.table.cells import design_of, pair_numbers
from rankscope.statistics.table.score_table import ScoreTable
from rankscope.statistics.variance.comparisons import Comparisons
from rankscope.validation import COUNT, SEED, SHARE, check

EXACT = 1_000_000
AT_ONCE = 400_000  # values shuffled in one batch
SLACK = 1e-12


@dataclass(frozen=True, eq=False)
class RandomisedTukey(Comparisons):
    """All pairs of systems; `count` is how many of the permutations have a range of at least each difference.

    p is count/permutations where all were seen (`exact`), else (count + 1)/(permutations + 1).
    """

    count: IntArray = None  # type: ignore[assignment]
    permutations: int = 0
    exact: bool = False
    seed: int = 0


def randomised_tukey(
    table: ScoreTable, level: float = 0.95, permutations: int = 10_000, seed: int = 0
) -> RandomisedTukey:
    """All pairs of systems by shuffling scores within queries; exact where (k!)^N is a million at most.

    `width` is the largest range that is not rare by chance: larger differences have p <= 1 - level. Constant scores
    give p = 1.
    >>> made = randomised_tukey(ScoreTable.make({"a": [0.7, 0.3, 0.2], "b": [0.5, 0.1, 0.0], "c": [0.0, 0.0, 0.2]}))
    >>> made.permutations, made.exact, made.count.tolist()
    (216, True, [168, 48, 192])
    """
    level, permutations, seed = check(locals(), level=SHARE, permutations=COUNT, seed=SEED).values()
    design = design_of(table, by_class=False, systems=2)
    values = design.values
    means = values.mean(axis=0)
    exact = enumerable(*values.shape)
    times = math.factorial(values.shape[1]) if exact else 1
    ranges = np.sort(_every_range(values) if exact else _drawn_ranges(values, permutations, seed))
    total = ranges.size * times
    first, second = pair_numbers(means.size)
    below = np.searchsorted(ranges, np.abs(means[second] - means[first]) - SLACK, side="left")
    count = (ranges.size - below) * times
    p = count / total if exact else (count + 1) / (total + 1)
    rare = math.floor((1 - level) * ranges.size + 1e-9) if exact else math.floor((1 - level) * (total + 1) + 1e-9) - 1
    width = float(ranges[-rare - 1]) + SLACK if rare >= 0 else math.inf
    words = "" if rare >= 0 else f"{total:,} permutations are too few to call any difference real at this level"
    return RandomisedTukey(
        measure=design.table.measure,
        test="randomised Tukey",
        names=design.table.systems,
        means=means,
        first=first,
        second=second,
        width=np.full(first.size, width),
        p=p,
        level=level,
        note=design.note(words),
        count=count,
        permutations=total,
        exact=exact,
        seed=seed,
    )


def enumerable(queries: int, systems: int) -> bool:
    """Whether all ways to shuffle within queries are a million at most.

    >>> enumerable(5, 3), enumerable(30, 25)
    (True, False)
    """
    return queries * math.lgamma(systems + 1) <= math.log(EXACT) + 1e-9


def _every_range(values: FloatArray) -> FloatArray:
    """The range of the means for all ways to shuffle.

    To rename the systems changes no range, so the first query stays as it is and each range stands for k! of them.
    """
    order = np.array(list(arrangements(range(values.shape[1]))))
    sums = values[:1]
    for row in values[1:]:
        sums = (sums[:, None, :] + row[order][None, :, :]).reshape(-1, values.shape[1])
    return np.ptp(sums, axis=1) / len(values)


def _drawn_ranges(values: FloatArray, permutations: int, seed: int) -> FloatArray:
    """The range of the means for some ways to shuffle, batch by batch."""
    chance = np.random.default_rng(seed)
    step = max(1, AT_ONCE // values.size)
    parts = []
    for start in range(0, permutations, step):
        shape = (min(step, permutations - start), *values.shape)
        sums = chance.permuted(np.broadcast_to(values, shape), axis=2).sum(axis=1)
        parts.append(np.ptp(sums, axis=1))
    return np.concatenate(parts) / len(values)
