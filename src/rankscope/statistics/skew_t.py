"""Hall's t for skewed values (Hall 1992): a cubic of t that takes out the skew of the sample, and can be turned round.

The plain t reads many small losses and rare large gains as a loss, because few queries often miss the gains.
"""

from __future__ import annotations

import math

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.statistics.paired_t import ROUNDING


def skew_t_p(values: FloatArray) -> FloatArray:
    """One-sided p-values against a mean below 0, along the last axis.

    Values without spread leave nothing to chance: 0 for a mean below 0, else 1. One value alone tells nothing: 1.
    >>> skew_t_p(np.array([[-0.3, -0.1, -0.2, -0.4], [0.3, 0.1, 0.2, 0.4]])).round(4).tolist()
    [0.0152, 0.9848]
    """
    from scipy.special import stdtr

    count = values.shape[-1]
    mean = values.mean(axis=-1)
    if count < 2:
        return np.ones_like(mean)
    error, bend = _error_and_bend(values)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = mean / error
        p = stdtr(count - 1, t + bend * t**2 + bend**2 * t**3 / 3 + bend / 2)
    return np.where(error > 0, p, np.where(mean < 0, 0.0, 1.0))


def skew_t_limits(values: FloatArray, tail: float) -> tuple[float, float]:
    """The limits of the mean that leave `tail` on each side; infinite for one value.

    >>> [round(each, 4) for each in skew_t_limits(np.array([0.0, 0.0, 0.0, 0.1, 0.9]), 0.05)]
    [-0.0844, 1.6848]
    """
    from scipy.special import stdtrit

    count, mean = values.size, float(values.mean())
    if count < 2:
        return -math.inf, math.inf
    error, bend = (float(each) for each in _error_and_bend(values))
    width = float(stdtrit(count - 1, 1 - tail))
    return mean - error * _straight(width, bend), mean - error * _straight(-width, bend)


def _straight(wanted: float, bend: float) -> float:
    """The t whose cubic is `wanted`: t + b t² + b² t³/3 = ((1 + b t)³ - 1)/(3 b)."""
    if abs(bend) < 1e-8:
        return wanted
    return float(np.cbrt(1 + 3 * bend * (wanted - bend / 2)) - 1) / bend


def _error_and_bend(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Standard error of the mean, and skewness over three times the root of the number."""
    count = values.shape[-1]
    away = values - values.mean(axis=-1, keepdims=True)
    sd = np.sqrt((away**2).sum(axis=-1) / (count - 1))
    sd = np.where(sd > ROUNDING * np.abs(values).max(axis=-1), sd, 0.0)
    skewness = (away**3).mean(axis=-1) / np.where(sd > 0, sd, 1.0) ** 3
    return sd / math.sqrt(count), skewness / (3 * math.sqrt(count))
