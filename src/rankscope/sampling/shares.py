"""The relevant share of a population from a random sample of it: three intervals."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rankscope.curves.chances import at_most
from rankscope.curves.distributions import Hypergeometric


def hypergeometric(population: int, judged: int, found: int, level: float = 0.95) -> tuple[float, float]:
    """Exact, for sampling without replacement: all shares K / N under which such a sample is not too unlikely.

    >>> low, high = hypergeometric(19900, 500, 3)
    >>> round(low * 19900), round(high * 19900)
    (26, 344)
    """
    tail = (1.0 - level) / 2.0

    def many_enough(relevant: int) -> bool:
        return found == 0 or _chance_of_at_least(population, relevant, judged, found) > tail

    def few_enough(relevant: int) -> bool:
        return _chance_of_at_most(population, relevant, judged, found) > tail

    least, most = found, population - (judged - found)
    low = _first(many_enough, least, most)
    high = _first(lambda relevant: not few_enough(relevant), least, most + 1) - 1
    return low / population, high / population


def clopper_pearson(population: int, judged: int, found: int, level: float = 0.95) -> tuple[float, float]:
    """Exact for sampling with replacement, hence wider: quantiles of two Beta distributions.

    >>> [round(end, 6) for end in clopper_pearson(19900, 500, 3)]
    [0.001239, 0.017434]
    """
    from scipy.special import betaincinv

    tail = (1.0 - level) / 2.0
    low = 0.0 if found == 0 else float(betaincinv(found, judged - found + 1, tail))
    high = 1.0 if found == judged else float(betaincinv(found + 1, judged - found, 1.0 - tail))
    return low, high


def wilson(population: int, judged: int, found: int, level: float = 0.95) -> tuple[float, float]:
    """Score interval: close to its level on average, not a guarantee.

    >>> [round(end, 6) for end in wilson(19900, 500, 3)]
    [0.002043, 0.01749]
    """
    z, share = normal_quantile(level), found / judged
    centre = share + z * z / (2 * judged)
    half = z * math.sqrt(share * (1 - share) / judged + z * z / (4 * judged * judged))
    scale = 1 + z * z / judged
    return max(0.0, (centre - half) / scale), min(1.0, (centre + half) / scale)


METHODS: dict[str, Callable[[int, int, int, float], tuple[float, float]]] = {
    "hypergeometric": hypergeometric,
    "clopper-pearson": clopper_pearson,
    "wilson": wilson,
}


def normal_quantile(level: float) -> float:
    """How many standard deviations hold the middle `level` of a normal distribution."""
    from scipy.special import ndtri

    return float(ndtri(0.5 + level / 2.0))


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The least number from low to high from which on a condition holds (high where it never does), by halving."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _chance_of_at_most(population: int, relevant: int, judged: int, found: int) -> float:
    counts = Hypergeometric(*(np.array([float(each)]) for each in (population, relevant, judged)))
    return float(at_most(counts, np.array([float(found)]))[0])


def _chance_of_at_least(population: int, relevant: int, judged: int, found: int) -> float:
    """Counted from the other side, so that a small chance is not lost beside 1."""
    return _chance_of_at_most(population, population - relevant, judged, judged - found)
