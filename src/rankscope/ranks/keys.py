"""Row, score and item in one whole number, so that one sort puts a whole block in order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray

ROW_BITS, SCORE_BITS, ITEM_BITS = 12, 32, 20
ROWS, ITEMS = 1 << ROW_BITS, 1 << ITEM_BITS  # more than this never come at once

Keys = NDArray[np.uint64]


def ordered_bits(scores: NDArray[np.float32]) -> NDArray[np.uint64]:
    """Whole numbers in the order of the scores; equal scores, 0 and -0 among them, are equal.

    >>> ordered_bits(np.array([-1.0, -0.0, 0.0, 1.0], dtype=np.float32)).astype(np.int64) - 2**31
    array([-1065353216,           0,           0,  1065353216])
    """
    bits = (scores + np.float32(0)).view(np.int32).astype(np.int64)
    return (np.where(bits < 0, -(bits & 0x7FFFFFFF), bits) + (1 << 31)).astype(np.uint64)


def keys_of(rows: IntArray, scores: NDArray[np.float32], items: IntArray | int) -> Keys:
    """Keys in the order of row, score, item."""
    high = np.left_shift(rows.astype(np.uint64), np.uint64(SCORE_BITS + ITEM_BITS))
    middle = np.left_shift(ordered_bits(scores), np.uint64(ITEM_BITS))
    return np.bitwise_or(np.bitwise_or(high, middle), np.asarray(items).astype(np.uint64))


def rows_of(keys: Keys) -> IntArray:
    """The rows that keys were made of."""
    return (keys >> np.uint64(SCORE_BITS + ITEM_BITS)).astype(np.int64)


def items_of(keys: Keys) -> IntArray:
    """The items that keys were made of."""
    return (keys & np.uint64(ITEMS - 1)).astype(np.int64)


def float32_limits(low: FloatArray, high: FloatArray) -> tuple[NDArray[Any], NDArray[Any]]:
    """Limits in float32: the nearest values, one step further out where that is nearer to the middle.

    >>> float32_limits(np.array([0.1]), np.array([0.1]))
    (array([0.09999999], dtype=float32), array([0.1], dtype=float32))
    """
    out = np.float32(np.inf)
    with np.errstate(over="ignore"):
        below, above = low.astype(np.float32), high.astype(np.float32)
        below = np.where(below > low, np.nextafter(below, -out), below)
        return below, np.where(above < high, np.nextafter(above, out), above)
