"""Which way is better: the one place that turns differences of a measure into gains, and says better or worse.

A difference has the measure's own sign, second minus first. A gain is a difference turned so that more is better.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

Side = Literal["better", "worse", ""]
Direction = Literal["higher", "lower"]  # what is better

EQUAL = 1e-9  # values that differ by no more are equal


class Tally(NamedTuple):
    """On how many queries the second system has the better value, the worse one, the same."""

    won: int
    lost: int
    equal: int


def turn(lower_is_better: bool) -> int:
    """What a difference is multiplied by to be a gain, and a gain to be a difference."""
    return -1 if lower_is_better else 1


def turned(value: float, low: float, high: float, lower_is_better: bool) -> tuple[float, float, float]:
    """A difference with its limits as a gain with its limits, or the reverse.

    >>> turned(0.2, 0.1, 0.4, lower_is_better=True), turned(0.2, 0.1, 0.4, lower_is_better=False)
    ((-0.2, -0.4, -0.1), (0.2, 0.1, 0.4))
    """
    return (0.0 - value, 0.0 - high, 0.0 - low) if lower_is_better else (value, low, high)


def side_of(difference: float, lower_is_better: bool) -> Side:
    """Whether a difference is for the better or the worse.

    >>> side_of(0.1, lower_is_better=True), side_of(0.1, lower_is_better=False), side_of(0.0, lower_is_better=True)
    ('worse', 'better', '')
    """
    gain = difference * turn(lower_is_better)
    return "better" if gain > 0 else "worse" if gain < 0 else ""


def direction_of(lower_is_better: bool) -> Direction:
    """What is better, in a word."""
    return "lower" if lower_is_better else "higher"


def best_value(values: ArrayLike, lower_is_better: bool) -> float:
    """The best of some values; NaN where none is known.

    >>> best_value([0.2, float("nan"), 0.5], True), best_value([0.2, 0.5], False), best_value([], True)
    (0.2, 0.5, nan)
    """
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    return float(known.min() if lower_is_better else known.max()) if known.size else float("nan")


def best_first(values: ArrayLike, lower_is_better: bool) -> list[int]:
    """The places of values from the best to the worst; equal ones as they came, unknown ones last.

    >>> best_first([0.2, float("nan"), 0.5, 0.2], False), best_first([0.2, 0.5, 0.2], True)
    ([2, 0, 3, 1], [0, 2, 1])
    """
    order = np.asarray(values, dtype=np.float64) * -turn(lower_is_better)
    return np.argsort(np.where(np.isnan(order), np.inf, order), kind="stable").tolist()


def tally(differences: ArrayLike, lower_is_better: bool) -> Tally:
    """Queries won, lost and equal, from second minus first.

    >>> tally([0.1, 0.2, -0.1, 0.0], lower_is_better=True)
    Tally(won=1, lost=2, equal=1)
    """
    gains = np.asarray(differences) * turn(lower_is_better)
    won, lost = int((gains > EQUAL).sum()), int((gains < -EQUAL).sum())
    return Tally(won, lost, gains.size - won - lost)
