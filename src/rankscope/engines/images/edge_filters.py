"""Five kinds of edge in a square of four luminances, as MPEG-7 filters them."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import FloatArray

ROOT = float(np.sqrt(2.0))
VERTICAL = (1.0, -1.0, 1.0, -1.0)
HORIZONTAL = (1.0, 1.0, -1.0, -1.0)
RISING = (ROOT, 0.0, 0.0, -ROOT)  # 45 degrees
FALLING = (0.0, ROOT, -ROOT, 0.0)  # 135 degrees
NO_DIRECTION = (2.0, -2.0, -2.0, 2.0)


def strengths(quarters: FloatArray, filters: tuple[tuple[float, ...], ...]) -> FloatArray:
    """|Response| of each filter, last axis, to luminances in the order a0 a1 / a2 a3 of the last axis.

    >>> strengths(np.array([[0.0, 255.0, 0.0, 255.0]]), (VERTICAL, HORIZONTAL, NO_DIRECTION))
    array([[510.,   0.,   0.]])
    """
    return np.abs(quarters @ np.array(filters).T)
