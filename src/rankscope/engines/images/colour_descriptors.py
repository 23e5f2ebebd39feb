"""Descriptors of colour: histograms, moments, layout, correlogram, and the picture itself, very small."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.engines.images.descriptors import Descriptor, bin_of, companded_levels, picture_cells
from rankscope.engines.images.image import AREAS, Image, luminance


@dataclass(frozen=True)
class RgbHistogram(Descriptor):
    """Counts of pixels in equal bins of red, green and blue, red slowest.

    A distance that compares roots (`js`) finds more than the classic `l1`.
    >>> RgbHistogram(bins=2).of(Image.of([[0, 127], [128, 255]]))
    array([2, 0, 0, 0, 0, 0, 0, 2])
    """

    name: ClassVar[str] = "rgb-histogram"
    source: ClassVar[str] = "Swain and Ballard 1991"
    counts: ClassVar[bool] = True
    distance: ClassVar[str] = "l1"
    least: ClassVar = {"bins": 1}
    most: ClassVar = {"bins": 64}

    bins: int = 8

    @property
    def size(self) -> int:
        return self.bins**3

    def of(self, image: Image) -> IntArray:
        red, green, blue = (image.rgb[..., channel].astype(np.int32) * self.bins // 256 for channel in range(3))
        index = (red * self.bins + green) * self.bins + blue
        return np.bincount(index.ravel(), minlength=self.size)


Channel: TypeAlias = NDArray[np.float32]

GREY = 0.1  # saturation below which a pixel has no colour
DARK = 0.2  # and value


@dataclass(frozen=True)
class HsvHistogram(Descriptor):
    """Counts of pixels in equal bins of hue, saturation and value, hue slowest.

    A grey pixel has hue 0 and stands with the reds. With `greys`, pixels of little colour (S < .1 or V < .2) have bins
    of their own behind the others, by value; the others divide what is left, and the first hue bin is centred on red
    (Smith and Chang 1996: 18, 3, 3, 4).
    >>> HsvHistogram(hues=2, saturations=1, values=2).of(Image.of([[[255, 0, 0], [0, 0, 255], [9, 9, 9]]]))
    array([1, 1, 0, 1])
    """

    name: ClassVar[str] = "hsv-histogram"
    source: ClassVar[str] = "Swain and Ballard 1991; Smith and Chang 1996"
    counts: ClassVar[bool] = True
    distance: ClassVar[str] = "l1"
    least: ClassVar = {"hues": 1, "saturations": 1, "values": 1, "greys": 0}
    most: ClassVar = {"hues": 360, "saturations": 64, "values": 64, "greys": 256}

    hues: int = 16
    saturations: int = 4
    values: int = 4
    greys: int = 0

    @property
    def size(self) -> int:
        return self._coloured + self.greys

    @property
    def _coloured(self) -> int:
        return self.hues * self.saturations * self.values

    def of(self, image: Image) -> IntArray:
        hue, saturation, value = np.moveaxis(image.hsv, -1, 0)
        if self.greys:
            grey = (saturation < GREY) | (value < DARK)
            centred = np.mod(hue + 0.5 / self.hues, 1.0)
            coloured = self._index(centred, np.maximum(saturation, GREY), np.maximum(value, DARK), GREY, DARK)
            index = np.where(grey, self._coloured + bin_of(value, self.greys), coloured)
        else:
            index = self._index(hue, saturation, value)
        return np.bincount(index.ravel(), minlength=self.size)

    def _index(
        self, hue: Channel, saturation: Channel, value: Channel, palest: float = 0.0, darkest: float = 0.0
    ) -> IntArray:
        first = bin_of(hue, self.hues) * self.saturations + bin_of(saturation, self.saturations, palest)
        return first * self.values + bin_of(value, self.values, darkest)


@dataclass(frozen=True)
class OpponentHistogram(Descriptor):
    """Counts of pixels in equal bins of R - G, R + G - 2B and R + G + B, the first slowest.

    Photos crowd the middle bins of the first two, so few bins are coarser than they look.
    >>> np.flatnonzero(OpponentHistogram(bins=2).of(Image.of([[0, 255]])))
    array([6, 7])
    """

    name: ClassVar[str] = "opponent-histogram"
    source: ClassVar[str] = "van de Sande, Gevers and Snoek 2010"
    counts: ClassVar[bool] = True
    distance: ClassVar[str] = "js"
    least: ClassVar = {"bins": 1}
    most: ClassVar = {"bins": 64}

    bins: int = 8

    @property
    def size(self) -> int:
        return self.bins**3

    def of(self, image: Image) -> IntArray:
        """One count for each bin; whole numbers all the way, so no pixel moves by rounding."""
        red, green, blue = (image.rgb[..., channel].astype(np.int32) for channel in range(3))
        first = self._bin(red - green + 255, 510)
        second = self._bin(red + green - 2 * blue + 510, 1020)
        index = (first * self.bins + second) * self.bins + self._bin(red + green + blue, 765)
        return np.bincount(index.ravel(), minlength=self.size)

    def _bin(self, values: np.ndarray, highest: int) -> np.ndarray:
        return np.minimum(self.bins - 1, values * self.bins // highest)


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
        return 9 * self.grid**2

    @property
    def z(self) -> bool:
        return self.grid == 1

    def of(self, image: Image) -> FloatArray:
        moments = []
        for cell in picture_cells(getattr(image, self.space), self.grid):
            if not cell.size:
                moments += [np.zeros(9)]
                continue
            values = cell.reshape(-1, 3).astype(np.float64)
            mean = values.mean(axis=0)
            around = values - mean
            squares = around * around
            moments += [mean, np.sqrt(squares.mean(axis=0)), np.cbrt((squares * around).mean(axis=0))]
        return np.concatenate(moments)


LAYOUT_SIDE = 8
YCBCR = np.array([[0.299, 0.587, 0.114], [-0.168736, -0.331264, 0.5], [0.5, -0.418688, -0.081312]])
YCBCR_OFFSET = np.array([0.0, 128.0, 128.0])
LAYOUT_WEIGHTS = ((2.0, 2.0, 2.0), (2.0, 1.0, 1.0), (4.0, 2.0, 2.0))  # of the first coefficients of Y, Cb, Cr; then 1


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
    most: ClassVar = {"luma": LAYOUT_SIDE**2, "chroma": LAYOUT_SIDE**2}

    luma: int = 6
    chroma: int = 3

    @property
    def size(self) -> int:
        """Those of Y and twice those of a colour difference."""
        return self.luma + 2 * self.chroma

    @property
    def distance(self) -> str:
        ends = (0, self.luma, self.luma + self.chroma, self.size)
        return " + ".join(f"l2[{start}:{end}]" for start, end in pairwise(ends))

    def of(self, image: Image) -> FloatArray:
        """Coefficients of Y, Cb, Cr, times the root of their weights."""
        from scipy.fft import dctn

        planes = image.shrunk(LAYOUT_SIDE, LAYOUT_SIDE).astype(np.float64) @ YCBCR.T + YCBCR_OFFSET
        waves = dctn(planes, axes=(0, 1), norm="ortho")
        ordered = waves.reshape(LAYOUT_SIDE**2, 3)[_zigzag()]
        parts = []
        for plane, count in enumerate((self.luma, self.chroma, self.chroma)):
            weights = np.ones(max(count, 3))
            weights[:3] = LAYOUT_WEIGHTS[plane]
            parts.append(ordered[:count, plane] * np.sqrt(weights[:count]))
        return np.concatenate(parts)


@cache
def _zigzag() -> IntArray:
    """Positions in the order (0,0) (0,1) (1,0) (2,0) (1,1) (0,2) ..."""
    places = [(row, column) for row in range(LAYOUT_SIDE) for column in range(LAYOUT_SIDE)]
    places.sort(key=lambda at: (sum(at), at[0] if sum(at) % 2 else -at[0]))
    return np.array([row * LAYOUT_SIDE + column for row, column in places])


SCALABLE_HUES, SCALABLE_SATURATIONS, SCALABLE_VALUES = 16, 4, 4
SCALABLE_LEVELS = 15  # 4 bits
HAAR_STEPS = (2, 2, 2, 2, 1, 1, 0, 0)  # along hue four times, then saturation, then value


@dataclass(frozen=True)
class ScalableColour(Descriptor):
    """HSV 16x4x4 in 4 bits a bin, then sums and differences of neighbours (Haar), the coarse ones first.

    A level is min(15, floor(15 sqrt(share / .25) + .5)): without such companding the transform only loses. The first
    16, 32, 64 or 128 coefficients are the descriptor at a lower resolution.
    >>> ScalableColour(16).of(Image.of([[0, 0], [0, 0]]))
    array([15, 15, 15,  0, 15,  0,  0,  0, 15,  0,  0,  0,  0,  0,  0,  0])
    """

    name: ClassVar[str] = "scalable-colour"
    source: ClassVar[str] = "MPEG-7, ISO 15938-3"
    distance: ClassVar[str] = "l1"
    choices: ClassVar = {"coefficients": (16, 32, 64, 128, 256)}

    coefficients: int = 256

    @property
    def size(self) -> int:
        return self.coefficients

    def of(self, image: Image) -> IntArray:
        """The last sum, then the differences from coarse to fine."""
        counts = HsvHistogram(SCALABLE_HUES, SCALABLE_SATURATIONS, SCALABLE_VALUES).of(image)
        share = counts.reshape(SCALABLE_HUES, SCALABLE_SATURATIONS, SCALABLE_VALUES).transpose(2, 1, 0) / image.pixels
        sums = companded_levels(share, SCALABLE_LEVELS)
        differences = []
        for axis in HAAR_STEPS:
            even, odd = (sums.take(range(first, sums.shape[axis], 2), axis) for first in (0, 1))
            differences.append((even - odd).ravel())
            sums = even + odd
        return np.concatenate([sums.ravel(), *reversed(differences)])[: self.coefficients]


CORRELOGRAM_COLOURS = 64
CORRELOGRAM_DISTANCES = (1, 3, 5, 7)


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
    size: ClassVar[int] = CORRELOGRAM_COLOURS * len(CORRELOGRAM_DISTANCES)
    distance: ClassVar[str] = "d1"
    choices: ClassVar = {"colours": ("hsv", "rgb")}

    colours: str = "hsv"

    def of(self, image: Image) -> FloatArray:
        """One share for each distance and colour."""
        if self.colours == "rgb":
            red, green, blue = np.moveaxis(image.rgb >> 6, -1, 0)
            index = (red << 4) | (green << 2) | blue
        else:
            hue, saturation, value = np.moveaxis(image.hsv, -1, 0)
            index = ((bin_of(hue, 8) * 2 + bin_of(saturation, 2)) * 4 + bin_of(value, 4)).astype(np.uint8)
        pixels = np.bincount(index.ravel(), minlength=CORRELOGRAM_COLOURS)
        return np.concatenate(
            [_same_colour_pairs(index, reach) / (8 * reach * np.maximum(pixels, 1)) for reach in CORRELOGRAM_DISTANCES]
        )


def _same_colour_pairs(index: NDArray[np.uint8], reach: int) -> IntArray:
    """Ordered pairs of one colour at this distance, by colour: those of half the ring, twice."""
    hits = np.zeros(index.shape, dtype=np.uint8)  # at most 4 x 7 a pixel
    height, width = index.shape
    sides = [(down, side) for down in range(1, reach) for side in (-reach, reach)]
    half_ring = [(0, reach), *sides, *((reach, right) for right in range(-reach, reach + 1))]
    for down, right in half_ring:  # one of each two opposite steps: 4 x reach of the 8 x reach
        if down >= height or abs(right) >= width:
            continue
        here = (slice(0, height - down), slice(max(0, -right), width - max(0, right)))
        there = (slice(down, height), slice(max(0, right), width - max(0, -right)))
        hits[here] += index[here] == index[there]
    return 2 * np.bincount(index.ravel(), weights=hits.ravel(), minlength=CORRELOGRAM_COLOURS).astype(np.int64)


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
        return self.side**2 * (1 if self.colour == "grey" else 3)

    def of(self, image: Image) -> FloatArray:
        """Row by row; red, green, blue of an area stand together."""
        small = image.area(self.area).shrunk(self.side, self.side).astype(np.float64)
        return (luminance(small) if self.colour == "grey" else small).ravel()
