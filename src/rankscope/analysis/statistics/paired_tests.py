"""Tests of two systems on the same queries: what every test gives, Student's t test and the sign test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rankscope.analysis.statistics.mean_intervals import NO_WIDTH
from rankscope.analysis.statistics.proportions import binomial_limits
from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError
from rankscope.core.validation import SHARE, OneOf, check
from rankscope.measures.direction import tally

Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES = ("two-sided", "greater", "less")


@dataclass(frozen=True)
class PairTest:
    """One test of per-query differences, second system minus first.

    `greater` and `less` are one-sided: their interval is open on one side. NaN where the queries cannot tell.
    """

    test: str
    estimate: float
    low: float
    high: float
    p: float
    queries: int
    note: str = ""
    quantity: str = "mean difference"
    alternative: Alternative = "two-sided"
    level: float = 0.95

    def row(self) -> dict[str, object]:
        return {
            "test": self.test,
            self.quantity: self.estimate,
            "low": self.low,
            "high": self.high,
            "p": self.p,
            "queries": self.queries,
            "note": self.note,
        }


def known_differences(differences: ArrayLike) -> FloatArray:
    """The differences that are numbers; infinite ones are an error."""
    values = np.asarray(differences, dtype=np.float64).ravel()
    values = values[~np.isnan(values)]
    if not np.isfinite(values).all():
        raise SettingError("differences must be finite numbers, or NaN where a query has none")
    return values


def checked_alternative(alternative: str) -> None:
    """Raises `SettingError` for a word that is no alternative."""
    check({"alternative": alternative}, alternative=OneOf(ALTERNATIVES, exactly=True))


def tail_of(level: float, alternative: Alternative) -> float:
    """The chance left outside on each side that an interval has.

    >>> round(tail_of(0.95, "two-sided"), 6), round(tail_of(0.95, "less"), 6)
    (0.025, 0.05)
    """
    check({"alternative": alternative, "level": level}, alternative=OneOf(ALTERNATIVES, exactly=True), level=SHARE)
    return (1 - level) / 2 if alternative == "two-sided" else 1 - level


def limits_within(
    low: ArrayLike, high: ArrayLike, bounds: tuple[ArrayLike, ArrayLike]
) -> tuple[FloatArray, FloatArray]:
    """Limits cut to what a difference can be; NaN where they have no width.

    What a test does not reject may be one number, as where all queries differ by the same amount: it says nothing of
    further ones.
    >>> limits_within([-0.2, 0.3, -np.inf], [1.4, 0.3, np.inf], (-1.0, 1.0))
    (array([-0.2,  nan, -1. ]), array([ 1., nan,  1.]))
    """
    ends = np.clip(np.asarray([low, high], dtype=np.float64), *bounds)
    wide = ~np.isfinite(ends).all(axis=0) | (ends[1] - ends[0] > NO_WIDTH * np.abs(ends).max(axis=0))
    return np.where(wide, ends[0], np.nan), np.where(wide, ends[1], np.nan)


def one_sided_interval(low: float, high: float, alternative: Alternative) -> tuple[float, float]:
    """The interval without the side that a one-sided test says nothing of."""
    return (-math.inf if alternative == "less" else low, math.inf if alternative == "greater" else high)


# Student's t for paired differences: quick, and nearly right for many queries regardless of their distribution.

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
    low = high = p = math.nan
    note = "all differences are equal: t is undefined" if count > 1 else "t needs two queries at least"
    if sd > 0:
        error = sd / math.sqrt(count)
        t, freedom = mean / error, count - 1
        tails = {"two-sided": 2 * stdtr(freedom, -abs(t)), "greater": stdtr(freedom, -t), "less": stdtr(freedom, t)}
        p = float(tails[alternative])
        half = float(stdtrit(freedom, 1 - tail)) * error
        low, high = one_sided_interval(mean - half, mean + half, alternative)
        note = f"t = {t:.4f}, {freedom} degrees of freedom"
    return PairTest(
        test="t",
        estimate=mean,
        low=low,
        high=high,
        p=p,
        queries=count,
        note=note,
        alternative=alternative,
        level=level,
    )


def sign_test(
    differences: ArrayLike,
    alternative: Alternative = "two-sided",
    *,
    level: float = 0.95,
    lower_is_better: bool = False,
) -> PairTest:
    """The share of wins among the queries that differ, its exact binomial interval (Clopper and Pearson) and p-value.

    Differences up to 1e-9 are ties and left out. Where lower is better, a query is won that has less.
    >>> made = sign_test([0.1, 0.2, 0.3, -0.1, 0.0])
    >>> made.estimate, made.p, made.note, sign_test([0.1, 0.2, 0.3, -0.1, 0.0], lower_is_better=True).estimate
    (0.75, 0.625, '3 won, 1 lost, 1 equal', 0.25)
    """
    from scipy.special import bdtr

    values, tail = known_differences(differences), tail_of(level, alternative)
    won, lost, equal = tally(values, lower_is_better)
    count = won + lost
    share = low = high = math.nan
    p = 1.0 if values.size else math.nan
    if count:
        tails = {
            "two-sided": min(1.0, 2 * float(bdtr(min(won, lost), count, 0.5))),
            "greater": float(bdtr(lost, count, 0.5)),
            "less": float(bdtr(won, count, 0.5)),
        }
        share, p = won / count, tails[alternative]
        low, high = one_sided_interval(*binomial_limits(won, count, tail), alternative)
        low, high = max(low, 0.0), min(high, 1.0)
    return PairTest(
        test="sign",
        estimate=share,
        low=low,
        high=high,
        p=p,
        queries=values.size,
        note=f"{won} won, {lost} lost, {equal} equal",
        quantity="share won",
        alternative=alternative,
        level=level,
    )


def wilson_limits(found: float, count: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson's limits of a share: close to right for any number of queries; NaN for none.

    >>> [round(each, 4) for each in wilson_limits(3, 10)]
    [0.1078, 0.6032]
    """
    from scipy.special import ndtri

    if not count:
        return math.nan, math.nan
    z = float(ndtri((1 + level) / 2))
    share, shrink = found / count, 1 + z * z / count
    middle = (share + z * z / (2 * count)) / shrink
    half = z / shrink * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    low = 0.0 if found == 0 else middle - half
    return low, 1.0 if found == count else float(np.minimum(middle + half, 1.0))
