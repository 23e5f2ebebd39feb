"""Local binary patterns: which of a pixel's neighbours are lighter than it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import IntArray
from rankscope.engines.images.blocks import cells
from rankscope.engines.images.descriptors.descriptor import Descriptor
from rankscope.engines.images.image import Image
from rankscope.engines.images.optional import scikit_image

RINGS = {"upright": ((8, 1),), "turned": ((8, 1), (16, 2), (24, 3))}  # neighbours and radius


@dataclass(frozen=True)
class Lbp(Descriptor):
    """Counts of uniform patterns, those with at most two changes around the ring, and one bin for the rest.

    `upright`: 59 patterns of 8 neighbours, which a turn changes. `turned`: 10 + 18 + 26 patterns of 8, 16 and 24
    neighbours, the same for every turn, which loses on photos: they have an up. A grid counts each cell apart.
    >>> Lbp().of(Image.of(np.zeros((4, 4)))).sum().item(), Lbp("turned").size, Lbp(grid=4).size
    (16, 54, 944)
    """

    name: ClassVar[str] = "lbp"
    source: ClassVar[str] = "Ojala, Pietikäinen and Mäenpää 2002"
    counts: ClassVar[bool] = True
    choices: ClassVar = {"patterns": tuple(RINGS)}
    least: ClassVar = {"grid": 1}
    most: ClassVar = {"grid": 16}

    patterns: str = "upright"
    grid: int = 1

    @property
    def size(self) -> int:
        """Patterns in each cell."""
        return self.grid**2 * sum(self._bins)

    @property
    def distance(self) -> str:
        """Chi-squared, city block for a grid."""
        return "chi2" if self.grid == 1 else "l1"

    @property
    def _bins(self) -> list[int]:
        upright = self.patterns == "upright"
        return [points * (points - 1) + 3 if upright else points + 2 for points, _ in RINGS[self.patterns]]

    def of(self, image: Image) -> IntArray:
        """One count for each pattern, cells slowest, then rings."""
        method = "nri_uniform" if self.patterns == "upright" else "uniform"
        patterns = scikit_image("feature").local_binary_pattern
        rings = [patterns(image.grey, points, radius, method) for points, radius in RINGS[self.patterns]]
        counted = [
            [_counted(cell, bins) for cell in cells(ring, self.grid)]
            for ring, bins in zip(rings, self._bins, strict=True)
        ]
        return np.concatenate([part for cell in zip(*counted, strict=True) for part in cell])


def _counted(patterns: NDArray[Any], bins: int) -> IntArray:
    return np.bincount(patterns.astype(np.int64).ravel(), minlength=bins)
