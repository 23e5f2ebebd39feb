"""The object itself as a small picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rankscope.engines.images.descriptors.descriptor import Descriptor, Vector
from rankscope.engines.images.image import Image, shrunk
from rankscope.engines.images.optional import pillow
from rankscope.engines.images.shapes.silhouette import box, silhouette

FRAME_THRESHOLD = 127


@dataclass(frozen=True)
class Silhouette(Descriptor):
    """The box around the object on a small grid: how much of each cell the object covers.

    `fit` stretch brings the box to the square regardless of its aspect, by area; `square` pads it to a square first and
    draws it with bicubic interpolation, in whole grey values. Neither survives a turn of the object.
    """

    name: ClassVar[str] = "silhouette"
    source: ClassVar[str] = "classic"
    distance: ClassVar[str] = "l1"
    choices: ClassVar = {"fit": ("stretch", "square")}
    least: ClassVar = {"side": 1}
    most: ClassVar = {"side": 256}

    side: int = 32
    fit: str = "stretch"

    @property
    def size(self) -> int:
        """Cells of the grid."""
        return self.side**2

    def of(self, image: Image) -> Vector:
        """Shares (stretch) or grey values (square), row by row."""
        if self.fit == "square":
            return _squared(image.grey, self.side).astype(np.int64).ravel()
        return shrunk(box(silhouette(image.grey)), self.side, self.side).astype(np.float64).ravel()


def _squared(grey: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """All light pixels, not only the largest part, in the middle of a black square."""
    light = box(grey > FRAME_THRESHOLD)
    spare = [max(light.shape) - each for each in light.shape]
    square = np.pad(light, [(each // 2, each - each // 2) for each in spare]).astype(np.uint8) * 255
    picture = pillow("Image")
    return np.asarray(picture.fromarray(square).resize((side, side), picture.Resampling.BICUBIC), dtype=np.uint8)
