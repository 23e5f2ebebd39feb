"""How many pixels stand where between red and green, yellow and blue, dark and light."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import IntArray
from rankscope.engines.images.descriptors.descriptor import Descriptor
from rankscope.engines.images.image import Image


@dataclass(frozen=True)
class OpponentHistogram(Descriptor):
    """Counts of pixels in equal bins of R - G, R + G - 2B and R + G + B, the first slowest.

    Photos crowd the middle bins of the first two, so few bins are coarser than they look.
    >>> np.flatnonzero(OpponentHistogram(bins=2).of(Image.of([[0, 255]])))
    array([6, 7])
    """

    name: ClassVar[str] = "opponent-histogram"
    source: ClassVar[str] = "van de Sande, Gevers and Snoek 2010"
    counts: ClassVar[bool] = True
    distance: ClassVar[str] = "js"
    least: ClassVar = {"bins": 1}
    most: ClassVar = {"bins": 64}

    bins: int = 8

    @property
    def size(self) -> int:
        """bins x bins x bins."""
        return self.bins**3

    def of(self, image: Image) -> IntArray:
        """One count for each bin; whole numbers all the way, so no pixel moves by rounding."""
        red, green, blue = (image.rgb[..., channel].astype(np.int32) for channel in range(3))
        first = self._bin(red - green + 255, 510)
        second = self._bin(red + green - 2 * blue + 510, 1020)
        index = (first * self.bins + second) * self.bins + self._bin(red + green + blue, 765)
        return np.bincount(index.ravel(), minlength=self.size)

    def _bin(self, values: np.ndarray, highest: int) -> np.ndarray:
        return np.minimum(self.bins - 1, values * self.bins // highest)
