"""Which kinds of edge lie where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.engines.images import edge_filters
from rankscope.engines.images.blocks import groups
from rankscope.engines.images.descriptors.descriptor import Descriptor
from rankscope.engines.images.image import Image

SIDE = 4  # sub-images a side
TYPES = 5
FILTERS = (
    edge_filters.VERTICAL,
    edge_filters.HORIZONTAL,
    edge_filters.RISING,
    edge_filters.FALLING,
    edge_filters.NO_DIRECTION,
)
WEAKEST = 11.0  # a strongest response below this is no edge
GLOBAL_WEIGHT = 5
CORNERS = ((0, 0), (0, 2), (2, 0), (2, 2), (1, 1))  # top left of the groups of 2 x 2 sub-images


@dataclass(frozen=True)
class EdgeHistogram(Descriptor):
    """Shares of five edge types in 4 x 4 sub-images: vertical, horizontal, 45 degrees, 135 degrees, no direction.

    About `blocks` square blocks of even side are looked at; those without an edge count in no bin. `extended` adds five
    times the mean of all sub-images and the means of rows, columns and groups of four, so that a plain city-block
    distance weighs them as MPEG-7 does. A picture too small for 4 x 4 blocks has sub-images that are all 0.
    >>> step = np.zeros((64, 64), dtype=np.uint8)
    >>> step[:, 1::2] = 255
    >>> EdgeHistogram("local").of(Image.of(step))[:5]
    array([1., 0., 0., 0., 0.])
    """

    name: ClassVar[str] = "edge-histogram"
    source: ClassVar[str] = "MPEG-7, ISO 15938-3; Won, Park and Park 2002"
    distance: ClassVar[str] = "l1"
    choices: ClassVar = {"form": ("extended", "local")}
    least: ClassVar = {"blocks": 16}

    form: str = "extended"
    blocks: int = 1100

    @property
    def size(self) -> int:
        """80 local values; 5 global and 65 of groups behind them."""
        return TYPES * (SIDE**2 + 14) if self.form == "extended" else TYPES * SIDE**2

    def of(self, image: Image) -> FloatArray:
        """Sub-images slowest, row by row."""
        local = self._local(image)
        return _extended(local) if self.form == "extended" else local.ravel()

    def _local(self, image: Image) -> FloatArray:
        """Sub-image rows by columns by types."""
        half = max(1, int(np.sqrt(image.pixels / self.blocks) / 2))
        quarters = groups(image.luminance, half).mean(axis=(2, 3))
        blocks = groups(quarters, 2)
        rows, columns = blocks.shape[:2]
        if not rows * columns:
            return np.zeros((SIDE, SIDE, TYPES))
        place = SIDE * (SIDE * np.arange(rows) // rows)[:, None] + SIDE * np.arange(columns) // columns
        return _shares(place.ravel(), _types(blocks.reshape(-1, 4))).reshape(SIDE, SIDE, TYPES)


def _types(quarters: FloatArray) -> IntArray:
    """The edge type of each block, -1 for none."""
    found = edge_filters.strengths(quarters, FILTERS)
    return np.where(found.max(axis=1) >= WEAKEST, found.argmax(axis=1), -1)


def _shares(place: IntArray, types: IntArray) -> FloatArray:
    blocks = np.bincount(place, minlength=SIDE**2)
    edge = types >= 0
    edges = np.bincount(place[edge] * TYPES + types[edge], minlength=SIDE**2 * TYPES)
    return edges.reshape(SIDE**2, TYPES) / np.maximum(blocks, 1)[:, None]


def _extended(local: FloatArray) -> FloatArray:
    groups_of_four = [local[row : row + 2, column : column + 2].mean(axis=(0, 1)) for row, column in CORNERS]
    return np.concatenate(
        [
            local.ravel(),
            GLOBAL_WEIGHT * local.mean(axis=(0, 1)),
            local.mean(axis=1).ravel(),
            local.mean(axis=0).ravel(),
            *groups_of_four,
        ]
    )
