"""Descriptors of edges and texture (edge histogram, Tamura, Gabor, LBP, HOG, gist), and of colour and texture
together (CEDD, FCTH, JCD).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.engines.images.descriptors import (
    Descriptor,
    bin_of,
    companded_levels,
    picture_cells,
    pixel_squares,
    ramp,
)
from rankscope.engines.images.image import AREAS, Image, hsv, luminance, opencv, scikit_image, shrunk

# Five kinds of edge in a square of four luminances, as MPEG-7 filters them.

ROOT = float(np.sqrt(2.0))
VERTICAL = (1.0, -1.0, 1.0, -1.0)
HORIZONTAL = (1.0, 1.0, -1.0, -1.0)
RISING = (ROOT, 0.0, 0.0, -ROOT)  # 45 degrees
FALLING = (0.0, ROOT, -ROOT, 0.0)  # 135 degrees
NO_DIRECTION = (2.0, -2.0, -2.0, 2.0)


def edge_strengths(quarters: FloatArray, filters: tuple[tuple[float, ...], ...]) -> FloatArray:
    """|Response| of each filter, last axis, to luminances in the order a0 a1 / a2 a3 of the last axis.

    >>> edge_strengths(np.array([[0.0, 255.0, 0.0, 255.0]]), (VERTICAL, HORIZONTAL, NO_DIRECTION))
    array([[510.,   0.,   0.]])
    """
    return np.abs(quarters @ np.array(filters).T)


EDGE_SIDE = 4  # sub-images a side
EDGE_TYPES = 5
EDGE_FILTERS = (VERTICAL, HORIZONTAL, RISING, FALLING, NO_DIRECTION)
WEAKEST_EDGE = 11.0  # a strongest response below this is no edge
EDGE_GLOBAL_WEIGHT = 5
EDGE_CORNERS = ((0, 0), (0, 2), (2, 0), (2, 2), (1, 1))  # top left of the groups of 2 x 2 sub-images


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
        return EDGE_TYPES * (EDGE_SIDE**2 + 14) if self.form == "extended" else EDGE_TYPES * EDGE_SIDE**2

    def of(self, image: Image) -> FloatArray:
        """Sub-images slowest, row by row."""
        local = self._local(image)
        return _extended_edges(local) if self.form == "extended" else local.ravel()

    def _local(self, image: Image) -> FloatArray:
        """Sub-image rows by columns by types."""
        half = max(1, int(np.sqrt(image.pixels / self.blocks) / 2))
        quarters = pixel_squares(image.luminance, half).mean(axis=(2, 3))
        blocks = pixel_squares(quarters, 2)
        rows, columns = blocks.shape[:2]
        if not rows * columns:
            return np.zeros((EDGE_SIDE, EDGE_SIDE, EDGE_TYPES))
        place = EDGE_SIDE * (EDGE_SIDE * np.arange(rows) // rows)[:, None] + EDGE_SIDE * np.arange(columns) // columns
        # The edge type of each block, -1 for none.
        found = edge_strengths(blocks.reshape(-1, 4), EDGE_FILTERS)
        types = np.where(found.max(axis=1) >= WEAKEST_EDGE, found.argmax(axis=1), -1)
        place = place.ravel()
        counts, edge = np.bincount(place, minlength=EDGE_SIDE**2), types >= 0
        edges = np.bincount(place[edge] * EDGE_TYPES + types[edge], minlength=EDGE_SIDE**2 * EDGE_TYPES)
        shares = edges.reshape(EDGE_SIDE**2, EDGE_TYPES) / np.maximum(counts, 1)[:, None]
        return shares.reshape(EDGE_SIDE, EDGE_SIDE, EDGE_TYPES)


def _extended_edges(local: FloatArray) -> FloatArray:
    groups_of_four = [local[row : row + 2, column : column + 2].mean(axis=(0, 1)) for row, column in EDGE_CORNERS]
    return np.concatenate(
        [
            local.ravel(),
            EDGE_GLOBAL_WEIGHT * local.mean(axis=(0, 1)),
            local.mean(axis=1).ravel(),
            local.mean(axis=0).ravel(),
            *groups_of_four,
        ]
    )


# Coarseness, contrast and direction, as people see them in textures.

TAMURA_SCALES = 5
TAMURA_DIRECTIONS = 16
TAMURA_SHARE_WEIGHT = 8
WEAKEST_GRADIENT = 12.0  # gradients below this have no direction
TAMURA_WINDOW, TAMURA_CONTRASTS, TAMURA_ANGLES = 13, 8, 8  # of the joint histogram
EXACT_PLACES = 6  # luminances are whole thousandths
PREWITT = np.array([[-1.0, 0.0, 1.0]] * 3)


@dataclass(frozen=True)
class Tamura(Descriptor):
    """Mean coarseness, contrast, and a histogram of 16 directions; or the three of every pixel in a joint histogram.

    `values`: 18 numbers, the first two scaled over the collection, the shares of the directions times 8. `histogram`:
    counts of 5 coarsenesses x 8 contrasts x 8 directions, compared by `js`.
    >>> flat = Tamura().of(Image.of(np.full((8, 8), 77)))
    >>> flat[0].item(), flat[1:].any().item()
    (2.0, False)
    """

    name: ClassVar[str] = "tamura"
    source: ClassVar[str] = "Tamura, Mori and Yamawaki 1978; joint histogram Deselaers et al. 2008"
    choices: ClassVar = {"form": ("values", "histogram")}

    form: str = "values"

    @property
    def size(self) -> int:
        return 2 + TAMURA_DIRECTIONS if self.form == "values" else TAMURA_SCALES * TAMURA_CONTRASTS * TAMURA_ANGLES

    @property
    def distance(self) -> str:
        return "l1" if self.form == "values" else "js"

    @property
    def counts(self) -> bool:
        return self.form == "histogram"

    @property
    def z(self) -> bool:
        return self.form == "values"

    @property
    def z_columns(self) -> slice:
        return slice(0, 2)

    def of(self, image: Image) -> Any:
        """The values, or one count for each bin."""
        plane = image.luminance
        scale = _tamura_scale(plane)
        if self.form == "histogram":
            return _tamura_joint(plane, scale)
        # Deviation over the fourth root of the kurtosis; 0 in a flat picture.
        around = plane - plane.mean()
        variance, fourth = np.mean(around**2), np.mean(around**4)
        contrast = float(variance / fourth**0.25) if fourth > 0 else 0.0
        # Shares of 16 directions among the pixels with a clear one; all 0 where there is none.
        strength, angle = _gradients(plane)
        clear = bin_of(angle[strength >= WEAKEST_GRADIENT], TAMURA_DIRECTIONS, 0.0, np.pi)
        found = np.bincount(clear, minlength=TAMURA_DIRECTIONS)
        directions = found / max(1, int(found.sum()))
        return np.array([np.mean(2.0**scale), contrast, *TAMURA_SHARE_WEIGHT * directions])


def _tamura_scale(plane: FloatArray) -> IntArray:
    """The k from 1 to 5 at which means over 2^k x 2^k pixels differ most between the two sides; the first on ties."""
    from scipy.ndimage import uniform_filter

    def differences(k: int) -> FloatArray:
        means, half = uniform_filter(plane, size=2**k, mode="nearest"), 2 ** (k - 1)
        sides = [np.abs(np.roll(means, -half, axis) - np.roll(means, half, axis)) for axis in (0, 1)]
        return np.maximum(*sides)

    return 1 + np.argmax([differences(k) for k in range(1, TAMURA_SCALES + 1)], axis=0)


def _gradients(plane: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Strength, and direction from 0 to pi.

    Upright and level edges lie on the border of two bins: rounding keeps the last bits from choosing between them.
    """
    cv2 = opencv()
    found = (np.asarray(cv2.filter2D(plane, -1, kernel)) for kernel in (PREWITT, PREWITT.T.copy()))
    across, down = (np.round(each, EXACT_PLACES) for each in found)
    return (np.abs(across) + np.abs(down)) / 2, np.mod(np.arctan2(down, across) + np.pi / 2, np.pi)


def _tamura_joint(plane: FloatArray, scale: IntArray) -> IntArray:
    from scipy.ndimage import uniform_filter

    # The contrast of the window around each pixel, from its moments.
    centred = plane - plane.mean()
    m1, m2, m3, m4 = (uniform_filter(centred**power, size=TAMURA_WINDOW, mode="nearest") for power in (1, 2, 3, 4))
    variance = np.maximum(m2 - m1**2, 0.0)
    fourth = m4 - 4 * m1 * m3 + 6 * m1**2 * m2 - 3 * m1**4
    kurtosis = np.divide(fourth, variance**2, out=np.ones_like(fourth), where=variance > 1e-6)
    local_contrast = np.sqrt(variance) / np.maximum(kurtosis, 1.0) ** 0.25
    contrast = np.minimum(TAMURA_CONTRASTS - 1, np.floor(np.log2(1 + local_contrast) * TAMURA_CONTRASTS / 6.5))
    angle = bin_of(_gradients(plane)[1], TAMURA_ANGLES, 0.0, np.pi)
    index = ((scale - 1) * TAMURA_CONTRASTS + contrast.astype(np.int64)) * TAMURA_ANGLES + angle
    return np.bincount(index.ravel(), minlength=TAMURA_SCALES * TAMURA_CONTRASTS * TAMURA_ANGLES)


GABOR_LOWEST, GABOR_HIGHEST = 0.05, 0.4  # cycles a pixel


@dataclass(frozen=True)
class Gabor(Descriptor):
    """Mean and standard deviation of the magnitude of each filter, in grey levels, scale slowest from fine to coarse.

    >>> Gabor().of(Image.of(np.zeros((8, 8)))).any().item()
    False
    """

    name: ClassVar[str] = "gabor"
    source: ClassVar[str] = "Manjunath and Ma 1996"
    distance: ClassVar[str] = "l1"
    least: ClassVar = {"scales": 2, "orientations": 2}
    most: ClassVar = {"scales": 12, "orientations": 36}

    scales: int = 4
    orientations: int = 6

    @property
    def size(self) -> int:
        return 2 * self.scales * self.orientations

    def of(self, image: Image) -> FloatArray:
        """Mean, deviation, filter by filter."""
        bank = GaborBank(self.scales, self.orientations, GABOR_LOWEST, GABOR_HIGHEST)
        return np.array([(found.mean(), found.std()) for found in bank.magnitudes(image.luminance)]).ravel()


# Waves of several lengths and directions, as filters in the frequency plane.

KEPT_SIZES = 4
KEPT_PIXELS = 1 << 18  # filters of larger pictures are made one by one


@dataclass(frozen=True)
class GaborBank:
    """Filters in cycles a pixel, so that portrait and landscape pictures get the same ones.

    They are one-sided: the answer of a real picture is complex and its magnitude smooth. Neighbours touch at half their
    height (Manjunath and Ma 1996).
    """

    scales: int
    orientations: int
    lowest: float
    highest: float

    def magnitudes(self, plane: FloatArray) -> Iterator[FloatArray]:
        """How strongly each filter answers at each pixel, scale by scale from fine to coarse; the borders wrap.

        >>> bank = GaborBank(scales=2, orientations=3, lowest=.05, highest=.4)
        >>> [found.shape for found in bank.magnitudes(np.zeros((4, 5)))] == 6 * [(4, 5)]
        True
        """
        from scipy.fft import fft2, ifft2

        waves = fft2(plane)
        remembered = plane.size <= KEPT_PIXELS
        for each in _remembered_filters(self, *plane.shape) if remembered else self.filters(*plane.shape):
            yield np.abs(ifft2(waves * each))

    def filters(self, height: int, width: int) -> Iterator[FloatArray]:
        """A Gaussian on the frequency plane for each scale and orientation."""
        along, across = self._widths()
        down, right = np.fft.fftfreq(height)[:, None], np.fft.fftfreq(width)[None, :]
        for shrink in self._step ** np.arange(self.scales):
            for turn in np.pi * np.arange(self.orientations) / self.orientations:
                forward = right * np.cos(turn) + down * np.sin(turn) - self.highest / shrink
                sideways = down * np.cos(turn) - right * np.sin(turn)
                exponent = (forward * shrink / along) ** 2 + (sideways * shrink / across) ** 2
                yield np.exp(-0.5 * np.minimum(exponent, 1400.0))  # no underflow

    @property
    def _step(self) -> float:
        return float((self.highest / self.lowest) ** (1 / (self.scales - 1)))

    def _widths(self) -> tuple[float, float]:
        """Deviations along the wave and across it, at the finest scale."""
        step, twice = self._step, 2 * np.log(2)
        along = (step - 1) * self.highest / ((step + 1) * np.sqrt(twice))
        across = np.tan(np.pi / (2 * self.orientations)) * (self.highest - twice * along**2 / self.highest)
        return float(along), float(across / np.sqrt(twice - (twice * along / self.highest) ** 2))


@lru_cache(maxsize=KEPT_SIZES)
def _remembered_filters(bank: GaborBank, height: int, width: int) -> tuple[FloatArray, ...]:
    return tuple(bank.filters(height, width))


GIST_SIDE, GIST_GRID = 128, 4
GIST_BANK = GaborBank(scales=4, orientations=8, lowest=0.03, highest=0.35)
GIST_SIGMA, GIST_LEAST_CONTRAST = 8, 0.2


@dataclass(frozen=True)
class Gist(Descriptor):
    """Mean magnitude of 32 Gabor filters in 4 x 4 cells, after local contrast has been evened out; filter slowest.

    It follows the idea of Oliva and Torralba, not their code: figures of papers that use that do not transfer.
    >>> Gist().of(Image.of(np.full((5, 9), 200))).round(4).any().item()
    False
    """

    name: ClassVar[str] = "gist"
    source: ClassVar[str] = "after Oliva and Torralba 2001"
    size: ClassVar[int] = GIST_BANK.scales * GIST_BANK.orientations * GIST_GRID**2
    distance: ClassVar[str] = "l1"

    def of(self, image: Image) -> FloatArray:
        from scipy.ndimage import gaussian_filter

        # Log luminance minus its local mean, over its local root mean square.
        logs = np.log1p(luminance(image.shrunk(GIST_SIDE, GIST_SIDE)))
        around: FloatArray = logs - gaussian_filter(logs, GIST_SIGMA, mode="reflect")
        spread = np.sqrt(np.maximum(gaussian_filter(around**2, GIST_SIGMA, mode="reflect"), 0.0))
        plane = around / (GIST_LEAST_CONTRAST + spread)
        means = [
            pixel_squares(found, GIST_SIDE // GIST_GRID).mean(axis=(2, 3)).ravel()
            for found in GIST_BANK.magnitudes(plane)
        ]
        return np.concatenate(means)


LBP_RINGS = {"upright": ((8, 1),), "turned": ((8, 1), (16, 2), (24, 3))}  # neighbours and radius


@dataclass(frozen=True)
class Lbp(Descriptor):
    """Counts of uniform patterns, those with at most two changes around the ring, and one bin for the rest.

    `upright`: 59 patterns of 8 neighbours, which a turn changes. `turned`: 10 + 18 + 26 patterns of 8, 16 and 24
    neighbours, the same for every turn, which loses on photos: they have an up. A grid counts each cell apart.
    >>> Lbp().of(Image.of(np.zeros((4, 4)))).sum().item(), Lbp("turned").size, Lbp(grid=4).size
    (16, 54, 944)
    """

    name: ClassVar[str] = "lbp"
    source: ClassVar[str] = "Ojala, Pietikäinen and Mäenpää 2002"
    counts: ClassVar[bool] = True
    choices: ClassVar = {"patterns": tuple(LBP_RINGS)}
    least: ClassVar = {"grid": 1}
    most: ClassVar = {"grid": 16}

    patterns: str = "upright"
    grid: int = 1

    @property
    def size(self) -> int:
        return self.grid**2 * sum(self._bins)

    @property
    def distance(self) -> str:
        return "chi2" if self.grid == 1 else "l1"

    @property
    def _bins(self) -> list[int]:
        upright = self.patterns == "upright"
        return [points * (points - 1) + 3 if upright else points + 2 for points, _ in LBP_RINGS[self.patterns]]

    def of(self, image: Image) -> IntArray:
        """One count for each pattern, cells slowest, then rings."""
        method = "nri_uniform" if self.patterns == "upright" else "uniform"
        patterns = scikit_image("feature").local_binary_pattern
        rings = [patterns(image.grey, points, radius, method) for points, radius in LBP_RINGS[self.patterns]]
        counted = [
            [np.bincount(cell.astype(np.int64).ravel(), minlength=bins) for cell in picture_cells(ring, self.grid)]
            for ring, bins in zip(rings, self._bins, strict=True)
        ]
        return np.concatenate([part for cell in zip(*counted, strict=True) for part in cell])


HOG_ORIENTATIONS = 9
HOG_BLOCK = 2


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
        if self.side < HOG_BLOCK * self.cell:
            raise SettingError(
                f"hog: side must be at least {HOG_BLOCK} cells, got side {self.side} and cell {self.cell}"
            )

    @property
    def size(self) -> int:
        """Blocks overlap: one fewer a side than cells."""
        return (self.side // self.cell - HOG_BLOCK + 1) ** 2 * HOG_BLOCK**2 * HOG_ORIENTATIONS

    def of(self, image: Image) -> FloatArray:
        """Block by block, cell by cell, nine directions each."""
        found = scikit_image("feature").hog(
            luminance(image.area(self.area).shrunk(self.side, self.side)),
            orientations=HOG_ORIENTATIONS,
            pixels_per_cell=(self.cell, self.cell),
            cells_per_block=(HOG_BLOCK, HOG_BLOCK),
            block_norm="L2-Hys",
        )
        return np.asarray(found, dtype=np.float64)


BLOCKS = 40
CEDD_TEXTURES, COLOURS = 6, 24
CEDD_FILTERS = (NO_DIRECTION, HORIZONTAL, VERTICAL, RISING, FALLING)
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
    found = edge_strengths(pixel_squares(luminance(quarters), 2).reshape(-1, 4), CEDD_FILTERS)
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
