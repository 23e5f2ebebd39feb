"""What a metric must tell: the scores that count, quick scores of whole blocks, and how far these may be off; sums that
always come out the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.threads import in_threads

U32, U64 = 2.0**-24, 2.0**-53  # unit roundoff
TABLE = 1 << 22  # scores at a time
SLAB = 1 << 23  # features of items that are turned at once


class Space(ABC):
    """Items under one metric, as scores of which higher is better.

    The score that counts, the reference, is float64 with the terms added in the order of the features; whole numbers
    give whole sums, which are exact below 2^53. Equal references are ties. The last bits of matrix products depend on
    the shape of the blocks, so they only screen: `limits` says between which screened scores an item's order against a
    reference is in doubt.

    Queries are numbers of items, unless a space is `asking` with other rows: then they are numbers of these.
    """

    name: ClassVar[str]
    exact: bool = False  # whether `scores` gives the references themselves
    levels: int = 1  # how many ways to screen there are, from the quickest to the most precise
    dear: tuple[float, ...] = ()  # where a larger share of all pairs stays in doubt, the next level is cheaper
    shared: bool = True  # whether several threads may ask at once
    symmetric: bool = False  # whether it has a `tile`, whose score of two items is that of the same two turned round
    rows: NDArray[Any]
    _asked: Self | None = None

    @property
    def asked(self) -> Self:
        """The rows that queries are numbers of: the items themselves, unless others ask."""
        return self if self._asked is None else self._asked

    def asking(self, rows: NDArray[Any]) -> Self:
        """The same items, of which nothing is made anew, with other rows as queries.

        Both must be made with the `Values` of one collection that holds them.
        """
        result = copy(self)
        result._asked = self.with_rows(rows)
        return result

    @abstractmethod
    def with_rows(self, rows: NDArray[Any]) -> Self:
        """Other rows of the same collection under the same metric."""

    @abstractmethod
    def scores(self, queries: IntArray, items: slice, level: int = 0) -> NDArray[Any]:
        """Screened scores of a range of items for some of them as queries, one row per query."""

    def tile(self, queries: IntArray, items: IntArray) -> NDArray[Any]:
        """Scores of every item with every query at the first level of a metric that is symmetric, in any order."""
        return self.reference_table(queries, items)

    @abstractmethod
    def reference(self, queries: IntArray, items: IntArray) -> FloatArray:
        """The scores that count, of pairs of a query and an item."""

    @abstractmethod
    def reference_table(self, queries: IntArray, items: IntArray) -> FloatArray:
        """The same for every query with every item."""

    def estimate(self, queries: IntArray, items: IntArray) -> tuple[FloatArray, FloatArray]:
        """Nearly the scores that count, of pairs, and how far each may be off."""
        return self.reference(queries, items), np.zeros(queries.size)

    def limits(self, queries: IntArray, scores: FloatArray, level: int = 0) -> tuple[FloatArray, FloatArray]:
        """For references, each of a query: what screens below the first is below it, above the second above it."""
        return scores, scores

    def lowered(self, queries: IntArray, scores: FloatArray, level: int = 0) -> FloatArray:
        """For screened scores, one of each query: what screens below this has a reference below theirs."""
        low, high = self.limits(queries, scores, level)
        return scores - 1.01 * (high - low) - 4 * U32 * np.abs(scores)

    @staticmethod
    def shown(scores: FloatArray) -> FloatArray:
        """Scores as people know them; the order is the same."""
        return scores

    def shown_bounds(self, queries: IntArray) -> tuple[FloatArray, FloatArray]:
        """Between which values the shown scores of all items lie, one row per query: the scores, or quick ones."""
        table = self.shown(self.reference_table(queries, np.arange(len(self))))
        return table, table

    def total_bounds(self, groups: Sequence[IntArray]) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Between which values the sum of the shown scores with all members of a group lies, for all items."""
        for members in groups:
            low, high, peak = np.zeros(len(self)), np.zeros(len(self)), 0.0
            step = max(1, TABLE // len(self))
            for start in range(0, members.size, step):
                below, above = self.shown_bounds(members[start : start + step])
                low, high = low + below.sum(axis=0), high + above.sum(axis=0)
                peak = max(peak, float(np.abs(below).max()), float(np.abs(above).max()))
            rounding = 4 * members.size**2 * U64 * peak
            yield low - rounding, high + rounding

    def __len__(self) -> int:
        return len(self.rows)


class SumSpace(Space):
    """A metric that is a sum over features, perhaps finished by a few steps."""

    def finished(self, sums: FloatArray, queries: IntArray, items: IntArray) -> FloatArray:
        """The score from the sum; queries and items broadcast."""
        return sums

    @property
    @abstractmethod
    def terms(self) -> Terms:
        """What one feature adds."""

    def rows_at(self, chosen: IntArray) -> NDArray[Any]:
        """Rows as the terms are made of them."""
        return self.rows[chosen]

    def reference(self, queries: IntArray, items: IntArray) -> FloatArray:
        """Terms added one after the other."""
        return self.finished(self._pair_sums(queries, items, added_in_order), queries, items)

    def _pair_sums(self, queries: IntArray, items: IntArray, added: Added) -> FloatArray:
        return sums_of_pairs(self.rows_at, queries, items, self.terms, added, one_at=self.asked.rows_at)

    def reference_table(self, queries: IntArray, items: IntArray) -> FloatArray:
        one, sums = self.asked.rows[queries], np.empty((queries.size, items.size))
        for part in row_parts(items.size, self.rows.shape[1], SLAB):  # the items may be more than fit into memory
            sums[:, part] = sums_of_all_pairs(one, self.rows[items[part]], self.terms)
        return self.finished(sums, queries[:, None], items)


class ScreenedSpace(SumSpace):
    """A sum over features that is screened: what is in doubt is estimated before it is referred to."""

    def estimate(self, queries: IntArray, items: IntArray) -> tuple[FloatArray, FloatArray]:
        """The same terms added as is quickest: off by as many units of the terms as there are additions."""
        scores = self.finished(self._pair_sums(queries, items, added_quickly), queries, items)
        width = self.rows.shape[1]
        return scores, 2 * (width + 12) * U64 * self.terms_size(queries, items, scores) + width * 2.0**-1000

    def terms_size(self, queries: IntArray, items: IntArray, scores: FloatArray) -> FloatArray:
        """What the absolute values of the terms of a score add up to, at most; terms of one sign are the score."""
        return 1.001 * np.abs(scores)


class TileSpace(SumSpace):
    """A metric whose blocks are the references themselves, made feature by feature; all of these are symmetric."""

    exact = symmetric = True

    def __init__(self, matrix: NDArray[Any], values: Values | None = None) -> None:
        self.rows, self.values = matrix, values

    def with_rows(self, rows: NDArray[Any]) -> Self:
        return type(self)(rows, self.values)

    def scores(self, queries: IntArray, items: slice, level: int = 0) -> FloatArray:
        return self.reference_table(queries, np.arange(items.start, items.stop))


@dataclass(frozen=True)
class Values:
    """The least and the largest of all features, and whether all are whole numbers; exact up to 2^53.

    >>> import numpy as np
    >>> Values.join([Values.of(np.array([[1, 2]])), Values.of(np.array([[-3.0, 0.5]]))])
    Values(least=-3.0, most=2.0, whole=False)
    """

    least: float
    most: float
    whole: bool

    @classmethod
    def of(cls, matrix: NDArray[Any]) -> Values:
        """Of a table that is not empty; it is read in parts."""
        some = [matrix[part] for part in row_parts(*matrix.shape)]
        least, most = min(float(part.min()) for part in some), max(float(part.max()) for part in some)
        return cls(least, most, matrix.dtype.kind in "iu" or all(bool((part == np.rint(part)).all()) for part in some))

    @classmethod
    def join(cls, several: Sequence[Values]) -> Values:
        """Of all parts of a collection."""
        return cls(
            least=min(each.least for each in several),
            most=max(each.most for each in several),
            whole=all(each.whole for each in several),
        )

    @property
    def peak(self) -> float:
        return max(self.most, -self.least)


# Sums over features that come out the same whatever else is computed next to them.

Terms = Callable[[Any, Any], Any]  # what one feature of two items adds: f(one, other), for arrays of any shape
Added = Callable[[FloatArray, FloatArray, Terms], FloatArray]  # the terms of each two rows as one sum

EXACT = 2**53  # whole numbers below this are exact in float64, in whatever order they are added
PART_CELLS = 1 << 15  # larger tables of pairs leave the cache, and are fresh memory each time: several times as slow
TILE_ITEMS, TILE_CELLS = 2048, 1 << 15
BUFFER_ELEMENTS = 512  # elements


@contextmanager
def short_buffers() -> Iterator[None]:
    """Inside, rows of a few hundred cells are wide: numpy takes a scalar and a row as they are, three times as fast.

    Where several rows fit into its buffers it would copy both there first, to work on them together.
    """
    with np.errstate():  # brings back the size of the buffers, too
        np.setbufsize(BUFFER_ELEMENTS)
        yield


def row_parts(count: int, width: int, cells: int = PART_CELLS) -> Iterator[slice]:
    """Slices of so many rows that a table of them has at most `cells` cells.

    >>> list(row_parts(5, width=4, cells=8))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    step = max(1, cells // max(width, 1))
    return (slice(start, min(start + step, count)) for start in range(0, count, step))


def sums_in_order(rows: NDArray[Any], terms: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Sum of the terms of each row, added one after the other in float64: `cumsum`, never pairwise.

    >>> sums_in_order(np.array([[.1, .2, .3]]), np.positive)
    array([0.6])
    """
    sums = np.empty(len(rows))
    for part in row_parts(len(rows), rows.shape[1]):
        sums[part] = np.cumsum(terms(np.asarray(rows[part], dtype=np.float64)), axis=1)[:, -1]
    return sums + 0.0


def added_in_order(left: FloatArray, right: FloatArray, terms: Terms) -> FloatArray:
    """The sum of the terms of each two rows, one after the other."""
    return np.cumsum(terms(left, right), axis=1)[:, -1]


def added_quickly(left: FloatArray, right: FloatArray, terms: Terms) -> FloatArray:
    """The same in the order that is quickest: another last bit."""
    return np.vecdot(left, right) if terms is np.multiply else terms(left, right).sum(axis=1)


def sums_of_pairs(
    rows_at: Callable[[IntArray], NDArray[Any]],
    one: IntArray,
    other: IntArray,
    terms: Terms,
    added: Added = added_in_order,
    one_at: Callable[[IntArray], NDArray[Any]] | None = None,
) -> FloatArray:
    """The sum for each pair of rows, added in the order of the features; `one_at` where one row is of another table.

    >>> rows = np.array([[0, 0], [3, 4]])
    >>> sums_of_pairs(rows.__getitem__, np.array([0, 1]), np.array([1, 1]), lambda a, b: np.abs(a - b))
    array([7., 0.])
    """
    sums = np.empty(one.size)

    def fill(part: slice) -> None:
        left = np.asarray((one_at or rows_at)(one[part]), dtype=np.float64)
        sums[part] = added(left, np.asarray(rows_at(other[part]), dtype=np.float64), terms)

    in_threads(fill, list(row_parts(one.size, rows_at(other[:1]).size)))
    return sums + 0.0


def sums_of_all_pairs(one: NDArray[Any], other: NDArray[Any], terms: Terms) -> FloatArray:
    """The sums for every row of one table with every row of another, bit for bit those of `of_pairs`.

    Feature by feature over tiles that stay in the cache.
    >>> sums_of_all_pairs(np.array([[0, 0], [3, 4]]), np.array([[3, 4]]), lambda a, b: np.abs(a - b))
    array([[7.],
           [0.]])
    """
    left, right = (np.ascontiguousarray(np.asarray(each, dtype=np.float64).T) for each in (one, other))
    result = np.empty((len(one), len(other)))

    def fill(tile: tuple[slice, slice]) -> None:
        total = np.zeros(result[tile].shape)
        # Terms of one step are written into memory that is used again.
        term = partial(np.multiply, out=np.empty_like(total)) if terms is np.multiply else terms
        with short_buffers():
            for mine, theirs in zip(left[:, tile[0], None], right[:, None, tile[1]], strict=True):
                np.add(total, term(mine, theirs), out=total)
        result[tile] = total

    tall = max(1, TILE_CELLS // max(1, min(len(other), TILE_ITEMS)))
    starts = range(0, len(one), tall), range(0, len(other), TILE_ITEMS)
    in_threads(fill, [(slice(a, a + tall), slice(b, b + TILE_ITEMS)) for a in starts[0] for b in starts[1]])
    return result
