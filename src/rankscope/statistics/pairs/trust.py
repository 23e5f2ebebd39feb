"""What a verdict on two systems rests on: two tests that must agree, and what so few queries cannot show.

Sign flips are exact where the labels of the systems could be swapped. Where the mean difference is 0 but few queries
gain much they err, and `skew_t` does not; so both must show a difference, and the larger p decides. No test sees a gain
that is not among the queries at hand: below 60 queries the result says so.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import FloatArray
from rankscope.statistics.pairs.flip_limits import flip_limits
from rankscope.statistics.pairs.flips import reaching_bound, reaching_share
from rankscope.statistics.pairs.pair_test import Alternative
from rankscope.statistics.pairs.sign_flip import columns_of, sign_flip_p
from rankscope.statistics.pairs.skew_t import skew_t_limits, skew_t_p

DECIDING = "sign-flip and skew-t"  # the name of the test in output
RARE = 0.05  # share of queries that gain or lose much and may be missed
SEEN = 60  # units from which on all of them are missed in fewer than 5 % of samples


def decide_p(differences: ArrayLike, alternative: Alternative = "two-sided") -> FloatArray:
    """The p-value that decides, one per column: the larger one of sign flips and skew t; a row is a query.

    NaN is a query that a pair does not have; a column without any number has no p-value. Where all queries of a column
    differ by the same amount, others may yet differ by another one (`skew_t`).
    >>> decide_p([[0.2, 0.1], [0.2, -0.1], [0.2, np.nan], [0.4, 0.0]]).round(4).tolist()
    [0.125, 1.0]
    """
    columns = columns_of(differences)
    return np.maximum(sign_flip_p(columns, alternative), skew_t_p(columns.T, alternative))


def decide_limits(
    differences: ArrayLike, level: ArrayLike, sizes: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """The lowest and highest mean difference that the deciding tests do not reject at 1 - `level`, one per column.

    So 0 lies outside exactly where `decide_p` is at most 1 - level. Infinite where so few queries reject nothing.
    `sizes`: a row may be the sum over so many queries, scaled so that the mean of the sizes is 1.
    >>> low, high = decide_limits([[0.2], [0.2], [0.3], [0.4], [0.3], [0.2]], [0.95])
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.161], [0.5])
    """
    columns = columns_of(differences)
    tails = np.broadcast_to((1 - np.asarray(level, dtype=np.float64)) / 2, columns.shape[1])
    if sizes is not None and np.ptp(sizes) > 0:
        pairs = [_limits_of_sums(own, float(tail), sizes) for own, tail in zip(columns.T, tails, strict=True)]
        return np.array([low for low, _ in pairs]), np.array([high for _, high in pairs])
    low, high = skew_t_limits(columns.T, tails)
    for turn, limits in ((-1.0, low), (1.0, high)):
        known = np.isfinite(limits)
        moved = np.nan_to_num(np.where(known, turn * (limits - columns), np.nan))
        open_ = np.flatnonzero(known & (reaching_bound(moved) > tails))  # elsewhere sign flips reject the limit too
        reached = reaching_share(moved[:, open_])
        for column in open_[reached > tails[open_]].tolist():
            own = columns[~np.isnan(columns[:, column]), column]
            limits[column] = flip_limits(own, float(tails[column]))[int(turn > 0)]
        limits[np.isnan(columns).all(axis=0)] = np.nan
    return low, high


def _limits_of_sums(sums: FloatArray, tail: float, sizes: FloatArray) -> tuple[float, float]:
    """Limits of the mean over queries where the classes drawn differ in size: sums are moved by mean x size."""
    low, high = flip_limits(sums, tail, sizes)
    return -_least_rejected(-sums, tail, sizes, -low), _least_rejected(sums, tail, sizes, high)


def _least_rejected(sums: FloatArray, tail: float, sizes: FloatArray, start: float) -> float:
    """From the limit of sign flips on, the first mean that skew t rejects too."""
    from scipy.optimize import brentq

    mean = float(sums.sum() / sizes.sum())
    width = float(np.abs(sums / sizes - mean).max())
    if not np.isfinite(start):
        return start
    if not width:
        return start + tail ** (-1 / sums.size) - 1

    def below(limit: float) -> float:
        return float(skew_t_p((sums - limit * sizes)[None, :], "less")[0]) - tail

    if below(start) <= 0:
        return start
    reach = start + width
    while below(reach) > 0:
        if reach - start > 1e6 * width:
            return math.inf
        reach = start + 2 * (reach - start)
    return float(brentq(below, start, reach, xtol=1e-9 * width))


def missed_share(units: int) -> float:
    """How often so many units hold none of those that gain or lose much, were 1 in 20 such.

    >>> round(missed_share(15), 3), round(missed_share(60), 3)
    (0.463, 0.046)
    """
    return math.exp(units * math.log1p(-RARE))


def caution(units: int, unit: str = "queries") -> str:
    """What must be said with a verdict on few units; nothing from 60 on.

    >>> caution(15)
    'if 1 in 20 queries gains or loses much, a sample of 15 lacks all of these in 46 % of cases, and no test can see it'
    >>> caution(60)
    ''
    """
    if units >= SEEN:
        return ""
    return (
        f"if 1 in {1 / RARE:.0f} {unit} gains or loses much, a sample of {units} lacks all of these in "
        f"{100 * missed_share(units):.0f} % of cases, and no test can see it"
    )
