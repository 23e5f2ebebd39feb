"""Sums over features that come out the same whatever else is computed beside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray

EXACT = 2**53  # whole numbers below this are exact in float64, in whatever order they are added
CELLS = 1 << 20


def in_order(
    rows: NDArray[Any], terms: Callable[[FloatArray], FloatArray], items: IntArray | None = None
) -> FloatArray:
    """Sum of the terms of each row (or of some rows), added one after the other in float64: `cumsum`, never pairwise.

    >>> in_order(np.array([[.1, .2, .3]]), np.positive)
    array([0.6])
    """
    chosen = np.arange(len(rows)) if items is None else items
    step = max(1, CELLS // rows.shape[1])
    parts = [chosen[start : start + step] for start in range(0, chosen.size, step)]
    sums = [np.cumsum(terms(rows[part].astype(np.float64)), axis=1)[:, -1] for part in parts]
    return np.concatenate([np.empty(0), *sums])


def is_whole(matrix: NDArray[Any]) -> bool:
    """Whether all features are whole numbers, of whatever type."""
    return matrix.dtype.kind in "iu" or bool((matrix == np.rint(matrix)).all())


def largest(matrix: NDArray[Any]) -> int:
    """The largest absolute value of whole features."""
    return max(int(matrix.max()), -int(matrix.min()))
