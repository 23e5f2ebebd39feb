"""Metrics made of differences of features: city-block, histogram distances, counts of features that differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import InputError
from rankscope.core.threads import in_threads
from rankscope.engines.nearest.space import (
    EXACT,
    U32,
    ScreenedSpace,
    Terms,
    TileSpace,
    Values,
    row_parts,
    short_buffers,
)

LARGE = 1 << 28  # features up to this number have a copy turned and narrowed in memory


class L1(ScreenedSpace):
    """City-block distance, nearest first: the sum of absolute differences, negative.

    >>> L1(np.array([[0, 0], [3, 4], [0, 1]])).scores(np.array([0]), slice(0, 3))
    array([[ 0., -7., -1.]], dtype=float32)
    """

    name = "l1"
    levels, dear = 2, (0.25,)
    symmetric = True

    def __init__(self, matrix: NDArray[Any], values: Values | None = None) -> None:
        self.rows, self.values = matrix, values
        self.distances = CityBlock.of(matrix, values) if matrix.size <= LARGE else None
        self.exact = self.distances is None or self.distances.exact

    def with_rows(self, rows: NDArray[Any]) -> Self:
        return type(self)(rows, self.values)

    @property
    def terms(self) -> Terms:
        return lambda one, other: np.abs(one - other)

    def finished(self, sums: FloatArray, queries: IntArray, items: IntArray) -> FloatArray:
        return 0.0 - sums

    def scores(self, queries: IntArray, items: slice, level: int = 0) -> NDArray[Any]:
        """Differences added feature by feature, in the narrowest type that will do; that of exact sums holds them."""
        if self.distances is None or (level and not self.exact):
            return self.reference_table(queries, np.arange(items.start, items.stop))
        return 0 - self.distances.between(queries, items, self.asked.distances)

    def tile(self, queries: IntArray, items: IntArray) -> NDArray[Any]:
        """The same of items in any order."""
        if self.distances is None:
            return self.reference_table(queries, items)
        return 0 - self.distances.between(queries, items, self.asked.distances)

    def limits(self, queries: IntArray, scores: FloatArray, level: int = 0) -> tuple[FloatArray, FloatArray]:
        """A share of the distance."""
        if level or self.exact or self.distances is None:
            return scores, scores
        least_off = max(each.distances.least_off for each in (self, self.asked) if each.distances is not None)
        room = np.abs(scores) * self.distances.share_off + least_off
        return scores - room, scores + room

    def shown_bounds(self, queries: IntArray) -> tuple[FloatArray, FloatArray]:
        table = np.array(self.scores(queries, slice(0, len(self))), dtype=np.float64)
        return self.limits(queries, table)


class Histograms(TileSpace):
    """Distances between histograms, nearest first: no feature may be negative."""

    def __init__(self, matrix: NDArray[Any], values: Values | None = None) -> None:
        super().__init__(matrix, values)
        if values.least < 0 if values else any(float(matrix[part].min()) < 0 for part in row_parts(*matrix.shape)):
            what = f"{self.name} compares histograms: features must not be negative"
            raise InputError.of("features", [what], "Choose another metric, as l1 or cosine.")

    def finished(self, sums: FloatArray, queries: IntArray, items: IntArray) -> FloatArray:
        return 0.0 - sums


class ChiSquared(Histograms):
    """Chi-squared distance: sum of (a - b)² / (a + b), 0 where both are 0.

    >>> ChiSquared(np.array([[0, 2], [0, 0], [1, 1]])).scores(np.array([0]), slice(0, 3))
    array([[ 0.        , -2.        , -1.33333333]])
    """

    name = "chi2"

    @property
    def terms(self) -> Terms:
        def term(one: FloatArray, other: FloatArray) -> FloatArray:
            whole = one + other
            whole[whole == 0] = 1.0
            return np.square(one - other) / whole

        return term


class Intersection(Histograms):
    """Histogram intersection: the sum of the smaller of each two values, larger is nearer.

    >>> Intersection(np.array([[1, 2], [0, 4], [3, 0]])).scores(np.array([0]), slice(0, 3))
    array([[3., 2., 1.]])
    """

    name = "intersection"

    @property
    def terms(self) -> Terms:
        return np.minimum

    def finished(self, sums: FloatArray, queries: IntArray, items: IntArray) -> FloatArray:
        return sums


class Jeffrey(Histograms):
    """Jeffrey divergence to the mean: sum of a ln(a / m) + b ln(b / m), m = (a + b) / 2, 0 ln 0 = 0; values as given.

    Natural logarithms. For shares it is twice the Jensen-Shannon divergence.
    >>> Jeffrey(np.array([[0, 2], [0, 0], [1, 1]])).scores(np.array([0]), slice(0, 3)).round(6)
    array([[ 0.      , -1.386294, -0.863046]])
    """

    name = "jeffrey"

    @property
    def terms(self) -> Terms:
        """Both values times the logarithm of their share of the mean."""

        def term(one: FloatArray, other: FloatArray) -> FloatArray:
            mean = (one + other) / 2
            mean[mean == 0] = 1.0
            return one * _log(one / mean) + other * _log(other / mean)

        return term


def _log(values: FloatArray) -> FloatArray:
    """Natural logarithm, 0 of 0: what it is multiplied by is 0 there."""
    values[values == 0] = 1.0
    return np.log(values)


class JensenShannon(Jeffrey):
    """Square root of the Jensen-Shannon divergence of two distributions, natural logarithms: 0 to sqrt(ln 2) = .8326.

    Each row is divided by its sum first; a row of zeros stays one. Divergences are compared, their roots shown.
    >>> space = JensenShannon(np.array([[0, 2], [1, 1], [0, 5]]))
    >>> space.shown(space.scores(np.array([0]), slice(0, 3))).round(6)
    array([[ 0.      , -0.464501,  0.      ]])
    """

    name = "js"

    def __init__(self, matrix: NDArray[Any], values: Values | None = None) -> None:
        super().__init__(matrix, values)
        rows = np.asarray(matrix, dtype=np.float64)
        whole = np.cumsum(rows, axis=1)[:, -1:]
        self.rows = rows / np.where(whole == 0, 1.0, whole)

    def finished(self, sums: FloatArray, queries: IntArray, items: IntArray) -> FloatArray:
        """Half of Jeffrey's; rounding may leave it below zero by a last bit."""
        return 0.0 - np.maximum(sums, 0.0) / 2

    @staticmethod
    def shown(scores: FloatArray) -> FloatArray:
        return 0.0 - np.sqrt(0.0 - scores)


class D1(Histograms):
    """The correlograms' distance: sum of |a - b| / (1 + a + b).

    >>> D1(np.array([[0, 2], [0, 0], [1, 1]])).scores(np.array([0]), slice(0, 3)).round(6)
    array([[ 0.      , -0.666667, -0.75    ]])
    """

    name = "d1"

    @property
    def terms(self) -> Terms:
        """Absolute difference over sum plus one."""
        return lambda one, other: np.abs(one - other) / (1.0 + (one + other))


class Hamming(TileSpace):
    """How many features differ, fewest first; features are symbols, or bits as 0 and 1.

    >>> Hamming(np.array([[7, 1], [7, 2], [5, 3]])).scores(np.array([0]), slice(0, 3))
    array([[ 0., -1., -2.]])
    """

    name = "hamming"

    @property
    def terms(self) -> Terms:
        return np.not_equal

    def finished(self, sums: FloatArray, queries: IntArray, items: IntArray) -> FloatArray:
        return 0.0 - sums


class HammingBits(Hamming):
    """How many bits differ, fewest first; features are whole numbers that hold packed bits (`np.packbits`).

    >>> HammingBits(np.array([[0b1100], [0b1010], [0]], dtype=np.uint8)).scores(np.array([0]), slice(0, 3))
    array([[ 0., -2., -2.]])
    """

    name = "hamming_bits"

    def __init__(self, matrix: NDArray[Any], values: Values | None = None) -> None:
        if matrix.dtype.kind not in "iu":
            what = f"hamming_bits needs whole numbers that hold packed bits, got {matrix.dtype}"
            raise InputError.of("features", [what], "Use hamming for symbols, or pack bits with numpy.packbits.")
        super().__init__(np.ascontiguousarray(matrix).view(np.uint8), values)

    @property
    def terms(self) -> Terms:
        """Bits that are set in one of the two only."""
        return lambda one, other: np.bitwise_count(one.astype(np.uint8) ^ other.astype(np.uint8))


# Sums of absolute differences between many pairs of rows, feature by feature over tiles that stay in the cache.

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
