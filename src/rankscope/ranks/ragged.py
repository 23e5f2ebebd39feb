"""Many short lists of different length as flat arrays, worked on all at once.

Sums add one after the other in the order of the elements, as the reference programs do: pairwise sums (`np.sum`,
`np.add.reduceat`) print another fourth digit in some cases. Division says NaN for nothing over nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.caching import once


@dataclass(frozen=True, eq=False)
class Ragged:
    """Lists of rows: list i holds rows offsets[i] up to offsets[i + 1] of every column.

    >>> lists = Ragged.of([[1, 4], [], [2]], "rank")
    >>> lists["rank"], lists.lengths
    (array([1, 4, 2]), array([2, 0, 1]))
    """

    offsets: IntArray
    columns: Mapping[str, NDArray[Any]]
    size: int = field(init=False, repr=False)  # how many rows there are in all

    def __post_init__(self) -> None:
        size = self.__dict__["size"] = int(self.offsets[-1])
        for column in self.columns.values():
            if len(column) != size:
                raise ValueError("every column needs one value for each row")

    @classmethod
    def of(cls, lists: Sequence[ArrayLike], name: str, dtype: type[np.generic] = np.int64) -> Ragged:
        """One column from a list of lists."""
        arrays = [np.asarray(each, dtype=dtype) for each in lists]
        offsets = offsets_of(np.array([array.size for array in arrays], dtype=np.int64))
        return cls(offsets, {name: np.concatenate([np.empty(0, dtype), *arrays])})

    @classmethod
    def from_rows(cls, row_of: IntArray, lists: int, **columns: NDArray[Any]) -> Ragged:
        """From rows that say which list they belong to and come in the order of the lists."""
        offsets = np.zeros(lists + 1, dtype=np.int64)
        np.bincount(row_of, minlength=lists).cumsum(out=offsets[1:])
        made = cls(offsets, columns)
        made.__dict__["row"] = row_of
        return made

    @classmethod
    def join(cls, parts: Sequence[Ragged]) -> Ragged:
        """The lists of several one behind the other; all have the same columns.

        >>> Ragged.join([Ragged.of([[1, 4], []], "rank"), Ragged.of([[2]], "rank")]).lists("rank")
        [[1, 4], [], [2]]
        """
        lengths = np.concatenate([np.zeros(1, dtype=np.int64), *(each.lengths for each in parts)])
        names = parts[0].columns if parts else ()
        return cls(np.cumsum(lengths), {name: np.concatenate([each[name] for each in parts]) for name in names})

    @classmethod
    def empty(cls, lists: int, *names: str) -> Ragged:
        """So many lists with nothing in them, with columns of whole numbers."""
        return cls(np.zeros(lists + 1, dtype=np.int64), {name: np.empty(0, dtype=np.int64) for name in names})

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.columns[name]

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __len__(self) -> int:
        return self.offsets.size - 1

    @once
    def lengths(self) -> IntArray:
        """How many rows each list has."""
        return self.offsets[1:] - self.offsets[:-1]

    @once
    def row(self) -> IntArray:
        """Which list each row belongs to."""
        return np.arange(len(self)).repeat(self.lengths)

    @once
    def position(self) -> IntArray:
        """The place of each row in its list, from 1."""
        return np.arange(1, self.size + 1) - self.offsets[self.row]

    def total(self, values: ArrayLike) -> FloatArray:
        """The sum over each list, added in order; 0 for an empty list."""
        weights = values if np.shape(values) == (self.size,) else np.broadcast_to(values, self.size)
        return np.bincount(self.row, weights=weights, minlength=self.offsets.size - 1).astype(np.float64, copy=False)

    def count(self, chosen: BoolArray) -> IntArray:
        """How many rows of each list are chosen."""
        return np.bincount(self.row[chosen], minlength=len(self)).astype(np.int64, copy=False)

    def running(self, values: NDArray[Any]) -> NDArray[Any]:
        """Running totals that start anew in each list; exact for whole numbers, which is what it is for."""
        everything = np.concatenate([np.zeros(1, dtype=values.dtype), np.cumsum(values)])
        return everything[1:] - everything[self.offsets[self.row]]

    def running_in_order(self, values: FloatArray) -> FloatArray:
        """Running totals of floats, each list's added from zero in order: no list's rounding leaks into the next."""
        if self.size == 0:
            return values.astype(np.float64)
        width = int(self.lengths.max())
        result = np.empty(self.size)
        for rows in self._batches(width):
            inside = self.row[self.offsets[rows[0]] : self.offsets[rows[-1] + 1]] - rows[0]
            here = slice(self.offsets[rows[0]], self.offsets[rows[-1] + 1])
            grid = np.zeros((rows.size, width))
            grid[inside, self.position[here] - 1] = values[here]
            result[here] = np.cumsum(grid, axis=1)[inside, self.position[here] - 1]
        return result

    def _batches(self, width: int, cells: int = 1 << 22) -> list[IntArray]:
        step = max(1, cells // max(width, 1))
        return [np.arange(start, min(start + step, len(self))) for start in range(0, len(self), step)]

    def where(self, chosen: BoolArray) -> Ragged:
        """The chosen rows, in lists of the same number."""
        if chosen.all():
            return self
        if not chosen.any():
            nothing = {name: column[:0] for name, column in self.columns.items()}
            return Ragged(np.zeros(self.offsets.size, dtype=np.int64), nothing)
        columns = {name: column[chosen] for name, column in self.columns.items()}
        return Ragged.from_rows(self.row[chosen], self.offsets.size - 1, **columns)

    def take(self, lists: IntArray) -> Ragged:
        """Some lists, in the order given; a list may be taken more than once."""
        lengths = self.lengths[lists]
        rows = ranges(self.offsets[lists], lengths)
        return Ragged(offsets_of(lengths), {name: column[rows] for name, column in self.columns.items()})

    def part(self, lists: slice) -> Ragged:
        """Lists one behind the other, from a start to a stop: no value is copied.

        >>> Ragged.of([[1, 4], [], [2]], "rank").part(slice(1, 3)).lists("rank")
        [[], [2]]
        """
        offsets = self.offsets[lists.start : lists.stop + 1]
        rows = slice(offsets[0], offsets[-1])
        return Ragged(offsets - offsets[0], {name: column[rows] for name, column in self.columns.items()})

    def sorted_by(self, *keys: NDArray[Any]) -> Ragged:
        """Rows of each list sorted by the keys, the first key first."""
        order = np.lexsort((*reversed(keys), self.row))
        return Ragged(self.offsets, {name: column[order] for name, column in self.columns.items()})

    def with_columns(self, **columns: NDArray[Any]) -> Ragged:
        """More columns, or other values in those there are."""
        return Ragged(self.offsets, {**self.columns, **columns})

    def without(self, name: str) -> Ragged:
        """The same lists without a column, where they have it."""
        return Ragged(self.offsets, {each: column for each, column in self.columns.items() if each != name})

    def lists(self, name: str) -> list[list[Any]]:
        """A column as Python lists, for tests and display."""
        return [part.tolist() for part in np.split(self[name], self.offsets[1:-1])] if len(self) else []


def offsets_of(lengths: IntArray) -> IntArray:
    """Where lists of these lengths begin, one behind the other, and where the last ends.

    >>> offsets_of(np.array([2, 0, 3]))
    array([0, 2, 2, 5])
    """
    offsets = np.zeros(lengths.size + 1, dtype=np.int64)
    lengths.cumsum(out=offsets[1:])
    return offsets


def changes(*columns: NDArray[Any]) -> BoolArray:
    """True at each row that differs in any column from the row before it; the first one does.

    >>> changes(np.array([1, 1, 1, 2]), np.array([5, 5, 6, 6]))
    array([ True, False,  True,  True])
    """
    new = np.ones(columns[0].size, dtype=np.bool_)
    new[1:] = columns[0][1:] != columns[0][:-1]
    for column in columns[1:]:
        new[1:] |= column[1:] != column[:-1]
    return new


def ranges(starts: IntArray, lengths: IntArray) -> IntArray:
    """All whole numbers of several ranges, one behind the other.

    >>> ranges(np.array([5, 0]), np.array([2, 3]))
    array([5, 6, 0, 1, 2])
    """
    ends: IntArray = lengths.cumsum()
    return np.arange(ends[-1] if ends.size else 0) + (starts - (ends - lengths)).repeat(lengths)


def sums_by(number: IntArray, values: FloatArray, count: int) -> FloatArray:
    """The sum of the values that have each number from 0 on, added in order.

    >>> sums_by(np.array([0, 2, 0]), np.array([0.5, 1.0, 0.25]), 4)
    array([0.75, 0.  , 1.  , 0.  ])
    """
    return np.bincount(number, weights=values, minlength=count).astype(np.float64, copy=False)


def column_sums_by(number: IntArray, table: NDArray[Any], count: int) -> FloatArray:
    """The same for each column of a table, a row of sums for each number.

    >>> column_sums_by(np.array([0, 2, 0]), np.array([[0.5, 1.0], [1.0, 1.0], [0.25, 1.0]]), 3).tolist()
    [[0.75, 2.0], [0.0, 0.0], [1.0, 1.0]]
    """
    columns = table.shape[1]
    cell = number[:, None] * columns + np.arange(columns)
    return sums_by(cell.ravel(), table.ravel(), count * columns).reshape(count, columns)


def in_order_sum(values: FloatArray) -> float:
    """The sum, added one after the other: the order of query ids decides the last digit, as in trec_eval.

    >>> in_order_sum(np.array([.1, .2, .3]))
    0.6000000000000001
    """
    return float(values.cumsum()[-1]) if values.size else 0.0


def divide(numerator: ArrayLike, denominator: ArrayLike, nothing: float = np.nan) -> FloatArray:
    """Numerator over denominator; `nothing` where the denominator is 0.

    >>> divide([1.0, 0.0], [2, 0])
    array([0.5, nan])
    """
    top, bottom = np.asarray(numerator, dtype=np.float64), np.asarray(denominator, dtype=np.float64)
    if top.shape != bottom.shape:
        top, bottom = np.broadcast_arrays(top, bottom)
    return np.divide(top, bottom, out=np.full(top.shape, nothing), where=bottom != 0)
