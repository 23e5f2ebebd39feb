"""The relevant share of a population from a random sample of it: three intervals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.catalogue import Catalogue
from rankscope.curves.saddle_point import log_hypergeometric

LARGEST = 1 << 53  # items: whole numbers are exact up to here
REACH, SHORT = 40, 100  # deviations, and counts, beyond which a tail no longer matters
SUMMED = 1 << 14  # chances that are added one by one
NODES = 400


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
    low, high = (centre - half) / scale, (centre + half) / scale
    return 0.0 if found == 0 else max(0.0, low), 1.0 if found == judged else min(1.0, high)


INTERVALS: Catalogue[Callable[[int, int, int, float], tuple[float, float]]] = Catalogue(
    "interval", {"hypergeometric": hypergeometric, "clopper-pearson": clopper_pearson, "wilson": wilson}
)


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
    """P(X <= found) when `judged` of a population with so many relevant items are drawn without replacement."""
    least, most = max(0, judged + relevant - population), min(relevant, judged)
    if not least <= found < most:
        return float(found >= most)
    chances = _Chances(population, relevant, judged)
    if found < judged * relevant / population:
        return chances.tail(found, least)
    return max(0.0, 1.0 - chances.tail(found + 1, most))


def _chance_of_at_least(population: int, relevant: int, judged: int, found: int) -> float:
    """Counted from the other side, so that a small chance is not lost next to 1."""
    return _chance_of_at_most(population, population - relevant, judged, judged - found)


@cache
def _gauss() -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return nodes, weights


@dataclass(frozen=True)
class _Chances:
    """The chances of all counts of relevant items in a sample, in closed form: nothing grows with the population."""

    population: int
    relevant: int
    judged: int

    def tail(self, nearest: int, last: int) -> float:
        """The sum of the chances from `nearest` outwards to `last`, as far as they matter."""
        width = min(abs(last - nearest), math.ceil(REACH * self._deviation) + SHORT) + 1
        direction = 1 if last > nearest else -1
        if width <= SUMMED:
            return float(self._of(nearest + direction * np.arange(width, dtype=np.float64)).sum())
        return self._integral(nearest, direction, width - 1)

    def _integral(self, nearest: int, direction: int, width: int) -> float:
        """The same by the formula of Euler and Maclaurin: the chances of so many counts are a smooth curve."""
        nodes, weights = _gauss()
        places = nearest + direction * width * (nodes + 1.0) / 2.0
        area = width / 2.0 * float((weights * self._of(places)).sum())
        here, inside, outside = self._of(np.array([0.0, direction, -direction]) + nearest).tolist()
        return area + here / 2.0 - (inside - outside) / 24.0

    def _of(self, counts: FloatArray) -> FloatArray:
        sizes = (np.full(counts.size, float(each)) for each in (self.population, self.relevant, self.judged))
        return np.exp(log_hypergeometric(counts, *sizes))

    @property
    def _deviation(self) -> float:
        share = self.relevant / self.population
        left = (self.population - self.judged) / max(1, self.population - 1)
        return math.sqrt(self.judged * share * (1.0 - share) * left)
