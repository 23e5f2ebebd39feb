"""The interval of a mean over queries, one rule for every command: over the units of chance, BCa or bounded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from rankscope.statistics.intervals.bootstrap import Intervals, bootstrap_means, resamples_for
from rankscope.statistics.intervals.unseen_unit import Bounds, shape_within, unseen_unit_limits
from rankscope.statistics.table.units import UnitSums, unit_sums, unit_values
from rankscope.validation import COUNT, SEED, SHARE, OneOf, Optional, check

WAYS = {
    "bca": "bias-corrected and accelerated bootstrap (BCa)",
    "bounded": "one unseen unit at the ends of the range of a measure",
}


def mean_intervals(
    values: ArrayLike,
    classes: Sequence[str] | None = None,
    *,
    how: str = "bca",
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 0,
    bounds: Bounds = (0.0, 1.0),
) -> Intervals:
    """Pointwise intervals of the mean of each column; a row is a query, NaN a query without a value.

    `classes`: the class of each query where the class is the unit of chance (`unit_classes`), else None. The same
    number gets the same interval in every table, graph and report. One unit has none.
    `how`: bca, or bounded, for measures that lie within `bounds`: one unit that was not seen may lie at either end
    (`unseen_unit`). It is wider and holds where few units decide; of zeros and ones it is Clopper and Pearson's.
    >>> made = mean_intervals([[0.1], [0.1], [0.9], [0.9]], ["a", "a", "b", "b"])
    >>> made.mean.tolist(), made.unit, made.units, made.queries.tolist()
    ([0.5], 'classes', 2, [4])
    >>> rare = [[0.0]] * 9 + [[0.2]]
    >>> [mean_intervals(rare, how=how).high.round(2).tolist() for how in ("bca", "bounded")]
    [[0.1], [0.32]]
    """
    rules = {"how": OneOf(tuple(WAYS)), "level": SHARE, "resamples": Optional(COUNT), "seed": SEED}
    how, level, resamples, seed = check(locals(), **rules).values()
    table = np.asarray(values, dtype=np.float64)
    units = unit_values(table, classes)
    drawn = resamples or resamples_for(len(units))
    if how == "bca":
        intervals = bootstrap_means(units, level=level, resamples=drawn, seed=seed, how="bca")
    else:
        intervals = _bounded(unit_sums(table, classes), drawn, seed, level, bounds)
    return replace(
        intervals,
        queries=(~np.isnan(table)).sum(axis=0),
        unit="queries" if classes is None else "classes",
        units=len(units),
    )


def _bounded(units: UnitSums, draws: int, seed: int, level: float, bounds: Bounds) -> Intervals:
    low, high = unseen_unit_limits(units, level, draws, seed, bounds, shape_within(bounds), together=False)
    return Intervals(
        mean=units.mean,
        low=low,
        high=high,
        queries=units.size.sum(axis=0),
        resamples=draws,
        seed=seed,
        level=level,
        how="bounded",
    )
