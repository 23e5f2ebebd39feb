"""Sums of a drawn object against functions on the unit disc."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import BoolArray, FloatArray


def disc(side: int) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Radius and angle of the middle of each pixel of a square around the unit disc, and whether it lies inside.

    >>> radius, angle, inside = disc(2)
    >>> radius.round(4).tolist(), int(inside.sum())
    ([[0.7071, 0.7071], [0.7071, 0.7071]], 4)
    """
    middle = (np.arange(side) - (side - 1) / 2) / (side / 2)
    y, x = np.meshgrid(middle, middle, indexing="ij")
    radius = np.hypot(x, y)
    return radius, np.arctan2(y, x), radius <= 1


def magnitudes(drawn: FloatArray, basis: NDArray[Any]) -> FloatArray:
    """Magnitudes of the sums of the object against each row of the basis, over the first; zeros without an object."""
    sums = np.abs(np.einsum("kp,p->k", basis, drawn.ravel()))  # too small a product for several threads
    return sums / sums[0] if sums[0] > 0 else np.zeros(len(basis))
