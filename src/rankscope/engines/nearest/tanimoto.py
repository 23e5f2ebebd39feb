"""Tanimoto distance, made of products of features."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray
from rankscope.engines.nearest.products import DOUBLE, ProductSpace
from rankscope.engines.nearest.space import U64, Space
from rankscope.engines.nearest.values import Values


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
        """The distance, negative."""
        return scores - 1.0
