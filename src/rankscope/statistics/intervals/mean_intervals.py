"""The interval of a mean over queries, one rule for every command: over the sampling units, the way by their number.

Few units: by one unseen unit at the ends of the measure's range (`unseen_unit`), or Student's t without a range; BCa
from `ENOUGH` units on, which claims too much of fewer. No interval leaves the range of the measure, and none is without
width where a further query could differ.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.statistics.intervals.bootstrap import ENOUGH, Intervals, bootstrap_means, resamples_for
from rankscope.statistics.intervals.unseen_unit import NO_WIDTH, ROUNDING, Bounds, shape_within, unseen_unit_limits
from rankscope.statistics.table.units import UnitSums, unit_sums, unit_values
from rankscope.validation import COUNT, SEED, SHARE, OneOf, Optional, check

WAYS = {
    "auto": "by the number of units and the range of the measure",
    "bca": "bias-corrected and accelerated bootstrap (BCa)",
    "bounded": "one unseen unit at the ends of the range of a measure",
    "t": "Student's t",
}
ROUNDED = 1e-13  # and so are values that differ by less


def mean_intervals(
    values: ArrayLike,
    classes: Sequence[str] | None = None,
    *,
    how: str = "auto",
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 0,
    bounds: Bounds = (0.0, 1.0),
) -> Intervals:
    """Pointwise intervals of the mean of each column; a row is a query, NaN a query without a value.

    `classes`: the class of each query where the class is the sampling unit (`unit_classes`), else None. The same
    number gets the same interval in every table, graph and report. One unit has none.
    `bounds`: what a value can be, of all columns or of each; a column with a value outside counts as one without a
    range. `how`: auto takes bounded below 25 units (t without a range), BCa from 25 on. bounded: one unit that was not
    seen may lie at either end of the range (`unseen_unit`); of zeros and ones it is Clopper and Pearson's. Where bca or
    t have no width, because values are equal, the interval is bounded; without a range there is none.
    >>> made = mean_intervals([[0.1], [0.1], [0.9], [0.9]], ["a", "a", "b", "b"])
    >>> made.mean.tolist(), made.unit, made.units, made.queries.tolist(), made.words
    ([0.5], 'classes', 2, [4], 'bounded (fewer than 25 classes)')
    >>> rare = [[0.0]] * 9 + [[0.2]]
    >>> [mean_intervals(rare, how=how).high.round(2).tolist() for how in ("bca", "t", "bounded")]
    [[0.1], [0.07], [0.32]]
    """
    rules = {"how": OneOf(tuple(WAYS)), "level": SHARE, "resamples": Optional(COUNT), "seed": SEED}
    how, level, resamples, seed = check(locals(), **rules).values()
    table = np.asarray(values, dtype=np.float64)
    rows, sums = unit_values(table, classes), unit_sums(table, classes)
    ends = _ends(table, bounds, strict=how == "bounded")
    ranged: BoolArray = np.asarray(np.isfinite(ends).all(axis=0))
    ways = _ways(how, (sums.size > 0).sum(axis=0), ranged)
    drawn = resamples or resamples_for(len(rows))
    limits = np.full(ends.shape, np.nan)
    if (some := ways == "bca").any():
        made = bootstrap_means(rows[:, some], level=level, resamples=drawn, seed=seed, how="bca")
        limits[:, some] = np.clip([made.low, made.high], *ends[:, some])
    if (some := ways == "t").any():
        of_t = t_intervals(rows[:, some], level)
        limits[:, some] = np.clip([of_t.low, of_t.high], *ends[:, some])
    flat = np.isin(ways, ("bca", "t")) & ~(limits[1] - limits[0] > NO_WIDTH * np.abs(limits).max(axis=0))
    ways[flat & ranged], ways[flat & ~ranged], limits[:, flat] = "bounded", "", np.nan
    if (some := ways == "bounded").any():
        limits[:, some] = _bounded(sums.take(some), level, drawn, seed, ends[:, some])
    return Intervals(
        mean=sums.mean,
        low=limits[0],
        high=limits[1],
        queries=(~np.isnan(table)).sum(axis=0),
        resamples=drawn,
        seed=seed,
        level=level,
        unit="queries" if classes is None else "classes",
        units=len(rows),
        how=how,
        ways=tuple(ways.tolist()),
    )


def _ends(table: FloatArray, bounds: Bounds, strict: bool) -> FloatArray:
    """What a value of each column can be; infinite where a value lies outside, unless that is an error (`strict`)."""
    ends = np.stack([np.broadcast_to(np.asarray(end, dtype=np.float64), table.shape[1]) for end in bounds])
    outside = ((table < ends[0] - ROUNDING) | (table > ends[1] + ROUNDING)).any(axis=0)
    return ends if strict else np.where(outside, [[-np.inf], [np.inf]], ends)


def _ways(how: str, units: IntArray, ranged: BoolArray) -> NDArray[np.object_]:
    """How the interval of each column is to be made, from its units and whether it has a range; "" where it has none.

    >>> _ways("auto", np.array([1, 24, 24, 25]), np.array([True, True, False, False])).tolist()
    ['', 'bounded', 't', 'bca']
    """
    few = np.where(ranged, "bounded", "t")
    ways = {"auto": np.where(units < ENOUGH, few, "bca"), "bounded": few}.get(how, np.full(few.size, how))
    return np.where(units > 1, ways, "").astype(object)


def _bounded(units: UnitSums, level: float, draws: int, seed: int, ends: FloatArray) -> FloatArray:
    """Limits by one unseen unit, those of differences apart: theirs weighs less."""
    limits, signed = np.empty(ends.shape), (ends[0] < 0) & (ends[1] > 0)
    for some in filter(np.any, (signed, ~signed)):
        low_high = (ends[0, some], ends[1, some])
        limits[:, some] = unseen_unit_limits(
            units.take(some), level, draws, seed, low_high, shape_within(low_high), together=False
        )
    return limits


def t_intervals(values: FloatArray, level: float = 0.95) -> Intervals:
    """Student's t intervals of the mean of each column, NaN a query without a value; none where there is no spread.

    >>> made = t_intervals(np.array([[0.1, 0.1], [0.3, 0.1], [0.2, 0.1], [0.4, np.nan]]))
    >>> made.mean.round(4).tolist(), made.low.round(4).tolist(), made.queries.tolist()
    ([0.25, 0.1], [0.0446, nan], [4, 3])
    """
    from scipy.special import stdtrit

    rows = np.ascontiguousarray(values.T)
    there = ~np.isnan(rows)
    queries = there.sum(axis=1)
    mean, sd = np.full(len(rows), np.nan), np.full(len(rows), np.nan)
    for count in np.unique(queries[queries > 0]).tolist():  # rows of one length are one table
        some = np.flatnonzero(queries == count)
        table = rows[some][there[some]].reshape(some.size, count)
        mean[some] = table.mean(axis=1)
        if count > 1:
            spread_out = table.std(axis=1, ddof=1)
            sd[some] = np.where(spread_out > ROUNDED * np.abs(table).max(axis=1), spread_out, np.nan)
    half = stdtrit(queries - 1.0, 1 - (1 - level) / 2) * (sd / np.sqrt(queries))
    ways = tuple(np.where(np.isnan(half), "", "t").tolist())
    low, high, units = mean - half, mean + half, len(values)
    return Intervals(mean, low, high, queries, resamples=0, level=level, units=units, how="t", ways=ways)
