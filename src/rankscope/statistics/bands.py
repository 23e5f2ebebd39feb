"""Confidence bands around a mean curve over queries: pointwise (t), or for the whole curve (Bonferroni, sup-t).

The mean at a point is mu, its standard error sigma/sqrt N, and the band mu -+ k sigma/sqrt N. The ways differ in k:
- `t`: the t quantile at 1 - alpha/2 with N - 1 degrees of freedom. Each point is right in 95 of 100 experiments; the
  whole curve is so much more seldom.
- `bonferroni`: the same at 1 - alpha/(2 points). The whole curve, but too short for few skewed values.
- `sup-t`: queries are drawn again; k is the quantile of the farthest any point strays, in its own standard errors.
  The whole curve, and the way to prefer. k is never less than that of `t`. Points at which few queries decide the
  mean would widen the band everywhere; where they do, each point has its own k (balanced), and the note says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.errors import SettingError
from rankscope.measures.fractions import divided
from rankscope.statistics.band import Band
from rankscope.statistics.clustering import clustering
from rankscope.statistics.query_curves import QueryCurves
from rankscope.statistics.resampling import checked_level, drawing
from rankscope.statistics.sup_t import balanced, farthest, stray

WAYS = {"sup-t": "sup-t bootstrap", "t": "t", "bonferroni": "Bonferroni"}
RESAMPLES = 2_000
FEW_DECIDE = "balanced over the points, because at some of them few queries decide"
HANDFUL = 5
WIDE = 1.5  # times the Bonferroni value: few queries decide at some point


@dataclass(frozen=True, eq=False)
class _Points:
    """What is known of each point before the way to make a band is chosen."""

    mean: FloatArray
    sd: FloatArray
    count: IntArray
    effective: FloatArray
    freedom: FloatArray  # degrees of freedom: queries less one, or classes less one

    @property
    def error(self) -> FloatArray:
        return self.sd / np.sqrt(np.where(self.effective > 0, self.effective, np.nan))

    @property
    def design(self) -> FloatArray:
        return np.nan_to_num(divided(self.count, self.effective), nan=1.0)


def band(
    curves: QueryCurves | ArrayLike,
    x: ArrayLike | None = None,
    how: str = "sup-t",
    level: float = 0.95,
    classes: Sequence[str] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Band:
    """The band around the mean of curves, one a row; fewer than two queries have none.

    A query without a value at a point (NaN) is left out there: that point has its own n. With `classes`, classes are
    drawn and then queries within them, and N becomes the effective sample N/(1 + (m - 1) rho) of each point.
    >>> made = band([[0.2, 0.1], [0.4, 0.3], [0.6, 0.2]], x=[0, 1], how="t")
    >>> made.mean.round(3), made.critical.round(3), made.low.round(3)
    (array([0.4, 0.2]), array([4.303, 4.303]), array([-0.097, -0.048]))
    """
    if how not in WAYS:
        raise SettingError(f"a band is one of {', '.join(WAYS)}, got {how!r}")
    if resamples < 1:
        raise SettingError(f"resamples >= 1 is needed, got {resamples}")
    given = _given(curves, x)
    points = _points(given.values, classes)
    draw = drawing(len(given), classes)
    critical, said = _critical(points, how, checked_level(level)), ""
    if how == "sup-t" and draw.units > 1:
        away = stray(given.values, draw, resamples, seed, points.design)
        shared = _critical(points, "bonferroni", level)
        critical, said = _for_the_whole(away, level, critical, shared, _few_decide(given.values))
    half = critical * points.error
    exists = (points.freedom >= 1) & np.isfinite(half)
    low, high = (np.where(exists, points.mean + side * half, np.nan) for side in (-1.0, 1.0))
    return Band(
        given.x, points.mean, points.sd, low, high, np.where(exists, critical, np.nan), points.count, points.effective,
        len(given), how, level, resamples if how == "sup-t" else 0, seed, draw.unit, draw.units,
        _note(points, exists, said, draw.unit, given.cut), given.system, given.x_name, given.y_name, bounds,
    )  # fmt: skip


def difference_band(
    first: QueryCurves,
    second: QueryCurves,
    how: str = "sup-t",
    level: float = 0.95,
    classes: Sequence[str] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Band:
    """The band around second less first, query by query, for the queries that both have.

    Where it leaves out 0 the systems differ; whether two bands of one system each overlap is no test, because that
    ignores that the queries are the same. `classes` are those of the queries of the first system.
    """
    both = second.less(first)
    if classes is not None:
        if len(classes) != len(first):
            raise SettingError(f"{len(first)} queries need as many classes, got {len(classes)}")
        known = dict(zip(first.queries, classes, strict=True))
        classes = [known[query] for query in both.queries]
    return band(both, None, how, level, classes, resamples, seed, bounds=(-1.0, 1.0))


def _given(curves: QueryCurves | ArrayLike, x: ArrayLike | None) -> QueryCurves:
    """The curves as a table; without x the points are numbered."""
    if isinstance(curves, QueryCurves):
        return curves
    values = np.atleast_2d(np.asarray(curves, dtype=np.float64))
    place = np.arange(values.shape[1]) if x is None else np.asarray(x, dtype=np.float64)
    return QueryCurves(place.astype(np.float64), values, tuple(map(str, range(len(values)))), system="", y_name="mean")


def _points(values: FloatArray, classes: Sequence[str] | None) -> _Points:
    """Mean and unbiased sd over the queries that have a value."""
    there = ~np.isnan(values)
    count = there.sum(axis=0)
    mean = divided(np.where(there, values, 0.0).sum(axis=0), count)
    square = np.where(there, values - mean, 0.0) ** 2
    sd = np.sqrt(divided(square.sum(axis=0), np.maximum(count - 1, 0)))
    if classes is None:
        return _Points(mean, sd, count, count.astype(np.float64), count.astype(np.float64) - 1.0)
    made = clustering(values, classes)
    return _Points(mean, sd, count, made.effective, made.classes.astype(np.float64) - 1.0)


def _critical(points: _Points, how: str, level: float) -> FloatArray:
    """The t quantile of each point; for Bonferroni the tail is shared by all points that have a band."""
    from scipy.special import stdtrit

    shared = max(1, int((points.freedom >= 1).sum())) if how == "bonferroni" else 1
    freedom = np.where(points.freedom >= 1, points.freedom, np.nan)
    return np.asarray(stdtrit(freedom, 1 - (1 - level) / (2 * shared)))


def _quantile(drawn: FloatArray, level: float) -> float:
    known = drawn[~np.isnan(drawn)]
    return float(np.quantile(known, level)) if known.size else 0.0


def _few_decide(values: FloatArray) -> bool:
    """Whether at some point nearly all queries have one value (0 where their rankings ended) and a handful others."""
    count = (~np.isnan(values)).sum(axis=0)
    enough = values[:, count >= 4 * HANDFUL]
    apart = (np.abs(enough - np.nanmedian(enough, axis=0)) > 1e-12).sum(axis=0)
    return bool(((apart > 0) & (apart < HANDFUL)).any())


def _for_the_whole(
    away: FloatArray, level: float, pointwise: FloatArray, shared: FloatArray, sparse: bool
) -> tuple[FloatArray, str]:
    """A band for the whole curve is no narrower than one for a single point; with two or three queries chance errs."""
    common = _quantile(farthest(away), level)
    drawn: FloatArray = np.full(pointwise.size, common)
    said = "critical value raised to that of t" if (pointwise > common).any() else ""
    if sparse and (common > WIDE * shared).any():
        drawn, said = balanced(away, level), FEW_DECIDE
    return np.where(np.isnan(pointwise), np.nan, np.maximum(pointwise, drawn)), said


def _note(points: _Points, exists: BoolArray, about: str, unit: str, cut: int) -> str:
    """What must be said beside the numbers."""
    said = []
    if not exists.any():
        said.append(f"no band: two {unit} at least are needed")
    elif not exists.all():
        said.append(f"no band at {int((~exists).sum())} points with fewer than two {unit}")
    if points.count.size and np.ptp(points.count) > 0:
        said.append(f"{int(points.count.min()):,} to {int(points.count.max()):,} queries at a point")
    if exists.any() and unit == "classes":
        low, high = float(points.effective[exists].min()), float(points.effective[exists].max())
        said.append(f"queries count as {low:,.0f} to {high:,.0f} independent ones")
    if about:
        said.append(about)
    if cut:
        said.append(f"lower bounds: {cut:,} rankings end before the last relevant item")
    return "; ".join(said)
