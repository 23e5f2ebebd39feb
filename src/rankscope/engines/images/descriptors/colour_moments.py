"""Mean, spread and lean of each colour channel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray
from rankscope.engines.images.blocks import cells
from rankscope.engines.images.descriptors.descriptor import Descriptor
from rankscope.engines.images.image import Image


@dataclass(frozen=True)
class ColourMoments(Descriptor):
    """Of each channel the mean, the standard deviation and the cube root of the third central moment.

    For each cell of a grid x grid picture, row by row: three means, three deviations, three skews; a cell without
    pixels gives zeros. The nine values of a whole picture are scaled over the collection, those of cells (Lab units are
    comparable) are not. Hue is a circle, whose mean is wrong near red: Lab is the default.
    >>> ColourMoments(space="rgb").of(Image.of([[0, 0, 0, 255]])).round(2)[::3]
    array([ 63.75, 110.42, 115.84])
    """

    name: ClassVar[str] = "colour-moments"
    source: ClassVar[str] = "Stricker and Orengo 1995"
    distance: ClassVar[str] = "l1"
    choices: ClassVar = {"space": ("lab", "hsv", "rgb")}
    least: ClassVar = {"grid": 1}
    most: ClassVar = {"grid": 16}

    space: str = "lab"
    grid: int = 1

    @property
    def size(self) -> int:
        """Nine for each cell."""
        return 9 * self.grid**2

    @property
    def z(self) -> bool:
        """For the picture as a whole."""
        return self.grid == 1

    def of(self, image: Image) -> FloatArray:
        """Nine numbers for each cell."""
        channels = getattr(image, self.space)
        return np.concatenate([_moments(cell.reshape(-1, 3)) for cell in cells(channels, self.grid)])


def _moments(colours: NDArray[Any]) -> FloatArray:
    if not len(colours):
        return np.zeros(9)
    values = colours.astype(np.float64)
    mean = values.mean(axis=0)
    around = values - mean
    squares = around * around
    return np.concatenate([mean, np.sqrt(squares.mean(axis=0)), np.cbrt((squares * around).mean(axis=0))])
