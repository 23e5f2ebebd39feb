"""The picture itself, very small."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.engines.images.descriptors.descriptor import Descriptor
from rankscope.engines.images.image import AREAS, Image, luminance


@dataclass(frozen=True)
class Thumbnail(Descriptor):
    """Mean luminance, or mean red, green and blue, of side x side areas, regardless of the aspect: the classic floor.

    `area=ink` frees a drawing from its white margins first.
    >>> Thumbnail(side=2).of(Image.of([[0, 50], [100, 255]])).round(3)
    array([  0.,  50., 100., 255.])
    """

    name: ClassVar[str] = "thumbnail"
    source: ClassVar[str] = "Deselaers et al. 2008"
    distance: ClassVar[str] = "l1"
    choices: ClassVar = {"colour": ("grey", "rgb"), "area": AREAS}
    least: ClassVar = {"side": 1}
    most: ClassVar = {"side": 256}

    colour: str = "grey"
    side: int = 32
    area: str = "whole"

    @property
    def size(self) -> int:
        """One or three for each area."""
        return self.side**2 * (1 if self.colour == "grey" else 3)

    def of(self, image: Image) -> FloatArray:
        """Row by row; red, green, blue of an area stand together."""
        small = image.area(self.area).shrunk(self.side, self.side).astype(np.float64)
        return (luminance(small) if self.colour == "grey" else small).ravel()
