"""How large a difference is, always with its interval: a p-value alone says nothing of size."""

from __future__ import annotations

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike

from rankscope.analysis.statistics.named_tests import bootstrap_interval
from rankscope.analysis.statistics.paired_tests import known_differences, paired_t, spread, tail_of, wilson_limits
from rankscope.measures.direction import EQUAL, tally

HALVINGS = 200


@dataclass(frozen=True)
class Effect:
    """A size and its interval; NaN where the queries cannot tell."""

    name: str
    value: float
    low: float = math.nan
    high: float = math.nan

    def row(self) -> dict[str, object]:
        return {"effect": self.name, "value": self.value, "low": self.low, "high": self.high}


@dataclass(frozen=True)
class Effects:
    """The sizes of one difference, second system minus first."""

    mean: Effect
    standardised: Effect  # mean over standard deviation of the differences, Cohen's d_z
    won: Effect
    lost: Effect
    equal: Effect
    win_chance: Effect  # that the second system is better on a query, a tie counting half
    queries: int
    level: float = 0.95

    def rows(self) -> list[dict[str, object]]:
        return [each.row() for each in (self.mean, self.standardised, self.won, self.lost, self.equal, self.win_chance)]


def effects(
    differences: ArrayLike,
    *,
    level: float = 0.95,
    interval: str = "t",
    resamples: int | None = None,
    seed: int = 0,
    lower_is_better: bool = False,
) -> Effects:
    """All sizes; `interval` of the mean is t, percentile or bca. Where lower is better, a query is won that has less.

    >>> made = effects([0.1, 0.3, 0.2, 0.4, 0.0])
    >>> [(each.name, round(each.value, 4)) for each in (made.mean, made.standardised, made.won, made.win_chance)]
    [('mean difference', 0.2), ('d / sd', 1.2649), ('share won', 0.8), ('chance to win', 0.9)]
    """
    values = known_differences(differences)
    count = values.size
    won, lost, equal = tally(values, lower_is_better)
    result = (
        paired_t(values, level=level)
        if interval == "t"
        else bootstrap_interval(values, level=level, how=interval, resamples=resamples, seed=seed)
    )
    return Effects(
        mean=Effect("mean difference", result.estimate, result.low, result.high),
        standardised=standardised_effect(values, level=level),
        won=share("share won", won, count, level),
        lost=share("share lost", lost, count, level),
        equal=share("share equal", equal, count, level),
        win_chance=share("chance to win", (won + count - lost) / 2, count, level),
        queries=count,
        level=level,
    )


def share(name: str, found: float, count: int, level: float = 0.95) -> Effect:
    """A share with Wilson's interval; a count with halves has one that is a little too wide, never too narrow."""
    return Effect(name, found / count if count else math.nan, *wilson_limits(found, count, level))


def standardised_effect(differences: ArrayLike, *, level: float = 0.95) -> Effect:
    """Mean over standard deviation (Cohen's d_z); its interval holds every value whose noncentral t could give this t.

    >>> made = standardised_effect([0.1, 0.3, 0.2, 0.4, 0.0])
    >>> round(made.value, 4), round(made.low, 4), round(made.high, 4)
    (1.2649, 0.0127, 2.4467)
    """
    values, tail = known_differences(differences), tail_of(level, "two-sided")
    ratio = standardised_difference(values)
    if not spread(values) > 0:
        return Effect("d / sd", ratio)
    root = math.sqrt(values.size)
    low, high = (_noncentrality(values.size - 1, chance, ratio * root) / root for chance in (1 - tail, tail))
    return Effect("d / sd", ratio, low, high)


def standardised_difference(differences: ArrayLike) -> float:
    """Mean over standard deviation alone, which costs nothing; 0 where all are 0, else NaN where all are equal.

    >>> round(standardised_difference([0.1, 0.3, 0.2, 0.4, 0.0]), 4), standardised_difference([0.0, 0.0])
    (1.2649, 0.0)
    """
    values = known_differences(differences)
    sd = spread(values)
    if not sd > 0:
        return 0.0 if sd == 0 and abs(float(values.mean())) <= EQUAL else math.nan
    return float(values.mean()) / sd


def _noncentrality(freedom: int, chance: float, t: float) -> float:
    """Where a noncentral t lies below `t` with this chance; it falls as the noncentrality rises."""
    from scipy.special import nctdtr

    reach = 10.0 + abs(t)
    low, high = t - reach, t + reach
    while nctdtr(freedom, high, t) > chance:
        high += reach
    while nctdtr(freedom, low, t) < chance:
        low -= reach
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if nctdtr(freedom, middle, t) > chance else (low, middle)
    return (low + high) / 2
