"""How many pixels have which red, green and blue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import IntArray
from rankscope.engines.images.descriptors.descriptor import Descriptor
from rankscope.engines.images.image import Image


@dataclass(frozen=True)
class RgbHistogram(Descriptor):
    """Counts of pixels in equal bins of red, green and blue, red slowest.

    A distance that compares roots (`js`) finds more than the classic `l1`.
    >>> RgbHistogram(bins=2).of(Image.of([[0, 127], [128, 255]]))
    array([2, 0, 0, 0, 0, 0, 0, 2])
    """

    name: ClassVar[str] = "rgb-histogram"
    source: ClassVar[str] = "Swain and Ballard 1991"
    counts: ClassVar[bool] = True
    distance: ClassVar[str] = "l1"
    least: ClassVar = {"bins": 1}
    most: ClassVar = {"bins": 64}

    bins: int = 8

    @property
    def size(self) -> int:
        """bins x bins x bins."""
        return self.bins**3

    def of(self, image: Image) -> IntArray:
        """One count for each bin."""
        red, green, blue = (image.rgb[..., channel].astype(np.int32) * self.bins // 256 for channel in range(3))
        index = (red * self.bins + green) * self.bins + blue
        return np.bincount(index.ravel(), minlength=self.size)
