"""Metrics made of differences of features: city-block, histogram distances, counts of features that differ."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray
from rankscope.engines.nearest.city_block import CityBlock
from rankscope.engines.nearest.space import ScreenedSpace, TileSpace
from rankscope.engines.nearest.sums import Terms, parts
from rankscope.engines.nearest.values import Values
from rankscope.errors import InputError

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
        """Under the same metric."""
        return type(self)(rows, self.values)

    @property
    def terms(self) -> Terms:
        """An absolute difference."""
        return lambda one, other: np.abs(one - other)

    def finished(self, sums: FloatArray, queries: IntArray, items: IntArray) -> FloatArray:
        """Negative: nearest first."""
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
        """Around quick sums."""
        table = np.array(self.scores(queries, slice(0, len(self))), dtype=np.float64)
        return self.limits(queries, table)


class Histograms(TileSpace):
    """Distances between histograms, nearest first: no feature may be negative."""

    def __init__(self, matrix: NDArray[Any], values: Values | None = None) -> None:
        super().__init__(matrix, values)
        if values.least < 0 if values else any(float(matrix[part].min()) < 0 for part in parts(*matrix.shape)):
            what = f"{self.name} compares histograms: features must not be negative"
            raise InputError.of("features", [what], "Choose another metric, as l1 or cosine.")

    def finished(self, sums: FloatArray, queries: IntArray, items: IntArray) -> FloatArray:
        """Negative: nearest first."""
        return 0.0 - sums


class ChiSquared(Histograms):
    """Chi-squared distance: sum of (a - b)² / (a + b), 0 where both are 0.

    >>> ChiSquared(np.array([[0, 2], [0, 0], [1, 1]])).scores(np.array([0]), slice(0, 3))
    array([[ 0.        , -2.        , -1.33333333]])
    """

    name = "chi2"

    @property
    def terms(self) -> Terms:
        """Squared difference over sum."""

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
        """The smaller value."""
        return np.minimum

    def finished(self, sums: FloatArray, queries: IntArray, items: IntArray) -> FloatArray:
        """A likeness already."""
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
        """The root, negative."""
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
        """1 where they differ."""
        return np.not_equal

    def finished(self, sums: FloatArray, queries: IntArray, items: IntArray) -> FloatArray:
        """Negative: nearest first."""
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
