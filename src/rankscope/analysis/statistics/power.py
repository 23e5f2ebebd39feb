"""Power: how often so many queries show a difference of a given size, and how many are needed.

What a verdict can show is simulated by its own test (`ShownEffects`), on units drawn again from those at hand. Next to
it stand the textbook's formulas: the paired t test, a noncentral t (Cohen 1988), with `sd` the standard deviation of
the differences; and the one-way design of Brughi et al. (2014), a noncentral F. No verdict rests on these.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankscope.analysis.statistics.deciding_test import FEWEST_FOR_SKEW, skew_t_limits
from rankscope.analysis.statistics.paired_tests import spread
from rankscope.analysis.statistics.studentised_range import StudentisedRange
from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError
from rankscope.core.validation import SHARE, OneOf, WholeNumber, check

MOST_QUERIES = 2**40
HALVINGS = 100
WANTED = 0.8  # the power that is asked for where none is named
EXPERIMENTS = 2_000  # simulated for one number of units
MOST_DRAWN = 300  # units in one of them; what more units show falls with the square root of their number
GROUPS = {"groups": WholeNumber(least=2), "queries": WholeNumber(least=2)}


@dataclass(frozen=True, eq=False)
class ShownEffects:
    """From which true mean difference on experiments like this one end in a verdict.

    The limits of the deciding tests move with the values. So each simulated experiment, drawn from the centred
    differences, has one smallest mean that it shows: the distance of its limit, that of skew t except where so few
    units cannot show anything. The standard deviation is known from the units at hand only, and the distances are
    stretched by what resampling does to it; without that, effects said to be found in 80 % were found in 70 to 79 %.
    `tail`: the level on each side; with one side only gains are looked for, whose mean must exceed `least` too.
    """

    differences: FloatArray
    tail: float
    sides: int = 2
    least: float = 0.0
    seed: int = 0

    def reached(self, count: int) -> FloatArray:
        """The smallest effect that each of the simulated experiments with so many units shows, sorted."""
        drawn = min(count, MOST_DRAWN)
        if count < FEWEST_FOR_SKEW or 0.5**count > self.tail * (1 + 1e-9) or not self._centred.any():
            return np.full(EXPERIMENTS * self.sides, np.inf)
        with np.errstate(invalid="ignore"):  # an unbounded stretch of nothing
            low, high, mean = (math.sqrt(drawn / count) * self._stretch * each for each in self._experiments(drawn))
        distances = [-low, high][: self.sides]
        if self.sides == 1 and self.least:
            distances = [np.maximum(-low, self.least - mean)]
        reached = np.concatenate(distances)
        return np.sort(np.where(np.isnan(reached), np.inf, reached))

    def smallest(self, power: float = WANTED) -> float:
        """The smallest true mean difference that so many units as are at hand show with this chance.

        Infinite where nothing can be shown; NaN without any spread, where nothing is known.
        >>> round(ShownEffects(np.array([0.1, -0.2, 0.3, 0.2, -0.1, 0.0, 0.4, 0.1]), 0.025).smallest(), 2)
        0.35
        """
        values = self.differences
        if not spread(values) > 0:
            return math.nan
        reached = self.reached(values.size)
        return float(reached[math.ceil(power * reached.size) - 1])

    def power(self, effect: float, count: int) -> float:
        reached = self.reached(count)
        return float(np.searchsorted(reached, effect, side="right") / reached.size)

    def needed(self, effect: float, power: float = WANTED) -> int:
        """The fewest units that show a true mean difference with this chance."""
        check({"power": power}, power=SHARE)
        if not effect > self.least:
            raise SettingError(f"no number of queries shows a difference of {effect:g}; give one above {self.least:g}")
        return _fewest(lambda count: self.power(effect, count) >= power, f"an effect of {effect:g}")

    def _experiments(self, drawn: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Both limits and the mean of each simulated experiment, where the true mean is 0."""
        if drawn not in self._made:
            values = self._centred
            chosen = np.random.default_rng([self.seed, drawn]).integers(0, values.size, (EXPERIMENTS, drawn))
            self._made[drawn] = (*skew_t_limits(values[chosen], self.tail), values[chosen].mean(axis=1))
        return self._made[drawn]

    @cached_property
    def _made(self) -> dict[int, tuple[FloatArray, FloatArray, FloatArray]]:
        return {}

    @cached_property
    def _centred(self) -> FloatArray:
        values = self.differences
        return np.asarray((values - values.mean()) * math.sqrt(values.size / max(values.size - 1, 1)))

    @cached_property
    def _stretch(self) -> FloatArray:
        """The standard deviation at hand over that of resamples of as many units."""
        values, chance = self._centred, np.random.default_rng([self.seed, 0])
        drawn = values[chance.integers(0, values.size, (EXPERIMENTS, min(values.size, MOST_DRAWN)))]
        sd = drawn.std(axis=1, ddof=1)
        return np.divide(spread(self.differences), sd, out=np.full(sd.size, np.inf), where=sd > 0)


def paired_power(
    effect: ArrayLike, sd: float, queries: ArrayLike, alpha: float = 0.05, *, sides: int = 2
) -> FloatArray:
    """The chance that the paired t test finds a true mean difference; `effect` and `queries` may be arrays.

    One query finds nothing: its power is 0.
    >>> paired_power(0.03, sd=0.040685, queries=15).round(4).tolist()
    0.7568
    """
    from scipy.special import nctdtr, stdtrit

    _check(sd, alpha, sides)
    size, asked = np.broadcast_arrays(np.abs(np.asarray(effect, np.float64)), np.asarray(queries, np.float64))
    count = np.maximum(asked, 2.0)
    freedom, away = count - 1, size / sd * np.sqrt(count)
    limit = stdtrit(freedom, 1 - alpha / sides)
    # the noncentral t beyond the limits; far out, where scipy gives up, it is 0 for every purpose
    found = 1 - np.nan_to_num(nctdtr(freedom, away, limit), nan=0.0)
    if sides == 2:
        found = found + np.nan_to_num(nctdtr(freedom, away, -limit), nan=0.0)
    return np.where(asked >= 2, np.clip(found, 0.0, 1.0), 0.0)


def queries_needed(effect: float, sd: float, power: float = 0.8, alpha: float = 0.05, *, sides: int = 2) -> int:
    """The fewest queries that find a true mean difference with this chance.

    >>> queries_needed(0.02, sd=0.040685)
    35
    """
    _check(sd, alpha, sides, power)
    if effect == 0:
        raise SettingError("no number of queries shows a difference of 0; give the smallest effect that matters")
    return _fewest(
        lambda count: float(paired_power(effect, sd, count, alpha, sides=sides)) >= power,
        f"an effect of {effect:g} with sd {sd:g}",
    )


def _fewest(enough: Callable[[int], bool], what: str) -> int:
    """The least number, from 2 on, from which on there are enough: doubled until there are, then halved."""
    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST_QUERIES:
            raise SettingError(f"{what} needs more than {MOST_QUERIES:,} queries")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
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
    groups, queries = check(locals(), **GROUPS).values()
    quantile = StudentisedRange(groups).quantile(1 - alpha, groups * (queries - 1))
    return float(quantile) / math.sqrt(queries)


def _check(sd: float, alpha: float, sides: int, power: Any = 0.5) -> None:
    if not (sd > 0 and math.isfinite(sd)):
        raise SettingError(f"power needs differences with a spread: sd is {sd:g}")
    check(locals(), alpha=SHARE, power=SHARE, sides=OneOf((1, 2)))
