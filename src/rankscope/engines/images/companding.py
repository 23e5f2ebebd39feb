"""Shares brought to a scale on which small ones count: roots, or a few levels of them."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import FloatArray, IntArray

QUARTER = 0.25  # a share that reaches the highest level


def levels(shares: FloatArray, highest: int) -> IntArray:
    """min(highest, floor(highest sqrt(share / .25) + .5)).

    >>> levels(np.array([0, .001, .0625, .25, 1]), 7)
    array([0, 0, 4, 7, 7])
    """
    return np.minimum(highest, np.floor(highest * np.sqrt(shares / QUARTER) + 0.5)).astype(np.int64)
