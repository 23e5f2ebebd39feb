"""Queries of one class that look for the same items are no independent sample: then the class is the sampling unit.

Every item of a class as a query gives as many queries as the class has members, and all of them stand or fall with that
class. Tests then swap the labels of two systems class by class, and intervals rest on how much classes differ.
This file alone decides what the unit is; every command asks it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.evaluation.coverage_report import is_complete
from rankscope.evaluation.scores import Scores
from rankscope.measures.fractions import divide
from rankscope.ranks.ragged import column_sums_by
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.statistics.table.resampling import class_numbers
from rankscope.statistics.table.score_table import UNBOUNDED, ScoreTable


@dataclass(frozen=True, eq=False)
class UnitSums:
    """Sum and number of the values of each sampling unit (row) in each column; a unit without a value has number 0."""

    total: FloatArray
    size: IntArray

    def __len__(self) -> int:
        return len(self.size)

    def take(self, columns: BoolArray | IntArray) -> UnitSums:
        """Some of the columns."""
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
    """What intervals of means and differences rest on: the queries, or classes by how far each pulls the mean."""
    return class_deviations(table) if by_unit else table


def class_sums(table: ScoreTable) -> ScoreTable:
    """One row per class: its sum, scaled so that the mean over classes is the mean over queries. For tests.

    >>> table = ScoreTable.make({"A": [0.2, 0.4, 0.9]}, classes=["x", "x", "y"])
    >>> class_sums(table).values.round(3).tolist()
    [[0.4], [0.6]]
    """
    sums = unit_sums(table.values, table.labels)
    return _by_class(table, sums.total * (len(sums) / len(table)))


def class_deviations(table: ScoreTable) -> ScoreTable:
    """One row per class around the mean over queries, by how far the class pulls it. For intervals.

    >>> table = ScoreTable.make({"A": [0.5, 0.5, 0.5]}, classes=["x", "x", "y"])
    >>> class_deviations(table).values.tolist()
    [[0.5], [0.5]]
    """
    return _by_class(table, unit_values(table.values, table.labels))


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


def _by_class(table: ScoreTable, values: FloatArray) -> ScoreTable:
    names = [""] * len(values)
    for row, label, query in zip(class_numbers(table.labels).tolist(), table.labels, table.queries, strict=True):
        names[row] = label or query
    return replace(table, queries=tuple(names), values=values, classes=None, bounds=UNBOUNDED)
