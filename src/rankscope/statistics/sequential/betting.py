"""Limits of the mean of bounded differences that hold at every look: confidence sequences by betting.

Whoever doubts that the mean of values in [-1, 1] is `mean` or more starts with a capital of 1 and stakes a fixed share
`f` of it on each value `x`: the capital is multiplied by 1 - f + f (1 - x) / (1 - mean). If the mean is as claimed, no
bet gains in the long run, and by Ville's inequality the capital reaches 1 / alpha at any time with a chance of at most
alpha, regardless of how often one looks and of when one stops (Waudby-Smith and Ramdas 2024).

The capital is shared among bets from .02 to .95 that never change. So it is a sum of plain products: the order of the
values does not matter, and the capital grows with the mean that is doubted, so that the limit is its one root. Half of
it lies on the largest bet: differences of real systems are small for their range, where bold bets win soonest.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import FloatArray
from rankscope.errors import SettingError

BETS: FloatArray = np.linspace(0.02, 0.95, 20)
SHARES: FloatArray = np.append(np.full(BETS.size - 1, 0.5 / (BETS.size - 1)), 0.5)
HALVINGS = 45
MOST_QUERIES = 10**9
FUTURES, STEPS = 400, 256  # random walks that tell how long it takes, and in how many steps
SLACK = 1e-6


def log_capitals(values: ArrayLike, mean: float = 0.0) -> FloatArray:
    """Of each bet that the mean is below `mean`, the logarithm of its capital after all values (the last axis).

    No values: nothing was won or lost. `mean` lies between -1 and 1, both excluded.
    >>> float(np.exp(log_capitals([-0.5, 0.2]))[-1].round(6))  # (1 + .95 * .5) * (1 - .95 * .2)
    1.19475
    """
    gained = (mean - np.asarray(values, dtype=np.float64)) / (1.0 - mean)
    return np.stack([np.log1p(bet * gained).sum(axis=-1) for bet in BETS.tolist()], axis=-1)


def log_capital(capitals: FloatArray) -> FloatArray:
    """The logarithm of the capital of all bets together, each with its share of the beginning (the last axis).

    >>> float(np.exp(log_capital(np.zeros(BETS.size))).round(12))
    1.0
    """
    from scipy.special import logsumexp

    return np.asarray(logsumexp(capitals, axis=-1, b=SHARES))[()]


def upper_limit(values: ArrayLike, alpha: float) -> float:
    """The smallest mean that is refuted from above: the true one lies higher at no look, but with a chance of alpha.

    It is 1 as long as nothing is refuted.
    >>> upper_limit([], 0.05), round(upper_limit([-0.1] * 100, 0.05), 4)
    (1.0, -0.0607)
    """
    given = bounded(values)
    low, high, wanted = -1.0, 1.0, -math.log(alpha)
    for _ in range(HALVINGS if given.size else 0):
        middle = (low + high) / 2
        refuted = float(log_capital(log_capitals(given, middle))) >= wanted
        low, high = (low, middle) if refuted else (middle, high)
    return high


def lower_limit(values: ArrayLike, alpha: float) -> float:
    """The largest mean that is refuted from below; -1 as long as nothing is refuted.

    >>> round(lower_limit([0.1] * 100, 0.05), 4)
    0.0607
    """
    return -upper_limit(-np.asarray(values, dtype=np.float64), alpha)


def queries_to_go(capitals: FloatArray, gains: FloatArray, alpha: float) -> float:
    """How many more values it takes until the capital reaches 1 / alpha in half of all cases, looking after each.

    `gains`: what the values (rows) at hand add to the logarithm of each bet. Futures are random walks with their means
    and covariances; the median of the times at which they arrive. Infinite where no bet gains.
    >>> queries_to_go(np.zeros(BETS.size), np.full((5, BETS.size), 0.1), 0.05)
    30.0
    """
    growth = gains.mean(axis=0)
    horizon = _usual_time(capitals, growth, -math.log(alpha))
    if horizon == 0 or math.isinf(horizon):
        return horizon
    walk = np.linalg.svd((gains - growth) / math.sqrt(len(gains)), full_matrices=False)
    spread = walk.S[:, None] * walk.Vh
    noise = np.random.default_rng(0).standard_normal((FUTURES, STEPS, len(spread))) @ spread
    while True:
        step = horizon / STEPS
        paths = capitals + (step * growth + math.sqrt(step) * noise).cumsum(axis=1)
        reached = log_capital(paths) >= -math.log(alpha)
        times = np.where(reached.any(axis=1), reached.argmax(axis=1) + 1.0, np.inf)
        if np.isfinite(median := float(np.median(times))):
            return float(math.ceil(median * step - SLACK))
        horizon *= 2


def _usual_time(capitals: FloatArray, growth: FloatArray, wanted: float) -> float:
    """When the capital would arrive if each value gave each bet its mean gain: later than the median time.

    >>> _usual_time(np.zeros(BETS.size), np.full(BETS.size, 0.1), math.log(20))
    30.0
    """

    def reached(count: int) -> bool:
        return float(log_capital(capitals + count * growth)) >= wanted

    if reached(0):
        return 0.0
    low, high = 0, 1
    while not reached(high):
        low, high = high, 2 * high
        if high > MOST_QUERIES:
            return math.inf
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return float(high)


def still_needed(values: ArrayLike, mean: float, alpha: float) -> float:
    """How many more values like those at hand it takes, in half of all cases, to show a mean below `mean`.

    >>> values = [-0.3, 0.1, -0.2, 0.0]
    >>> still_needed(values, 0.0, 0.05), still_needed(np.negative(values), 0.0, 0.05)
    (39.0, inf)
    """
    given = bounded(values)
    if not given.size:
        return math.inf
    gains = log_capitals(given[:, None], mean)
    return queries_to_go(gains.sum(axis=0), gains, alpha)


def bounded(values: ArrayLike) -> FloatArray:
    """The differences; a `SettingError` where one is none of two values from 0 to 1.

    >>> bounded([0.5, -1.5])
    Traceback (most recent call last):
    rankscope.errors.SettingError: looking at every step needs differences from -1 to 1, got -1.5: take a measure \
whose values lie between 0 and 1
    """
    given = np.asarray(values, dtype=np.float64)
    outside = given[~(np.abs(given) <= 1.0)]
    if outside.size:
        raise SettingError(
            f"looking at every step needs differences from -1 to 1, got {outside[0]:g}: take a measure whose values "
            "lie between 0 and 1"
        )
    return given
