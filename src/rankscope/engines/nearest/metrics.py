"""The metrics by name: products, differences of features, mixtures of several, and Python functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.catalogue import Catalogue, fold
from rankscope.core.errors import InputError, SettingError
from rankscope.core.notation import Named, Written, parse_written, short
from rankscope.core.threads import in_threads
from rankscope.engines.nearest import products
from rankscope.engines.nearest.space import (
    EXACT,
    U32,
    ScreenedSpace,
    Space,
    Terms,
    TileSpace,
    Values,
    row_parts,
    short_buffers,
)

# Metrics made of differences of features: city-block, histogram distances, counts of features that differ.

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
        if not 1e-20 < values.peak < 1e30:  # beyond what float32 can add: the references themselves
            return cls(np.ascontiguousarray(matrix.T, dtype=np.float64), count, exact=True)
        columns = np.ascontiguousarray(matrix.T, dtype=np.float32)
        rounded = 0.0 if matrix.dtype == np.float32 else 2 * U32 * float(np.abs(columns, dtype=np.float64).sum(0).max())
        return cls(columns, FLOATS, exact=False, least_off=1.001 * rounded + count * 2.0**-140)

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


# Several metrics at once, each on its own features: `0.7*l1[0:64] + 0.3*cosine[64:320]`.

MIXTURE_PLUS = re.compile(r"(?<![eE*])\+")
MIXTURE_PART = re.compile(r"\s*(?:([0-9.eE+-]+?)\s*\*\s*)?([A-Za-z_]\w*)\s*(?:\[\s*(\d*)\s*:\s*(\d*)\s*\])?\s*")


@dataclass(frozen=True)
class WeightedMetric:
    """A weight, a metric by its name, and the features it looks at: from `first` up to but without `last`."""

    metric: str
    weight: float = 1.0
    first: int = 0
    last: int | None = None

    def __str__(self) -> str:
        return f"{short(self.weight)}*{self.metric}[{self.first}:{'' if self.last is None else self.last}]"


@dataclass(frozen=True)
class Mixture(Named):
    """A weighted sum of the scores of several metrics, as each shows them: -distance, cosine, product, intersection.

    No part is scaled: weights are in the units of the distances. l1, l2 and chi2 grow with the features; cosine lies in
    -1 to 1, tanimoto in -1 to 0 for histograms, js in -.8326 to 0, hamming in -(number of features) to 0.
    >>> str(Mixture([WeightedMetric("l1", 0.7, 0, 64), WeightedMetric("cosine", 0.3, 64)]))
    '0.7*l1[0:64] + 0.3*cosine[64:]'
    """

    name: ClassVar[str] = "mixture"
    parts: tuple[WeightedMetric, ...]

    def __init__(self, parts: Sequence[WeightedMetric]) -> None:
        object.__setattr__(self, "parts", tuple(parts))
        for part in self.parts:
            if not (np.isfinite(part.weight) and part.weight > 0):
                raise SettingError(f"the weight of a metric must be above 0, got {part.weight:g} in '{part}'")

    @classmethod
    def claims(cls, text: str) -> bool:
        """Whether a metric is rather a mixture: it has a weight, a sum or features in it."""
        return not text.strip().lower().startswith(f"{cls.name}(") and any(sign in text for sign in "*[+")

    @classmethod
    def from_written(cls, written: Written) -> Mixture:
        """From weight*metric[first:last], joined by +; weight 1 and all features where they are not given."""
        parts = []
        for text in MIXTURE_PLUS.split(written.inner or ""):
            found = MIXTURE_PART.fullmatch(text)
            try:
                if found is None:
                    raise ValueError
                weight, metric, first, last = found.groups()
                parts.append(WeightedMetric(metric, float(weight or 1), int(first or 0), int(last) if last else None))
            except ValueError:
                usual = "A mixture reads: 0.7*l1[0:64] + 0.3*cosine[64:320]"
                raise SettingError(f"cannot read '{text.strip()}' in the metric '{written.text}'. {usual}") from None
        return cls(parts)

    def __str__(self) -> str:
        return " + ".join(map(str, self.parts))


class MixedSpace(Space):
    """Items under a mixture: shown scores times weights, added in the order of the parts."""

    name = "mixture"
    exact = symmetric = True

    def __init__(
        self, matrix: NDArray[Any], weights: Sequence[float], columns: Sequence[slice], spaces: Sequence[Space]
    ) -> None:
        self.rows, self.weights, self.columns, self.spaces = matrix, weights, columns, spaces

    def asking(self, rows: NDArray[Any]) -> Self:
        """Each part with its own features of the other rows."""
        result = copy(self)
        result.spaces = [space.asking(part) for space, part in zip(self.spaces, self._cut(rows), strict=True)]
        return result

    def with_rows(self, rows: NDArray[Any]) -> Self:
        spaces = [space.with_rows(part) for space, part in zip(self.spaces, self._cut(rows), strict=True)]
        return type(self)(rows, self.weights, self.columns, spaces)

    def _cut(self, rows: NDArray[Any]) -> list[NDArray[Any]]:
        return [rows[:, columns] for columns in self.columns]

    def _added(self, scores: Sequence[FloatArray]) -> FloatArray:
        total = np.zeros(scores[0].shape)
        for weight, space, each in zip(self.weights, self.spaces, scores, strict=True):
            total += weight * space.shown(each)
        return total

    def reference(self, queries: IntArray, items: IntArray) -> FloatArray:
        return self._added([space.reference(queries, items) for space in self.spaces])

    def reference_table(self, queries: IntArray, items: IntArray) -> FloatArray:
        return self._added([space.reference_table(queries, items) for space in self.spaces])

    def scores(self, queries: IntArray, items: slice, level: int = 0) -> FloatArray:
        """The references: parts that only screen would leave a root of their doubt where they are near."""
        return self.reference_table(queries, np.arange(items.start, items.stop))


Distances = Callable[[NDArray[Any], NDArray[Any]], Any]
AT_ONCE = 4096  # always the same rows together: what a function makes of them may depend on it


class OwnMetric(Space):
    """Distances from a function of the query's row and a table of rows, nearest first.

    It is called with the same 4,096 rows at a time regardless of the size of the blocks; its values are the references.
    >>> space = OwnMetric(np.array([[0.0], [3.0]]), lambda row, rows: np.abs(rows - row).max(axis=1))
    >>> space.scores(np.array([0]), slice(0, 2))
    array([[ 0., -3.]])
    """

    name = "own"
    exact = True
    shared = False  # nobody promised that the function may be called by several threads

    def __init__(self, matrix: NDArray[Any], function: Distances) -> None:
        self.rows, self.function = matrix, function

    def with_rows(self, rows: NDArray[Any]) -> Self:
        return type(self)(rows, self.function)

    def scores(self, queries: IntArray, items: slice, level: int = 0) -> FloatArray:
        """One call for each query and each 4,096 items."""
        first = items.start // AT_ONCE * AT_ONCE
        starts = range(first, items.stop, AT_ONCE)
        table = [
            np.concatenate([self._called(query, self.rows[start : start + AT_ONCE]) for start in starts])
            for query in queries.tolist()
        ]
        return 0.0 - np.stack(table)[:, items.start - first : items.stop - first]

    def _called(self, query: int, rows: NDArray[Any]) -> FloatArray:
        found = np.asarray(self.function(self.asked.rows[query], rows), dtype=np.float64)
        if found.shape != (len(rows),):
            raise SettingError(f"a metric must return {len(rows)} distances, one for each row; got shape {found.shape}")
        if not np.isfinite(found).all():
            raise SettingError(f"a metric must return finite distances, got {found[~np.isfinite(found)][0]}")
        return found

    def reference(self, queries: IntArray, items: IntArray) -> FloatArray:
        kinds, place = np.unique(queries, return_inverse=True)
        return self.reference_table(kinds, np.arange(len(self)))[place, items]

    def reference_table(self, queries: IntArray, items: IntArray) -> FloatArray:
        return self.scores(queries, slice(0, len(self)))[:, items]


Metric = str | Mixture | Distances

ALL: tuple[type[Any], ...] = (  # a new metric adds its name here
    products.Cosine,
    products.InnerProduct,
    products.L2,
    L1,
    ChiSquared,
    Intersection,
    Jeffrey,
    JensenShannon,
    D1,
    products.Tanimoto,
    Hamming,
    HammingBits,
)


METRICS: Catalogue[type[Any]] = Catalogue("metric", ALL)


def parse_metric(text: str) -> str | Mixture:
    """A metric as people write it: the name of one, or a mixture of several.

    >>> parse_metric("L2"), str(parse_metric("0.7*l1[0:64] + cosine[64:]"))
    ('l2', '0.7*l1[0:64] + 1*cosine[64:]')
    """
    written = parse_written(text, "metric", "l2, or 0.7*l1[0:64] + 0.3*cosine[64:320]", grammars=(Mixture,))
    if fold(written.name) == Mixture.name:
        return Mixture.from_written(written)
    if written.inner is not None or written.scope:
        raise SettingError(f"'{text}': a metric has no options")
    return str(METRICS.find(written.name).name)


def metric_named(metric: Metric) -> Metric:
    """A metric that exists, as it is called here, with text that is a mixture read as one; raises `SettingError`."""
    if isinstance(metric, str):
        metric = parse_metric(metric)
    if isinstance(metric, Mixture):
        return Mixture([replace(part, metric=METRICS.find(part.metric).name) for part in metric.parts])
    if not isinstance(metric, str) and not callable(metric):
        raise SettingError(f"a metric is a name, a Mixture or a function, got {metric!r}")
    return metric


def metric_name(metric: Metric) -> str:
    """How a result says which metric it was; a function says its own name."""
    if isinstance(metric, str | Mixture):
        return str(metric)
    return f"function {getattr(metric, '__name__', type(metric).__name__)}"


def space_of(metric: Metric, matrix: NDArray[Any], values: Sequence[Values] = ()) -> Space:
    """Items under a metric; `values` are the `values_of` the whole collection where these are some of its items.

    >>> import numpy as np
    >>> space_of("0.5*l1[0:1] + 2*l2[1:]", np.array([[0, 0], [4, 3]])).reference(np.array([0]), np.array([1]))
    array([-8.])
    """
    metric = metric_named(metric)
    if isinstance(metric, str):
        space: Space = METRICS.find(metric)(matrix, *values)
        return space
    if isinstance(metric, Mixture):
        columns = [_columns(part, matrix.shape[1]) for part in metric.parts]
        several = zip(metric.parts, columns, values or (None,) * len(columns), strict=True)
        spaces = [METRICS.find(part.metric)(matrix[:, chosen], known) for part, chosen, known in several]
        return MixedSpace(matrix, [part.weight for part in metric.parts], columns, spaces)
    return OwnMetric(matrix, metric)


def shown_scores(metric: Metric) -> Callable[[FloatArray], FloatArray]:
    """What makes scores by a metric those that people know.

    >>> import numpy as np
    >>> shown_scores("l2")(np.array([-25.0]))
    array([-5.])
    """
    metric = metric_named(metric)
    shown: Callable[[FloatArray], FloatArray] = METRICS.find(metric).shown if isinstance(metric, str) else Space.shown
    return shown


def values_of(metric: Metric, matrix: NDArray[Any]) -> tuple[Values, ...]:
    """What a metric must know of the features of a whole collection: of each part of a mixture its own.

    >>> import numpy as np
    >>> values_of("chi2[0:1] + l2[1:]", np.array([[1, -3], [2, 4]]))[0]
    Values(least=1.0, most=2.0, whole=True)
    """
    metric = metric_named(metric)
    parts = metric.parts if isinstance(metric, Mixture) else [WeightedMetric(metric_name(metric))]
    return tuple(Values.of(matrix[:, _columns(part, matrix.shape[1])]) for part in parts)


def _columns(part: WeightedMetric, width: int) -> slice:
    last = width if part.last is None else part.last
    if not part.first < last <= width:
        raise SettingError(f"'{part}' asks for features {part.first} to {last}; there are {width}")
    return slice(part.first, last)
