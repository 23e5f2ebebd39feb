"""Sums of absolute differences between many pairs of rows, feature by feature over tiles that stay in the cache."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import IntArray
from rankscope.engines.nearest.space import U32
from rankscope.engines.nearest.sums import EXACT, is_whole
from rankscope.running.threads import in_threads

TILE_QUERIES = 16
TILE_ITEMS = 4096
WORTHWHILE = 16  # narrow sums must last this many features before they are emptied
FLOATS = 32  # so many float32 terms are added before they go into a float64


@dataclass(frozen=True, eq=False)
class CityBlock:
    """Features by items in a narrow type, and how many terms that type adds before it is emptied.

    Whole numbers come out exact. Fractions are added in float32: the inputs are rounded once, each difference once,
    each of `terms` additions once, so a sum is off by at most terms + 2 units of itself, and one unit of the sum of
    both rows' absolute values where they were no float32 before (`least_off`).
    """

    columns: NDArray[Any]
    terms: int
    exact: bool
    least_off: float = 0.0

    @classmethod
    def of(cls, matrix: NDArray[Any]) -> CityBlock:
        """Whole numbers of a small range are added in 16 or 32 bits: the same sums, several times faster.

        >>> CityBlock.of(np.array([[0, 255]])).columns.dtype, CityBlock.of(np.array([[0, 0.5]])).columns.dtype
        (dtype('int16'), dtype('float32'))
        """
        low, count = float(matrix.min()), matrix.shape[1]
        spread = float(matrix.max()) - low
        if is_whole(matrix) and spread * count < EXACT:
            for narrow in (np.int16, np.int32):
                terms = int(np.iinfo(narrow).max // max(spread, 1.0))
                if terms >= min(WORTHWHILE, count):
                    return cls(np.ascontiguousarray((matrix.T - low).astype(narrow)), terms, exact=True)
            return cls(np.ascontiguousarray(matrix.T, dtype=np.float64), count, exact=True)
        return cls._of_fractions(matrix, max(abs(low), abs(low + spread)))

    @classmethod
    def _of_fractions(cls, matrix: NDArray[Any], peak: float) -> CityBlock:
        if not 1e-20 < peak < 1e30:  # beyond what float32 can add: the references themselves
            return cls(np.ascontiguousarray(matrix.T, dtype=np.float64), matrix.shape[1], exact=True)
        columns = np.ascontiguousarray(matrix.T, dtype=np.float32)
        rounded = 0.0 if matrix.dtype == np.float32 else 2 * U32 * float(np.abs(columns, dtype=np.float64).sum(0).max())
        return cls(columns, FLOATS, exact=False, least_off=1.001 * rounded + matrix.shape[1] * 2.0**-140)

    @property
    def share_off(self) -> float:
        """How far a sum of fractions may be off, as a share of the sum."""
        return 0.0 if self.exact else 1.001 * (self.terms + 6) * U32

    def between(self, queries: IntArray, items: slice) -> NDArray[Any]:
        """Distances of a range of items from some of them, one row per query; the number of threads changes nothing."""
        kind = np.float64 if self.exact else np.float32
        result = np.empty((queries.size, items.stop - items.start), dtype=kind)
        tiles = [
            (slice(query, query + TILE_QUERIES), slice(item, min(item + TILE_ITEMS, items.stop)))
            for query in range(0, queries.size, TILE_QUERIES)
            for item in range(items.start, items.stop, TILE_ITEMS)
        ]

        def fill(tile: tuple[slice, slice]) -> None:
            wanted, there = tile
            place = slice(there.start - items.start, there.stop - items.start)
            result[wanted, place] = self._tile(queries[wanted], there)

        in_threads(fill, tiles)
        return result

    def _tile(self, queries: IntArray, items: slice) -> NDArray[Any]:
        left, right = self.columns[:, queries, None], self.columns[:, None, items]
        total = np.zeros((queries.size, items.stop - items.start))
        for first in range(0, len(left), self.terms):
            total += _added(left[first : first + self.terms], right[first : first + self.terms])
        return total


def _added(left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """Absolute differences added in the order of the features, within the narrow type."""
    step = np.empty((left.shape[1], right.shape[2]), dtype=left.dtype)
    total = np.zeros_like(step)
    for mine, theirs in zip(left, right, strict=True):
        np.subtract(mine, theirs, out=step)
        np.abs(step, out=step)
        np.add(total, step, out=total)
    return total
