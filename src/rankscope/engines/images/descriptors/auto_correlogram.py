"""How often a colour has itself as a neighbour, near and far."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray
from rankscope.engines.images.blocks import bin_of
from rankscope.engines.images.descriptors.descriptor import Descriptor
from rankscope.engines.images.image import Image

COLOURS = 64
DISTANCES = (1, 3, 5, 7)


@dataclass(frozen=True)
class AutoCorrelogram(Descriptor):
    """For each of 64 colours, the share of the pixels at chessboard distance 1, 3, 5, 7 that have the same colour.

    A pixel outside the picture counts as another colour, and a colour that does not occur has 0. Colours are HSV 8x2x4
    or the paper's RGB 4x4x4; the distance is slowest.
    >>> AutoCorrelogram("rgb").of(Image.of([[0, 0]]))[[0, 64]]
    array([0.125, 0.   ])
    """

    name: ClassVar[str] = "auto-correlogram"
    source: ClassVar[str] = "Huang et al. 1997"
    size: ClassVar[int] = COLOURS * len(DISTANCES)
    distance: ClassVar[str] = "d1"
    choices: ClassVar = {"colours": ("hsv", "rgb")}

    colours: str = "hsv"

    def of(self, image: Image) -> FloatArray:
        """One share for each distance and colour."""
        index = _quantised(image, self.colours)
        pixels = np.bincount(index.ravel(), minlength=COLOURS)
        return np.concatenate(
            [_same(index, reach) / (8 * reach * np.maximum(pixels, 1)) for reach in DISTANCES],
        )


def _quantised(image: Image, colours: str) -> NDArray[np.uint8]:
    if colours == "rgb":
        red, green, blue = np.moveaxis(image.rgb >> 6, -1, 0)
        return (red << 4) | (green << 2) | blue
    hue, saturation, value = np.moveaxis(image.hsv, -1, 0)
    return ((bin_of(hue, 8) * 2 + bin_of(saturation, 2)) * 4 + bin_of(value, 4)).astype(np.uint8)


def _same(index: NDArray[np.uint8], reach: int) -> IntArray:
    """Ordered pairs of one colour at this distance, by colour: those of half the ring, twice."""
    hits = np.zeros(index.shape, dtype=np.uint8)  # at most 4 x 7 a pixel
    height, width = index.shape
    for down, right in _half_ring(reach):
        if down >= height or abs(right) >= width:
            continue
        here = (slice(0, height - down), slice(max(0, -right), width - max(0, right)))
        there = (slice(down, height), slice(max(0, right), width - max(0, -right)))
        hits[here] += index[here] == index[there]
    return 2 * np.bincount(index.ravel(), weights=hits.ravel(), minlength=COLOURS).astype(np.int64)


def _half_ring(reach: int) -> Iterator[tuple[int, int]]:
    """One of each two opposite steps: 4 x reach of the 8 x reach."""
    yield from ((0, reach), *((down, side) for down in range(1, reach) for side in (-reach, reach)))
    yield from ((reach, right) for right in range(-reach, reach + 1))
