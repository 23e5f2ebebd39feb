"""Which mean differences a sign-flip test does not reject: its limits are means of subsets of the queries.

Test the mean `m`: flipping the set F of queries reaches the sum seen exactly if the mean of F is on the other side of m
(Hartigan 1969, "typical values"). So one sorted list of subset means holds the limits for every level.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import FloatArray
from rankscope.statistics.pairs.flips import EXACT, FLIPS, all_subset_sums, random_subset_sums


@dataclass(frozen=True, eq=False)
class SubsetMeans:
    """Means of the sets that are flipped, sorted; `always` counts what reaches for every m: no query flipped."""

    means: FloatArray
    always: int
    choices: int  # how many ways to flip were looked at, the one seen included

    def lower(self, tail: float) -> float:
        """The lowest mean difference not rejected against larger ones at level `tail`; minus infinity if none is."""
        place = self._place(tail)
        return float(self.means[place]) if place >= 0 else -np.inf

    def upper(self, tail: float) -> float:
        """The highest mean difference not rejected against smaller ones; infinity if none is."""
        place = self._place(tail)
        return float(self.means[-1 - place]) if place >= 0 else np.inf

    def _place(self, tail: float) -> int:
        return int(np.floor(tail * self.choices + 1e-9)) - self.always


def subset_means(
    differences: ArrayLike, sizes: ArrayLike | None = None, *, flips: int = FLIPS, seed: int = 0
) -> SubsetMeans:
    """The means of all subsets of up to 20 differences, or of `flips` random ones.

    `sizes`: a difference may be the sum over so many queries that are flipped together (a class).
    >>> means = subset_means([0.1, 0.2, 0.3, 0.4, 0.5])
    >>> means.lower(0.05), means.upper(0.05), means.lower(0.01)
    (0.1, 0.5, -inf)
    """
    values = np.asarray(differences, dtype=np.float64)
    weight = np.ones(values.size) if sizes is None else np.asarray(sizes, dtype=np.float64)
    exact = values.size <= EXACT
    sums, counts = (
        all_subset_sums(each) if exact else random_subset_sums(each, flips, seed) for each in (values, weight)
    )
    return means_of(sums, counts, 2**values.size if exact else flips + 1)


def means_of(sums: FloatArray, counts: FloatArray, choices: int) -> SubsetMeans:
    """From the sum and the number of queries of each set that was flipped; the choice seen, none, is counted too."""
    some = counts > 0
    return SubsetMeans(np.sort(sums[some] / counts[some]), always=choices - int(some.sum()), choices=choices)
