"""Where which colour lies, as the first waves of an 8x8 picture."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.engines.images.descriptors.descriptor import Descriptor
from rankscope.engines.images.image import Image

SIDE = 8
YCBCR = np.array([[0.299, 0.587, 0.114], [-0.168736, -0.331264, 0.5], [0.5, -0.418688, -0.081312]])
OFFSET = np.array([0.0, 128.0, 128.0])
WEIGHTS = ((2.0, 2.0, 2.0), (2.0, 1.0, 1.0), (4.0, 2.0, 2.0))  # of the first coefficients of Y, Cb, Cr; then 1


@dataclass(frozen=True)
class ColourLayout(Descriptor):
    """The first coefficients of the cosine transform of Y, Cb and Cr, in zigzag order.

    MPEG-7 weights the coefficients; their roots are multiplied in here, so that the distance is a plain sum of three
    Euclidean distances.
    >>> ColourLayout().of(Image.of([[100]])).round(2)[[0, 1, 6, 9]]
    array([1131.37,    0.  , 1448.15, 2048.  ])
    """

    name: ClassVar[str] = "colour-layout"
    source: ClassVar[str] = "MPEG-7, ISO 15938-3"
    least: ClassVar = {"luma": 1, "chroma": 1}
    most: ClassVar = {"luma": SIDE**2, "chroma": SIDE**2}

    luma: int = 6
    chroma: int = 3

    @property
    def size(self) -> int:
        """Those of Y and twice those of a colour difference."""
        return self.luma + 2 * self.chroma

    @property
    def distance(self) -> str:
        """Three Euclidean distances, added."""
        ends = (0, self.luma, self.luma + self.chroma, self.size)
        return " + ".join(f"l2[{start}:{end}]" for start, end in pairwise(ends))

    def of(self, image: Image) -> FloatArray:
        """Coefficients of Y, Cb, Cr, times the root of their weights."""
        from scipy.fft import dctn

        planes = image.shrunk(SIDE, SIDE).astype(np.float64) @ YCBCR.T + OFFSET
        waves = dctn(planes, axes=(0, 1), norm="ortho")
        ordered = waves.reshape(SIDE**2, 3)[_zigzag()]
        kept = (self.luma, self.chroma, self.chroma)
        return np.concatenate([ordered[:count, plane] * _roots(plane, count) for plane, count in enumerate(kept)])


def _roots(plane: int, count: int) -> FloatArray:
    weights = np.ones(max(count, 3))
    weights[:3] = WEIGHTS[plane]
    return np.sqrt(weights[:count])


@cache
def _zigzag() -> IntArray:
    """Positions in the order (0,0) (0,1) (1,0) (2,0) (1,1) (0,2) ..."""
    places = [(row, column) for row in range(SIDE) for column in range(SIDE)]
    places.sort(key=lambda at: (sum(at), at[0] if sum(at) % 2 else -at[0]))
    return np.array([row * SIDE + column for row, column in places])
