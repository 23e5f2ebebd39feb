"""CEDD: colour and edge directivity, counted together in 40 x 40 blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankscope.arrays import BoolArray, FloatArray
from rankscope.engines.images import edge_filters, fuzzy_colours
from rankscope.engines.images.blocks import groups
from rankscope.engines.images.companding import levels
from rankscope.engines.images.descriptors.descriptor import Descriptor
from rankscope.engines.images.image import Image, luminance

BLOCKS = 40
TEXTURES, COLOURS = 6, 24
FILTERS = (
    edge_filters.NO_DIRECTION,
    edge_filters.HORIZONTAL,
    edge_filters.VERTICAL,
    edge_filters.RISING,
    edge_filters.FALLING,
)
WEAKEST = 14.0  # a largest response below this is no edge
CLEAR = np.array([0.68, 0.98, 0.98, 0.98, 0.98])  # share of the largest response
HIGHEST = 7


@dataclass(frozen=True)
class Cedd(Descriptor):
    """24 fuzzy colours for each of six textures: none, no direction, horizontal, vertical, 45 and 135 degrees.

    A block adds its colours to every texture that holds. `compact` keeps 3 bits a bin, `full` the roots of the shares;
    plain shares would do worse. Blocks are exact areas, so a picture of any size has 40 x 40 of them.
    >>> Cedd().of(Image.of([[128, 128], [128, 128]]))[:3]
    array([0, 7, 0])
    """

    name: ClassVar[str] = "cedd"
    source: ClassVar[str] = "Chatzichristofis and Boutalis 2008"
    size: ClassVar[int] = TEXTURES * COLOURS
    distance: ClassVar[str] = "tanimoto"
    choices: ClassVar = {"form": ("compact", "full")}

    form: str = "compact"

    def of(self, image: Image) -> Any:
        """Textures slowest; whole numbers from 0 to 7, or roots."""
        shares = cedd_shares(image).ravel()
        return np.sqrt(shares) if self.form == "full" else levels(shares, HIGHEST)


def cedd_shares(image: Image) -> FloatArray:
    """Textures by colours; the shares of all additions add up to 1."""
    quarters = image.shrunk(2 * BLOCKS, 2 * BLOCKS).astype(np.float64)
    holds = _textures(groups(luminance(quarters), 2).reshape(-1, 4))
    sums: FloatArray = holds.T.astype(np.float64) @ block_colours(quarters)
    return sums / holds.sum()


def block_colours(quarters: FloatArray) -> FloatArray:
    """24 shares of the mean colour of each block of 2 x 2 pixels, one row a block."""
    means = quarters.reshape(BLOCKS, 2, BLOCKS, 2, 3).mean(axis=(1, 3))
    return fuzzy_colours.shares_of(means).reshape(-1, COLOURS)


def _textures(quarters: FloatArray) -> BoolArray:
    """Which of the six textures hold for each block."""
    found = edge_filters.strengths(quarters, FILTERS)
    strongest = found.max(axis=1, keepdims=True)
    edge = strongest >= WEAKEST
    clear = found > CLEAR * strongest
    return np.concatenate([~edge, clear & edge], axis=1)
