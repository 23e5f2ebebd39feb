"""How many pixels have which hue, saturation and value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import IntArray
from rankscope.engines.images.blocks import bin_of
from rankscope.engines.images.descriptors.descriptor import Descriptor
from rankscope.engines.images.image import Image

Channel: TypeAlias = NDArray[np.float32]

GREY = 0.1  # saturation below which a pixel has no colour
DARK = 0.2  # and value


@dataclass(frozen=True)
class HsvHistogram(Descriptor):
    """Counts of pixels in equal bins of hue, saturation and value, hue slowest.

    A grey pixel has hue 0 and stands with the reds. With `greys`, pixels of little colour (S < .1 or V < .2) have bins
    of their own behind the others, by value; the others divide what is left, and the first hue bin is centred on red
    (Smith and Chang 1996: 18, 3, 3, 4).
    >>> HsvHistogram(hues=2, saturations=1, values=2).of(Image.of([[[255, 0, 0], [0, 0, 255], [9, 9, 9]]]))
    array([1, 1, 0, 1])
    """

    name: ClassVar[str] = "hsv-histogram"
    source: ClassVar[str] = "Swain and Ballard 1991; Smith and Chang 1996"
    counts: ClassVar[bool] = True
    distance: ClassVar[str] = "l1"
    least: ClassVar = {"hues": 1, "saturations": 1, "values": 1, "greys": 0}
    most: ClassVar = {"hues": 360, "saturations": 64, "values": 64, "greys": 256}

    hues: int = 16
    saturations: int = 4
    values: int = 4
    greys: int = 0

    @property
    def size(self) -> int:
        """hues x saturations x values + greys."""
        return self._coloured + self.greys

    @property
    def _coloured(self) -> int:
        return self.hues * self.saturations * self.values

    def of(self, image: Image) -> IntArray:
        """One count for each bin."""
        hue, saturation, value = np.moveaxis(image.hsv, -1, 0)
        index = self._with_greys(hue, saturation, value) if self.greys else self._index(hue, saturation, value)
        return np.bincount(index.ravel(), minlength=self.size)

    def _with_greys(self, hue: Channel, saturation: Channel, value: Channel) -> IntArray:
        grey = (saturation < GREY) | (value < DARK)
        centred = np.mod(hue + 0.5 / self.hues, 1.0)
        coloured = self._index(centred, np.maximum(saturation, GREY), np.maximum(value, DARK), GREY, DARK)
        return np.where(grey, self._coloured + bin_of(value, self.greys), coloured)

    def _index(
        self, hue: Channel, saturation: Channel, value: Channel, palest: float = 0.0, darkest: float = 0.0
    ) -> IntArray:
        first = bin_of(hue, self.hues) * self.saturations + bin_of(saturation, self.saturations, palest)
        return first * self.values + bin_of(value, self.values, darkest)
