"""Student's t for paired differences: quick, and nearly right for many queries regardless of their distribution."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import FloatArray
from rankscope.statistics.pairs.pair_test import Alternative, PairTest, known_differences, one_sided_interval, tail_of

ROUNDING = 1e-13


def spread(values: FloatArray) -> float:
    """The unbiased standard deviation; 0 where values differ by rounding only, NaN for fewer than two.

    >>> spread(np.array([0.1, 0.1, 0.1])), spread(np.array([0.0, 2.0]))
    (0.0, 1.4142135623730951)
    """
    if values.size < 2:
        return math.nan
    sd = float(values.std(ddof=1))
    return sd if sd > ROUNDING * float(np.abs(values).max()) else 0.0


def paired_t(differences: ArrayLike, alternative: Alternative = "two-sided", *, level: float = 0.95) -> PairTest:
    """Mean difference, its t interval and p-value; NaN where there is one query only, or no spread.

    >>> made = paired_t([0.1, 0.3, 0.2, 0.4])
    >>> round(made.estimate, 6), round(made.low, 4), round(made.high, 4), round(made.p, 4)
    (0.25, 0.0446, 0.4554, 0.0305)
    """
    from scipy.special import stdtr, stdtrit

    values, tail = known_differences(differences), tail_of(level, alternative)
    count, sd = values.size, spread(values)
    mean = float(values.mean()) if count else math.nan
    if not sd > 0:
        note = "all differences are equal: t is undefined" if count > 1 else "t needs two queries at least"
        return PairTest(
            test="t",
            estimate=mean,
            low=math.nan,
            high=math.nan,
            p=math.nan,
            queries=count,
            note=note,
            alternative=alternative,
            level=level,
        )
    error = sd / math.sqrt(count)
    t, freedom = mean / error, count - 1
    p = {"two-sided": 2 * stdtr(freedom, -abs(t)), "greater": stdtr(freedom, -t), "less": stdtr(freedom, t)}
    half = float(stdtrit(freedom, 1 - tail)) * error
    low, high = one_sided_interval(mean - half, mean + half, alternative)
    note = f"t = {t:.4f}, {freedom} degrees of freedom"
    return PairTest(
        test="t",
        estimate=mean,
        low=low,
        high=high,
        p=float(p[alternative]),
        queries=count,
        note=note,
        alternative=alternative,
        level=level,
    )
