"""What every test of two systems gives: an estimate with its interval, a p-value, and how they were made."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import FloatArray
from rankscope.errors import SettingError
from rankscope.statistics.intervals.unseen_unit import NO_WIDTH
from rankscope.validation import SHARE, OneOf, check

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
        """In plain numbers, for a table."""
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
