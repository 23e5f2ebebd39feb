"""Probabilities of counts in very large collections, in closed form: no table, and no large numbers that cancel.

Loader (2000), Fast and accurate computation of binomial probabilities: what is left of Stirling's formula is a short
series, and the deviance of a count from its mean is computed without a difference of large numbers.
"""

from __future__ import annotations

import numpy as np

from rankscope.arrays import FloatArray

HALF_LOG_2_PI = 0.5 * np.log(2.0 * np.pi)
SERIES_FROM = 16.0
NEAR = 0.1  # relative distance from the mean within which the deviance is a series
TERMS = 12


def log_binomial(count: FloatArray, trials: FloatArray, chance: FloatArray, other: FloatArray) -> FloatArray:
    """Logarithm of the probability of `count` successes in `trials`; `other` is 1 - chance, to full precision.

    >>> one = np.ones(1)
    >>> np.exp(log_binomial(2 * one, 3 * one, 0.5 * one, 0.5 * one)).round(12)
    array([0.375])
    """
    misses = trials - count
    inner = np.minimum(count, misses) > 0
    x, y = np.where(inner, count, 1.0), np.where(inner, misses, 1.0)
    n = x + y
    left = stirling_rest(n) - stirling_rest(x) - stirling_rest(y)
    spread = 0.5 * (np.log(n) - np.log(x) - np.log(y)) - HALF_LOG_2_PI
    middle = left - deviance(x, n * chance) - deviance(y, n * other) + spread
    with np.errstate(divide="ignore", invalid="ignore"):
        edge = np.where(count > 0, count * np.log(chance), 0.0) + np.where(misses > 0, misses * np.log(other), 0.0)
    return np.where(inner, middle, edge)


def log_hypergeometric(count: FloatArray, population: FloatArray, marked: FloatArray, drawn: FloatArray) -> FloatArray:
    """Logarithm of the probability of `count` marked items among those drawn without replacement.

    >>> four, two, one = np.full(1, 4.0), np.full(1, 2.0), np.ones(1)
    >>> np.exp(log_hypergeometric(one, four, two, two)).round(12)
    array([0.66666667])
    """
    chance, other = drawn / population, (population - drawn) / population  # any chance would do: it cancels
    hits = log_binomial(count, marked, chance, other)
    misses = log_binomial(drawn - count, population - marked, chance, other)
    return hits + misses - log_binomial(drawn, population, chance, other)


def stirling_rest(number: FloatArray) -> FloatArray:
    """log n! minus Stirling's formula log(sqrt(2 pi n) (n / e)^n), for n from 1 on.

    >>> float(stirling_rest(np.array([1.0]))[0].round(12))
    0.081061466795
    """
    from scipy.special import gammaln

    square = number * number
    series = (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) / number
    small = np.minimum(number, SERIES_FROM)
    direct = gammaln(small + 1.0) - (small + 0.5) * np.log(small) + small - HALF_LOG_2_PI
    return np.where(number > SERIES_FROM, series, direct)


def deviance(count: FloatArray, mean: FloatArray) -> FloatArray:
    """x log(x / m) + m - x for x > 0: how far a count is from its mean, 0 where it is the mean.

    >>> deviance(np.array([1e12, 2.0, 3.0]), np.array([1e12 + 1, 1.0, 3.0])).round(24)
    array([5.00000000e-13, 3.86294361e-01, 0.00000000e+00])
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        share = (count - mean) / (count + mean)
        square, term = share * share, 2.0 * count * share
        total = (count - mean) * share
        for step in range(1, TERMS):
            term = term * square
            total = total + term / (2 * step + 1)
        plain = count * np.log(count / mean) + mean - count
    return np.where(np.abs(share) < NEAR, total, plain)
