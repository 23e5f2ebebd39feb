"""FCTH: colour and the energy of fine waves, counted together in 40 x 40 blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.engines.images.blocks import groups, ramp
from rankscope.engines.images.companding import levels
from rankscope.engines.images.descriptors.cedd import BLOCKS, COLOURS, HIGHEST, block_colours
from rankscope.engines.images.descriptors.descriptor import Descriptor
from rankscope.engines.images.image import Image, luminance, shrunk

TEXTURES = 8
WEAK, STRONG = 5.0, 40.0  # energies between which a texture fades in


@dataclass(frozen=True)
class Fcth(Descriptor):
    """24 fuzzy colours for each of eight textures: of low then high energy, linear, horizontal, vertical or both.

    The energies are those of one Haar step in blocks of 4 x 4. `compact` keeps 3 bits a bin, `full` the roots of the
    shares.
    >>> Fcth().of(Image.of([[128, 128], [128, 128]]))[:3]
    array([0, 7, 0])
    """

    name: ClassVar[str] = "fcth"
    source: ClassVar[str] = "Chatzichristofis and Boutalis 2008"
    size: ClassVar[int] = TEXTURES * COLOURS
    distance: ClassVar[str] = "tanimoto"
    choices: ClassVar = {"form": ("compact", "full")}

    form: str = "compact"

    def of(self, image: Image) -> Any:
        """Textures slowest; whole numbers from 0 to 7, or roots."""
        shares = fcth_shares(image).ravel()
        return np.sqrt(shares) if self.form == "full" else levels(shares, HIGHEST)


def fcth_shares(image: Image) -> FloatArray:
    """Textures by colours; all shares add up to 1."""
    colours = block_colours(image.shrunk(2 * BLOCKS, 2 * BLOCKS).astype(np.float64))
    fine = luminance(shrunk(image.rgb, 4 * BLOCKS, 4 * BLOCKS))
    return _textures(fine).T @ colours / BLOCKS**2


def _textures(fine: FloatArray) -> FloatArray:
    """How much of each of the eight textures is in each block; a row adds up to 1."""
    horizontal, vertical, high = ramp(_energies(fine), WEAK, STRONG)
    kinds = [
        (1 - horizontal) * (1 - vertical),
        horizontal * (1 - vertical),
        (1 - horizontal) * vertical,
        horizontal * vertical,
    ]
    return np.stack([kind * (1 - high) for kind in kinds] + [kind * high for kind in kinds], axis=-1)


def _energies(fine: FloatArray) -> FloatArray:
    """Root mean square of the horizontal, vertical and diagonal waves in each block."""
    a, b, c, d = groups(fine, 2).reshape(2 * BLOCKS, 2 * BLOCKS, 4).transpose(2, 0, 1)
    waves = np.stack([a + b - c - d, a - b + c - d, a - b - c + d]) / 2
    squares = (waves * waves).reshape(3, BLOCKS, 2, BLOCKS, 2).mean(axis=(2, 4))
    return np.sqrt(squares).reshape(3, -1)
