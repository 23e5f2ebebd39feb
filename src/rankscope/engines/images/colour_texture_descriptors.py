"""Descriptors of colour and texture together: CEDD, FCTH and JCD, with the 24 fuzzy colours that they count."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray
from rankscope.engines.images import texture_descriptors
from rankscope.engines.images.descriptors import Descriptor, companded_levels, pixel_squares, ramp
from rankscope.engines.images.image import Image, hsv, luminance, shrunk

# CEDD: colour and edge directivity, counted together in 40 x 40 blocks.

BLOCKS = 40
CEDD_TEXTURES, COLOURS = 6, 24
CEDD_FILTERS = (
    texture_descriptors.NO_DIRECTION,
    texture_descriptors.HORIZONTAL,
    texture_descriptors.VERTICAL,
    texture_descriptors.RISING,
    texture_descriptors.FALLING,
)
CEDD_WEAKEST = 14.0  # a largest response below this is no edge
CEDD_CLEAR = np.array([0.68, 0.98, 0.98, 0.98, 0.98])  # share of the largest response
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
    size: ClassVar[int] = CEDD_TEXTURES * COLOURS
    distance: ClassVar[str] = "tanimoto"
    choices: ClassVar = {"form": ("compact", "full")}

    form: str = "compact"

    def of(self, image: Image) -> Any:
        """Textures slowest; whole numbers from 0 to 7, or roots."""
        shares = cedd_shares(image).ravel()
        return np.sqrt(shares) if self.form == "full" else companded_levels(shares, HIGHEST)


def cedd_shares(image: Image) -> FloatArray:
    """Textures by colours; the shares of all additions add up to 1."""
    quarters = image.shrunk(2 * BLOCKS, 2 * BLOCKS).astype(np.float64)
    # Which of the six textures hold for each block.
    found = texture_descriptors.edge_strengths(pixel_squares(luminance(quarters), 2).reshape(-1, 4), CEDD_FILTERS)
    strongest = found.max(axis=1, keepdims=True)
    edge = strongest >= CEDD_WEAKEST
    clear = found > CEDD_CLEAR * strongest
    holds = np.concatenate([~edge, clear & edge], axis=1)
    sums: FloatArray = holds.T.astype(np.float64) @ block_colours(quarters)
    return sums / holds.sum()


def block_colours(quarters: FloatArray) -> FloatArray:
    """24 shares of the mean colour of each block of 2 x 2 pixels, one row a block."""
    means = quarters.reshape(BLOCKS, 2, BLOCKS, 2, 3).mean(axis=(1, 3))
    return fuzzy_colour_shares(means).reshape(-1, COLOURS)


# FCTH: colour and the energy of fine waves, counted together in 40 x 40 blocks.

FCTH_TEXTURES = 8
FCTH_WEAK, FCTH_STRONG = 5.0, 40.0  # energies between which a texture fades in


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
    size: ClassVar[int] = FCTH_TEXTURES * COLOURS
    distance: ClassVar[str] = "tanimoto"
    choices: ClassVar = {"form": ("compact", "full")}

    form: str = "compact"

    def of(self, image: Image) -> Any:
        """Textures slowest; whole numbers from 0 to 7, or roots."""
        shares = fcth_shares(image).ravel()
        return np.sqrt(shares) if self.form == "full" else companded_levels(shares, HIGHEST)


def fcth_shares(image: Image) -> FloatArray:
    """Textures by colours; all shares add up to 1."""
    colours = block_colours(image.shrunk(2 * BLOCKS, 2 * BLOCKS).astype(np.float64))
    fine = luminance(shrunk(image.rgb, 4 * BLOCKS, 4 * BLOCKS))
    # Root mean square of the horizontal, vertical and diagonal waves in each block.
    a, b, c, d = pixel_squares(fine, 2).reshape(2 * BLOCKS, 2 * BLOCKS, 4).transpose(2, 0, 1)
    waves = np.stack([a + b - c - d, a - b + c - d, a - b - c + d]) / 2
    squares = (waves * waves).reshape(3, BLOCKS, 2, BLOCKS, 2).mean(axis=(2, 4))
    energies = np.sqrt(squares).reshape(3, -1)
    horizontal, vertical, high = ramp(energies, FCTH_WEAK, FCTH_STRONG)
    kinds = [
        (1 - horizontal) * (1 - vertical),
        horizontal * (1 - vertical),
        (1 - horizontal) * vertical,
        horizontal * vertical,
    ]
    # How much of each of the eight textures is in each block; a row adds up to 1.
    textures = np.stack([kind * (1 - high) for kind in kinds] + [kind * high for kind in kinds], axis=-1)
    return textures.T @ colours / BLOCKS**2


# JCD: CEDD and FCTH in one.

JCD_TEXTURES = 7


@dataclass(frozen=True)
class Jcd(Descriptor):
    """Seven textures of 24 colours, made from the rows of CEDD and FCTH.

    `compact` joins their 3-bit levels, `full` their shares and then takes the roots.
    >>> Jcd().of(Image.of([[128, 128], [128, 128]]))[:3]
    array([0., 7., 0.])
    """

    name: ClassVar[str] = "jcd"
    source: ClassVar[str] = "Chatzichristofis, Boutalis and Lux 2009"
    size: ClassVar[int] = JCD_TEXTURES * COLOURS
    distance: ClassVar[str] = "tanimoto"
    choices: ClassVar = {"form": ("compact", "full")}

    form: str = "compact"

    def of(self, image: Image) -> FloatArray:
        """Linear, horizontal, 45 degrees, vertical, 135 degrees, horizontal and vertical, no direction."""
        cedd, fcth = cedd_shares(image), fcth_shares(image)
        if self.form == "full":
            return np.sqrt(_jcd_joined(cedd, fcth))
        return _jcd_joined(companded_levels(cedd, HIGHEST), companded_levels(fcth, HIGHEST))


def _jcd_joined(cedd: NDArray[Any], fcth: NDArray[Any]) -> FloatArray:
    both = fcth[:4] + fcth[4:]  # of low and of high energy
    rows = (
        (both[0] + cedd[0]) / 2,
        (both[1] + cedd[2]) / 2,
        cedd[4],
        (both[2] + cedd[3]) / 2,
        cedd[5],
        both[3],
        cedd[1],
    )
    return np.concatenate(rows).astype(np.float64)


# 24 named colours that fade into one another: what CEDD, FCTH and JCD count.

HUES = ("red", "orange", "yellow", "green", "cyan", "blue", "magenta")
BORDERS = (15.0, 45.0, 78.0, 158.0, 200.0, 272.0, 325.0)  # degrees, between one hue and the next; the last to red again
HALF_WIDTH = 7.5
FUZZY_COLOURS = ("black", "grey", "white", *(f"{shade} {hue}" for hue in HUES for shade in ("light", "pure", "dark")))


def fuzzy_colour_shares(rgb: NDArray[Any]) -> FloatArray:
    """How much of each of the 24 colours is in each colour of a picture: the last axis has 24 shares.

    >>> FUZZY_COLOURS[fuzzy_colour_shares(np.array([[[255, 0, 0]]]))[0, 0].argmax()]
    'pure red'
    >>> fuzzy_colour_shares(np.array([[[128, 128, 128]]]))[0, 0, :3]
    array([0., 1., 0.])
    """
    hue, saturation, value = np.moveaxis(hsv(rgb).astype(np.float64), -1, 0)
    chromatic = ramp(saturation, 0.05, 0.30)
    black, bright = 1 - ramp(value, 0.05, 0.30), ramp(value, 0.70, 0.85)
    middle = 1 - black - bright
    greys = np.stack([black, (1 - chromatic) * middle, (1 - chromatic) * bright], axis=-1)
    # How much of each of the seven hues: each rises at its lower border and falls at the next.
    degrees = hue * 360
    steps = [ramp(degrees, border - HALF_WIDTH, border + HALF_WIDTH) for border in BORDERS]
    between = [lower - upper for lower, upper in pairwise(steps)]
    hue_shares = np.stack([1 - steps[0] + steps[-1], *between], axis=-1)
    coloured = (chromatic * (middle + bright))[..., None] * hue_shares
    strong, light = ramp(saturation, 0.27, 0.73), ramp(value, 0.27, 0.73)
    shade_shares = np.stack([light * (1 - strong), light * strong, 1 - light], axis=-1)
    shaded = coloured[..., None] * shade_shares[..., None, :]
    return np.concatenate([greys, shaded.reshape(*hue.shape, -1)], axis=-1)
