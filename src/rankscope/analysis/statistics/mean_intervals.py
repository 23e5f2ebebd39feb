"""Confidence intervals of means: one rule for every command, by the number of sampling units; and the limits by one
unseen unit.

The interval of a mean over queries, one rule for every command: over the sampling units, the way by their number. Few
units: by one unseen unit at the ends of the measure's range (below), or Student's t without a range; BCa from `ENOUGH`
units on, which claims too much of fewer. No interval leaves the range of the measure, and none is without width where a
further query could differ.

Limits of the means of bounded values, by one unseen unit at the end of the range. A sample that lacks the rare large
units looks calm, and nothing in its own spread tells. So one unit that was not seen is added, for the lower limits at
the lower end of what a value can be, for the upper limits at the upper end. All units get exponential weights by
chance, the same at every point of a curve, and the weighted means show how low and how high the true mean may lie
(Gaffke 2005; Learned-Miller and Thomas 2019). Both sides of all points leave out equally many of these weighted means,
and so many that all together leave out no more than the level allows.

A unit weighs as many times as it has values. The unseen one has as many as the unit of a value has in the mean over
values: with the mean over units the limits fail where few large classes hold most of the queries.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankscope.analysis.statistics.bootstrap import ENOUGH, Intervals, bootstrap_means, resamples_for
from rankscope.analysis.statistics.resampling import exponential_weights, runs_of_equal_columns
from rankscope.analysis.statistics.sampling_units import UnitSums, unit_sums, unit_values
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.core.validation import COUNT, SEED, SHARE, OneOf, Optional, check
from rankscope.ranks.ragged import divide
from rankscope.ranks.score_tables import low_numbers

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
    ends = np.stack([np.broadcast_to(np.asarray(end, dtype=np.float64), table.shape[1]) for end in bounds])
    if how != "bounded":  # then a value outside is an error
        outside = ((table < ends[0] - ROUNDING) | (table > ends[1] + ROUNDING)).any(axis=0)
        ends = np.where(outside, [[-np.inf], [np.inf]], ends)
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


ROUNDING = 1e-9  # a value this far beyond its bounds was rounded
NO_WIDTH = 1e-12  # limits that differ by less than this share of their size are one
Bounds = tuple[FloatArray | float, FloatArray | float]  # of all points, or of each
OF_A_VALUE, OF_A_DIFFERENCE = 1.0, 0.5  # shape of the gamma distribution that weighs the unseen unit


def shape_within(bounds: Bounds) -> float:
    """Values on both sides of 0 are differences: their unseen unit weighs less.

    Chosen on five pairs of real runs and held on seven others: with the whole weight the limits are needlessly wide.
    """
    low, high = (np.asarray(end) for end in bounds)
    return OF_A_DIFFERENCE if np.any((low < 0) & (high > 0)) else OF_A_VALUE


def unseen_unit_limits(
    units: UnitSums,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    bounds: Bounds = (0.0, 1.0),
    shape: float = OF_A_VALUE,
    together: bool = True,
) -> tuple[FloatArray, FloatArray]:
    """Lower and upper limits of the mean at each point (column), which never leave the bounds.

    `together`: the level is that of all points at once, else that of each point. A point has the units that have a
    value there; with fewer than two of them it has no limits (NaN). Equal values have limits too, because the unseen
    unit may differ from them.
    >>> low, high = unseen_unit_limits(UnitSums(np.full((9, 1), 0.5), np.ones((9, 1), dtype=np.int64)))
    >>> low.round(2), high.round(2)
    (array([0.36]), array([0.64]))
    """
    ends = np.stack([np.broadcast_to(end, units.size.shape[1]) for end in bounds])
    _check_bounds(units, ends)
    known = np.flatnonzero((units.size > 0).sum(axis=0) >= 2)
    limits = np.full(ends.shape, np.nan)
    if known.size:
        first, run = runs_of_equal_columns(np.vstack([units.total, units.size, ends])[:, known])
        points = known[first]
        chosen, low_high = units.take(points), ends[:, points]
        means = _weighted_means(chosen, draws, seed, low_high, shape)
        inner = _joint_quantiles(means, level, together)
        mean = np.clip(chosen.mean, *low_high)  # chance might put both limits on one side of it at low levels
        around = np.minimum(low_high[0] + inner[0], mean), np.maximum(low_high[1] - inner[1], mean)
        limits[:, known] = np.stack(around)[:, run]
    return limits[0], limits[1]


def _check_bounds(units: UnitSums, ends: FloatArray) -> None:
    means = divide(units.total, units.size)
    wrong = np.flatnonzero(((means < ends[0] - ROUNDING) | (means > ends[1] + ROUNDING)).any(axis=0))
    if wrong.size:
        low, high = ends[:, wrong[0]]
        own = means[:, wrong[0]]
        raise SettingError(
            f"limits by an unseen unit need values from {low:g} to {high:g}, got {np.nanmin(own):g} to "
            f"{np.nanmax(own):g}: choose another way, or other bounds"
        )


def _weighted_means(units: UnitSums, draws: int, seed: int, ends: FloatArray, shape: float) -> FloatArray:
    """Distances from the lower and from the upper end: 2 x points x draws. The unseen unit is at distance 0."""
    size = units.size.astype(np.float64)
    from_ends = np.hstack([units.total - ends[0] * size, ends[1] * size - units.total])
    # Where all points have the values of the same units, the weights add up to the same at every one.
    points = slice(0, 1) if (size == size[:, :1]).all() else slice(None)
    columns = np.hstack([size[:, points], np.maximum(from_ends, 0.0)])
    unseen, weights = exponential_weights(len(units), draws, seed, shape)
    sums = np.concatenate([columns.T @ some.T for some in weights], axis=1)
    below, above = sums[: -from_ends.shape[1]], sums[-from_ends.shape[1] :].reshape(2, -1, draws)
    return np.divide(above, below + units.typical_of_a_value[points, None] * unseen, out=above)


def _joint_quantiles(means: FloatArray, level: float, together: bool) -> FloatArray:
    """For each side and point (first two axes) a low quantile of the draws, all at one share.

    The share is the largest at which no more draws than 1 - level lie below the quantile of any side and point; of each
    point for itself unless `together`. Where all units lie at an end its weighted means are all equal: the first draws
    count as the lowest, as if one unit lay a little inside.
    """
    points, draws = means.shape[1:]
    spare = draws - math.ceil(level * draws - 1e-9)  # so many draws may be left out
    equal = (np.ptp(means, axis=2) == 0)[:, :, None]
    ordered = np.where(equal, np.arange(draws), means) if equal.any() else means
    group = np.zeros(points, dtype=np.int64) if together else np.arange(points)
    for count in (spare // 4 + 2, spare // 2 + 2, spare + 1):  # points hardly ever all leave out the same draws
        rows, count = ordered.reshape(-1, draws), min(count, draws)
        left_out = low_numbers(rows, count).in_order(count).reshape(2, points, count)
        place = _shared_place(left_out, group, draws, spare)
        if (place < left_out.shape[2]).all():
            break
    chosen = left_out[:, np.arange(points), place[group]]
    return np.take_along_axis(means, chosen[:, :, None], axis=2)[:, :, 0]


def _shared_place(left_out: IntArray, group: IntArray, draws: int, spare: int) -> IntArray:
    """For each group of points the place among those left out, lowest first, up to which so many draws are spared.

    As many as there are, where these are too few to tell.
    """
    count = left_out.shape[2]
    first = np.full((int(group[-1]) + 1, draws), count)  # the place at which a draw is left out by any side and point
    cell = group[None, :, None] * draws + left_out
    np.minimum.at(first.reshape(-1), cell.ravel(), np.tile(np.arange(count), cell.size // count))
    return np.partition(first, spare, axis=1)[:, spare]
