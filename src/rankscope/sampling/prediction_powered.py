"""Means and differences from people's judgements of some queries and a machine's judgements of these and of others.

Prediction-powered inference (Angelopoulos et al. 2023), tuned (PPI++): what the machine says of many queries, corrected
by how it errs where people judged as well. The weight lambda of the machine is fitted, hence Student's t on n - 2.

Few queries with large errors carry most of the uncertainty that a good machine leaves, and they draw lambda towards
themselves. So the commands divide each residual by 1 minus the leverage of its query, as the jackknife does (HC3,
MacKinnon & White 1985): in simulations the plain formula held the truth in .905 of samples where it held least, this
one in .925.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.sampling.estimate import EstimatedRange
from rankscope.sampling.over_queries import t_quantile

FEWEST = 10  # queries judged by people, below which nothing is corrected
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

    @property
    def worth(self) -> float:
        """How many queries people would have to judge for an interval as short as the corrected one."""
        if math.isnan(self.corrected.low):
            return math.nan
        half, human = self.corrected.high - self.corrected.low, self.human.high - self.human.low
        return self.queries * (human / half) ** 2 if half > 0 else math.nan


def corrected_mean(
    human: FloatArray,
    machine: FloatArray,
    others: FloatArray,
    level: float = 0.95,
    *,
    weight: float | None = None,
    by_leverage: bool = False,
) -> CorrectedMean:
    """From values by people and by the machine on the same queries, and by the machine alone on `others`.

    lambda = cov(y, f)/((1 + n/N) var(f of all)), kept from 0 to 1, unless a `weight` is given; theta = mean(y - lambda
    f) + lambda mean of others; se^2 = sum of squared residuals/((n - 2) n) + lambda^2 var(others)/N. `by_leverage`: the
    first part is the sum of (residual/(1 - h))^2/n^2, h the leverage of a query.
    >>> y, f = np.array([0.5, 0.6, 0.4, 0.7, 0.3, 0.8]), np.array([0.6, 0.7, 0.5, 0.9, 0.5, 0.8])
    >>> others = np.array([0.7, 0.4, 0.6, 0.8, 0.5, 0.9, 0.3, 0.6, 0.7, 0.5, 0.8, 0.6])
    >>> found = corrected_mean(y, f, others)
    >>> [round(each, 6) for each in (found.weight, found.corrected.value, found.corrected.low, found.corrected.high)]
    [0.661111, 0.516944, 0.361821, 0.672068]
    """
    n, many = human.size, others.size
    share = _tuned(human, machine, others) if weight is None else weight
    corrected = human - share * machine
    value = float(corrected.mean() + share * others.mean())
    residual = corrected - corrected.mean()
    plain = float((residual**2).sum()) / ((n - 2) * n)
    of_people = float(((residual / (1.0 - _leverage(machine))) ** 2).sum()) / n**2 if by_leverage else plain
    error = math.sqrt(of_people + share**2 * float(others.var(ddof=1)) / many)
    return CorrectedMean(
        corrected=_around(value, t_quantile(level, n - 2) * error),
        human=human_mean(human, level),
        machine=float(np.concatenate([machine, others]).mean()),
        weight=share,
        queries=n,
        others=many,
    )


def human_mean(human: FloatArray, level: float = 0.95) -> EstimatedRange:
    """The mean of the queries that people judged, with Student's interval; none for a single query."""
    if human.size < 2:
        return EstimatedRange(float(human.mean()) if human.size else math.nan, math.nan, math.nan)
    error = float(human.std(ddof=1)) / math.sqrt(human.size)
    return _around(float(human.mean()), t_quantile(level, human.size - 1) * error)


def uncorrected(human: FloatArray, machine: FloatArray, others: FloatArray, level: float = 0.95) -> CorrectedMean:
    """People alone: where they judged too few queries, or the machine no others."""
    nothing = EstimatedRange(math.nan, math.nan, math.nan)
    every = np.concatenate([machine, others])
    return CorrectedMean(
        corrected=nothing,
        human=human_mean(human, level),
        machine=float(every.mean()) if every.size else math.nan,
        weight=math.nan,
        queries=human.size,
        others=others.size,
    )


def _tuned(human: FloatArray, machine: FloatArray, others: FloatArray) -> float:
    every = np.concatenate([machine, others])
    variance = (1.0 + human.size / others.size) * float(every.var(ddof=1))
    if variance == 0:
        return 0.0
    together = float(((human - human.mean()) * (machine - machine.mean())).sum()) / (human.size - 1)
    return min(1.0, max(0.0, together / variance))


def _leverage(machine: FloatArray) -> FloatArray:
    """1/n + (f - mean)^2/sum of squares: how much a query draws a fitted line towards itself."""
    apart = (machine - machine.mean()) ** 2
    whole = float(apart.sum())
    return np.minimum(1.0 / machine.size + (apart / whole if whole > 0 else 0.0), MOST_LEVERAGE)


def _around(value: float, half: float) -> EstimatedRange:
    return EstimatedRange(value, value - half, value + half)
