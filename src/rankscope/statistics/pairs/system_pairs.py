"""Pairs of systems on the same queries: what is summed for each system serves all pairs it is in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.statistics.pairs.flips import random_flips


@dataclass(frozen=True, eq=False)
class SystemPairs:
    """Queries x systems, and which columns are compared: second minus first.

    >>> pairs = SystemPairs(np.array([[0.1, 0.3, 0.6]]), np.array([0, 1]), np.array([1, 2]))
    >>> pairs.differences.round(3).tolist()
    [[0.2, 0.3]]
    """

    values: FloatArray
    first: IntArray
    second: IntArray

    @classmethod
    def every(cls, values: FloatArray) -> SystemPairs:
        """Each column with each later one."""
        return cls(values, *np.triu_indices(values.shape[1], 1))

    @property
    def differences(self) -> FloatArray:
        """Queries x pairs."""
        return self.values[:, self.second] - self.values[:, self.first]

    @property
    def complete(self) -> bool:
        """Whether every system has every query."""
        return bool(np.isfinite(self.values).all())

    def take(self, queries: IntArray, pairs: IntArray) -> SystemPairs:
        """Some of the queries and of the pairs."""
        return SystemPairs(self.values[queries], self.first[pairs], self.second[pairs])

    def centred_flips(self, flips: int, seed: int) -> Iterator[tuple[IntArray, FloatArray]]:
        """Numbers of pairs, and for each (row) and some ways to flip queries (column) what is flipped minus half.

        The flips are those of `random_flips`; twice these numbers are minus the sums with signs flipped.
        """
        half = self.values.sum(axis=0)[:, None] / 2
        by_first = [(each, np.flatnonzero(self.first == each)) for each in np.unique(self.first).tolist()]
        for chosen in random_flips(len(self.values), flips, seed, columns=self.values.shape[1]):
            centred = self.values.T @ chosen.T - half
            for first, pairs in by_first:
                yield pairs, centred[self.second[pairs]] - centred[first]
