"""Division that says NaN for nothing over nothing, and never warns."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import FloatArray


def divide(numerator: ArrayLike, denominator: ArrayLike, nothing: float = np.nan) -> FloatArray:
    """Numerator over denominator; `nothing` where the denominator is 0.

    >>> divide([1.0, 0.0], [2, 0])
    array([0.5, nan])
    """
    top, bottom = np.asarray(numerator, dtype=np.float64), np.asarray(denominator, dtype=np.float64)
    if top.shape != bottom.shape:
        top, bottom = np.broadcast_arrays(top, bottom)
    return np.divide(top, bottom, out=np.full(top.shape, nothing), where=bottom != 0)
