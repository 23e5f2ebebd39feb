"""How much queries of one class say less than as many independent ones: intraclass correlation and effective sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.errors import SettingError
from rankscope.measures.fractions import divide
from rankscope.ranks.ragged import column_sums_by
from rankscope.statistics.intervals.components import said_of
from rankscope.statistics.table.resampling import class_numbers


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
        return said_of(["classes"]) if self.below_zero.any() else ""

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
    size, total = _by_class(class_numbers(classes), there), _by_class(class_numbers(classes), np.nan_to_num(table))
    count, some = size.sum(axis=0), (size > 0).sum(axis=0)
    mean = divide(total, size, nothing=0.0)
    middle = divide(total.sum(axis=0), count, nothing=0.0)
    between = (size * (mean - middle) ** 2).sum(axis=0)
    within = (np.where(there, table - mean[class_numbers(classes)], 0.0) ** 2).sum(axis=0)
    mates = divide((size**2).sum(axis=0), count)
    rho = _correlation(divide(between, some - 1), divide(within, count - some, 0.0), count, some, mates)
    kept = np.clip(rho, 0.0, 1.0)
    effective = divide(count, 1.0 + (mates - 1.0) * kept)
    return Clustering(
        rho=kept, effective=effective, queries=count.astype(np.int64), classes=some.astype(np.int64), below_zero=rho < 0
    )


def _by_class(number: IntArray, values: ArrayLike) -> FloatArray:
    """Sums of each class (row) and column."""
    given = np.asarray(values, dtype=np.float64)
    return column_sums_by(number, given, int(number.max(initial=-1)) + 1)


def _correlation(
    between: FloatArray, within: FloatArray, count: FloatArray, some: IntArray, mates: FloatArray
) -> FloatArray:
    """(MSB - MSW)/(MSB + (n0 - 1) MSW), 1 at most; where no class has two queries there is nothing to correlate."""
    typical = divide(count - mates, some - 1)
    rho = divide(between - within, between + (typical - 1.0) * within, nothing=0.0)
    return np.where(some < 2, np.nan, np.where(count == some, 0.0, rho))
