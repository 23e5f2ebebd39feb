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

from rankscope.arrays import FloatArray, IntArray
from rankscope.statistics.pairs.flip_limits import flip_limits
from rankscope.statistics.pairs.flips import CELLS, EXACT, all_subset_sums, reaching_share, subset_shares, tie_slack
from rankscope.statistics.pairs.skew_t import skew_t_limits, skew_t_p
from rankscope.statistics.table.resampling import class_numbers


@dataclass(frozen=True, eq=False)
class Changes:
    """Changes of one measure: their sum and number in each unit, turned so that more is better."""

    sums: FloatArray
    sizes: FloatArray

    @classmethod
    def of(cls, changes: FloatArray, units: Sequence[str] | None = None) -> Changes:
        """From the change of each query, and the unit each belongs to; no units: each query is one.

        >>> Changes.of(np.array([0.1, 0.2, -0.1]), ["a", "a", "b"]).sums.round(6).tolist()
        [0.3, -0.1]
        """
        if units is None:
            return cls(changes, np.ones(changes.size))
        number = class_numbers(units)
        sums, sizes = np.bincount(number, weights=changes), np.bincount(number)
        return cls(sums.astype(np.float64), sizes.astype(np.float64))

    def __len__(self) -> int:
        return self.sums.size

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

    def loss_p(self, signs: FloatArray | None = None, beyond: float = 0.0) -> FloatArray:
        """The p-value against a loss of more than `beyond`.

        With `signs` (trials x units) one for each trial with swapped labels; what lies above one half is a bound.
        """
        moved = beyond * self.sizes
        if signs is None:
            flipped = reaching_share(-(self.sums + moved)[:, None])
            return np.maximum(flipped, skew_t_p(self._spread(self.sums + moved)[None, :], "less"))
        swapped = signs * self.sums + moved
        p = np.asarray(skew_t_p(self._spread(swapped), "less"))
        if not beyond:
            return np.maximum(self._swapped_p(swapped), p)
        low = np.flatnonzero(p <= 0.5)
        p[low] = np.maximum(reaching_share(-swapped[low].T), p[low])
        return p

    def limits(self, tail: float) -> tuple[float, float]:
        """Lower and upper limit of the mean change, `tail` left outside on each side."""
        low, high = skew_t_limits(self.spread, tail)
        own_low, own_high = flip_limits(self.sums, tail, self.sizes)
        return min(float(low), own_low), max(float(high), own_high)

    def _swapped_p(self, swapped: FloatArray) -> FloatArray:
        """By sign flips, for each row of changes with other signs: all rows have one distribution of sums."""
        if len(self) <= EXACT:
            total = swapped.sum(axis=-1) + float(tie_slack(self.sums))
            return np.asarray(np.searchsorted(self._sums, total, side="right") / self._sums.size)
        share, cells = self._shares
        return np.asarray(share[np.where(swapped > 0, cells, 0).sum(axis=-1)])

    @cached_property
    def _sums(self) -> FloatArray:
        """The sums with all signs, sorted."""
        return np.sort(self.sums.sum() - 2 * all_subset_sums(self.sums))

    @cached_property
    def _shares(self) -> tuple[FloatArray, IntArray]:
        """How many of all signs leave at most so many cells above 0, and the cells of each unit."""
        sizes = np.abs(self.sums)
        cells = np.rint(sizes * (CELLS / max(float(sizes.sum()), 1e-300))).astype(np.int64)
        return np.cumsum(subset_shares(cells, int(cells.sum()))), cells
