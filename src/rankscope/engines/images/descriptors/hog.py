"""Histograms of oriented gradients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.engines.images.descriptors.descriptor import Descriptor
from rankscope.engines.images.image import AREAS, Image, luminance
from rankscope.engines.images.optional import scikit_image
from rankscope.errors import SettingError

ORIENTATIONS = 9
BLOCK = 2


@dataclass(frozen=True)
class Hog(Descriptor):
    """Directions of the gradients in cells of a picture of side x side pixels, normalised in blocks of 2 x 2 cells.

    Coarse cells suit photos, which are not aligned; `hog(side=32,cell=8)` is the same layout for icons, which
    `area=ink` frees from their margins first.
    >>> Hog().size, Hog(side=32, cell=8).size, Hog(cell=16).size
    (324, 324, 1764)
    """

    name: ClassVar[str] = "hog"
    source: ClassVar[str] = "Dalal and Triggs 2005"
    distance: ClassVar[str] = "l1"
    choices: ClassVar = {"area": AREAS}
    least: ClassVar = {"side": 4, "cell": 2}
    most: ClassVar = {"side": 1024}

    side: int = 128
    cell: int = 32
    area: str = "whole"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.side < BLOCK * self.cell:
            raise SettingError(f"hog: side must be at least {BLOCK} cells, got side {self.side} and cell {self.cell}")

    @property
    def size(self) -> int:
        """Blocks overlap: one fewer a side than cells."""
        return (self.side // self.cell - BLOCK + 1) ** 2 * BLOCK**2 * ORIENTATIONS

    def of(self, image: Image) -> FloatArray:
        """Block by block, cell by cell, nine directions each."""
        found = scikit_image("feature").hog(
            luminance(image.area(self.area).shrunk(self.side, self.side)),
            orientations=ORIENTATIONS,
            pixels_per_cell=(self.cell, self.cell),
            cells_per_block=(BLOCK, BLOCK),
            block_norm="L2-Hys",
        )
        return np.asarray(found, dtype=np.float64)
