"""The test that verdicts rest on: sign flips and skew t must both show a difference, or of the gate a loss.

What a verdict on two systems rests on: two tests that must agree, and what so few queries cannot show. Sign flips are
exact where the labels of the systems could be swapped. Where the mean difference is 0 but few queries gain much they
err, and `skew_t` does not; so both must show a difference, and the larger p decides. No test sees a gain that is not
among the queries at hand: below 60 queries the result says so.

Student's t that does not take skew for a difference: many small losses and few large gains, or the reverse.
Few queries often miss the large gains, and then their own skewness is small too. So skewness is taken at its
upper 95 % limit, on the side that would explain the mean away, and t is shortened by it:
u = -log(1 + 2 b |t|)/(2 b) + b/2 with b = skewness/(3 sqrt(n)). To first order this is the transformation of Hall
(1992); other than his cubic it never turns flat, so that a clear difference stays clear. It is never bolder than t.

Values that are all alike show neither spread nor skew. If their mean were 0, and no value below -1, those that are d or
more would be a share of 1/(1 + d) at most; so n of n that are d have a p of (1 + d)^-n.

Is the mean change below 0? The test and the limits that the gate rests on.
A loss is shown only if two tests show it: sign flips, which are exact if the labels of the systems could be swapped,
and skew t, which does not take few large gains for a loss. So the limit is the outer one of the two. Queries that
depend on each other (a class) are one unit: they are flipped together, and their sum counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankscope.analysis.statistics.paired_tests import ROUNDING, Alternative, checked_alternative
from rankscope.analysis.statistics.resampling import class_numbers
from rankscope.analysis.statistics.sign_flip import (
    CELLS,
    EXACT,
    all_subset_sums,
    columns_of,
    flip_limits,
    reaching_bound,
    reaching_share,
    sign_flip_p,
    subset_shares,
    tie_slack,
)
from rankscope.core.arrays import FloatArray, IntArray

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
        limits = np.empty((2, columns.shape[1]))  # a mean moves each sum by its size
        for column, (sums, tail) in enumerate(zip(columns.T, tails.tolist(), strict=True)):
            low, high = flip_limits(sums, tail, sizes)
            limits[0, column] = -_least_rejected(-sums, tail, sizes, -low)
            limits[1, column] = _least_rejected(sums, tail, sizes, high)
        return limits[0], limits[1]
    lower, upper = skew_t_limits(columns.T, tails)
    for turn, ends in ((-1.0, lower), (1.0, upper)):
        known = np.isfinite(ends)
        moved = np.nan_to_num(np.where(known, turn * (ends - columns), np.nan))
        open_ = np.flatnonzero(known & (reaching_bound(moved) > tails))  # elsewhere sign flips reject the limit too
        reached = reaching_share(moved[:, open_])
        for column in open_[reached > tails[open_]].tolist():
            own = columns[~np.isnan(columns[:, column]), column]
            ends[column] = flip_limits(own, float(tails[column]))[int(turn > 0)]
        ends[np.isnan(columns).all(axis=0)] = np.nan
    return lower, upper


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


FEWEST_FOR_SKEW = 3  # values from which skewness can be estimated
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
    few = sample.count < FEWEST_FOR_SKEW
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
    if values.size < FEWEST_FOR_SKEW:
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
    n = np.maximum(count, FEWEST_FOR_SKEW).astype(np.float64)
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
        return np.where(self.count < FEWEST_FOR_SKEW, 1.0, p)


@dataclass(frozen=True, eq=False)
class Changes:
    """Changes of one measure: their sum and number in each unit, turned so that more is better."""

    sums: FloatArray
    sizes: FloatArray

    @classmethod
    def of(cls, changes: FloatArray, units: Sequence[str] | None = None) -> Changes:
        """From the change of each query, and the unit each belongs to; no units: each query is one.

        >>> Changes.of(np.array([0.1, 0.2, -0.1]), ["a", "a", "b"]).sums.round(6).tolist()
        [0.3, -0.1]
        """
        if units is None:
            return cls(changes, np.ones(changes.size))
        number = class_numbers(units)
        sums, sizes = np.bincount(number, weights=changes), np.bincount(number)
        return cls(sums.astype(np.float64), sizes.astype(np.float64))

    def __len__(self) -> int:
        return self.sums.size

    @property
    def mean(self) -> float:
        return float(self.sums.sum() / self.sizes.sum())

    @property
    def spread(self) -> FloatArray:
        """A value for each unit with this mean, whose standard error is that of the mean over queries."""
        return self._spread(self.sums)

    def _spread(self, sums: FloatArray) -> FloatArray:
        mean = sums.sum(axis=-1, keepdims=True) / self.sizes.sum()
        return mean + (sums - mean * self.sizes) * (len(self) / self.sizes.sum())

    def loss_p(self, signs: FloatArray | None = None, beyond: float = 0.0) -> FloatArray:
        """The p-value against a loss of more than `beyond`.

        With `signs` (trials x units) one for each trial with swapped labels; what lies above one half is a bound.
        """
        moved = beyond * self.sizes
        if signs is None:
            flipped = reaching_share(-(self.sums + moved)[:, None])
            return np.maximum(flipped, skew_t_p(self._spread(self.sums + moved)[None, :], "less"))
        swapped = signs * self.sums + moved
        p = np.asarray(skew_t_p(self._spread(swapped), "less"))
        if not beyond and len(self) <= EXACT:  # all rows have one distribution of sums
            total = swapped.sum(axis=-1) + float(tie_slack(self.sums))
            return np.maximum(np.searchsorted(self._sums, total, side="right") / self._sums.size, p)
        if not beyond:
            share, cells = self._shares
            return np.maximum(share[np.where(swapped > 0, cells, 0).sum(axis=-1)], p)
        low = np.flatnonzero(p <= 0.5)
        p[low] = np.maximum(reaching_share(-swapped[low].T), p[low])
        return p

    def limits(self, tail: float) -> tuple[float, float]:
        """Lower and upper limit of the mean change, `tail` left outside on each side."""
        low, high = skew_t_limits(self.spread, tail)
        own_low, own_high = flip_limits(self.sums, tail, self.sizes)
        return min(float(low), own_low), max(float(high), own_high)

    @cached_property
    def _sums(self) -> FloatArray:
        """The sums with all signs, sorted."""
        return np.sort(self.sums.sum() - 2 * all_subset_sums(self.sums))

    @cached_property
    def _shares(self) -> tuple[FloatArray, IntArray]:
        """How many of all signs leave at most so many cells above 0, and the cells of each unit."""
        sizes = np.abs(self.sums)
        cells = np.rint(sizes * (CELLS / max(float(sizes.sum()), 1e-300))).astype(np.int64)
        return np.cumsum(subset_shares(cells, int(cells.sum()))), cells
