"""Confidence intervals of a proportion: of a random sample of a population, and of cases that come in clusters.

The interval of a share where cases come in clusters: marks of one query err together.
Korn & Graubard (1998): the cases count as so many independent ones as would give the share the variance that clusters
show, and Clopper & Pearson's interval is taken at that number. The variance is that of a ratio, clusters drawn anew:
v = Q/(Q-1) sum_q (x_q - p n_q)^2 / n^2; design effect v / (p (1-p) / n), counted as 1 where it is below; number of
cases n / effect, times (t_{n-1} / t_{Q-1})^2 because so few clusters tell the effect.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import numpy as np

from rankscope.analysis.curves.distributions import log_hypergeometric
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.catalogue import Catalogue

LARGEST_POPULATION = 1 << 53  # items: whole numbers are exact up to here
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
        # Counted from the other side, so that a small chance is not lost next to 1.
        return found == 0 or _chance_of_at_most(population, population - relevant, judged, judged - found) > tail

    def too_many(relevant: int) -> bool:
        return _chance_of_at_most(population, relevant, judged, found) <= tail

    least, most = found, population - (judged - found)
    low = _first_that_holds(many_enough, least, most)
    high = _first_that_holds(too_many, least, most + 1) - 1
    return low / population, high / population


def clopper_pearson(population: int, judged: int, found: int, level: float = 0.95) -> tuple[float, float]:
    """Exact for sampling with replacement, hence wider: quantiles of two Beta distributions.

    >>> [round(end, 6) for end in clopper_pearson(19900, 500, 3)]
    [0.001239, 0.017434]
    """
    return binomial_limits(found, judged, (1 - level) / 2)


def binomial_limits(found: float, count: float, tail: float) -> tuple[float, float]:
    """Exact limits of a share (Clopper and Pearson), `tail` left outside on each side; numbers need not be whole.

    >>> [round(each, 4) for each in binomial_limits(3, 10, 0.025)]
    [0.0667, 0.6525]
    """
    from scipy.special import betaincinv

    low = float(betaincinv(found, count - found + 1, tail)) if found else 0.0
    high = float(betaincinv(found + 1, count - found, 1 - tail)) if found < count else 1.0
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


PROPORTION_INTERVALS: Catalogue[Callable[[int, int, int, float], tuple[float, float]]] = Catalogue(
    "interval", {"hypergeometric": hypergeometric, "clopper-pearson": clopper_pearson, "wilson": wilson}
)


def normal_quantile(level: float) -> float:
    """How many standard deviations hold the middle `level` of a normal distribution."""
    from scipy.special import ndtri

    return float(ndtri(0.5 + level / 2.0))


def _first_that_holds(holds: Callable[[int], bool], low: int, high: int) -> int:
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


@dataclass(frozen=True)
class ClusteredShare:
    """`found` of `count` cases in so many clusters; `effective` is how many independent cases they are worth.

    >>> made = clustered_share(np.array([True, False, False, False] * 5), np.repeat(np.arange(5), 4))
    >>> made.share, made.effective < made.count, round(made.low, 4), round(made.high, 4)
    (0.25, True, 0.0516, 0.5817)
    """

    found: int
    count: int
    clusters: int
    effective: float
    low: float
    high: float

    @property
    def share(self) -> float:
        """found / count; NaN of nothing."""
        return self.found / self.count if self.count else float("nan")

    def row(self) -> dict[str, Any]:
        return {"share": self.share, **asdict(self)}


def clustered_share(hit: BoolArray, cluster: IntArray, level: float = 0.95) -> ClusteredShare:
    """The share of cases that are hits, and its interval; of one cluster cases are taken for independent."""
    if hit.size == 0:
        return ClusteredShare(found=0, count=0, clusters=0, effective=0.0, low=0.0, high=1.0)
    number = np.unique(cluster, return_inverse=True)[1]
    found, count = (np.bincount(number, weights=each) for each in (hit.astype(np.float64), np.ones(hit.size)))
    effective = effective_count(found, count, level)
    low, high = binomial_limits(found.sum() / hit.size * effective, effective, (1 - level) / 2)
    return ClusteredShare(
        found=int(found.sum()), count=hit.size, clusters=found.size, effective=effective, low=low, high=high
    )


def effective_count(found: Any, count: Any, level: float = 0.95) -> float:
    """How many independent cases these clusters are worth: never more than there are.

    >>> round(effective_count(np.array([4.0, 0, 0, 0]), np.full(4, 4.0)), 4)  # all or nothing: less than a case each
    1.3457
    """
    from scipy.special import stdtrit

    clusters, n = len(count), float(np.sum(count))
    p = float(np.sum(found)) / n
    if clusters < 2:
        return n
    plain = p * (1 - p) / n
    robust = clusters / (clusters - 1) * float(np.square(found - p * count).sum()) / n**2
    effect = max(1.0, robust / plain) if plain > 0 else 1.0
    few = stdtrit(max(n - 1, 1), (1 + level) / 2) / stdtrit(clusters - 1, (1 + level) / 2)
    return float(min(n, n / effect * few**2))
