"""The nearest other items of every item by cosine, and the graph of those that are near each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray

AT_ONCE = 1 << 22  # similarities computed in one block


def nearest_others(rows: NDArray[Any], k: int) -> tuple[IntArray, FloatArray]:
    """The `k` items most like each item, best first, and how alike they are; an item is no neighbour of itself.

    Rows have length 1. There are fewer where the collection has fewer; equal ones are taken by position.
    >>> nearest_others(np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]]), 1)
    (array([[1],
           [0],
           [1]]), array([[0.8],
           [0.8],
           [0.6]]))
    """
    count = len(rows)
    k = min(k, count - 1)
    item, alike = np.empty((count, k), np.int64), np.empty((count, k))
    step = max(1, AT_ONCE // count)
    for start in range(0, count, step):
        block = np.arange(start, min(start + step, count))
        products = rows[block] @ rows.T
        products[np.arange(block.size), block] = -np.inf
        item[block], alike[block] = _best(products, k)
    return item, alike


def _best(products: NDArray[Any], k: int) -> tuple[IntArray, FloatArray]:
    """Columns of the k largest values of each row, and the values."""
    if k == 0:
        return np.empty((len(products), 0), np.int64), np.empty((len(products), 0))
    last = np.partition(products, -k, axis=1)[:, -k][:, None]
    # those above the k-th value all belong, those equal to it by position: a stable sort of few candidates
    place = np.where(products > last, 0, np.where(products == last, 1, 2)).astype(np.int8)
    order = np.argsort(place, axis=1, kind="stable")[:, :k]
    values = np.take_along_axis(products, order, axis=1)
    inner = np.argsort(-values, axis=1, kind="stable")
    return np.take_along_axis(order, inner, axis=1), np.take_along_axis(values, inner, axis=1).astype(np.float64)


def mutual_graph(rows: NDArray[Any], k: int, gamma: float) -> Any:
    """D^-1/2 W D^-1/2 as a sparse matrix: W is similarity^gamma between items that are among each other's `k` nearest.

    Negative similarities count as 0. An item without such a neighbour has an empty row.
    """
    from scipy.sparse import csr_array, diags_array

    item, alike = nearest_others(rows, k)
    count = len(rows)
    places = (np.repeat(np.arange(count), item.shape[1]), item.ravel())
    one_way = csr_array((np.maximum(alike.ravel(), 0.0) ** gamma, places), shape=(count, count))
    weights = one_way.minimum(one_way.T)
    degree = np.asarray(weights.sum(axis=1)).ravel()
    scale = diags_array(1.0 / np.sqrt(np.where(degree > 0, degree, 1.0)))
    return (scale @ weights @ scale).tocsr()
