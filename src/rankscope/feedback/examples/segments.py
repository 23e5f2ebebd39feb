"""Sums, means and extremes over the examples of each session, all sessions at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.ranks.ragged import Ragged

CELLS = 1 << 23  # numbers in one padded table


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
    return examples.batches(max(1, CELLS // (width * (width + features))))


def join_examples(first: Ragged, second: Ragged) -> Ragged:
    """Each session's items of both, those of the first before those of the second, with `label` +1 and -1."""
    row = np.concatenate([first.row, second.row])
    order = np.argsort(row, kind="stable")
    label = np.concatenate([np.ones(first.size), -np.ones(second.size)])
    item: IntArray = np.concatenate([first["item"], second["item"]])
    return Ragged.from_rows(row[order], len(first), item=item[order], label=label[order])
