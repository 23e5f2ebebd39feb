"""Bootstrap of means over queries (Efron 1979), for many measures and systems at once: percentile or BCa intervals.

All columns see the same resamples: the difference of two systems is one more column, and so it is paired.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import FloatArray, IntArray
from rankscope.number_texts import how_many, percent_text
from rankscope.statistics.intervals.bca import bca_tails, known_in_rows
from rankscope.statistics.intervals.equal_columns import runs_of_equal_columns
from rankscope.statistics.table.resampling import Queries, Resampling, batches, class_numbers, drawing
from rankscope.statistics.table.shared_draws import resampled_times
from rankscope.validation import COUNT, SEED, SHARE, OneOf, Optional, check

FEWEST, MOST = 2_000, 10_000
DRAWS = 10_000_000  # so many queries are drawn in all, as far as FEWEST and MOST allow
ENOUGH = 25  # sampling units from which on BCa is the rule (`mean_intervals`)
SHORT = {"percentile": "percentile bootstrap", "bca": "BCa", "bounded": "bounded", "t": "Student's t"}
WAYS = {"percentile": "percentile bootstrap", "bca": "bias-corrected and accelerated bootstrap (BCa)"}
ROUNDING = 1e-13  # values that differ by less than this share of their size are equal, rounded


@dataclass(frozen=True, eq=False)
class Intervals:
    """One mean and its interval per column; NaN where a column has no value at all, or no spread to compute one from.

    `unit` says what chance draws: queries, or classes of queries that depend on each other. `how` is the way that was
    asked for, `ways` the one that each column got, "" where it has no interval.
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
    how: str = "percentile"
    ways: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Which intervals these are, in a few words: `bounded (fewer than 25 queries)`, `BCa`, `none (1 query)`."""
        there = {*self.ways} - {""}
        if not there:
            return f"none ({'all values are equal' if self.units > 1 else how_many(self.units, self.unit)})"
        few = f"fewer than {ENOUGH} {self.unit}"
        main, where = self.how, {"bounded": "where all values are equal", "t": "where a measure has no range"}
        if self.how == "auto" and self.units >= ENOUGH:
            main, where = "bca", {"bounded": f"where {few} have a value or all are equal", "t": f"where {few} have one"}
        elif self.how == "auto":
            main = "bounded" if "bounded" in there else "t"
        because = f" ({few}{', no range' if main == 't' else ''})" if self.how == "auto" and self.units < ENOUGH else ""
        parts = [f"{SHORT[main]}{because}"] if main in there else []
        parts += [f"{SHORT[way]} {text}" for way, text in where.items() if way in there and way != main]
        return ", ".join([*parts, *(["none where all values are equal"] if "" in self.ways else [])])

    @property
    def told(self) -> str:
        """What must be said with the numbers: the level, which intervals, of how many units, by which draws.

        Nothing where one query or class leaves nothing to draw.
        """
        if self.units < 2:
            return f"No {percent_text(self.level)} intervals: {how_many(self.units, self.unit)}."
        drawn = f"{self.resamples:,} draws, seed {self.seed}" if {*self.ways} - {"t", ""} else ""
        how = "; ".join(filter(None, [self.words, how_many(self.units, self.unit), drawn]))
        return f"{percent_text(self.level)} intervals: {how}."

    def rows(self) -> list[dict[str, float]]:
        """One row per column, in plain numbers."""
        columns = zip(*(each.tolist() for each in (self.mean, self.low, self.high, self.queries)), strict=True)
        return [dict(zip(("mean", "low", "high", "queries"), each, strict=True)) for each in columns]

    def take(self, columns: IntArray) -> Intervals:
        """Some of the columns."""
        mean, low, high = self.mean[columns], self.low[columns], self.high[columns]
        ways = tuple(self.ways[column] for column in columns.tolist())
        return replace(self, mean=mean, low=low, high=high, queries=self.queries[columns], ways=ways)


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
    how: str = "percentile",
) -> Intervals:
    """Intervals of the means of each column; a row is a query, NaN a query that a measure leaves out.

    `classes`: queries of one class share what they look for, so they say less than as many independent ones. Classes
    are then drawn, and within each class drawn its queries. One query, or one class, has no interval.
    `how`: percentile, or bca, which shifts the limits for bias and skew and is the better one for few skewed values.
    Both know only the values there are: of equal ones the interval has no width (`mean_intervals` knows more).
    >>> made = bootstrap_means([[0.0], [0.5], [1.0], [0.5]])
    >>> made.mean.tolist(), made.low.tolist(), made.high.tolist(), made.resamples
    ([0.5], [0.125], [0.875], 10000)
    """
    rules = {"how": OneOf(tuple(WAYS)), "level": SHARE, "resamples": Optional(COUNT), "seed": SEED}
    how, level, resamples, seed = check(locals(), **rules).values()
    table = np.atleast_2d(np.asarray(values, dtype=np.float64))
    there = ~np.isnan(table)
    filled = np.where(there, table, 0.0)
    count = there.sum(axis=0)
    draw = drawing(len(table), classes)
    wanted = resamples or resamples_for(len(table))
    with np.errstate(invalid="ignore"):
        mean = filled.sum(axis=0) / count
    low, high = np.full_like(mean, np.nan), np.full_like(mean, np.nan)
    unit = np.arange(len(table)) if classes is None else class_numbers(classes)
    if draw.units > 1:
        first, run = runs_of_equal_columns(table)
        some, known = filled[:, first], there[:, first]
        drawn = _means(some, known, draw, wanted, seed)
        limits = _limits(drawn, _tails(drawn, some, known, unit, level, how))
        low, high = limits[:, run]
        _settle(filled, there, mean, low, high)
    return Intervals(
        mean=mean,
        low=low,
        high=high,
        queries=count,
        resamples=wanted,
        seed=seed,
        level=level,
        unit=draw.unit,
        units=draw.units,
        how=how,
        ways=tuple(np.where(np.isfinite(low), how, "").tolist()),
    )


def _means(filled: FloatArray, there: Any, draw: Resampling, resamples: int, seed: int) -> FloatArray:
    """The mean of each column (row) in each resample (column)."""
    whole = bool(there.all()) and draw.unit == "queries"
    weight = there.astype(np.float64)
    parts = []
    for times in _times(draw, len(filled), resamples, seed):
        bottom = np.float64(len(filled)) if whole else weight.T @ times.T
        with np.errstate(invalid="ignore"):
            parts.append((filled.T @ times.T) / bottom)
    return np.concatenate(parts, axis=1)


def _times(draw: Resampling, queries: int, resamples: int, seed: int) -> Iterator[FloatArray]:
    """How often each query is in each resample, in batches."""
    if isinstance(draw, Queries):
        return resampled_times(queries, resamples, seed)
    chance = np.random.default_rng(seed)
    return (draw.times(chance, size) for size in batches(resamples, queries))


def _tails(drawn: FloatArray, filled: FloatArray, there: Any, unit: IntArray, level: float, how: str) -> FloatArray:
    """Which quantiles of the resamples are the limits of each column."""
    tail = (1 - level) / 2
    if how == "percentile":
        return np.repeat([[tail], [1 - tail]], filled.shape[1], axis=1)
    return bca_tails(drawn, filled, there, unit, level)


def _limits(means: FloatArray, tails: FloatArray) -> FloatArray:
    """Quantiles over the resamples; a resample in which no query has a value is left out."""
    limits = row_quantiles(means, tails)
    limits[:, np.isnan(tails).any(axis=0)] = np.nan
    return limits


def row_quantiles(rows: FloatArray, shares: FloatArray) -> FloatArray:
    """Quantiles of the numbers of each row, linear between neighbours, as numpy's; NaN where there is none.

    `shares` has a column for each row. The rows are put in order as far as that is needed.
    >>> row_quantiles(np.array([[4.0, 1.0, np.nan, 2.0]]), np.array([[0.25], [0.75]])).ravel()
    array([1.5, 3. ])
    """
    known = known_in_rows(rows)
    place = np.where(np.isnan(shares), 0.0, shares) * np.maximum(known - 1, 0)
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, np.maximum(known - 1, 0))
    rows.partition(np.unique([below, above]), axis=1)
    number = np.arange(len(rows))
    low, high = rows[number, below], rows[number, above]
    share, step = place - below, high - low
    between = np.where(share >= 0.5, high - step * (1 - share), low + step * share)
    return np.where(known > 0, between, np.nan)


def _settle(filled: FloatArray, there: Any, mean: FloatArray, low: FloatArray, high: FloatArray) -> None:
    """Equal values have an interval of no width; a single one has none."""
    apart = np.where(there, np.abs(filled - mean), 0.0).max(axis=0, initial=0.0)
    equal = apart <= ROUNDING * np.maximum(np.abs(mean), 1e-300)
    low[equal] = high[equal] = mean[equal]
    low[there.sum(axis=0) < 2] = high[there.sum(axis=0) < 2] = np.nan
