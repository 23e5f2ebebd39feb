"""Who counts how much in a mean over queries: every query alike, or every class of queries alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.errors import MeasureError
from rankscope.measures.fractions import divide
from rankscope.ranks.ragged import column_sums_by
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.validation import OneOf, check
from rankscope.wording import setting_usage

Weighting = Literal["per_query", "per_class"]  # large classes dominate the first: a class of c adds c queries
WEIGHTING = OneOf(get_args(Weighting), exactly=True)


@dataclass(frozen=True, eq=False)
class Mean:
    """Means with their standard error (unbiased sd over root n, NaN where n = 1) and how many are in each."""

    value: FloatArray
    error: FloatArray
    queries: IntArray
    units: IntArray  # n of the standard error: queries, or classes


def units_of(queries: RelevantRanks, weighting: Weighting) -> IntArray:
    """Which unit each query belongs to, units numbered from 0: itself, or its class."""
    check(locals(), weighting=WEIGHTING)
    if weighting == "per_query":
        return np.arange(len(queries))
    if queries.classes is None:
        classes = setting_usage("classes", "CSV")
        raise MeasureError(f"weighting per_class needs the class of each query: give {classes}")
    return np.unique(np.array(queries.classes, dtype=object), return_inverse=True)[1].astype(np.int64)


def mean_over(values: FloatArray, unit: IntArray) -> Mean:
    """The mean over units of the mean within them, for each column; NaN is left out and not counted.

    >>> mean_over(np.array([[1.0], [2.0], [6.0]]), np.array([0, 0, 1])).value
    array([3.75])
    """
    means = unit_means(values, unit)
    there = ~np.isnan(means)
    value, error = _mean_and_error(means, there)
    return Mean(value, error, (~np.isnan(values)).sum(axis=0), there.sum(axis=0))


def unit_means(values: FloatArray, unit: IntArray) -> FloatArray:
    """The mean of each unit (row) in each column; NaN is left out, and where a unit has no value."""
    there = ~np.isnan(values)
    rows = int(unit.max(initial=-1)) + 1
    total, count = column_sums_by(unit, np.where(there, values, 0.0), rows), column_sums_by(unit, there, rows)
    return divide(total, count)


def weights_of(there: BoolArray, unit: IntArray) -> FloatArray:
    """What each query that is there weighs in the mean of `mean_over`; 0 for the others. They add up to 1."""
    count = np.bincount(unit, weights=there, minlength=int(unit.max(initial=-1)) + 1)
    return np.where(there, divide(1.0, count[unit] * max(1, int((count > 0).sum())), 0.0), 0.0)


def _mean_and_error(values: FloatArray, there: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Added one after the other, as all means are."""
    count = there.sum(axis=0)
    mean = divide(_last(np.where(there, values, 0.0)), count)
    squares = _last(np.where(there, values - mean, 0.0) ** 2)
    return mean, np.sqrt(divide(squares, np.maximum(count - 1, 0) * count))


def _last(values: FloatArray) -> FloatArray:
    return np.cumsum(values, axis=0)[-1] if values.shape[0] else np.zeros(values.shape[1])
