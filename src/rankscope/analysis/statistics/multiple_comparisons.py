"""All pairs of means at once: Tukey and Kramer, on blocks, Games and Howell, randomised Tukey HSD, and intervals to
compare by eye.

Randomised Tukey HSD (Carterette 2012): which systems differ, without a distribution assumed.
If systems did not differ, the scores of a query could be shuffled among them. Shuffle within every query, and see how
far apart the best and the worst mean come to lie.

Intervals around means that a reader may compare by eye: disjoint means different (Hochberg & Tamhane 1987).
They are not confidence intervals of the means: ordinary 95 % intervals that are disjoint mean p < 0.0056.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations as arrangements

import numpy as np
from numpy.typing import ArrayLike

from rankscope.analysis.statistics.anova import Anova, anova, two_way
from rankscope.analysis.statistics.design import Cells, design_of, pair_numbers, plain_rows
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.analysis.statistics.studentised_range import StudentisedRange
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.core.validation import COUNT, SEED, SHARE, check
from rankscope.core.wording import how_many

MOST_MEANS = 2_000  # means: two million pairs
NO_SPREAD = "no spread to measure differences by: there is no p value"


@dataclass(frozen=True)
class PairDifference:
    """Second minus first: the difference, its simultaneous interval, the adjusted p value."""

    first: str
    second: str
    difference: float
    low: float
    high: float
    p: float
    different: bool


@dataclass(frozen=True, eq=False)
class Comparisons:
    """All pairs of some means; `width` is how large a difference must be to count as real (W of Tukey and Kramer)."""

    measure: str
    test: str
    names: tuple[str, ...]
    means: FloatArray
    first: IntArray
    second: IntArray
    width: FloatArray
    p: FloatArray
    level: float = 0.95
    note: str = ""

    @property
    def difference(self) -> FloatArray:
        """Second minus first, for each pair."""
        return self.means[self.second] - self.means[self.first]

    @property
    def different(self) -> BoolArray:
        """Whether each difference is larger than its width; never where there is no width."""
        with np.errstate(invalid="ignore"):
            return np.asarray((np.abs(self.difference) > self.width) & np.isfinite(self.p))

    @property
    def pairs(self) -> tuple[PairDifference, ...]:
        return tuple(PairDifference(**row) for row in self.rows())  # type: ignore[arg-type]

    def pair(self, first: str, second: str) -> PairDifference:
        """One pair by its names, in the order in which they were compared."""
        wanted = {first, second}
        for found in self.pairs:
            if {found.first, found.second} == wanted:
                return found
        raise SettingError(f"no pair {first}, {second}. There are: {', '.join(self.names)}")

    def rows(self) -> list[dict[str, object]]:
        difference = self.difference
        return plain_rows(
            {
                "first": [self.names[each] for each in self.first.tolist()],
                "second": [self.names[each] for each in self.second.tolist()],
                "difference": difference.tolist(),
                "low": (difference - self.width).tolist(),
                "high": (difference + self.width).tolist(),
                "p": self.p.tolist(),
                "different": self.different.tolist(),
            }
        )


def studentised_pairs(
    measure: str,
    test: str,
    names: Sequence[str],
    means: FloatArray,
    error: FloatArray,
    freedom: ArrayLike,
    level: float = 0.95,
    note: str = "",
) -> Comparisons:
    """All pairs by the studentised range of as many means as there are names.

    `error`: variance of the difference of each pair, halved; `freedom`: its degrees of freedom, one number or one per
    pair. Where there is no error or no degree of freedom, width and p are NaN and the note says so.
    """
    check({"level": level}, level=SHARE)
    if len(names) > MOST_MEANS:
        raise SettingError(
            f"{len(names):,} means are too many to compare in pairs: {MOST_MEANS:,} at most, choose classes"
        )
    first, second = pair_numbers(len(names))
    nu = np.broadcast_to(np.asarray(freedom, dtype=np.float64), first.shape)
    known = np.asarray((error > 0) & (nu > 0) & np.isfinite(error) & np.isfinite(nu))
    width, p = np.full(first.size, np.nan), np.full(first.size, np.nan)
    spread = np.sqrt(error[known])
    chance = StudentisedRange(max(len(names), 2))
    width[known] = chance.quantile(level, nu[known]) * spread
    one = float(nu[0]) if known.any() and np.ndim(freedom) == 0 else nu[known]
    p[known] = chance.tail(np.abs(means[second] - means[first])[known] / spread, one)
    missing = "" if known.all() else NO_SPREAD
    if known.any() and not known.all():
        missing = f"{how_many(int((~known).sum()), 'pair has', 'pairs have')} {NO_SPREAD}"
    return Comparisons(
        measure=measure,
        test=test,
        names=tuple(names),
        means=means,
        first=first,
        second=second,
        width=width,
        p=p,
        level=level,
        note="; ".join(filter(None, (missing, note))),
    )


def tukey(table: ScoreTable, level: float = 0.95, by_class: bool = True) -> Comparisons:
    """All pairs of cells: i and j differ where |m_i - m_j| > W_ij = q sqrt(MSE/2 (1/n_i + 1/n_j)).

    q is the quantile of the studentised range of all cells. Queries count as independent: see `blocked_tukey` for the
    same queries under every system.
    >>> made = tukey(ScoreTable.make({"A": [0.1, 0.2, 0.3], "B": [0.3, 0.4, 0.5]}))
    >>> round(made.pairs[0].difference, 6), round(made.pairs[0].p, 6)
    (0.2, 0.070484)
    """
    return tukey_of(anova(table, by_class), level)


def tukey_of(result: Anova, level: float = 0.95) -> Comparisons:
    """All pairs of an analysis of variance made before."""
    cells = result.cells
    first, second = pair_numbers(len(cells))
    inverse = 1.0 / cells.n
    error = np.full(first.size, result.mse) / 2 * (inverse[first] + inverse[second])
    return studentised_pairs(
        result.measure, "Tukey-Kramer", cells.names, cells.mean, error, result.nu, level, result.note
    )


def blocked_tukey(table: ScoreTable, level: float = 0.95) -> Comparisons:
    """All pairs of systems; a query is a block. HSD = q sqrt(MSE/N) with (N-1)(k-1) degrees of freedom.

    >>> made = blocked_tukey(ScoreTable.make({"a": [0.7, 0.3, 0.2], "b": [0.5, 0.1, 0.0], "c": [0.0, 0.0, 0.2]}))
    >>> [round(pair.p, 4) for pair in made.pairs]
    [0.5095, 0.2244, 0.72]
    """
    measures = two_way(table)
    pairs = len(measures.systems) * (len(measures.systems) - 1) // 2
    error = np.full(pairs, measures.mse / measures.queries)
    return studentised_pairs(
        measures.measure, "Tukey on blocks", measures.systems, measures.means, error, measures.nu, level, measures.note
    )


# Games & Howell (1976): which cells differ where their spreads do, each pair with its own error and freedom.


def games_howell(table: ScoreTable, level: float = 0.95, by_class: bool = True) -> Comparisons:
    """All pairs of cells by the studentised range; a pair's degrees of freedom are those of Welch's t test.

    A cell of one query has no variance: its pairs have no p value, and the note counts them.
    >>> made = games_howell(ScoreTable.make({"A": [0.1, 0.2, 0.3], "B": [0.3, 0.4, 0.5]}))
    >>> round(made.pairs[0].p, 6)
    0.070484
    """
    design = design_of(table, by_class)
    cells = Cells.of(design)
    if len(cells) < 2:
        raise SettingError("Games-Howell compares two groups at least: give two systems, or classes")
    first, second = pair_numbers(len(cells))
    own = cells.sd**2 / cells.n
    own[own <= 1e-28 * (1 + cells.mean**2)] = 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        part = own**2 / (cells.n - 1)
        freedom = (own[first] + own[second]) ** 2 / (part[first] + part[second])
    error = (own[first] + own[second]) / 2
    return studentised_pairs(
        design.table.measure, "Games-Howell", cells.names, cells.mean, error, freedom, level, design.note()
    )


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


@dataclass(frozen=True, eq=False)
class ComparisonIntervals:
    """Mean of each cell and half width u; `pairs` is the test that the picture stands for."""

    cells: Cells
    half: FloatArray
    pairs: Comparisons

    @property
    def low(self) -> FloatArray:
        return self.cells.mean - self.half

    @property
    def high(self) -> FloatArray:
        return self.cells.mean + self.half

    @property
    def disagreements(self) -> tuple[tuple[str, str], ...]:
        """Pairs whose intervals say something else than the test; none where all cells have as many queries."""
        pairs = self.pairs
        reach = self.half[pairs.first] + self.half[pairs.second]
        gap = np.abs(pairs.difference)
        with np.errstate(invalid="ignore"):
            wrong = ((gap > reach) != pairs.different) & (np.abs(gap - reach) > 1e-12) & np.isfinite(reach)
        chosen = np.flatnonzero(wrong)
        return tuple((pairs.names[pairs.first[i]], pairs.names[pairs.second[i]]) for i in chosen.tolist())

    @property
    def note(self) -> str:
        """What must be said of the test."""
        return self.pairs.note

    def rows(self) -> list[dict[str, object]]:
        return plain_rows(
            {
                "system": self.cells.systems,
                "class": self.cells.labels,
                "n": self.cells.n.tolist(),
                "mean": self.cells.mean.tolist(),
                "low": self.low.tolist(),
                "high": self.high.tolist(),
            }
        )


def comparison_intervals(table: ScoreTable, level: float = 0.95, by_class: bool = True) -> ComparisonIntervals:
    """Comparison intervals of all cells, from the widths of Tukey and Kramer.

    >>> made = comparison_intervals(ScoreTable.make({"A": [0.1, 0.2, 0.3], "B": [0.3, 0.4, 0.5]}))
    >>> bool(np.isclose(2 * made.half[0], made.pairs.width[0]))
    True
    """
    result = anova(table, by_class)
    pairs = tukey_of(result, level)
    return ComparisonIntervals(result.cells, half_widths(pairs.width, len(result.cells)), pairs)


def half_widths(width: FloatArray, count: int) -> FloatArray:
    """u_i = [(k-1) sum_j W_ij - sum of all W] / ((k-1)(k-2)) for k cells; half of W for two.

    `width` has one entry per pair, in the order of `pair_numbers`.
    >>> half_widths(np.array([2.0, 2.0, 2.0]), 3).tolist()
    [1.0, 1.0, 1.0]
    """
    if count == 2:
        return np.repeat(width / 2, 2)
    square = np.zeros((count, count))
    square[np.triu_indices(count, 1)] = width
    each = (square + square.T).sum(axis=1)
    return np.asarray(((count - 1) * each - width.sum()) / ((count - 1) * (count - 2)))
