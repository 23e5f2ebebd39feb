"""The interval of a mean over queries, one rule for every command: BCa over the units of chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from rankscope.statistics.bootstrap import Intervals, bootstrap_means, resamples_for
from rankscope.statistics.units import unit_values


def mean_intervals(
    values: ArrayLike,
    classes: Sequence[str] | None = None,
    *,
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 0,
) -> Intervals:
    """Pointwise intervals of the mean of each column; a row is a query, NaN a query without a value.

    `classes`: the class of each query where the class is the unit of chance (`unit_classes`), else None. The same
    number gets the same interval in every table, graph and report. One unit has none.
    >>> made = mean_intervals([[0.1], [0.1], [0.9], [0.9]], ["a", "a", "b", "b"])
    >>> made.mean.tolist(), made.unit, made.units, made.queries.tolist()
    ([0.5], 'classes', 2, [4])
    """
    table = np.asarray(values, dtype=np.float64)
    units = unit_values(table, classes)
    drawn = resamples or resamples_for(len(units))
    made = bootstrap_means(units, level=level, resamples=drawn, seed=seed, how="bca")
    return replace(
        made, queries=(~np.isnan(table)).sum(axis=0), unit="queries" if classes is None else "classes", units=len(units)
    )
