"""Strata: groups of items of one query from which some were drawn at random and judged, and totals estimated from them.

Everything that is summed is 0 for an item that is not relevant, so the relevant items drawn are all that totals need.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray


def group_sums(group: IntArray, values: FloatArray, groups: int) -> FloatArray:
    """Sums of values by the number of the group that each belongs to.

    >>> group_sums(np.array([0, 2, 0]), np.array([1.0, 2.0, 3.0]), 3).tolist()
    [4.0, 0.0, 2.0]
    """
    return np.bincount(group, values, groups).astype(np.float64, copy=False)


@dataclass(frozen=True, eq=False)
class Strata:
    """Of each stratum: the number of its query, its name, how many items it has (N) and how many are judged (n).

    A stratum not judged in full has at least two judged items.
    """

    queries: int
    query: IntArray
    name: tuple[str, ...]
    size: IntArray
    judged: IntArray

    def __len__(self) -> int:
        return self.size.size

    @cached_property
    def scale(self) -> FloatArray:
        """N/n: for how many items a judged one stands."""
        return self.size / np.maximum(self.judged, 1)

    @cached_property
    def pair_scale(self) -> FloatArray:
        """(N - 1)/(n - 1): for how many items one counts, given another judged one of its stratum."""
        return np.where(self.judged > 1, (self.size - 1) / np.maximum(self.judged - 1, 1), 1.0)

    @property
    def is_full(self) -> BoolArray:
        """Whether all items are judged."""
        full: BoolArray = self.judged == self.size
        return full

    def by_query(self, values: FloatArray) -> FloatArray:
        """Sums over the strata of each query."""
        return group_sums(self.query, values, self.queries)


@dataclass(frozen=True, eq=False)
class SampleTotals:
    """Estimated totals, one a query, with the variance of each by the draw of the sample."""

    value: FloatArray
    variance: FloatArray


def totals(strata: Strata, stratum: IntArray, value: FloatArray) -> SampleTotals:
    """T = sum of N ybar, variance sum of N^2 (1 - n/N) s^2/n, from the values of the relevant items drawn.

    >>> strata = Strata(1, np.zeros(3, int), tuple("abc"), np.array([10, 90, 900]), np.array([10, 18, 45]))
    >>> found = totals(strata, np.repeat([0, 1, 2], [7, 4, 2]), np.ones(13))
    >>> found.value.round(6).tolist(), np.sqrt(found.variance).round(4).tolist()
    ([67.0], [28.4361])
    """
    sums = group_sums(stratum, value, len(strata))
    squares = group_sums(stratum, value * value, len(strata))
    return SampleTotals(strata.by_query(strata.scale * sums), strata.by_query(stratum_variance(strata, sums, squares)))


def stratum_variance(strata: Strata, sums: FloatArray, squares: FloatArray) -> FloatArray:
    """What each stratum adds to the variance of a total; from sums of values, and of their squares, over the sample."""
    n = np.maximum(strata.judged, 1)
    spread = np.maximum(squares - sums * sums / n, 0.0) / np.maximum(n - 1, 1)
    return strata.size * (strata.size - strata.judged) * spread / n
