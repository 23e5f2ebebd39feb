"""Confidence bands around a mean curve over queries: for the whole curve, or for each point by itself (t).

Ways to make one, all over the sampling units (queries, or classes where classes are what queries look for):
- `unseen-unit`: values are bounded, so one unit that was not seen may lie at the end of the range (`mean_intervals`).
  The whole curve, limits within the bounds and unlike on both sides. The default, and the one that holds on real
  rankings.
- `bonferroni`: mean -+ k standard errors, k the t quantile at 1 - alpha/(2 points). The whole curve.
- `sup-t`: the same, k the quantile of the farthest that any point strays when units are drawn again. The whole curve.
- `t`: the same, k the t quantile at 1 - alpha/2 with one degree of freedom less than units. Each point by itself.

Bonferroni and sup-t judge by the spread of the sample: they may not hold where few units decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from rankscope.analysis.curves.curve import Curve, Region
from rankscope.analysis.statistics.bootstrap import resamples_for
from rankscope.analysis.statistics.mean_intervals import Bounds, shape_within, unseen_unit_limits
from rankscope.analysis.statistics.query_curves import QueryCurves
from rankscope.analysis.statistics.resampling import Queries, Resampling, batches
from rankscope.analysis.statistics.sampling_units import (
    FEW_UNITS,
    clustering,
    deciding_units,
    unit_sums,
    unit_values,
)
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.core.validation import COUNT, SEED, SHARE, OneOf, Optional, check
from rankscope.core.wording import how_many
from rankscope.ranks.ragged import divide

WAYS = {"unseen-unit": "one unseen unit", "bonferroni": "Bonferroni", "sup-t": "sup-t bootstrap", "t": "t"}
DEFAULT = "unseen-unit"
SUP_T_DRAWS = 2_000
DRAWN = ("unseen-unit", "sup-t")


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
    count = (~np.isnan(given.values)).sum(axis=0)
    effective = count.astype(np.float64) if classes is None else clustering(given.values, classes).effective
    rows = unit_values(given.values, classes)  # one row per sampling unit
    mean, sd = _spread(given.values)
    error = _spread(rows)[1] / np.sqrt(np.maximum((~np.isnan(rows)).sum(axis=0), 1))
    deciding = deciding_units(rows)
    draws = resamples or (SUP_T_DRAWS if how == "sup-t" else resamples_for(len(rows)))
    ends = (given.lowest, given.highest) if bounds is None else bounds
    if how == "unseen-unit":
        sums = unit_sums(given.values, classes)
        low, high = unseen_unit_limits(sums, level, draws, seed, ends, shape_within(ends))
        critical = np.full(low.size, np.nan)
    else:
        critical = _standard_errors(rows, deciding, how, level, draws, seed)
        low, high = mean - critical * error, mean + critical * error
    return Band(
        x=given.x,
        mean=mean,
        sd=sd,
        error=error,
        low=low,
        high=high,
        critical=critical,
        count=count,
        effective=effective,
        deciding=deciding,
        queries=len(given),
        how=how,
        level=level,
        resamples=draws if how in DRAWN else 0,
        seed=seed,
        unit="queries" if classes is None else "classes",
        units=len(rows),
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


def _spread(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and unbiased standard deviation of the values there are in each column."""
    there = ~np.isnan(values)
    count = there.sum(axis=0)
    mean = divide(np.where(there, values, 0.0).sum(axis=0), count)
    square = np.where(there, values - mean, 0.0) ** 2
    return mean, np.sqrt(divide(square.sum(axis=0), np.maximum(count - 1, 0)))


def _standard_errors(
    rows: FloatArray, deciding: FloatArray, how: str, level: float, draws: int, seed: int
) -> FloatArray:
    """How many standard errors the limits of each point lie on both sides of the mean.

    By sup-t, the quantile of the farthest stray among the points that enough units decide; without any, that of
    Bonferroni. A band for the whole curve is no narrower than one for a single point: with few units chance errs, and
    the value is raised to that of t.
    """
    from scipy.special import stdtrit

    units = (~np.isnan(rows)).sum(axis=0)
    known = units >= 2
    freedom = np.where(known, units - 1.0, np.nan)
    alone, shared = (stdtrit(freedom, 1 - (1 - level) / (2 * sharing)) for sharing in (1, max(1, int(known.sum()))))
    enough = deciding >= FEW_UNITS
    if how == "t":
        return np.asarray(alone)
    if how == "bonferroni" or not enough.any():
        return np.asarray(shared)
    strays = sup_t_statistics(rows[:, enough], Queries(len(rows)), draws, seed)
    strays = strays[~np.isnan(strays)]
    return np.maximum(alone, float(np.quantile(strays, level)) if strays.size else 0.0)


# What a band is: a mean curve over queries with limits at each point, and what the limits promise.

CAUTION = "may not hold where few units decide"


@dataclass(frozen=True, eq=False)
class Band:
    """Means with limits; NaN where a point has fewer than two sampling units.

    The way `t` promises each point by itself, all others the whole curve at once. Limits by an unseen unit stay within
    the bounds and lie unlike on both sides; those of the other ways are raw and may leave the bounds. All show how the
    mean varies with the queries asked, not what another collection would do.
    """

    x: FloatArray
    mean: FloatArray
    sd: FloatArray  # unbiased, between queries
    error: FloatArray  # standard error of the mean, between sampling units
    low: FloatArray
    high: FloatArray
    critical: FloatArray  # standard errors to each side; NaN where limits are not made of them
    count: IntArray  # queries with a value, at each point
    effective: FloatArray  # as how many independent queries these count
    deciding: FloatArray  # by how many sampling units the mean is decided
    queries: int
    how: str
    level: float = 0.95
    resamples: int = 0  # 0: nothing was drawn
    seed: int = 0
    unit: str = "queries"
    units: int = 0
    cut: int = 0  # rankings that end before the last relevant item: means are lower bounds
    name: str = ""
    x_name: str = "x"
    y_name: str = "mean"
    bounds: tuple[FloatArray | float, FloatArray | float] = (0.0, 1.0)  # what a value can be

    def __len__(self) -> int:
        return self.x.size

    @property
    def simultaneous(self) -> bool:
        """Whether the level is that of the whole curve."""
        return self.how != "t"

    @property
    def exists(self) -> bool:
        return bool(np.isfinite(self.low).any())

    @property
    def few(self) -> BoolArray:
        """Which points rest on few units: fewer than 5 decide."""
        return np.asarray((self.count > 0) & (self.deciding < FEW_UNITS))

    @property
    def note(self) -> str:
        """What must be said with the numbers.

        >>> band([[0.2, 0.1]] * 9 + [[0.2, 0.9]], how="bonferroni").note
        '1 of 2 points rests on few queries (fewer than 5 decide); may not hold where few units decide'
        """
        return "; ".join(self._notes())

    def _notes(self) -> Iterator[str]:
        there = np.isfinite(self.low)
        if not there.any():
            yield f"no band: two {self.unit} at least are needed"
        elif not there.all():
            yield f"no band at {how_many(int((~there).sum()), 'points')} with fewer than two {self.unit}"
        if self.count.size and np.ptp(self.count) > 0:
            yield f"{int(self.count.min()):,} to {how_many(int(self.count.max()), 'queries')} at a point"
        if there.any() and self.unit == "classes":
            low, high = float(self.effective[there].min()), float(self.effective[there].max())
            yield f"queries count as {low:,.0f} to {high:,.0f} independent ones"
        few = int(self.few.sum())
        if there.any() and few:
            verb = "rests" if few == 1 else "rest"
            yield f"{few} of {how_many(len(self), 'points')} {verb} on few {self.unit} (fewer than {FEW_UNITS} decide)"
        if there.any() and self.how in ("bonferroni", "sup-t"):
            others = "Bonferroni" if self.few.all() else "the other points"
            yield f"critical value that of {others}; {CAUTION}" if self.how == "sup-t" and few else CAUTION
        if self.cut:
            cut = "1 ranking ends" if self.cut == 1 else f"{self.cut:,} rankings end"
            yield f"lower bounds: {cut} before the last relevant item"

    def drawn(self) -> Region:
        """The limits as a graph shows them, kept within what a value can be."""
        return Region(
            x=self.x,
            low=np.clip(self.low, *self.bounds),
            high=np.clip(self.high, *self.bounds),
            name=self.name,
            note=self.note,
        )

    def curve(self) -> Curve:
        return Curve(
            x=self.x,
            y=self.mean,
            name=self.name,
            x_name=self.x_name,
            y_name=self.y_name,
            error=self.error,
            queries=self.count,
            note=self.note,
        )

    def holds(self, curve: ArrayLike) -> BoolArray:
        """At which points a curve lies within the limits; not where there are none.

        >>> band([[0.2, 0.1], [0.4, 0.3], [0.6, 0.2]], [0, 1], how="t").holds([0.5, 0.9])
        array([ True, False])
        """
        given = np.asarray(curve, dtype=np.float64)
        return np.asarray((self.low <= given) & (given <= self.high))

    def rows(self) -> list[dict[str, float]]:
        return self.to_polars().with_columns(pl.col(pl.Float64).fill_null(float("nan"))).rows(named=True)

    def to_polars(self) -> pl.DataFrame:
        """One row per point; null where there is not a number."""
        names = ("mean", "sd", "low", "high", "critical", "effective", "deciding", "few")
        columns = {self.x_name: self.x, **{name: getattr(self, name) for name in names}, "queries": self.count}
        return pl.DataFrame(columns, nan_to_null=True)


# The sup-t bootstrap: by how many standard errors a whole curve of means strays from the truth somewhere.

ROUNDING = 1e-13  # a variance below this share of the mean square is zero, rounded


def sup_t_statistics(values: FloatArray, draw: Resampling, resamples: int = 2_000, seed: int = 0) -> FloatArray:
    """T_b = max_j |mu*_j - mu_j|/(sigma*_j/sqrt n*_j) of each resample, over the points j with sigma*_j > 0.

    NaN where a resample has no such point: it drew equal values everywhere. NaN in `values` is a unit without a value
    there.
    """
    there = ~np.isnan(values)
    mean = divide(np.nan_to_num(values).sum(axis=0), there.sum(axis=0), nothing=0.0)
    away = np.where(there, values - mean, 0.0)
    columns = np.hstack([away, away**2, there]) if not there.all() else np.hstack([away, away**2])
    chance = np.random.default_rng(seed)
    parts = [_away(draw.times(chance, size), columns, values.shape[1]) for size in batches(resamples, len(values))]
    # The largest of each row; NaN where a row has no number.
    largest = np.nan_to_num(np.concatenate(parts), nan=-1.0).max(axis=1, initial=-1.0)
    return np.where(largest < 0, np.nan, largest)


def _away(times: FloatArray, columns: FloatArray, points: int) -> FloatArray:
    """How far each point strays in each resample (row of `times`), in its own standard errors; NaN where it has none.

    From the sums of deviations and of their squares.
    """
    sums = times @ columns
    total, square = sums[:, :points], sums[:, points : 2 * points]
    count = sums[:, 2 * points :] if columns.shape[1] > 2 * points else times.sum(axis=1, keepdims=True)
    shift = divide(total, count, nothing=0.0)
    spread = np.where(count >= 2, square - total * shift, 0.0)
    spread = np.where(spread <= ROUNDING * square, 0.0, spread)
    error = np.sqrt(divide(spread, np.maximum(count - 1, 1) * count, nothing=0.0))
    return divide(np.abs(shift), error)
