"""Metrics made of products of features: cosine, inner product, Euclidean distance (l2), Tanimoto."""

from __future__ import annotations

import ctypes
import threading
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import cache
from threading import Lock
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.engines.nearest.space import (
    EXACT,
    U32,
    U64,
    ScreenedSpace,
    Space,
    Terms,
    Values,
    row_parts,
    sums_in_order,
    sums_of_all_pairs,
)

QUICK, CUT, DOUBLE = range(3)  # levels: float32, float32 in parts of the features, float64
TINY = (2.0**-120, 2.0**-120, 2.0**-250)  # for what falls below the normal range: each feature
FEATURE_PARTS = 8  # of the features,
LEAST_PART = 32  # but none smaller than this
TOGETHER = 2048  # items whose sums stay in the cache while parts are added to them


class ProductSpace(ScreenedSpace):
    """Blocks by matrix products in float32, or in float64 where that leaves too much in doubt.

    Whole numbers whose sums stay below 2^53 are multiplied in float64: the products are the references.
    """

    levels = 3
    dear: tuple[float, ...] = (0.0035, 0.014)
    copies = 1 << 29  # float32 or float64 copies up to so many bytes are kept, larger ones made as they are needed

    def __init__(self, matrix: NDArray[Any], values: Values | None = None) -> None:
        self.rows, self.values = matrix, values or Values.of(matrix)
        peak = self.values.peak
        self.exact = peak**2 * 4 * matrix.shape[1] < EXACT and self.values.whole
        # A power of two in front of all features keeps squares within the range of a float32.
        self.shift = 0 if self.exact else -max(int(np.frexp(peak)[1]), -400)
        self.squares = sums_in_order(matrix, np.square)
        self._kept: dict[bool, NDArray[Any]] = {}
        self._scratch = Scratch()
        self._making = Lock()

    def with_rows(self, rows: NDArray[Any]) -> Self:
        return type(self)(rows, self.values)

    @property
    def terms(self) -> Terms:
        return np.multiply

    def prepared(self, chosen: Any) -> FloatArray:
        """Some rows in float64 as they enter the products; none of their values is far above 1."""
        return np.ldexp(np.asarray(self.rows[chosen], dtype=np.float64), self.shift)

    def item_side(self, rows: FloatArray, items: slice) -> FloatArray:
        """What the items bring into the product; the queries' side is `query_side`."""
        return rows

    def query_side(self, rows: FloatArray, queries: IntArray) -> FloatArray:
        """What the queries bring into the product."""
        return rows

    def products(self, queries: IntArray, items: slice, level: int) -> NDArray[Any]:
        """Matrix product of some queries with a range of items; it lasts until the next."""
        kind = np.float64 if level == DOUBLE or self.exact else np.float32
        left = self.query_side(self.asked.prepared(queries), queries).astype(kind, order="C")
        result = self._scratch.array((len(left), items.stop - items.start), kind)
        if level == CUT and not self.exact:
            add_products(left, self._items(items, np.float32), result)
            return result
        return np.matmul(left, self._items(items, kind).T, out=result)

    def _items(self, items: slice, kind: type[Any]) -> NDArray[Any]:
        """Rows of the items, ready for the product; made once where they fit."""
        double = kind is np.float64
        if self.rows.size * (8 if double else 4) > self.copies:
            return self.item_side(self.prepared(items), items).astype(kind, order="C")
        with self._making:
            if double not in self._kept:
                sides = (self.item_side(self.prepared(part), part) for part in row_parts(*self.rows.shape))
                self._kept[double] = np.concatenate([side.astype(kind, order="C") for side in sides])
        return self._kept[double][items]

    def terms_size(self, queries: IntArray, items: IntArray, scores: FloatArray) -> FloatArray:
        return 1.001 * np.sqrt(self.asked.squares[queries]) * np.sqrt(self.squares[items])

    def limits(self, queries: IntArray, scores: FloatArray, level: int = 0) -> tuple[FloatArray, FloatArray]:
        """Around the reference in the units of the products."""
        if self.exact:
            return scores, scores
        middle = self.in_units(queries, scores)
        width = self.rows.shape[1]
        steps = (width + 12, part_size(width + 1) + FEATURE_PARTS + 12, 2 * (width + 12))[level]
        unit = steps * (U64 if level == DOUBLE else U32)
        room = 1.001 * self.room(queries, level) * unit + width * TINY[level]
        return middle - room, middle + room

    def in_units(self, queries: IntArray, scores: FloatArray) -> FloatArray:
        """References as `scores` would give them if it did not round."""
        return np.ldexp(scores, 2 * self.shift)

    def room(self, queries: IntArray, level: int) -> FloatArray:
        """What the absolute values of the terms add up to, at most."""
        lengths = np.ldexp(np.sqrt(self.asked.squares[queries]), self.shift)
        return lengths * float(np.ldexp(np.sqrt(self.squares.max()), self.shift))


class LinearSpace(ProductSpace):
    """Scores that add up: the scores with several items add up to the score with the sum of their rows."""

    @abstractmethod
    def summands(self, chosen: IntArray) -> FloatArray:
        """Some rows as they are added."""

    @abstractmethod
    def sums_shown(self, table: FloatArray) -> FloatArray:
        """The scores from products of sums with all items."""

    @abstractmethod
    def sums_size(self, chosen: IntArray) -> float:
        """What the absolute values of all terms with these rows add up to, at most."""

    def total_bounds(self, groups: Sequence[IntArray]) -> Iterator[tuple[FloatArray, FloatArray]]:
        """By one product for all groups."""
        left = np.stack([self.summands(members).sum(axis=0) for members in groups])
        table = np.empty((len(groups), len(self)))
        for part in row_parts(*self.rows.shape):
            table[:, part] = left @ self._items(part, np.float64).T
        for row, members in zip(self.sums_shown(table), groups, strict=True):
            room = 4 * (self.rows.shape[1] + members.size + 12) * U64 * self.sums_size(members)
            yield row - room, row + room


class Cosine(LinearSpace):
    """Cosine of the angle between two rows; an item whose features are all 0 scores 0 with every item.

    Rows that are no whole numbers are first multiplied by a power of two each, so that no square leaves the range of a
    float64: no angle changes.
    >>> Cosine(np.array([[3, 4], [6, 8], [-4, 3], [0, 0]])).scores(np.array([0]), slice(0, 4))
    array([[1., 1., 0., 0.]])
    """

    name = "cosine"

    def __init__(self, matrix: NDArray[Any], values: Values | None = None) -> None:
        self._turned: NDArray[Any] | None = None
        super().__init__(matrix, values)
        if matrix.size * 8 <= self.copies // 4:
            turned = np.concatenate([self.scaled(part) for part in row_parts(*matrix.shape)])
            self._turned = turned
            if self.rows.dtype == np.float32 and np.array_equal(singles := turned.astype(np.float32), turned):
                self._turned = singles  # the same values in half the memory
        if not self.exact:
            self.squares = np.concatenate(
                [sums_in_order(self.scaled(part), np.square) for part in row_parts(*matrix.shape)]
            )
        self.squares = np.where(self.squares == 0, 1.0, self.squares)

    def scaled(self, chosen: Any) -> NDArray[Any]:
        """Rows times a power of two each."""
        if self._turned is not None:
            return self._turned[chosen]
        rows = np.asarray(self.rows[chosen], dtype=np.float64)
        return rows if self.exact else np.ldexp(rows, -np.frexp(np.abs(rows).max(axis=1))[1][:, None])

    def prepared(self, chosen: Any) -> FloatArray:
        rows = self.scaled(chosen)
        return rows if self.exact else rows / np.sqrt(self.squares[chosen])[:, None]

    def scores(self, queries: IntArray, items: slice, level: int = 0) -> NDArray[Any]:
        """Products of rows of length 1; of whole numbers, divided by the lengths."""
        products = self.products(queries, items, level)
        if not self.exact:
            return products
        return self.finished(products, queries[:, None], np.arange(items.start, items.stop))

    def finished(self, sums: FloatArray, queries: IntArray, items: IntArray) -> FloatArray:
        result: FloatArray = sums / np.sqrt(self.asked.squares[queries] * self.squares[items])
        return result + 0.0

    def rows_at(self, chosen: IntArray) -> NDArray[Any]:
        """Rows times a power of two each."""
        return self.scaled(chosen)

    def terms_size(self, queries: IntArray, items: IntArray, scores: FloatArray) -> FloatArray:
        """Lengths are 1; roots and divisions are off by a few units too."""
        return np.full(scores.size, 2.0)

    def reference_table(self, queries: IntArray, items: IntArray) -> FloatArray:
        sums = sums_of_all_pairs(self.asked.scaled(queries), self.scaled(items), self.terms)
        return self.finished(sums, queries[:, None], items)

    def in_units(self, queries: IntArray, scores: FloatArray) -> FloatArray:
        return scores

    def summands(self, chosen: IntArray) -> FloatArray:
        return self.scaled(chosen) / np.sqrt(self.squares[chosen])[:, None]

    def sums_shown(self, table: FloatArray) -> FloatArray:
        """Whole numbers are not of length 1 yet."""
        return table / np.sqrt(self.squares) if self.exact else table

    def sums_size(self, chosen: IntArray) -> float:
        return float(chosen.size)

    def room(self, queries: IntArray, level: int) -> FloatArray:
        """Lengths are 1; in float64 roots and divisions are off by as many units again as the products."""
        return np.full(queries.size, 2.0 if level == DOUBLE else 1.0)


class InnerProduct(LinearSpace):
    """Inner product of two rows, larger is nearer; the length of a row counts.

    >>> InnerProduct(np.array([[3, 4], [6, 8], [-4, 3]])).scores(np.array([0]), slice(0, 3))
    array([[25., 50.,  0.]])
    """

    name = "ip"

    def scores(self, queries: IntArray, items: slice, level: int = 0) -> NDArray[Any]:
        return self.products(queries, items, level)

    def summands(self, chosen: IntArray) -> FloatArray:
        return self.prepared(chosen)

    def sums_shown(self, table: FloatArray) -> FloatArray:
        """Without the power of two in front of both sides."""
        return np.ldexp(table, -2 * self.shift)

    def sums_size(self, chosen: IntArray) -> float:
        return float(np.sqrt(self.squares[chosen]).sum() * np.sqrt(self.squares.max()))


class L2(ProductSpace):
    """Euclidean distance, nearest first. Scores are squared while they are compared, and shown as -distance.

    >>> space = L2(np.array([[0, 0], [3, 4], [0, 1]]))
    >>> space.scores(np.array([0]), slice(0, 3)), space.shown(np.array([-25.0]))
    (array([[  0., -25.,  -1.]]), array([-5.]))
    """

    name = "l2"

    def __init__(self, matrix: NDArray[Any], values: Values | None = None, middle: FloatArray | None = None) -> None:
        super().__init__(matrix, values)
        # Differences do not change when the mean is taken away, lengths become smaller, and so does the doubt.
        self.middle = np.zeros(matrix.shape[1])
        if not self.exact:
            self.middle = self._mean() if middle is None else middle
            self.squares = np.concatenate(
                [sums_in_order(self.prepared(part), np.square) for part in row_parts(*matrix.shape)]
            )

    def _mean(self) -> FloatArray:
        total: FloatArray = sum(super(L2, self).prepared(part).sum(axis=0) for part in row_parts(*self.rows.shape))
        return total / len(self.rows)

    def with_rows(self, rows: NDArray[Any]) -> Self:
        return type(self)(rows, self.values, self.middle)

    @property
    def terms(self) -> Terms:
        return lambda one, other: np.square(one - other)

    def prepared(self, chosen: Any) -> FloatArray:
        return super().prepared(chosen) - self.middle

    def terms_size(self, queries: IntArray, items: IntArray, scores: FloatArray) -> FloatArray:
        return 1.001 * np.abs(scores)

    def query_side(self, rows: FloatArray, queries: IntArray) -> FloatArray:
        """A column of ones behind: the product is then 2 x·y - |y|², which is |x|² - |x - y|²."""
        return np.column_stack([2 * rows, np.ones(len(rows))])

    def item_side(self, rows: FloatArray, items: slice) -> FloatArray:
        """A column of -|y|² behind."""
        return np.column_stack([rows, -self.squares[items]])

    def scores(self, queries: IntArray, items: slice, level: int = 0) -> NDArray[Any]:
        """2 x·y - |y|², and of whole numbers -|x|² too."""
        products = self.products(queries, items, level)
        return products - self.asked.squares[queries][:, None] if self.exact else products

    def finished(self, sums: FloatArray, queries: IntArray, items: IntArray) -> FloatArray:
        return 0.0 - sums

    def in_units(self, queries: IntArray, scores: FloatArray) -> FloatArray:
        return super().in_units(queries, scores) + self.asked.squares[queries]

    def shown_bounds(self, queries: IntArray) -> tuple[FloatArray, FloatArray]:
        """Around products in float64; no squared distance is below 0."""
        table = np.array(self.scores(queries, slice(0, len(self)), DOUBLE), dtype=np.float64)
        if self.exact:
            return self.shown(table), self.shown(table)
        low, high = self.limits(queries, np.zeros(queries.size), DOUBLE)
        middle, room = ((high + low) / 2)[:, None], ((high - low) / 2)[:, None]
        ends = (np.ldexp(table - middle + sign * room, -2 * self.shift) for sign in (-1, 1))
        below, above = (self.shown(np.minimum(each, 0.0)) for each in ends)
        return below, above

    def room(self, queries: IntArray, level: int) -> FloatArray:
        """2 |x||y| + |y|² <= |x|² + 2 |y|²; as much again for |x|² itself, the mean, and the reference in float64."""
        return 2 * self.asked.squares[queries] + 3 * float(self.squares.max())

    @staticmethod
    def shown(scores: FloatArray) -> FloatArray:
        return 0.0 - np.sqrt(0.0 - scores)


def part_size(width: int) -> int:
    """How many features are multiplied at once where they are cut into parts.

    >>> part_size(257), part_size(40)
    (33, 32)
    """
    return max(LEAST_PART, -(-width // FEATURE_PARTS))


def add_products(left: NDArray[Any], right: NDArray[Any], result: NDArray[Any]) -> None:
    """The product of rows with rows, from products of parts of their features: fewer steps, so less rounding.

    >>> rows, result = np.float32([[1, 2, 3, 4, 5]]), np.empty((1, 1), dtype=np.float32)
    >>> add_products(rows, rows, result)
    >>> result
    array([[55.]], dtype=float32)
    """
    step = part_size(left.shape[1])
    for start in range(0, len(right), TOGETHER):
        items = slice(start, start + TOGETHER)
        for first in range(0, left.shape[1], step):
            features = slice(first, first + step)
            add_product(left[:, features], right[items, features], result[:, items], first > 0)


class Tanimoto(ProductSpace):
    """Tanimoto distance 1 - ab / (aa + bb - ab), 0 when both rows are zero; nearest first.

    The ratio is what is compared; it is shown as -distance.
    >>> space = Tanimoto(np.array([[1, 0], [1, 1], [0, 0]]))
    >>> space.shown(space.scores(np.array([0]), slice(0, 3)))
    array([[ 0. , -0.5, -1. ]])
    """

    name = "tanimoto"
    levels, dear = 1, ()

    def __init__(self, matrix: NDArray[Any], values: Values | None = None) -> None:
        super().__init__(matrix, values)
        # Away from zero: then no square leaves the range, and 2 (aa + bb - ab) >= aa + bb >= 2 |a||b| bounds the ratio.
        self.by_products = self.exact or bool((self.squares[self.squares > 0] > 1e-250).all())
        self.exact = self.exact or not self.by_products

    def asking(self, rows: NDArray[Any]) -> Self:
        """By products where both the items and the queries allow it."""
        result = super().asking(rows)
        result.by_products = self.by_products and result.asked.by_products
        result.exact = self.exact or not result.by_products
        return result

    def scores(self, queries: IntArray, items: slice, level: int = 0) -> NDArray[Any]:
        """Ratios from products in float64."""
        everyone = np.arange(items.start, items.stop)
        if not self.by_products:
            return self.reference_table(queries, everyone)
        products = np.ldexp(self.products(queries, items, level=DOUBLE), -2 * self.shift)
        return self.finished(products, queries[:, None], everyone)

    def finished(self, sums: FloatArray, queries: IntArray, items: IntArray) -> FloatArray:
        """The ratio; 1 when both are zero."""
        union = self.asked.squares[queries] + self.squares[items] - sums
        nothing = union == 0
        return np.divide(sums, np.where(nothing, 1.0, union)) + nothing

    def estimate(self, queries: IntArray, items: IntArray) -> tuple[FloatArray, FloatArray]:
        """The references: what they are off by is no share of one sum."""
        return Space.estimate(self, queries, items)

    def limits(self, queries: IntArray, scores: FloatArray, level: int = 0) -> tuple[FloatArray, FloatArray]:
        """With the product off by e |a||b|, the ratio p / (s - p) is off by at most e s |a||b| / (s - p)² <= 4 e."""
        room = 0.0 if self.exact else 9 * (self.rows.shape[1] + 12) * U64
        return scores - room, scores + room

    @staticmethod
    def shown(scores: FloatArray) -> FloatArray:
        return scores - 1.0


# A matrix product added to what is there, which numpy has none for; Python's lock is free meanwhile.


@cache
def _sgemm() -> Any:
    """The routine of the library that scipy was built with, as scipy offers it to compiled code."""
    from scipy.linalg import cython_blas

    capsule = cython_blas.__pyx_capi__["sgemm"]
    name, pointer = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 13)(pointer(capsule, name(capsule)))


def add_product(left: NDArray[np.float32], right: NDArray[np.float32], result: NDArray[np.float32], more: bool) -> None:
    """Rows times rows into `result`, or with `more` added to what it holds; rows may be parts of longer ones.

    >>> rows, result = np.float32([[1, 2], [3, 4]]), np.ones((2, 2), dtype=np.float32)
    >>> add_product(rows[:, 1:], rows[:, 1:], result, more=True)
    >>> result
    array([[ 5.,  9.],
           [ 9., 17.]], dtype=float32)
    """
    sizes = [right.shape[0], left.shape[0], left.shape[1]]
    long = [each.strides[0] // each.itemsize for each in (right, left, result)]
    if any(each.strides[1] != each.itemsize or each.dtype != np.float32 for each in (left, right, result)):
        raise ValueError("rows must lie one feature behind the other, in float32")
    whole = [ctypes.byref(ctypes.c_int(each)) for each in sizes]
    steps = [ctypes.byref(ctypes.c_int(max(each, 1))) for each in long]
    factor, kept = (ctypes.byref(ctypes.c_float(each)) for each in (1.0, float(more)))
    tables = [each.ctypes.data for each in (right, left, result)]
    across, down = ctypes.c_char_p(b"T"), ctypes.c_char_p(b"N")  # columns lie together for it, so all is turned
    _sgemm()(across, down, *whole, factor, tables[0], steps[0], tables[1], steps[1], kept, tables[2], steps[2])


class Scratch(threading.local):
    """Memory that a thread uses again and again: fresh memory for each block costs a tenth of the time."""

    def __init__(self) -> None:
        self.memory: NDArray[Any] = np.empty(0)

    def array(self, shape: tuple[int, int], kind: Any) -> NDArray[Any]:
        """An array whose values are of no meaning; the next one overwrites it."""
        size = shape[0] * shape[1]
        if self.memory.dtype != kind or self.memory.size < size:
            self.memory = np.empty(size, dtype=kind)
        return self.memory[:size].reshape(shape)
