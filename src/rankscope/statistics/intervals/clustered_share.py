"""The interval of a share where cases come in clusters: marks of one query err together.

Korn & Graubard (1998): the cases count as so many independent ones as would give the share the variance that clusters
show, and Clopper & Pearson's interval is taken at that number. The variance is that of a ratio, clusters drawn anew:
v = Q/(Q-1) sum_q (x_q - p n_q)^2 / n^2; design effect v / (p (1-p) / n), counted as 1 where it is below; number of
cases n / effect, times (t_{n-1} / t_{Q-1})^2 because so few clusters tell the effect.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rankscope.arrays import BoolArray, IntArray


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
        """All of it in plain numbers."""
        return {"share": self.share, **asdict(self)}


def clustered_share(hit: BoolArray, cluster: IntArray, level: float = 0.95) -> ClusteredShare:
    """The share of cases that are hits, and its interval; of one cluster cases are taken for independent."""
    if hit.size == 0:
        return ClusteredShare(found=0, count=0, clusters=0, effective=0.0, low=0.0, high=1.0)
    number = np.unique(cluster, return_inverse=True)[1]
    found, count = (np.bincount(number, weights=each) for each in (hit.astype(np.float64), np.ones(hit.size)))
    effective = effective_count(found, count, level)
    low, high = beta_limits(found.sum() / hit.size * effective, effective, level)
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


def beta_limits(found: float, count: float, level: float = 0.95) -> tuple[float, float]:
    """Clopper & Pearson's limits, also of numbers that are not whole.

    >>> [round(end, 6) for end in beta_limits(3, 500)]
    [0.001239, 0.017434]
    """
    from scipy.special import betaincinv

    out = (1 - level) / 2
    low = float(betaincinv(found, count - found + 1, out)) if found > 0 else 0.0
    high = float(betaincinv(found + 1, count - found, 1 - out)) if found < count else 1.0
    return low, high
