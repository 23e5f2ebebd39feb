"""Percentile bootstrap of means over queries (Efron 1979), for many measures and systems at once.

All columns see the same resamples: the difference of two systems is one more column, and so it is paired.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import FloatArray, IntArray

FEWEST, MOST = 2_000, 10_000
DRAWS = 10_000_000  # so many queries are drawn in all, as far as FEWEST and MOST allow
AT_ONCE = 1_000_000  # drawn in one batch: 8 MB of counts


@dataclass(frozen=True, eq=False)
class Intervals:
    """One mean and its interval per column; NaN where a column has no value at all, or no spread to tell one from.

    `unit` says what was resampled: queries, or classes of queries that hang together.
    """

    mean: FloatArray
    low: FloatArray
    high: FloatArray
    queries: IntArray  # how many have a value
    resamples: int
    seed: int = 0
    level: float = 0.95
    unit: str = "queries"
    units: int = 0

    def rows(self) -> list[dict[str, float]]:
        """One row per column, in plain numbers."""
        columns = zip(*(each.tolist() for each in (self.mean, self.low, self.high, self.queries)), strict=True)
        return [dict(zip(("mean", "low", "high", "queries"), each, strict=True)) for each in columns]


def resamples_for(queries: int) -> int:
    """How many resamples: 10,000 for few queries, 2,000 for many.

    >>> resamples_for(50), resamples_for(3_000), resamples_for(100_000)
    (10000, 3000, 2000)
    """
    return int(np.clip(DRAWS // max(queries, 1) // 1000 * 1000, FEWEST, MOST))


def bootstrap_means(
    values: ArrayLike,
    *,
    classes: Sequence[str] | None = None,
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 0,
) -> Intervals:
    """Intervals of the means of each column; a row is a query, NaN a query that a measure leaves out.

    `classes`: queries of one class share what they look for, so they say less than as many independent ones. Classes
    are then drawn, and within each class drawn its queries. One query, or one class, has no interval.
    >>> made = bootstrap_means([[0.0], [0.5], [1.0], [0.5]])
    >>> made.mean.tolist(), made.low.tolist(), made.high.tolist(), made.resamples
    ([0.5], [0.125], [0.875], 10000)
    """
    table = np.atleast_2d(np.asarray(values, dtype=np.float64))
    there = ~np.isnan(table)
    filled = np.where(there, table, 0.0)
    count = there.sum(axis=0)
    draw = _Queries(len(table)) if classes is None else _Classes.of(classes)
    wanted = resamples or resamples_for(len(table))
    with np.errstate(invalid="ignore"):
        mean = filled.sum(axis=0) / count
    low, high = np.full_like(mean, np.nan), np.full_like(mean, np.nan)
    if draw.units > 1:
        low, high = _limits(_means(filled, there, draw, wanted, seed), level)
        low[count < 2] = high[count < 2] = np.nan
    return Intervals(mean, low, high, count, wanted, seed, level, draw.unit, draw.units)


def _means(filled: FloatArray, there: Any, draw: _Queries | _Classes, resamples: int, seed: int) -> FloatArray:
    """The mean of each column in each resample."""
    chance = np.random.default_rng(seed)
    whole = bool(there.all()) and isinstance(draw, _Queries)
    weight = there.astype(np.float64)
    parts = []
    for size in _batches(resamples, len(filled)):
        times = draw.times(chance, size)
        bottom = np.float64(len(filled)) if whole else times @ weight
        with np.errstate(invalid="ignore"):
            parts.append((times @ filled) / bottom)
    return np.concatenate(parts)


def _batches(resamples: int, queries: int) -> Iterator[int]:
    step = max(1, AT_ONCE // queries)
    for start in range(0, resamples, step):
        yield min(step, resamples - start)


def _limits(means: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Quantiles over the resamples; a resample in which no query has a value is left out."""
    tail = (1 - level) / 2
    limits = np.full((2, means.shape[1]), np.nan)
    for column, drawn in enumerate(means.T):
        known = drawn[~np.isnan(drawn)]
        if known.size:
            limits[:, column] = np.quantile(known, [tail, 1 - tail])
    return limits[0], limits[1]


@dataclass(frozen=True)
class _Queries:
    """As many queries as there are, each drawn from all."""

    units: int
    unit: str = "queries"

    def times(self, chance: np.random.Generator, resamples: int) -> FloatArray:
        """How often each query (column) is in each resample (row)."""
        drawn = chance.integers(0, self.units, (resamples, self.units))
        return _counted(drawn + np.arange(resamples)[:, None] * self.units, resamples, self.units)


@dataclass(frozen=True, eq=False)
class _Classes:
    """As many classes as there are, each drawn from all; and in each as many queries as it has, drawn from it."""

    order: IntArray  # queries class by class
    start: IntArray
    size: IntArray
    unit: str = "classes"

    @classmethod
    def of(cls, classes: Sequence[str]) -> _Classes:
        _, number, size = np.unique(np.asarray(classes, dtype=str), return_inverse=True, return_counts=True)
        return cls(np.argsort(number, kind="stable"), np.cumsum(size) - size, size.astype(np.int64))

    @property
    def units(self) -> int:
        return self.size.size

    def times(self, chance: np.random.Generator, resamples: int) -> FloatArray:
        """How often each query (column) is in each resample (row)."""
        drawn = chance.integers(0, self.units, (resamples, self.units))
        lengths = self.size[drawn]
        start, size = (np.repeat(each[drawn].ravel(), lengths.ravel()) for each in (self.start, self.size))
        query = self.order[start + (chance.random(size.size) * size).astype(np.int64)]
        row = np.repeat(np.arange(resamples), lengths.sum(axis=1))
        return _counted(row * self.order.size + query, resamples, self.order.size)


def _counted(places: IntArray, resamples: int, queries: int) -> FloatArray:
    return np.bincount(places.ravel(), minlength=resamples * queries).reshape(resamples, queries).astype(np.float64)
