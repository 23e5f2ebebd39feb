"""Sampling units: queries, or classes of queries where these depend on each other, and as how many independent ones
they count.

Queries of one class that look for the same items are no independent sample: then the class is the sampling unit. Every
item of a class as a query gives as many queries as the class has members, and all of them stand or fall with that
class. Tests then swap the labels of two systems class by class, and intervals rest on how much classes differ. This
part alone decides what the unit is; every command asks it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from rankscope.analysis.statistics.design import below_zero_note
from rankscope.analysis.statistics.resampling import class_numbers
from rankscope.analysis.statistics.score_table import UNBOUNDED, ScoreTable
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.measures.evaluation.coverage import is_complete
from rankscope.measures.evaluation.scores import Scores
from rankscope.ranks.ragged import column_sums_by, divide
from rankscope.ranks.relevant_ranks import RelevantRanks


@dataclass(frozen=True, eq=False)
class UnitSums:
    """Sum and number of the values of each sampling unit (row) in each column; a unit without a value has number 0."""

    total: FloatArray
    size: IntArray

    def __len__(self) -> int:
        return len(self.size)

    def take(self, columns: BoolArray | IntArray) -> UnitSums:
        return UnitSums(self.total[:, columns], self.size[:, columns])

    @property
    def mean(self) -> FloatArray:
        """The mean over all values of a column, whatever unit they are of."""
        return divide(self.total.sum(axis=0), self.size.sum(axis=0))

    @property
    def typical(self) -> FloatArray:
        """How many values a unit has, in the mean over the units that have any."""
        return divide(self.size.sum(axis=0), (self.size > 0).sum(axis=0), nothing=0.0)

    @property
    def typical_of_a_value(self) -> FloatArray:
        """How many values the unit of a value has, in the mean over values: more than `typical` where sizes differ."""
        return divide((self.size**2).sum(axis=0), self.size.sum(axis=0), nothing=0.0)


def classes_are_targets(scores: Scores) -> bool:
    """Whether classes are what queries look for, so that those of one class depend on each other.

    Classes that were given to part the queries by (`--by`) are kinds of queries, not a sample of targets.
    """
    return not scores.by_class_wanted and drawn_by_class(system.ranks for system in scores.systems)


def unit_classes(queries: RelevantRanks) -> tuple[str, ...] | None:
    """The class of each query where the class is the sampling unit, None where each query is a unit of its own."""
    return queries.classes if is_complete(queries) and not queries.classes_are_kinds else None


def drawn_by_class(systems: Iterable[RelevantRanks]) -> bool:
    """Whether the class is the sampling unit for some systems together."""
    return all(unit_classes(each) is not None for each in systems)


def units_of(table: ScoreTable, by_unit: bool) -> ScoreTable:
    """What intervals of means and differences rest on: the queries, or classes by how far each pulls the mean.

    >>> table = ScoreTable.make({"A": [0.5, 0.5, 0.5]}, classes=["x", "x", "y"])
    >>> units_of(table, by_unit=True).values.tolist()
    [[0.5], [0.5]]
    """
    return _table_by_class(table, unit_values(table.values, table.labels)) if by_unit else table


def class_sums(table: ScoreTable) -> ScoreTable:
    """One row per class: its sum, scaled so that the mean over classes is the mean over queries. For tests.

    >>> table = ScoreTable.make({"A": [0.2, 0.4, 0.9]}, classes=["x", "x", "y"])
    >>> class_sums(table).values.round(3).tolist()
    [[0.4], [0.6]]
    """
    sums = unit_sums(table.values, table.labels)
    return _table_by_class(table, sums.total * (len(sums) / len(table)))


def unit_values(values: ArrayLike, classes: Sequence[str] | None) -> FloatArray:
    """One row per sampling unit: the queries themselves, or each class by how far it pulls the mean over queries.

    The mean of the rows is the mean over queries; their spread is that of the mean when classes are drawn, regardless
    of their sizes (the ratio of two sums, linearised). NaN, a query without a value, is left out; a class without any
    has NaN.
    >>> unit_values([[0.2], [0.4], [0.9]], ["x", "x", "y"]).round(3).tolist()
    [[0.233], [0.767]]
    """
    table = np.asarray(values, dtype=np.float64)
    if classes is None:
        return table
    sums = unit_sums(table, classes)
    pulled = sums.mean + divide(sums.total - sums.size * sums.mean, sums.typical)
    return np.where(sums.size > 0, pulled, np.nan)


def unit_sums(values: ArrayLike, classes: Sequence[str] | None) -> UnitSums:
    """Sum and number of the values there are, of each unit (row) and column; NaN is left out.

    >>> made = unit_sums([[0.2], [0.4], [0.9]], ["x", "x", "y"])
    >>> made.total.round(3).tolist(), made.size.tolist(), made.mean
    ([[0.6], [0.9]], [[2], [1]], array([0.5]))
    """
    table = np.asarray(values, dtype=np.float64)
    if classes is None:
        return UnitSums(np.nan_to_num(table), (~np.isnan(table)).astype(np.int64))
    number = class_numbers(classes)
    units = int(number.max(initial=-1)) + 1
    size = column_sums_by(number, ~np.isnan(table), units).astype(np.int64)
    return UnitSums(column_sums_by(number, np.nan_to_num(table), units), size)


def _table_by_class(table: ScoreTable, values: FloatArray) -> ScoreTable:
    names = [""] * len(values)
    for row, label, query in zip(class_numbers(table.labels).tolist(), table.labels, table.queries, strict=True):
        names[row] = label or query
    return replace(table, queries=tuple(names), values=values, classes=None, bounds=UNBOUNDED)


@dataclass(frozen=True, eq=False)
class Clustering:
    """One value per column: the correlation within classes, and as how many independent queries these count."""

    rho: FloatArray  # from 0 (as if drawn alone) to 1 (a class says no more than one of its queries)
    effective: FloatArray  # N/(1 + (m - 1) rho)
    queries: IntArray
    classes: IntArray  # those with a value
    below_zero: BoolArray  # where the variance between classes came out below 0, so that rho counts as 0

    @property
    def note(self) -> str:
        """What must be said: in how many columns the variance between classes came out below 0."""
        return below_zero_note(["classes"]) if self.below_zero.any() else ""

    @property
    def design(self) -> FloatArray:
        """1 + (m - 1) rho: how many times larger the variance of the mean is than with independent queries."""
        return divide(self.queries, self.effective)


def clustering(values: ArrayLike, classes: Sequence[str]) -> Clustering:
    """Intraclass correlation (one-way analysis of variance) and effective sample of each column; a row is a query.

    m is the size of the class that a query is in, meant over queries: the class size where all are equal. An estimate
    below 0 counts as 0, and the note says so. NaN is left out. One class alone tells nothing: NaN.
    >>> made = clustering([[0.1], [0.1], [0.9], [0.9], [0.5], [0.5]], ["a", "a", "b", "b", "c", "c"])
    >>> made.rho, made.effective
    (array([1.]), array([3.]))
    """
    table = np.asarray(values, dtype=np.float64)
    if len(classes) != len(table):
        raise SettingError(f"{len(table)} queries need as many classes, got {len(classes)}")
    there = ~np.isnan(table)
    sums, number = unit_sums(table, classes), class_numbers(classes)
    size, total = sums.size.astype(np.float64), sums.total
    count, some = size.sum(axis=0), (size > 0).sum(axis=0)
    mean = divide(total, size, nothing=0.0)
    middle = divide(total.sum(axis=0), count, nothing=0.0)
    between = (size * (mean - middle) ** 2).sum(axis=0)
    within = (np.where(there, table - mean[number], 0.0) ** 2).sum(axis=0)
    mates = divide((size**2).sum(axis=0), count)
    # (MSB - MSW)/(MSB + (n0 - 1) MSW), 1 at most; where no class has two queries there is nothing to correlate
    apart, inside = divide(between, some - 1), divide(within, count - some, 0.0)
    typical = divide(count - mates, some - 1)
    rho = divide(apart - inside, apart + (typical - 1.0) * inside, nothing=0.0)
    rho = np.where(some < 2, np.nan, np.where(count == some, 0.0, rho))
    kept = np.clip(rho, 0.0, 1.0)
    effective = divide(count, 1.0 + (mates - 1.0) * kept)
    return Clustering(
        rho=kept, effective=effective, queries=count.astype(np.int64), classes=some.astype(np.int64), below_zero=rho < 0
    )


# By how many units a mean is decided: where all but a few agree, those few decide, and the sample says little.

FEW_UNITS = 5  # a point that fewer units decide is marked
ROUNDING = 1e-12


def deciding_units(values: FloatArray) -> FloatArray:
    """(sum d^2)^2 / sum d^4 of the deviations d from the mean of each column; a row is a unit, NaN one without a value.

    From 1, one unit against all others, to the number of units, which all deviate alike. Where none deviates none
    decides more than another: they all count. The number cannot tell whether limits hold: a sample without the rare
    large units shows a good one.
    >>> deciding_units(np.array([[0.0, 0.0, 0.5], [0.0, 0.0, 0.5], [0.0, 1.0, 0.5], [1.0, 1.0, 0.5]])).round(2)
    array([1.71, 4.  , 4.  ])
    """
    there = ~np.isnan(values)
    count = there.sum(axis=0)
    mean = divide(np.where(there, values, 0.0).sum(axis=0), count, nothing=0.0)
    away = np.where(there, values - mean, 0.0)
    away = np.where(np.abs(away) <= ROUNDING * np.maximum(1.0, np.abs(mean)), 0.0, away)
    largest = np.abs(away).max(axis=0, initial=0.0)
    scaled = divide(away, largest, nothing=0.0)
    decided = divide((scaled**2).sum(axis=0) ** 2, (scaled**4).sum(axis=0), nothing=0.0)
    return np.where(largest > 0, decided, count)
