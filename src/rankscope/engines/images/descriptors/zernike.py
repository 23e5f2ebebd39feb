"""Moments of the object over the unit disc that do not change when it turns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import factorial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray
from rankscope.engines.images.descriptors.descriptor import Descriptor
from rankscope.engines.images.image import Image
from rankscope.engines.images.shapes.moments import disc, magnitudes
from rankscope.engines.images.shapes.silhouette import SIDE, on_unit_disc, silhouette


@dataclass(frozen=True)
class Zernike(Descriptor):
    """Magnitudes of the Zernike moments up to an order, over that of the area; (0, 0) and (1, 1) tell nothing.

    `scale` z divides each by its deviation over the collection. Orders above 12 lower the result.
    """

    name: ClassVar[str] = "zernike"
    source: ClassVar[str] = "Khotanzad and Hong 1990; Kim and Kim 2000"
    distance: ClassVar[str] = "l1"
    choices: ClassVar = {"scale": ("none", "z")}
    least: ClassVar = {"order": 2}
    most: ClassVar = {"order": 20}

    order: int = 10
    scale: str = "none"

    @property
    def size(self) -> int:
        """How many moments there are."""
        return len(_kinds(self.order)) - 2

    @property
    def z(self) -> bool:
        """As chosen."""
        return self.scale == "z"

    def of(self, image: Image) -> FloatArray:
        """The magnitudes, by order and then by turns; zeros without an object."""
        found = magnitudes(on_unit_disc(silhouette(image.grey)), _basis(self.order))
        return np.delete(found, _kinds(self.order).index((1, 1)))[1:]


def radial(order: int, turns: int, radius: FloatArray) -> FloatArray:
    """The radial polynomial of a Zernike moment.

    >>> radial(4, 0, np.array([0.0, 1.0])).tolist()  # 6 r^4 - 6 r^2 + 1
    [1.0, 1.0]
    """
    high, low = (order + turns) // 2, (order - turns) // 2
    total = np.zeros_like(radius)
    for step in range(low + 1):
        shares = factorial(step) * factorial(high - step) * factorial(low - step)
        total += (-1) ** step * (factorial(order - step) // shares) * radius ** (order - 2 * step)
    return total


def _kinds(order: int) -> list[tuple[int, int]]:
    return [(n, m) for n in range(order + 1) for m in range(n + 1) if (n - m) % 2 == 0]


@lru_cache(maxsize=4)
def _basis(order: int) -> NDArray[Any]:
    """The conjugate polynomials on the grid, one row each."""
    radius, angle, inside = disc(SIDE)
    rows = [(n + 1) / np.pi * radial(n, m, radius) * np.exp(-1j * m * angle) * inside for n, m in _kinds(order)]
    return np.stack(rows).reshape(len(rows), -1)
