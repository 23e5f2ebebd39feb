"""Power: how often so many queries show a difference of a given size, and how many are needed.

For paired differences the t test decides, and its power is a noncentral t (Cohen 1988); `sd` is the standard deviation
of the differences, from a first experiment. For the one-way design of Brughi et al. (2014) it is a noncentral F.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import FloatArray
from rankscope.errors import SettingError
from rankscope.validation import SHARE, OneOf, WholeNumber, check

MOST_QUERIES = 2**40
HALVINGS = 100
GROUPS = {"groups": WholeNumber(least=2), "queries": WholeNumber(least=2)}


def paired_power(
    effect: ArrayLike, sd: float, queries: ArrayLike, alpha: float = 0.05, *, sides: int = 2
) -> FloatArray:
    """The chance that the paired t test finds a true mean difference; `effect` and `queries` may be arrays.

    One query finds nothing: its power is 0.
    >>> paired_power(0.03, sd=0.040685, queries=15).round(4).tolist()
    0.7568
    """
    _check(sd, alpha, sides)
    size, count = np.broadcast_arrays(np.abs(np.asarray(effect, np.float64)), np.asarray(queries, np.float64))
    return np.where(count >= 2, _power(size / sd, np.maximum(count, 2.0), alpha, sides), 0.0)


def _power(ratio: FloatArray, count: FloatArray, alpha: float, sides: int) -> FloatArray:
    from scipy.special import stdtrit

    freedom, away = count - 1, ratio * np.sqrt(count)
    limit = stdtrit(freedom, 1 - alpha / sides)
    found = 1 - _below(freedom, away, limit)
    if sides == 2:
        found = found + _below(freedom, away, -limit)
    return np.asarray(np.clip(found, 0.0, 1.0))


def _below(freedom: FloatArray, away: FloatArray, limit: FloatArray) -> FloatArray:
    """The noncentral t below a limit; far out, where scipy gives up, it is 0 for every purpose."""
    from scipy.special import nctdtr

    return np.nan_to_num(nctdtr(freedom, away, limit), nan=0.0)


def queries_needed(effect: float, sd: float, power: float = 0.8, alpha: float = 0.05, *, sides: int = 2) -> int:
    """The fewest queries that find a true mean difference with this chance.

    >>> queries_needed(0.02, sd=0.040685)
    35
    """
    _check(sd, alpha, sides, power)
    if effect == 0:
        raise SettingError("no number of queries shows a difference of 0; give the smallest effect that matters")
    low, high = 1, 2
    while float(paired_power(effect, sd, high, alpha, sides=sides)) < power:
        low, high = high, 2 * high
        if high > MOST_QUERIES:
            raise SettingError(f"an effect of {effect:g} with sd {sd:g} needs more than {MOST_QUERIES:,} queries")
    while high - low > 1:
        middle = (low + high) // 2
        enough = float(paired_power(effect, sd, middle, alpha, sides=sides)) >= power
        low, high = (low, middle) if enough else (middle, high)
    return high


def smallest_effect(queries: int, sd: float, power: float = 0.8, alpha: float = 0.05, *, sides: int = 2) -> float:
    """The smallest true mean difference that so many queries find with this chance; infinite for one query.

    >>> round(smallest_effect(35, sd=0.040685), 4)
    0.0198
    """
    _check(sd, alpha, sides, power)
    if queries < 2:
        return math.inf
    low, high = 0.0, sd
    while float(paired_power(high, sd, queries, alpha, sides=sides)) < power:
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        enough = float(paired_power(middle, sd, queries, alpha, sides=sides)) >= power
        low, high = (low, middle) if enough else (middle, high)
    return high


def anova_power(f: float, groups: int, queries: int, alpha: float = 0.05) -> float:
    """One-way analysis of variance with equal groups of so many queries: power for Cohen's f (sd of means over sd).

    >>> round(anova_power(0.4, groups=10, queries=5), 2)
    0.37
    """
    from scipy.special import fdtri, ncfdtr

    groups, queries = check(locals(), **GROUPS).values()
    between, within = groups - 1, groups * (queries - 1)
    limit = fdtri(between, within, 1 - alpha)
    return float(1 - ncfdtr(between, within, f * f * groups * queries, limit))


def smallest_significant_difference(groups: int, queries: int, alpha: float = 0.05) -> float:
    """The smallest difference of two means that Tukey's test calls one, in units of the residual deviation.

    >>> round(smallest_significant_difference(groups=10, queries=5), 3)
    2.117
    """
    from rankscope.statistics.pairs.studentised_range import StudentisedRange

    groups, queries = check(locals(), **GROUPS).values()
    quantile = StudentisedRange(groups).quantile(1 - alpha, groups * (queries - 1))
    return float(quantile) / math.sqrt(queries)


def _check(sd: float, alpha: float, sides: int, power: Any = 0.5) -> None:
    if not (sd > 0 and math.isfinite(sd)):
        raise SettingError(f"power needs differences with a spread: sd is {sd:g}")
    check(locals(), alpha=SHARE, power=SHARE, sides=OneOf((1, 2)))
