"""What a metric must tell: the scores that count, quick scores of whole blocks, and how far these may be off."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray
from rankscope.engines.nearest.sums import Added, Terms, added_in_order, added_quickly, of_all_pairs, of_pairs, parts
from rankscope.engines.nearest.values import Values

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
        return of_pairs(self.rows_at, queries, items, self.terms, added, one_at=self.asked.rows_at)

    def reference_table(self, queries: IntArray, items: IntArray) -> FloatArray:
        """The same sums, feature by feature."""
        one, sums = self.asked.rows[queries], np.empty((queries.size, items.size))
        for part in parts(items.size, self.rows.shape[1], SLAB):  # the items may be more than fit into memory
            sums[:, part] = of_all_pairs(one, self.rows[items[part]], self.terms)
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
        """Under the same metric."""
        return type(self)(rows, self.values)

    def scores(self, queries: IntArray, items: slice, level: int = 0) -> FloatArray:
        """The references."""
        return self.reference_table(queries, np.arange(items.start, items.stop))
