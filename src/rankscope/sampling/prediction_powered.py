"""Means and differences from people's judgements of some queries and a machine's judgements of these and of others.

Prediction-powered inference (Angelopoulos et al. 2023), tuned (PPI++): what the machine says of many queries, corrected
by how it errs where people judged as well. The weight lambda of the machine is fitted, hence Student's t on n - 2.

Few queries with large errors carry most of the uncertainty that a good machine leaves, and they draw lambda towards
themselves. So the commands divide each residual by 1 minus the leverage of its query, as the jackknife does (HC3,
MacKinnon & White 1985), and take so many degrees of freedom as the kurtosis of the residuals leaves (Satterthwaite
1946, n - 2 at most): with 20 queries of people the lowest of 108 quantities is held in .935 of samples so, in .926
without the second (machines of kappa .7 and .9). Few queries by people also leave the corrected interval wider than
theirs alone. So which of the two is told is decided before either is seen, by the number of queries: people alone below
`CORRECT_FROM`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from rankscope.arrays import FloatArray
from rankscope.measures.fractions import divide
from rankscope.sampling.estimate import EstimatedRange
from rankscope.sampling.over_queries import t_quantile

CORRECT_FROM: Final = 20  # queries judged by people: from there machines of kappa .7 widen no interval by over 2 %
FEWEST: Final = 10  # below which errors of the machine cannot be estimated
Bounds = tuple[float, float]
ANYTHING: Final = (-math.inf, math.inf)
FEWEST_OTHERS = 2
MOST_LEVERAGE = 0.9


@dataclass(frozen=True)
class CorrectedMean:
    """The corrected mean, that of people alone, that of the machine alone, lambda, and what the machine is worth."""

    corrected: EstimatedRange
    human: EstimatedRange
    machine: float
    weight: float  # lambda
    queries: int
    others: int
    worth: float = math.nan  # queries that people would have to judge for an interval by Student's t as short


def corrected_mean(
    human: FloatArray,
    machine: FloatArray,
    others: FloatArray,
    level: float = 0.95,
    *,
    weight: float | None = None,
    small_sample: bool = False,
    bounds: Bounds = ANYTHING,
) -> CorrectedMean:
    """From values by people and by the machine on the same queries, and by the machine alone on `others`.

    lambda = cov(y, f)/((1 + n/N) var(f of all)), kept from 0 to 1, unless a `weight` is given; theta = mean(y - lambda
    f) + lambda mean of others; se^2 = sum of squared residuals/((n - 2) n) + lambda^2 var(others)/N. `small_sample`:
    the first part is the sum of (residual/(1 - h))^2/n^2, h the leverage of a query, and t has 2(n - 1)/(kurtosis - 1)
    degrees of freedom, n - 2 at most. Nothing lies outside of `bounds`, the range of a value.
    >>> y, f = np.array([0.5, 0.6, 0.4, 0.7, 0.3, 0.8]), np.array([0.6, 0.7, 0.5, 0.9, 0.5, 0.8])
    >>> others = np.array([0.7, 0.4, 0.6, 0.8, 0.5, 0.9, 0.3, 0.6, 0.7, 0.5, 0.8, 0.6])
    >>> found = corrected_mean(y, f, others)
    >>> [round(each, 6) for each in (found.weight, found.corrected.value, found.corrected.low, found.corrected.high)]
    [0.661111, 0.516944, 0.361821, 0.672068]
    """
    columns = corrected_columns(
        human[:, None],
        machine[:, None],
        others[:, None],
        level,
        weight=weight,
        small_sample=small_sample,
        bounds=bounds,
    )
    share, value, low, high, half = (float(each[0]) for each in columns)
    n = human.size
    of_human = t_quantile(level, n - 1) * float(human.std(ddof=1)) / math.sqrt(n)
    return CorrectedMean(
        corrected=EstimatedRange(value, low, high),
        human=human_mean(human, level, bounds),
        machine=float(np.concatenate([machine, others]).mean()),
        weight=share,
        queries=n,
        others=others.size,
        worth=n * (of_human / half) ** 2 if half > 0 else math.nan,
    )


class CorrectedColumns(NamedTuple):
    """Of each column: lambda, the corrected mean, its limits, and half of the width before it was cut to the range."""

    weight: FloatArray
    value: FloatArray
    low: FloatArray
    high: FloatArray
    half: FloatArray


def corrected_columns(
    human: FloatArray,
    machine: FloatArray,
    others: FloatArray,
    level: float = 0.95,
    *,
    weight: float | None = None,
    small_sample: bool = False,
    bounds: tuple[ArrayLike, ArrayLike] = ANYTHING,
) -> CorrectedColumns:
    """`corrected_mean` of each column: queries x quantities, with the bounds of all or of each."""
    n, many = len(human), len(others)
    share = _tuned(human, machine, others) if weight is None else np.full(human.shape[1], weight)
    corrected = human - share * machine
    value = corrected.mean(axis=0) + share * others.mean(axis=0)
    residual = corrected - corrected.mean(axis=0)
    if small_sample:
        of_people = ((residual / (1.0 - _leverage(machine))) ** 2).sum(axis=0) / n**2
        freedom = _freedom(residual)
    else:
        of_people = (residual**2).sum(axis=0) / ((n - 2) * n)
        freedom = np.full(human.shape[1], n - 2.0)
    error = np.sqrt(of_people + share**2 * others.var(axis=0, ddof=1) / many)
    half = stdtrit(freedom, 0.5 + level / 2.0) * error
    middle, low, high = (np.clip(each, *bounds) for each in (value, value - half, value + half))
    return CorrectedColumns(share, middle, low, high, half)


def human_mean(human: FloatArray, level: float = 0.95, bounds: Bounds = ANYTHING) -> EstimatedRange:
    """The mean of the queries that people judged, with Student's interval; none for a single query."""
    if human.size < 2:
        return EstimatedRange(float(human.mean()) if human.size else math.nan, math.nan, math.nan)
    error = float(human.std(ddof=1)) / math.sqrt(human.size)
    return _around(float(human.mean()), t_quantile(level, human.size - 1) * error, bounds)


def uncorrected(
    human: FloatArray, machine: FloatArray, others: FloatArray, level: float = 0.95, *, bounds: Bounds = ANYTHING
) -> CorrectedMean:
    """People alone: where they judged too few queries, or the machine no others."""
    nothing = EstimatedRange(math.nan, math.nan, math.nan)
    every = np.concatenate([machine, others])
    return CorrectedMean(
        corrected=nothing,
        human=human_mean(human, level, bounds),
        machine=float(every.mean()) if every.size else math.nan,
        weight=math.nan,
        queries=human.size,
        others=others.size,
    )


def _tuned(human: FloatArray, machine: FloatArray, others: FloatArray) -> FloatArray:
    variance = (1.0 + len(human) / len(others)) * np.concatenate([machine, others]).var(axis=0, ddof=1)
    together = ((human - human.mean(axis=0)) * (machine - machine.mean(axis=0))).sum(axis=0) / (len(human) - 1)
    return np.clip(divide(together, variance, nothing=0.0), 0.0, 1.0)


def _leverage(machine: FloatArray) -> FloatArray:
    """1/n + (f - mean)^2/sum of squares: how much a query draws a fitted line towards itself."""
    apart = (machine - machine.mean(axis=0)) ** 2
    return np.minimum(1.0 / len(machine) + divide(apart, apart.sum(axis=0), nothing=0.0), MOST_LEVERAGE)


def _freedom(residual: FloatArray) -> FloatArray:
    """Of the mean square of residuals, from its own variance: few that are large leave less than n - 2."""
    n, squares = len(residual), residual**2
    kurtosis = n * divide((squares**2).sum(axis=0), squares.sum(axis=0) ** 2, nothing=0.0)
    return np.clip(2.0 * (n - 1) / np.maximum(kurtosis - 1.0, 1e-9), 2.0, n - 2.0)


def _around(value: float, half: float, bounds: Bounds) -> EstimatedRange:
    low, middle, high = np.clip([value - half, value, value + half], *bounds).tolist()
    return EstimatedRange(middle, low, high)
