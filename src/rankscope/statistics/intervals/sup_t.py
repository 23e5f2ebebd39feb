"""The sup-t bootstrap: by how many standard errors a whole curve of means strays from the truth somewhere."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.measures.fractions import divide
from rankscope.statistics.table.resampling import Resampling, batches

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
    return _farthest(np.concatenate(parts))


def _farthest(away: FloatArray) -> FloatArray:
    """The largest of each row; NaN where a row has no number."""
    largest = np.nan_to_num(away, nan=-1.0).max(axis=1, initial=-1.0)
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
