"""Is the mean change below 0? The test and the limits that the gate rests on.

A loss is shown only if two tests show it: sign flips, which are exact if the labels of the systems could be swapped,
and skew t, which does not take few large gains for a loss. So the limit is the outer one of the two. Queries that
depend on each other (a class) are one unit: they are flipped together, and their sum counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.statistics.pairs.flip_limits import SubsetMeans, means_of
from rankscope.statistics.pairs.flips import EXACT, FLIPS, all_subset_sums, random_subset_sums
from rankscope.statistics.pairs.sign_flip import SLACK
from rankscope.statistics.pairs.skew_t import skew_t_limits, skew_t_p
from rankscope.statistics.table.resampling import class_numbers


@dataclass(frozen=True, eq=False)
class Changes:
    """Changes of one measure: their sum and number in each unit, turned so that more is better."""

    sums: FloatArray
    sizes: FloatArray
    flips: int = FLIPS
    seed: int = 0

    @classmethod
    def of(
        cls, changes: FloatArray, units: Sequence[str] | None = None, *, flips: int = FLIPS, seed: int = 0
    ) -> Changes:
        """From the change of each query, and the unit each belongs to; no units: each query is one.

        >>> Changes.of(np.array([0.1, 0.2, -0.1]), ["a", "a", "b"]).sums.round(6).tolist()
        [0.3, -0.1]
        """
        if units is None:
            return cls(changes, np.ones(changes.size), flips, seed)
        number = class_numbers(units)
        sums, sizes = np.bincount(number, weights=changes), np.bincount(number)
        return cls(sums.astype(np.float64), sizes.astype(np.float64), flips, seed)

    def __len__(self) -> int:
        return self.sums.size

    @property
    def _exact(self) -> bool:
        return len(self) <= EXACT

    @property
    def mean(self) -> float:
        """The mean change over queries."""
        return float(self.sums.sum() / self.sizes.sum())

    @property
    def spread(self) -> FloatArray:
        """A value for each unit with this mean, whose standard error is that of the mean over queries."""
        return self._spread(self.sums)

    def _spread(self, sums: FloatArray) -> FloatArray:
        mean = sums.sum(axis=-1, keepdims=True) / self.sizes.sum()
        return mean + (sums - mean * self.sizes) * (len(self) / self.sizes.sum())

    def loss_p(self, signs: FloatArray | None = None) -> FloatArray:
        """The p-value against a loss; with `signs` (trials x units) one for each trial with swapped labels."""
        swapped = self.sums[None, :] if signs is None else signs * self.sums
        slack = SLACK * max(1.0, float(np.abs(self.sums).sum()))
        reached = np.searchsorted(self._reference, swapped.sum(axis=-1) + slack, side="right")
        more = 0 if self._exact else 1  # random signs do not have the ones seen among them
        flipped = (reached + more) / (self._reference.size + more)
        return np.maximum(flipped, skew_t_p(self._spread(swapped), "less"))

    def limits(self, tail: float) -> tuple[float, float]:
        """Lower and upper limit of the mean change, `tail` left outside on each side."""
        low, high = skew_t_limits(self.spread, tail)
        return min(low, self._means.lower(tail)), max(high, self._means.upper(tail))

    @cached_property
    def _flipped(self) -> FloatArray:
        """The sum of what is flipped, for all choices of signs or for random ones."""
        return all_subset_sums(self.sums) if self._exact else random_subset_sums(self.sums, self.flips, self.seed)

    @cached_property
    def _reference(self) -> FloatArray:
        """Sums with these signs, sorted; they are the same whatever labels were swapped."""
        return np.sort(self.sums.sum() - 2 * self._flipped)

    @cached_property
    def _means(self) -> SubsetMeans:
        sizes = all_subset_sums(self.sizes) if self._exact else random_subset_sums(self.sizes, self.flips, self.seed)
        return means_of(self._flipped, sizes, 2 ** len(self) if self._exact else self.flips + 1)
