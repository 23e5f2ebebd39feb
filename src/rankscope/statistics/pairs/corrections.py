"""Corrections for many tests: of one family, declared before, some would be found by chance alone.

Each works along the last axis, so that many families can be corrected at once. A test that could not be made (NaN)
stays undefined, spoils no other, and still counts in the size of the family, because the family was declared with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import FloatArray
from rankscope.catalogue import Catalogue
from rankscope.errors import SettingError


def bonferroni(p: ArrayLike) -> FloatArray:
    """Each p times the number of tests.

    >>> bonferroni([0.01, 0.4, np.nan]).tolist()
    [0.03, 1.0, nan]
    """
    values = _checked(p)
    return np.minimum(values * values.shape[-1], 1.0)


def holm(p: ArrayLike) -> FloatArray:
    """Step-down: the smallest p times m, the next times m - 1, ..., never falling (Holm 1979).

    Controls the chance of any false finding as Bonferroni does, and finds more.
    >>> holm([0.010305, 0.014992, 0.883130]).round(6).tolist()
    [0.030915, 0.030915, 0.88313]
    """
    values = _checked(p)
    size = values.shape[-1]
    return _stepped(values, np.arange(size, 0, -1.0), from_smallest=True)


def benjamini_hochberg(p: ArrayLike) -> FloatArray:
    """Step-up: the share of false findings among the findings is held, for screening only.

    >>> benjamini_hochberg([0.01, 0.02, 0.9]).round(6).tolist()
    [0.03, 0.03, 0.9]
    """
    values = _checked(p)
    size = values.shape[-1]
    return _stepped(values, size / np.arange(1.0, size + 1), from_smallest=False)


CORRECTIONS: Catalogue[Callable[[ArrayLike], FloatArray]] = Catalogue(  # a new correction adds its name here
    "correction",
    {"holm": holm, "bonferroni": bonferroni, "benjamini-hochberg": benjamini_hochberg, "none": lambda p: _checked(p)},
)


@dataclass(frozen=True, eq=False)
class Adjusted:
    """Adjusted p-values in the order given, and how many tests had none."""

    p: FloatArray
    correction: str
    size: int
    undefined: int


def adjust(p: ArrayLike, correction: str = "holm") -> Adjusted:
    """Correct the p-values of one family: holm, bonferroni, benjamini-hochberg or none.

    >>> made = adjust([0.01, np.nan, 0.02])
    >>> made.p.tolist(), made.size, made.undefined
    ([0.03, nan, 0.04], 3, 1)
    """
    result = CORRECTIONS.find(correction)(p)
    return Adjusted(result, CORRECTIONS.spell(correction), result.shape[-1], int(np.isnan(result).sum()))


def tested_levels(p: ArrayLike, correction: str, alpha: float) -> FloatArray:
    """The level at which each test of a family was held against its p-value, so that limits at it say the same.

    Holm: alpha/m for the smallest p, then alpha/(m - 1), ..., up to the first that is not significant, which is the
    level of all later ones too. Benjamini and Hochberg: alpha x findings/m for all.
    >>> tested_levels([0.01, 0.5, 0.03, np.nan], "holm", 0.05).round(6).tolist()
    [0.0125, 0.016667, 0.016667, 0.016667]
    """
    values = _checked(p)
    adjusted = CORRECTIONS.find(correction)(values)
    shown, size, name = int((adjusted <= alpha).sum()), values.size, CORRECTIONS.spell(correction)
    if name == "none":
        return np.full(size, alpha)
    if name == "holm":
        place = np.empty(size)
        place[np.argsort(np.where(np.isnan(values), 1.0, values), kind="stable")] = np.arange(size)
        return np.asarray(alpha / (size - np.minimum(place, min(shown, size - 1))))
    return np.full(size, alpha * (max(shown, 1) if name == "benjamini-hochberg" else 1) / max(size, 1))


def _checked(p: ArrayLike) -> FloatArray:
    values = np.atleast_1d(np.asarray(p, dtype=np.float64))
    if ((values < 0) | (values > 1)).any():
        raise SettingError("p-values lie between 0 and 1, or are NaN where a test could not be made")
    return values


def _stepped(values: FloatArray, factor: FloatArray, from_smallest: bool) -> FloatArray:
    """Multiply in the order of size, make the result monotone, and put it back in place."""
    filled = np.where(np.isnan(values), 1.0, values)
    order = np.argsort(filled, axis=-1, kind="stable")
    raised = np.take_along_axis(filled, order, axis=-1) * factor
    if from_smallest:
        raised = np.maximum.accumulate(raised, axis=-1)
    else:
        raised = np.minimum.accumulate(raised[..., ::-1], axis=-1)[..., ::-1]
    result = np.empty_like(raised)
    np.put_along_axis(result, order, np.minimum(raised, 1.0), axis=-1)
    return np.where(np.isnan(values), np.nan, result)
