"""Sums over features that come out the same whatever else is computed next to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray
from rankscope.running.threads import in_threads

Terms = Callable[[Any, Any], Any]  # what one feature of two items adds: f(one, other), for arrays of any shape
Added = Callable[[FloatArray, FloatArray, Terms], FloatArray]  # the terms of each two rows as one sum

EXACT = 2**53  # whole numbers below this are exact in float64, in whatever order they are added
CELLS = 1 << 15  # larger tables of pairs leave the cache, and are fresh memory each time: several times as slow
TILE_ITEMS, TILE_CELLS = 2048, 1 << 15
BUFFER = 512  # elements


@contextmanager
def short_buffers() -> Iterator[None]:
    """Inside, rows of a few hundred cells are wide: numpy takes a scalar and a row as they are, three times as fast.

    Where several rows fit into its buffers it would copy both there first, to work on them together.
    """
    with np.errstate():  # brings back the size of the buffers, too
        np.setbufsize(BUFFER)
        yield


def parts(count: int, width: int, cells: int = CELLS) -> Iterator[slice]:
    """Slices of so many rows that a table of them has at most `cells` cells.

    >>> list(parts(5, width=4, cells=8))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    step = max(1, cells // max(width, 1))
    return (slice(start, min(start + step, count)) for start in range(0, count, step))


def in_order(rows: NDArray[Any], terms: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Sum of the terms of each row, added one after the other in float64: `cumsum`, never pairwise.

    >>> in_order(np.array([[.1, .2, .3]]), np.positive)
    array([0.6])
    """
    sums = np.empty(len(rows))
    for part in parts(len(rows), rows.shape[1]):
        sums[part] = np.cumsum(terms(np.asarray(rows[part], dtype=np.float64)), axis=1)[:, -1]
    return sums + 0.0


def added_in_order(left: FloatArray, right: FloatArray, terms: Terms) -> FloatArray:
    """The sum of the terms of each two rows, one after the other."""
    return np.cumsum(terms(left, right), axis=1)[:, -1]


def added_quickly(left: FloatArray, right: FloatArray, terms: Terms) -> FloatArray:
    """The same in the order that is quickest: another last bit."""
    return np.vecdot(left, right) if terms is np.multiply else terms(left, right).sum(axis=1)


def of_pairs(
    rows_at: Callable[[IntArray], NDArray[Any]],
    one: IntArray,
    other: IntArray,
    terms: Terms,
    added: Added = added_in_order,
    one_at: Callable[[IntArray], NDArray[Any]] | None = None,
) -> FloatArray:
    """The sum for each pair of rows, added in the order of the features; `one_at` where one row is of another table.

    >>> rows = np.array([[0, 0], [3, 4]])
    >>> of_pairs(rows.__getitem__, np.array([0, 1]), np.array([1, 1]), lambda a, b: np.abs(a - b))
    array([7., 0.])
    """
    sums = np.empty(one.size)

    def fill(part: slice) -> None:
        left = np.asarray((one_at or rows_at)(one[part]), dtype=np.float64)
        sums[part] = added(left, np.asarray(rows_at(other[part]), dtype=np.float64), terms)

    in_threads(fill, list(parts(one.size, rows_at(other[:1]).size)))
    return sums + 0.0


def of_all_pairs(one: NDArray[Any], other: NDArray[Any], terms: Terms) -> FloatArray:
    """The sums for every row of one table with every row of another, bit for bit those of `of_pairs`.

    Feature by feature over tiles that stay in the cache.
    >>> of_all_pairs(np.array([[0, 0], [3, 4]]), np.array([[3, 4]]), lambda a, b: np.abs(a - b))
    array([[7.],
           [0.]])
    """
    left, right = (np.ascontiguousarray(np.asarray(each, dtype=np.float64).T) for each in (one, other))
    result = np.empty((len(one), len(other)))

    def fill(tile: tuple[slice, slice]) -> None:
        total = np.zeros(result[tile].shape)
        term = _in_place(terms, np.empty_like(total))
        with short_buffers():
            for mine, theirs in zip(left[:, tile[0], None], right[:, None, tile[1]], strict=True):
                np.add(total, term(mine, theirs), out=total)
        result[tile] = total

    tall = max(1, TILE_CELLS // max(1, min(len(other), TILE_ITEMS)))
    starts = range(0, len(one), tall), range(0, len(other), TILE_ITEMS)
    in_threads(fill, [(slice(a, a + tall), slice(b, b + TILE_ITEMS)) for a in starts[0] for b in starts[1]])
    return result


def _in_place(terms: Terms, memory: FloatArray) -> Terms:
    """The same terms, where they are one step written into memory that is used again."""
    if terms is np.multiply:
        return lambda one, other: np.multiply(one, other, out=memory)
    return terms


def is_whole(matrix: NDArray[Any]) -> bool:
    """Whether all features are whole numbers, of whatever type."""
    if matrix.dtype.kind in "iu":
        return True
    return all(bool((matrix[part] == np.rint(matrix[part])).all()) for part in parts(*matrix.shape))
