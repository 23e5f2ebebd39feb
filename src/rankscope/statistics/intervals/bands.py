"""Confidence bands around a mean curve over queries: for the whole curve, or for each point by itself (t).

Ways to make one, all over the sampling units (queries, or classes where classes are what queries look for):
- `unseen-unit`: values are bounded, so one unit that was not seen may lie at the end of the range (`unseen_unit`). The
  whole curve, limits within the bounds and unlike on both sides. The default, and the one that holds on real rankings.
- `bonferroni`: mean -+ k standard errors, k the t quantile at 1 - alpha/(2 points). The whole curve.
- `sup-t`: the same, k the quantile of the farthest that any point strays when units are drawn again. The whole curve.
- `t`: the same, k the t quantile at 1 - alpha/2 with one degree of freedom less than units. Each point by itself.
Bonferroni and sup-t judge by the spread of the sample: they may not hold where few units decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import FloatArray, IntArray
from rankscope.errors import SettingError
from rankscope.measures.fractions import divide
from rankscope.statistics.intervals.band import Band
from rankscope.statistics.intervals.bootstrap import resamples_for
from rankscope.statistics.intervals.clustering import clustering
from rankscope.statistics.intervals.deciding import FEW, deciding_units
from rankscope.statistics.intervals.sup_t import sup_t_statistics
from rankscope.statistics.intervals.unseen_unit import Bounds, shape_within, unseen_unit_limits
from rankscope.statistics.table.query_curves import QueryCurves
from rankscope.statistics.table.resampling import Queries
from rankscope.statistics.table.units import UnitSums, unit_sums, unit_values
from rankscope.validation import COUNT, SEED, SHARE, OneOf, Optional, check

WAYS = {"unseen-unit": "one unseen unit", "bonferroni": "Bonferroni", "sup-t": "sup-t bootstrap", "t": "t"}
DEFAULT = "unseen-unit"
SUP_T_DRAWS = 2_000
DRAWN = ("unseen-unit", "sup-t")


@dataclass(frozen=True, eq=False)
class _Points:
    """What is known of each point before the way to make a band is chosen."""

    sums: UnitSums
    rows: FloatArray  # one row per sampling unit
    mean: FloatArray
    sd: FloatArray
    count: IntArray
    effective: FloatArray
    deciding: FloatArray

    @property
    def units(self) -> IntArray:
        return np.asarray((~np.isnan(self.rows)).sum(axis=0))

    @property
    def error(self) -> FloatArray:
        return _spread(self.rows)[1] / np.sqrt(np.maximum(self.units, 1))


@dataclass(frozen=True)
class _ChanceDraws:
    """How chance is drawn."""

    level: float
    times: int
    seed: int


@dataclass(frozen=True, eq=False)
class _BandLimits:
    low: FloatArray
    high: FloatArray
    critical: FloatArray


def band(
    curves: QueryCurves | ArrayLike,
    x: ArrayLike | None = None,
    how: str = DEFAULT,
    level: float = 0.95,
    classes: Sequence[str] | None = None,
    resamples: int | None = None,
    seed: int = 0,
    bounds: Bounds | None = None,
) -> Band:
    """The band around the mean of curves, one a row; fewer than two sampling units have none.

    `classes`: the class of each query where the class is the sampling unit (`units.unit_classes`), else None. The mean
    is over queries. A query without a value at a point (NaN) is left out there: that point has its own units, weighed
    by their queries with a value, and the weights drawn are the same at every point. `bounds`: what a value can be,
    at all points or at each; None takes what the curves say, 0 to 1 for a table.
    >>> made = band([[0.2, 0.1], [0.4, 0.3], [0.6, 0.2]], x=[0, 1], how="t")
    >>> made.mean.round(3), made.critical.round(3), made.low.round(3)
    (array([0.4, 0.2]), array([4.303, 4.303]), array([-0.097, -0.048]))
    >>> band([[0.2, 0.1], [0.4, 0.3], [0.6, 0.2]]).high.round(1)
    array([0.8, 0.7])
    """
    rules = {"how": OneOf(tuple(WAYS)), "level": SHARE, "resamples": Optional(COUNT), "seed": SEED}
    how, level, resamples, seed = check(locals(), **rules).values()
    given = _given(curves, x)
    points = _points(given.values, classes)
    drawn = _ChanceDraws(level, resamples or _draws(how, len(points.rows)), seed)
    ends = (given.lowest, given.highest) if bounds is None else bounds
    result = _unseen_unit(points, drawn, ends) if how == "unseen-unit" else _standard_errors(points, how, drawn)
    return Band(
        x=given.x,
        mean=points.mean,
        sd=points.sd,
        error=points.error,
        low=result.low,
        high=result.high,
        critical=result.critical,
        count=points.count,
        effective=points.effective,
        deciding=points.deciding,
        queries=len(given),
        how=how,
        level=level,
        resamples=drawn.times if how in DRAWN else 0,
        seed=seed,
        unit="queries" if classes is None else "classes",
        units=len(points.rows),
        cut=given.cut,
        name=given.system,
        x_name=given.x_name,
        y_name=given.y_name,
        bounds=ends,
    )


def difference_band(
    first: QueryCurves,
    second: QueryCurves,
    how: str = DEFAULT,
    level: float = 0.95,
    classes: Sequence[str] | None = None,
    resamples: int | None = None,
    seed: int = 0,
) -> Band:
    """The band around second minus first, query by query, for the queries that both have.

    Where it leaves out 0 the systems differ; whether two bands of one system each overlap is no test, because that
    ignores that the queries are the same. `classes` are those of the queries of the first system.
    """
    both = second.minus(first)
    if classes is not None:
        if len(classes) != len(first):
            raise SettingError(f"{len(first)} queries need as many classes, got {len(classes)}")
        known = dict(zip(first.queries, classes, strict=True))
        classes = [known[query] for query in both.queries]
    return band(both, None, how, level, classes, resamples, seed)


def _given(curves: QueryCurves | ArrayLike, x: ArrayLike | None) -> QueryCurves:
    """The curves as a table; without x the points are numbered."""
    if isinstance(curves, QueryCurves):
        return curves
    values = np.atleast_2d(np.asarray(curves, dtype=np.float64))
    place = np.arange(values.shape[1]) if x is None else np.asarray(x, dtype=np.float64)
    return QueryCurves(place.astype(np.float64), values, tuple(map(str, range(len(values)))), system="", y_name="mean")


def _draws(how: str, units: int) -> int:
    return SUP_T_DRAWS if how == "sup-t" else resamples_for(units)


def _points(values: FloatArray, classes: Sequence[str] | None) -> _Points:
    """Mean and unbiased sd over the queries that have a value, and what the sampling units are."""
    count = (~np.isnan(values)).sum(axis=0)
    effective = count.astype(np.float64) if classes is None else clustering(values, classes).effective
    rows = unit_values(values, classes)
    mean, sd = _spread(values)
    return _Points(
        sums=unit_sums(values, classes),
        rows=rows,
        mean=mean,
        sd=sd,
        count=count,
        effective=effective,
        deciding=deciding_units(rows),
    )


def _spread(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and unbiased standard deviation of the values there are in each column."""
    there = ~np.isnan(values)
    count = there.sum(axis=0)
    mean = divide(np.where(there, values, 0.0).sum(axis=0), count)
    square = np.where(there, values - mean, 0.0) ** 2
    return mean, np.sqrt(divide(square.sum(axis=0), np.maximum(count - 1, 0)))


def _unseen_unit(points: _Points, drawn: _ChanceDraws, bounds: Bounds) -> _BandLimits:
    shape = shape_within(bounds)
    low, high = unseen_unit_limits(points.sums, drawn.level, drawn.times, drawn.seed, bounds, shape)
    return _BandLimits(low, high, np.full(low.size, np.nan))


def _standard_errors(points: _Points, how: str, drawn: _ChanceDraws) -> _BandLimits:
    """Limits equally far on both sides of the mean, in standard errors."""
    shared = _t_quantile(points, drawn.level, int((points.units >= 2).sum()))
    alone = _t_quantile(points, drawn.level, 1)
    critical = {"t": alone, "bonferroni": shared}[how] if how != "sup-t" else _sup_t(points, drawn, alone, shared)
    return _BandLimits(points.mean - critical * points.error, points.mean + critical * points.error, critical)


def _t_quantile(points: _Points, level: float, sharing: int) -> FloatArray:
    """The t quantile of each point where so many points share the tail; NaN where it has fewer than two units."""
    from scipy.special import stdtrit

    freedom = np.where(points.units >= 2, points.units - 1.0, np.nan)
    return np.asarray(stdtrit(freedom, 1 - (1 - level) / (2 * max(1, sharing))))


def _sup_t(points: _Points, drawn: _ChanceDraws, alone: FloatArray, shared: FloatArray) -> FloatArray:
    """The quantile of the farthest stray among the points that enough units decide; without any, that of Bonferroni.

    A band for the whole curve is no narrower than one for a single point: with few units chance errs, and the value is
    raised to that of t.
    """
    enough = points.deciding >= FEW
    if not enough.any():
        return shared
    strays = sup_t_statistics(points.rows[:, enough], Queries(len(points.rows)), drawn.times, drawn.seed)
    known = strays[~np.isnan(strays)]
    return np.maximum(alone, float(np.quantile(known, drawn.level)) if known.size else 0.0)
