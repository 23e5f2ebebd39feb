"""Distances, kernels and nearness to all items, and means over the examples of each session, all sessions at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.ranks.ragged import Ragged

AT_ONCE = 1 << 22  # kernel values in one block
TINY, TINY_SINGLE = 1e-10, 1e-4  # next to the squared length of the point, in float64 and float32
CACHED = 1 << 18  # distances worked on at a time, which stay in the cache
ITEMS_AT_ONCE = 512  # but so many items at least: a product with fewer is slow
ROWS_AT_ONCE = 256  # examples in one product, at least: fewer keep the processor waiting


def squared_distances(items: Items, points: NDArray[Any]) -> NDArray[Any]:
    """Squared distances from each point to every item, one row per point, in the precision of the items.

    |x|² + |p|² - 2 x.p, right to about 1e-15 of |p|²: good enough to rank and for kernels, not for roots.
    >>> squared_distances(Items.of([[0, 0], [3, 4]]), np.array([[0.0, 1.0]]))
    array([[ 1., 18.]])
    """
    nearness = squared_nearness(items, points)
    return np.subtract(0.0, nearness, out=nearness)


def squared_nearness(items: Items, points: NDArray[Any]) -> NDArray[Any]:
    """Minus the squared distances, as scores: so many items at a time that their distances stay in the cache.

    >>> squared_nearness(Items.of([[0, 0], [3, 4]]), np.array([[0.0, 1.0]]))
    array([[ -1., -18.]])
    """
    moved = (points - items.shift).astype(items.matrix.dtype)
    lengths = np.einsum("ij,ij->i", moved, moved)
    result = np.empty((len(moved), len(items)), moved.dtype)
    doubled = 2 * moved
    step = max(ITEMS_AT_ONCE, CACHED // max(1, len(moved)))
    for start in range(0, len(items), step):
        some = slice(start, start + step)
        part = np.matmul(doubled, items.moved[some].T, out=result[:, some])
        part -= items.squares[some]
        part -= lengths[:, None]
        np.minimum(part, 0, out=part)
    return result


def distances(items: Items, points: NDArray[Any]) -> NDArray[Any]:
    """Distances from each point to every item; where tiny compared with |p|, from the differences themselves.

    >>> distances(Items.of([[0, 0], [3, 4]]), np.array([[0.0, 0.0]]))
    array([[0., 5.]])
    """
    result = squared_distances(items, points)
    moved = (points - items.shift).astype(items.matrix.dtype)
    tiny = np.einsum("ij,ij->i", moved, moved) * (TINY if result.dtype == np.float64 else TINY_SINGLE)
    row, item = np.nonzero(result < tiny[:, None])
    step = max(1, AT_ONCE // items.features)
    for start in range(0, row.size, step):
        pairs = row[start : start + step], item[start : start + step]
        away = items.moved[pairs[1]] - moved[pairs[0]]
        result[pairs] = np.einsum("ij,ij->i", away, away)
    return np.sqrt(result, out=result)


def weighted_distances(items: Items, centres: FloatArray, weights: FloatArray) -> NDArray[Any]:
    """Sum over features of weight * (item - centre)^2, one row per session: X² w - 2 X (w c) + w c²."""
    moved = centres - items.shift
    kind = items.matrix.dtype
    result = weights.astype(kind) @ items.powers.T
    result -= (2 * weights * moved).astype(kind) @ items.moved.T
    result += np.einsum("ij,ij,ij->i", weights, moved, moved).astype(kind)[:, None]
    return np.maximum(result, 0, out=result)


def nearest_squared(items: Items, lists: Ragged) -> NDArray[Any]:
    """Squared distance from every item to the nearest of each session's items; an item is at 0 from itself.

    Sessions are ordered by their number of examples, so that the sessions with a first, a second, ... example are the
    first rows: one product for each place, and the least so far is kept. Few sessions do several places at once; one
    that has run out of examples repeats its last.
    """
    order = np.argsort(-lists.lengths, kind="stable")
    lengths, starts = lists.lengths[order], lists.offsets[order]
    least = np.full((len(lists), len(items)), np.inf, items.matrix.dtype)
    longest = int(lengths.max(initial=0))
    together = max(1, min(longest, ROWS_AT_ONCE // max(len(lists), 1)))
    buffer = np.empty((together * len(lists), len(items)), items.matrix.dtype)
    twice = items.remember("nearest", lambda: np.column_stack([items.moved * -2, np.ones_like(items.squares)]))
    for place in range(0, longest, together):
        rows = int(np.count_nonzero(lengths > place))
        places = np.minimum(np.arange(place, place + together)[:, None], lengths[:rows] - 1)
        points = items.moved[lists["item"][starts[:rows] + places]].reshape(-1, items.features)
        with_squares = np.column_stack([points, np.einsum("ij,ij->i", points, points)])
        product = np.matmul(with_squares, twice.T, out=buffer[: len(points)])  # (p, |p|²) (-2 x, 1) is |p|² - 2 p.x
        for each in product.reshape(together, rows, -1):
            np.minimum(least[:rows], each, out=least[:rows])
    least += items.squares
    result = buffer[: len(lists)]
    result[order] = np.maximum(least, 0, out=least)
    result[lists.row, items.first_alike[lists["item"]]] = 0
    result[lists.row, lists["item"]] = 0
    return result


def rbf(items: Items, points: NDArray[Any], gamma: float) -> NDArray[Any]:
    """exp(-gamma |x - y|²) between each point and every item."""
    result = squared_distances(items, points)
    result *= -gamma
    return np.exp(result, out=result)


def gram(points: NDArray[Any], gamma: float) -> FloatArray:
    """exp(-gamma |x - y|²) among some points, or among those of each session at once (sessions x points x features).

    >>> gram(np.array([[0.0], [1.0]]), 1.0).round(3)
    array([[1.   , 0.368],
           [0.368, 1.   ]])
    """
    rows = points.astype(np.float64)
    rows = rows - rows[..., :1, :]
    square = np.einsum("...ij,...ij->...i", rows, rows)
    squared = square[..., :, None] + square[..., None, :] - 2 * rows @ np.swapaxes(rows, -1, -2)
    places = np.arange(rows.shape[-2])
    squared[..., places, places] = 0
    return np.exp(-gamma * np.maximum(squared, 0))


def expansion(items: Items, lists: Ragged, coefficients: FloatArray, gamma: float) -> NDArray[Any]:
    """Sum over each session's items of coefficient * kernel, for every item; each kernel row is computed once."""
    from scipy.sparse import csc_array

    points, column = np.unique(lists["item"], return_inverse=True)
    kind = items.matrix.dtype
    weights = csc_array((coefficients.astype(kind), (lists.row, column.ravel())), shape=(len(lists), points.size))
    total = np.zeros((len(lists), len(items)), kind)
    step = max(1, AT_ONCE // len(items))
    for start in range(0, points.size, step):
        block: IntArray = points[start : start + step]
        total += weights[:, start : start + step] @ rbf(items, items.matrix[block], gamma)
    return total


# How near items are to the positives, which also orders items of equal scores where a method has few of them.

NEARNESS_SHARE = 1e-3


def add_nearness(values: FloatArray, items: Items, examples: Examples) -> FloatArray:
    """Scores plus a thousandth of the largest of each session, times `nearness_to_positives`."""
    largest = np.abs(values).max(axis=1, keepdims=True)
    return values + NEARNESS_SHARE * np.where(largest > 0, largest, 1.0) * nearness_to_positives(items, examples)


def nearness_to_positives(items: Items, examples: Examples) -> FloatArray:
    """1 / (1 + d² / t²), d the distance to the mean of the positives, t the typical one of two items.

    It is 1 at the mean, and 1/2 at the typical distance.
    """
    apart = squared_distances(items, means(items, examples.positives)).astype(np.float64)
    return 1.0 / (1.0 + apart / items.typical_distance**2)


PADDED_CELLS = 1 << 23  # numbers in one padded table


def sums(lists: Ragged, rows: NDArray[Any]) -> FloatArray:
    """The sum of each session's rows; zeros for a session that has none.

    >>> sums(Ragged.of([[0, 2], [], [1]], "item"), np.array([[1.0], [2.0], [5.0]]))
    array([[3.],
           [0.],
           [5.]])
    """
    total = np.zeros((len(lists), *rows.shape[1:]))
    some = lists.lengths > 0
    if some.any():
        total[some] = np.add.reduceat(rows, lists.offsets[:-1][some], axis=0, dtype=np.float64)
    return total


def item_sums(matrix: NDArray[Any], lists: Ragged) -> FloatArray:
    """The sum of the rows of the matrix that are each session's items, one after the other; zeros where it has none.

    All sessions get their first item, then their second, ...: no row of features is kept.
    >>> item_sums(np.array([[1.0], [2.0], [5.0]]), Ragged.of([[0, 2], [], [1]], "item")).ravel()
    array([6., 0., 2.])
    """
    longest_first = np.argsort(-lists.lengths, kind="stable")
    lengths, starts = lists.lengths[longest_first], lists.offsets[longest_first]
    total = np.zeros((len(lists), matrix.shape[1]))
    for place in range(int(lengths.max(initial=0))):
        there = int(np.count_nonzero(lengths > place))
        total[:there] += matrix[lists["item"][starts[:there] + place]]
    result = np.empty_like(total)
    result[longest_first] = total
    return result


def means(items: Items, lists: Ragged, weights: FloatArray | None = None) -> FloatArray:
    """The mean of the features of each session's items, weighted where asked; zeros for a session that has none."""
    if weights is None:
        return item_sums(items.matrix, lists) / np.maximum(lists.lengths, 1)[:, None]
    total = lists.total(weights)
    weighted = items.matrix[lists["item"]] * weights[:, None]
    return sums(lists, weighted) / np.where(total > 0, total, 1.0)[:, None]


def variances(items: Items, lists: Ragged, centre: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """The (weighted) mean squared difference from each session's centre, feature by feature."""
    squared = np.square(items.matrix[lists["item"]] - centre[lists.row])
    if weights is None:
        return sums(lists, squared) / np.maximum(lists.lengths, 1)[:, None]
    total = lists.total(weights)
    return sums(lists, squared * weights[:, None]) / np.where(total > 0, total, 1.0)[:, None]


def extremes(items: Items, lists: Ragged) -> tuple[NDArray[Any], NDArray[Any]]:
    """The least and the largest value of each feature among each session's items; every session has some."""
    rows = items.matrix[lists["item"]]
    starts = lists.offsets[:-1]
    return np.minimum.reduceat(rows, starts, axis=0), np.maximum.reduceat(rows, starts, axis=0)


def summed_marks(marks: Any, lists: Ragged, worth: float = 1.0) -> FloatArray:
    """The sum of the rows of a sparse table that are each session's items, each worth so much over their number."""
    from scipy.sparse import csr_array

    size = worth / np.maximum(lists.lengths, 1)[lists.row]
    weights = csr_array((size, (lists.row, lists["item"])), shape=(len(lists), marks.shape[0]))
    return np.asarray((weights @ marks).toarray())


def pad_rows(lists: Ragged, column: str) -> tuple[NDArray[Any], BoolArray]:
    """One row per session, filled up with zeros on the right, and where the real entries are."""
    width = int(lists.lengths.max(initial=0))
    there = np.arange(width) < lists.lengths[:, None]
    table = np.zeros(there.shape, lists[column].dtype)
    table[there] = lists[column]
    return table, there


def small_batches(examples: Examples, features: int) -> Iterator[Examples]:
    """The sessions in parts whose padded examples, and the products among them, stay within 64 MB."""
    width = int((examples.positives.lengths + examples.negatives.lengths).max(initial=1))
    return examples.batches(max(1, PADDED_CELLS // (width * (width + features))))


def join_examples(first: Ragged, second: Ragged) -> Ragged:
    """Each session's items of both, those of the first before those of the second, with `label` +1 and -1."""
    row = np.concatenate([first.row, second.row])
    order = np.argsort(row, kind="stable")
    label = np.concatenate([np.ones(first.size), -np.ones(second.size)])
    item: IntArray = np.concatenate([first["item"], second["item"]])
    return Ragged.from_rows(row[order], len(first), item=item[order], label=label[order])
