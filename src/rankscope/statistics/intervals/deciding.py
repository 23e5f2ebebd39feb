"""By how many units a mean is decided: where all but a few agree, those few decide, and the sample says little."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.measures.fractions import divide

FEW = 5  # a point that fewer units decide is marked
ROUNDING = 1e-12


def deciding_units(values: FloatArray) -> FloatArray:
    """(sum d^2)^2 / sum d^4 of the deviations d from the mean of each column; a row is a unit, NaN one without a value.

    From 1, one unit against all others, to the number of units, which all deviate alike. Where none deviates none
    decides more than another: they all count. The number cannot tell whether limits hold: a sample without the rare
    large units shows a good one.
    >>> deciding_units(np.array([[0.0, 0.0, 0.5], [0.0, 0.0, 0.5], [0.0, 1.0, 0.5], [1.0, 1.0, 0.5]])).round(2)
    array([1.71, 4.  , 4.  ])
    """
    there = ~np.isnan(values)
    count = there.sum(axis=0)
    mean = divide(np.where(there, values, 0.0).sum(axis=0), count, nothing=0.0)
    away = np.where(there, values - mean, 0.0)
    away = np.where(np.abs(away) <= ROUNDING * np.maximum(1.0, np.abs(mean)), 0.0, away)
    largest = np.abs(away).max(axis=0, initial=0.0)
    scaled = divide(away, largest, nothing=0.0)
    decided = divide((scaled**2).sum(axis=0) ** 2, (scaled**4).sum(axis=0), nothing=0.0)
    return np.where(largest > 0, decided, count)
