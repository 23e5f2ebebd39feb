"""Sums of absolute differences between many pairs of rows, feature by feature over tiles that stay in the cache."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import IntArray
from rankscope.engines.nearest.space import U32
from rankscope.engines.nearest.sums import EXACT, short_buffers
from rankscope.engines.nearest.values import Values
from rankscope.running.threads import in_threads

SINGLE = 2**24  # whole numbers up to this are exact in float32
TILE_ITEMS, TILE_BYTES = 4096, 1 << 17  # of a table of one feature's differences
STEP = 16  # features whose differences are made before they are added
WORTHWHILE = 16  # narrow sums must last this many features before they are emptied
FLOATS = 8 * STEP  # so many float32 terms are added before they go into a float64: first 16 each, then 8 sums


@dataclass(frozen=True, eq=False)
class CityBlock:
    """Features by items in a narrow type, and how many terms that type adds before it is emptied.

    Whole numbers come out exact. Fractions are added in float32, 16 features at a time and then 8 such sums, in
    whatever order: the inputs are rounded once, each difference once, and no term takes part in more than 15 + 7
    additions that round. So a sum is off by at most 23 units of itself, one more for the result in float32, and one
    unit of the sum of both rows' absolute values where they were no float32 before (`least_off`).
    """

    columns: NDArray[Any]
    terms: int
    exact: bool
    largest: float = np.inf  # no distance is larger
    least_off: float = 0.0

    @classmethod
    def of(cls, matrix: NDArray[Any], values: Values | None = None) -> CityBlock:
        """Whole numbers of a small range are added in 16 or 32 bits: the same sums, several times faster.

        Rows of one collection become alike where its `values` are given.

        >>> CityBlock.of(np.array([[0, 255]])).columns.dtype, CityBlock.of(np.array([[0, 0.5]])).columns.dtype
        (dtype('int16'), dtype('float32'))
        """
        values = values or Values.of(matrix)
        low, count = values.least, matrix.shape[1]
        spread = values.most - low
        if values.whole and spread * count < EXACT:
            for narrow in (np.int16, np.int32):
                terms = int(np.iinfo(narrow).max // max(spread, 1.0))
                if terms >= min(WORTHWHILE, count):
                    columns = np.ascontiguousarray((matrix.T - low).astype(narrow))
                    return cls(columns, terms, exact=True, largest=spread * count)
            return cls(np.ascontiguousarray(matrix.T, dtype=np.float64), count, exact=True)
        return cls._of_fractions(matrix, values.peak)

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
        return 0.0 if self.exact else 1.001 * (STEP + self.terms // STEP + 6) * U32

    @property
    def kind(self) -> type[Any]:
        """Of the distances: float32 where it holds them exactly, or where they are fractions."""
        return np.float32 if self.largest < SINGLE or not self.exact else np.float64

    def between(self, queries: IntArray, items: IntArray | slice, asked: CityBlock | None = None) -> NDArray[Any]:
        """Distances of some items from others, one row per query; the number of threads changes nothing.

        Queries are items, or rows of another table that is `asked`.
        """
        left, right = (asked or self)._columns_at(queries), self._columns_at(items)
        result = np.empty((left.shape[1], right.shape[1]), dtype=self.kind)
        tall = TILE_BYTES // (TILE_ITEMS * left.itemsize)
        tiles = [
            (slice(query, query + tall), slice(item, item + TILE_ITEMS))
            for query in range(0, left.shape[1], tall)
            for item in range(0, right.shape[1], TILE_ITEMS)
        ]

        def fill(tile: tuple[slice, slice]) -> None:
            with short_buffers():
                result[tile] = self._sums(left[:, tile[0], None], right[:, None, tile[1]])

        in_threads(fill, tiles)
        return result

    def _columns_at(self, items: IntArray | slice) -> NDArray[Any]:
        """A feature of all chosen items in one row."""
        return self.columns[:, items] if isinstance(items, slice) else np.take(self.columns, items, axis=1)

    def _sums(self, left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
        """Of one tile: sums in the narrow type go into float64 before they could overflow or be rounded too often."""
        added = _added_in_order if self.exact else _added_by_products
        memory = np.empty((STEP, left.shape[1], right.shape[2]), dtype=left.dtype)
        total = np.zeros(memory.shape[1:])
        for first in range(0, len(left), self.terms):
            some = slice(first, first + self.terms)
            total += added(left[some], right[some], memory)
        return total


def _differences(left: NDArray[Any], right: NDArray[Any], memory: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Absolute differences of a few features at a time, all in the same memory: a table for each feature."""
    for first in range(0, len(left), STEP):
        some = slice(first, first + STEP)
        step = memory[: len(left[some])]
        np.subtract(left[some], right[some], out=step)
        yield np.abs(step, out=step)


def _added_in_order(left: NDArray[Any], right: NDArray[Any], memory: NDArray[Any]) -> NDArray[Any]:
    """Absolute differences added within their type, in the order of the features."""
    total = np.zeros(memory.shape[1:], dtype=memory.dtype)
    for step in _differences(left, right, memory):
        for table in step:
            np.add(total, table, out=total)
    return total


def _added_by_products(left: NDArray[Any], right: NDArray[Any], memory: NDArray[Any]) -> NDArray[Any]:
    """The same by products with ones, of the differences and then of their sums: each a sum of few terms."""
    sums = [_added_up(step) for step in _differences(left, right, memory)]
    return _added_up(np.stack(sums)) if len(sums) > 1 else sums[0]


def _added_up(tables: NDArray[Any]) -> NDArray[Any]:
    ones = np.ones(len(tables), dtype=tables.dtype)
    return np.dot(ones, tables.reshape(len(tables), -1)).reshape(tables.shape[1:])
