"""Bins, cells and ramps: what several descriptors count and cut with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray


def bin_of(values: NDArray[Any], bins: int, low: float = 0.0, high: float = 1.0) -> IntArray:
    """The number of the equal bin each value falls into; the upper end belongs to the last.

    >>> bin_of(np.array([0, .24, .25, 1]), 4)
    array([0, 0, 1, 3])
    """
    return np.minimum(bins - 1, np.floor((values - low) * bins / (high - low)).astype(np.int64))


def cells(values: NDArray[Any], side: int) -> Iterator[NDArray[Any]]:
    """The picture cut into side x side cells, row by row; in a tiny picture some are empty.

    >>> [cell.tolist() for cell in cells(np.arange(6).reshape(2, 3), 2)]
    [[[0, 1]], [[2]], [[3, 4]], [[5]]]
    """
    for row in np.array_split(values, side, axis=0):
        yield from np.array_split(row, side, axis=1)


def ramp(values: NDArray[Any], start: float, end: float) -> FloatArray:
    """0 up to `start`, 1 from `end` on, straight between.

    >>> ramp(np.array([0, 1.5, 9]), 1, 2)
    array([0. , 0.5, 1. ])
    """
    return np.clip((values - start) / (end - start), 0.0, 1.0)


def groups(values: NDArray[Any], side: int) -> NDArray[Any]:
    """A plane cut into squares: shape (rows, columns, side, side); what is left over at right and bottom is dropped.

    >>> groups(np.arange(6).reshape(2, 3), 2).tolist()
    [[[[0, 1], [3, 4]]]]
    """
    rows, columns = values.shape[0] // side, values.shape[1] // side
    kept = values[: rows * side, : columns * side]
    return kept.reshape(rows, side, columns, side).swapaxes(1, 2)
