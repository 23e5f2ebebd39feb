"""How alike two items are: cosine, Euclidean (l2) and city-block (l1) metrics, as scores of which higher is better.

The score that counts, the reference, is float64 with the terms added in the order of the features; whole numbers give
whole sums, which are exact below 2^53. Equal references are ties. The last bits of matrix products depend on the shape
of the blocks: `slack` says how far they may lie from the reference (0 for whole numbers, where both are equal).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray
from rankscope.catalogue import did_you_mean
from rankscope.engines.nearest.city_block import CityBlock
from rankscope.engines.nearest.sums import EXACT, in_order, is_whole, largest
from rankscope.errors import SettingError

EPS = float(np.finfo(np.float64).eps)


class Space(ABC):
    """Items under one metric."""

    name: ClassVar[str]

    @abstractmethod
    def __init__(self, matrix: NDArray[Any]) -> None: ...

    @abstractmethod
    def scores(self, queries: IntArray) -> FloatArray:
        """Scores of all items for some of them as queries, one row per query, each within `slack` of the reference."""

    @abstractmethod
    def reference(self, query: int, items: IntArray) -> FloatArray:
        """The scores that count, of some items for one query."""

    def slack(self, query: int) -> float:
        """How far `scores` may lie from `reference` for a query."""
        return 0.0

    def shown(self, scores: FloatArray) -> FloatArray:
        """Scores as people know them; the order is the same."""
        return scores


class Cosine(Space):
    """Cosine of the angle between two rows; an item whose features are all 0 scores 0 with every item.

    >>> Cosine(np.array([[3, 4], [6, 8], [-4, 3], [0, 0]])).scores(np.array([0]))
    array([[1., 1., 0., 0.]])
    """

    name = "cosine"

    def __init__(self, matrix: NDArray[Any]) -> None:
        exact = is_whole(matrix) and matrix.shape[1] * largest(matrix) ** 2 < EXACT
        self.rows = matrix.astype(np.float64) if exact else _scaled(matrix.astype(np.float64))
        squares = in_order(self.rows, np.square)
        self.squares = np.where(squares == 0, 1.0, squares)
        # Both sums are within k u |x| |y| of the truth (u = EPS / 2), whatever their order: k EPS, and as much again
        # for the last roundings.
        self._slack = 0.0 if exact else 2 * (matrix.shape[1] + 4) * EPS

    def scores(self, queries: IntArray) -> FloatArray:
        """Matrix product, divided by the lengths."""
        products: FloatArray = self.rows[queries] @ self.rows.T
        lengths = self.squares[queries][:, None] * self.squares
        np.sqrt(lengths, out=lengths)
        products /= lengths
        return products

    def reference(self, query: int, items: IntArray) -> FloatArray:
        """Products added in the order of the features, divided by the lengths."""
        products = in_order(self.rows, lambda rows: rows * self.rows[query], items)
        return products / np.sqrt(self.squares[query] * self.squares[items])

    def slack(self, query: int) -> float:
        """The same for all: a cosine is at most 1."""
        return self._slack


def _scaled(rows: FloatArray) -> FloatArray:
    """Rows times a power of two, so that no square leaves the range of a float64; exact, and no angle changes."""
    exponent = np.frexp(np.abs(rows).max(axis=1))[1]
    return np.ldexp(rows, -exponent[:, None])


class L2(Space):
    """Euclidean distance, nearest first. Scores are squared while they are compared, and shown as -distance.

    >>> space = L2(np.array([[0, 0], [3, 4], [0, 1]]))
    >>> space.scores(np.array([0])), space.shown(np.array([-25.0]))
    (array([[  0., -25.,  -1.]]), array([-5.]))
    """

    name = "l2"

    def __init__(self, matrix: NDArray[Any]) -> None:
        self.exact = is_whole(matrix) and 4 * matrix.shape[1] * largest(matrix) ** 2 < EXACT
        self.rows = matrix.astype(np.float64)
        self.squares = in_order(self.rows, np.square)
        self.largest_square = float(self.squares.max())

    def scores(self, queries: IntArray) -> FloatArray:
        """-(|x|² + |y|² - 2 x·y)."""
        result: FloatArray = self.rows[queries] @ self.rows.T
        result *= 2
        result -= self.squares[queries][:, None] + self.squares
        return result

    def reference(self, query: int, items: IntArray) -> FloatArray:
        """Squared differences added in the order of the features."""
        return 0.0 - in_order(self.rows, lambda rows: np.square(rows - self.rows[query]), items)

    def slack(self, query: int) -> float:
        """Both sums are within 2 (k + 4) EPS (|x|² + |y|²) of each other; twice that, and room for underflow."""
        if self.exact:
            return 0.0
        terms = self.rows.shape[1] + 8
        return 4 * terms * EPS * (float(self.squares[query]) + self.largest_square) + terms * 1e-300

    def shown(self, scores: FloatArray) -> FloatArray:
        """The distance itself, negative."""
        return 0.0 - np.sqrt(0.0 - scores)


class L1(Space):
    """City-block distance, nearest first: the sum of absolute differences, negative.

    >>> L1(np.array([[0, 0], [3, 4], [0, 1]])).scores(np.array([0]))
    array([[ 0., -7., -1.]])
    """

    name = "l1"

    def __init__(self, matrix: NDArray[Any]) -> None:
        self.rows = matrix
        self.distances = CityBlock.of(matrix)

    def scores(self, queries: IntArray) -> FloatArray:
        """The reference itself: differences are added feature by feature."""
        return 0.0 - self.distances.between(queries)

    def reference(self, query: int, items: IntArray) -> FloatArray:
        """Absolute differences added in the order of the features."""
        own = self.rows[query].astype(np.float64)
        return 0.0 - in_order(self.rows, lambda rows: np.abs(rows - own), items)


ALL: tuple[type[Space], ...] = (Cosine, L2, L1)  # a new metric adds its name here


def by_name(name: str) -> type[Space]:
    """A metric by its name.

    >>> by_name("l2").name
    'l2'
    """
    known = {each.name: each for each in ALL}
    if name not in known:
        raise SettingError(f"no metric '{name}'{did_you_mean(name, known)} There are: {', '.join(known)}")
    return known[name]
