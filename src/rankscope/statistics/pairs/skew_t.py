"""Student's t that does not take skew for a difference: many small losses and few large gains, or the reverse.

Few queries often miss the large gains, and then their own skewness is small too. So skewness is taken at its
upper 95 % limit, on the side that would explain the mean away, and t is shortened by it:
u = -log(1 + 2 b |t|)/(2 b) + b/2 with b = skewness/(3 sqrt(n)). To first order this is the transformation of Hall
(1992); other than his cubic it never turns flat, so that a clear difference stays clear. It is never bolder than t.

Values that are all alike show neither spread nor skew. If their mean were 0, and no value below -1, those that are d or
more would be a share of 1/(1 + d) at most; so n of n that are d have a p of (1 + d)^-n.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankscope.arrays import FloatArray, IntArray
from rankscope.statistics.pairs.pair_test import Alternative, checked_alternative
from rankscope.statistics.pairs.paired_t import ROUNDING

FEWEST = 3  # values from which skewness can be estimated
HIDDEN = 1.6448536269514722  # standard errors of skewness up to its upper 95 % limit
STRAIGHT = 1e-9  # skewness below is none


def skew_t_p(values: FloatArray, alternative: Alternative = "two-sided") -> FloatArray:
    """p-values along the last axis; NaN is left out.

    Of values without spread it is that of the mean of values that are at least -1. Fewer than three values tell nothing
    of skew: 1.
    >>> skew_t_p(np.array([[1.0] * 10, [0.1] * 10]), "greater").round(6).tolist()  # 2^-10, 1.1^-10
    [0.000977, 0.385543]
    >>> table = np.array([[-0.3, -0.1, -0.2, -0.4], [0.3, 0.1, 0.2, 0.4]])
    >>> skew_t_p(table).round(4).tolist(), skew_t_p(table, "less").round(4).tolist()
    ([0.1497, 0.1497], [0.0748, 0.9861])
    """
    checked_alternative(alternative)
    sample = _Sample.of(np.asarray(values, dtype=np.float64))
    if alternative == "less":
        return sample.p_below()
    if alternative == "greater":
        return sample.turned().p_below()
    return np.minimum(1.0, 2 * np.minimum(sample.p_below(), sample.turned().p_below()))


def skew_t_limits(values: FloatArray, tail: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """The limits of the mean along the last axis that leave `tail` on each side: all means that are not rejected.

    Infinite for fewer than three values.
    >>> [round(float(each), 4) for each in skew_t_limits(np.array([0.0, 0.0, 0.0, 0.1, 0.9]), 0.05)]
    [-0.1754, 2.2793]
    """
    from scipy.special import stdtrit

    sample = _Sample.of(np.asarray(values, dtype=np.float64))
    width = stdtrit(np.maximum(sample.count - 1, 1), 1 - np.asarray(tail))
    below, above = (_lengthened(width, each.bend) for each in (sample.turned(), sample))
    few = sample.count < FEWEST
    with np.errstate(over="ignore"):
        alike = np.where(sample.error > 0, 0.0, np.asarray(tail) ** (-1 / np.maximum(sample.count, 1)) - 1)
    low = np.where(few, -np.inf, sample.mean - sample.error * below - alike)
    return low, np.where(few, np.inf, sample.mean + sample.error * above + alike)


def skew_t_width(values: FloatArray, count: float, tail: float) -> float:
    """How many standard errors apart the limits of a mean of `count` values like these lie; t's where two or fewer are.

    >>> round(skew_t_width(np.array([0.0, 0.0, 0.0, 0.1, 0.9]), 5, 0.05), 4), round(2 * 2.131847, 4)
    (13.9418, 4.2637)
    """
    from scipy.special import stdtrit

    reach = float(stdtrit(max(count - 1.0, 1.0), 1.0 - tail))
    if values.size < FEWEST:
        return 2 * reach
    sample = _Sample.of(values)
    sides = [_lengthened(np.array(reach), _bend(np.array(count), each.skewness)) for each in (sample, sample.turned())]
    return float(sides[0] + sides[1])


def shorten_t(t: FloatArray, bend: FloatArray) -> FloatArray:
    """A t below 0 brought nearer to 0 by how far skew may carry it; above 0 it is only moved.

    >>> shorten_t(np.array([-3.0, -3.0, 1.0]), np.array([1e-10, 0.1, 0.1])).round(4).tolist()
    [-3.0, -2.3, 1.05]
    """
    below = -np.log1p(2 * bend * np.maximum(-t, 0.0)) / (2 * bend)
    return np.where(t < 0, below, t) + bend / 2


def _lengthened(width: FloatArray, bend: FloatArray) -> FloatArray:
    """The size of the t below 0 that is shortened to minus `width`."""
    return np.expm1(2 * bend * (width + bend / 2)) / (2 * bend)


def _bend(count: NDArray[Any], skewness: FloatArray) -> FloatArray:
    n = np.maximum(count, FEWEST).astype(np.float64)
    hidden = HIDDEN * np.sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)))
    return np.asarray(np.maximum(skewness + hidden, STRAIGHT) / (3 * np.sqrt(n)))


@dataclass(frozen=True, eq=False)
class _Sample:
    """What the test needs of each row: number, mean, standard error of the mean, and estimated skewness."""

    count: IntArray
    mean: FloatArray
    error: FloatArray
    skewness: FloatArray

    @classmethod
    def of(cls, values: FloatArray) -> _Sample:
        there = ~np.isnan(values)
        count = there.sum(axis=-1)
        some = np.maximum(count, 1)
        mean = np.where(there, values, 0.0).sum(axis=-1) / some
        away = np.where(there, values - mean[..., None], 0.0)
        sd = np.sqrt((away**2).sum(axis=-1) / np.maximum(count - 1, 1))
        largest = np.abs(np.where(there, values, 0.0)).max(axis=-1, initial=0.0)
        sd = np.where(sd > ROUNDING * largest, sd, 0.0)
        cubes = (away**3).sum(axis=-1) / np.where(sd > 0, sd, 1.0) ** 3
        skewness = cubes * count / np.maximum((count - 1) * (count - 2), 1)
        return cls(count, mean, sd / np.sqrt(some), skewness)

    def turned(self) -> _Sample:
        """The sample with all signs changed."""
        return _Sample(self.count, -self.mean, self.error, -self.skewness)

    @property
    def bend(self) -> FloatArray:
        """The largest skewness that so many values may hide, over three times the root of their number; never 0."""
        return _bend(self.count, self.skewness)

    def p_below(self) -> FloatArray:
        """Against a mean below 0."""
        from scipy.special import stdtr

        known = self.error > 0
        t = self.mean / np.where(known, self.error, 1.0)
        p = stdtr(np.maximum(self.count - 1, 1), shorten_t(t, self.bend))
        p = np.where(known, p, (1 + np.maximum(-self.mean, 0.0)) ** -np.maximum(self.count, 1.0))
        return np.where(self.count < FEWEST, 1.0, p)
