"""BCa intervals (Efron 1987): which quantiles of the resamples to take when the statistic is biased and skewed.

With z the normal quantile of a tail, the limit is the quantile Phi(z0 + (z0 + z)/(1 - a (z0 + z))). The bias z0 comes
from the share of resamples below the estimate, ties counted half; the acceleration a from leaving out one unit in turn.
"""

from __future__ import annotations

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.measures.fractions import divide
from rankscope.ranks.ragged import column_sums_by

EQUAL = 1e-12  # resampled means so near to the estimate (as a share of their spread) are tied with it
ROUNDING = 1e-14  # and so near as a share of the estimate


def bca_tails(
    drawn: FloatArray, filled: FloatArray, there: BoolArray, unit: IntArray, level: float = 0.95
) -> FloatArray:
    """The quantiles to take as lower and upper limit (rows) of each column; NaN where one unit alone has values.

    `drawn`: means of each column (row) in each resample (column). `filled`, `there`: the values of each query, 0 where
    there is none. `unit`: what is left out together, queries or their classes, numbered from 0.
    """
    from scipy.special import ndtr, ndtri

    bias = ndtri(_share_below(drawn, divide(filled.sum(axis=0), there.sum(axis=0))))
    faster = acceleration(filled, there, unit)
    moved = bias + ndtri(np.array([[(1 - level) / 2], [(1 + level) / 2]]))
    room = np.maximum(1 - faster * moved, np.finfo(np.float64).tiny)  # beyond it the formula turns back
    return np.asarray(ndtr(bias + np.clip(moved / room, -40.0, 40.0)))


def acceleration(filled: FloatArray, there: BoolArray, unit: IntArray) -> FloatArray:
    """Skew of the means without one unit, over six: sum u^3/(6 (sum u^2)^(3/2)), u = mean of them all minus each.

    0 where all are equal, NaN where no two units have values.
    >>> values = np.array([[0.0], [0.0], [0.0], [1.0]])
    >>> acceleration(values, np.isfinite(values), np.arange(4)).round(6)
    array([0.096225])
    """
    units = int(unit.max(initial=-1)) + 1
    total, count = column_sums_by(unit, filled, units), column_sums_by(unit, there, units)
    some = count > 0
    without = divide(total.sum(axis=0) - total, count.sum(axis=0) - count)
    middle = divide(np.where(some, without, 0.0).sum(axis=0), some.sum(axis=0))
    away = np.where(some, middle - without, 0.0)
    square = (away**2).sum(axis=0)
    square = np.where(square <= (ROUNDING * middle) ** 2, 0.0, square)
    result = divide((away**3).sum(axis=0), 6 * square**1.5, nothing=0.0)
    return np.where(some.sum(axis=0) > 1, result, np.nan)


def _share_below(drawn: FloatArray, mean: FloatArray) -> FloatArray:
    """The share of resamples below the estimate, ties half; never quite 0 or 1."""
    away = drawn - mean[:, None]
    farthest = np.maximum(-np.fmin.reduce(away, axis=1, initial=0.0), np.fmax.reduce(away, axis=1, initial=0.0))
    near = EQUAL * farthest + ROUNDING * np.abs(mean)
    below, not_above = (np.count_nonzero(each, axis=1) for each in (away < -near[:, None], away <= near[:, None]))
    count = np.maximum(known_in_rows(away), 1)
    return np.clip((below + not_above) / 2 / count, 0.5 / count, 1 - 0.5 / count)


def known_in_rows(rows: FloatArray) -> IntArray:
    """How many numbers of each row are not NaN.

    >>> known_in_rows(np.array([[1.0, 2.0], [np.nan, 3.0]]))
    array([2, 1])
    """
    known = np.full(len(rows), rows.shape[1])
    broken = np.flatnonzero(np.isnan(rows.sum(axis=1)))
    known[broken] -= np.isnan(rows[broken]).sum(axis=1)
    return known
