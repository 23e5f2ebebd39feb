"""Which mean differences a sign-flip test does not reject.

Test the mean m: flipping the set F of units reaches the sum seen exactly if the mean of F is on the other side of m
(Hartigan 1969, "typical values"). So for up to 20 units one sorted list of subset means holds the limits for every
level; for more the limit is where the p-value of the moved differences meets the level.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import FloatArray
from rankscope.statistics.pairs.flips import EXACT, all_subset_sums, reaching_share

FINE = 1e-7  # of the width between the mean and the outermost unit


def flip_limits(differences: ArrayLike, tail: float, sizes: ArrayLike | None = None) -> tuple[float, float]:
    """The lowest and highest mean that leave more than `tail` on their side; infinite where no mean is rejected.

    `sizes`: a difference may be the sum over so many queries that are flipped together (a class).
    >>> flip_limits([0.1, 0.2, 0.3, 0.4, 0.5], 0.05), flip_limits([0.1, 0.2, 0.3, 0.4, 0.5], 0.01)
    ((0.1, 0.5), (-inf, inf))
    """
    values = np.asarray(differences, dtype=np.float64)
    weight = np.ones(values.size) if sizes is None else np.asarray(sizes, dtype=np.float64)
    if 0.5**values.size > tail * (1 + 1e-9):
        return -np.inf, np.inf
    if values.size > EXACT:
        return -_highest(-values, weight, tail), _highest(values, weight, tail)
    sums, counts = all_subset_sums(values), all_subset_sums(weight)
    some = counts > 0
    means = np.sort(sums[some] / counts[some])
    place = int(np.floor(tail * sums.size + 1e-9)) - int(sums.size - some.sum())  # of no flip there is no mean
    return (float(means[place]), float(means[-1 - place])) if place >= 0 else (-np.inf, np.inf)


def _highest(values: FloatArray, weight: FloatArray, tail: float) -> float:
    """The highest mean not rejected: from the outermost unit on no sum reaches as low as the one seen."""
    from scipy.optimize import brentq
    from scipy.special import ndtri

    mean, outermost = values.sum() / weight.sum(), float((values / weight).max())
    if not outermost > mean:
        return float(mean)
    aim = float(ndtri(tail))

    def above(place: float) -> float:
        moved = (mean + place * (outermost - mean)) * weight - values
        return float(ndtri(min(reaching_share(moved[:, None])[0], 1 - 1e-16))) - aim

    found = brentq(above, 0.0, 1.0, xtol=FINE) if above(1.0) < 0 else 1.0
    return float(mean + found * (outermost - mean))
