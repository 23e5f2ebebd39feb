"""How far grades are apart: what weighs a disagreement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from rankscope.arrays import FloatArray


def nominal(levels: FloatArray) -> FloatArray:
    """1 for any two grades that differ.

    >>> nominal(np.array([0.0, 1.0])).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    return 1.0 - np.eye(levels.size)


def linear(levels: FloatArray) -> FloatArray:
    """The difference of the grades.

    >>> linear(np.array([0.0, 1.0, 3.0]))[0].tolist()
    [0.0, 1.0, 3.0]
    """
    return np.abs(levels[:, None] - levels)


def quadratic(levels: FloatArray) -> FloatArray:
    """Its square.

    >>> quadratic(np.array([0.0, 1.0, 3.0]))[0].tolist()
    [0.0, 1.0, 9.0]
    """
    found: FloatArray = (levels[:, None] - levels) ** 2
    return found


DISTANCES: Final[dict[str, Callable[[FloatArray], FloatArray]]] = {
    "nominal": nominal,
    "linear": linear,
    "quadratic": quadratic,
}
