"""Descriptors of silhouettes: harmonics of the outline, moments over the unit disc, heights, the object itself as a
small
picture; and the object in a picture, its outline, and what can be measured on both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from math import factorial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import BoolArray, FloatArray
from rankscope.engines.images.descriptors import Descriptor, Vector
from rankscope.engines.images.image import Image, opencv, pillow, shrunk

# Harmonics of the outline of an object: two readings of it.

POINTS = 128


@dataclass(frozen=True)
class FourierCentroid(Descriptor):
    """How the distance from the centre changes along the outline: magnitudes of its harmonics over that of the mean.

    Shift, turn, size and mirroring of the object change nothing but the rounding to pixels.
    """

    name: ClassVar[str] = "fourier-centroid"
    source: ClassVar[str] = "Zhang and Lu 2003"
    distance: ClassVar[str] = "l1"
    size: ClassVar[int] = POINTS // 2 - 1

    def of(self, image: Image) -> FloatArray:
        """63 harmonics; zeros for an object of one or two pixels."""
        points = outline_points(silhouette(image.grey), POINTS)
        terms = np.abs(np.fft.fft(np.hypot(*(points - points.mean(axis=0)).T)))
        return _harmonic_shares(terms[1 : POINTS // 2], float(terms[0]))


@dataclass(frozen=True)
class FourierComplex(Descriptor):
    """The outline as a closed path of complex numbers: magnitudes of its harmonics, 16 each way round.

    Invariant as the other, as cheap, and better. Mirroring exchanges nothing, because magnitudes of a path and of its
    mirror image run the other way round are the same.
    """

    name: ClassVar[str] = "fourier-complex"
    source: ClassVar[str] = "Granlund 1972; Persoon and Fu 1977"
    distance: ClassVar[str] = "l1"
    least: ClassVar = {"harmonics": 1}
    most: ClassVar = {"harmonics": POINTS // 2 - 1}

    harmonics: int = 16

    @property
    def size(self) -> int:
        return 2 * self.harmonics

    def of(self, image: Image) -> FloatArray:
        """Harmonics 1, 2, ... and then -1, -2, ...; zeros for an object of one or two pixels."""
        points = outline_points(silhouette(image.grey), POINTS)
        path = points[:, 0] + 1j * points[:, 1]
        terms = np.abs(np.fft.fft(path - path.mean()))
        kept = np.concatenate([terms[1 : self.harmonics + 1], terms[-1 : -self.harmonics - 1 : -1]])
        return _harmonic_shares(kept, float(max(terms[1], terms[-1])))


def _harmonic_shares(terms: FloatArray, whole: float) -> FloatArray:
    return terms / whole if whole > 0 else np.zeros_like(terms)


@dataclass(frozen=True)
class Zernike(Descriptor):
    """Magnitudes of the Zernike moments up to an order, over that of the area; (0, 0) and (1, 1) tell nothing.

    `scale` z divides each by its deviation over the collection. Orders above 12 lower the result.
    """

    name: ClassVar[str] = "zernike"
    source: ClassVar[str] = "Khotanzad and Hong 1990; Kim and Kim 2000"
    distance: ClassVar[str] = "l1"
    choices: ClassVar = {"scale": ("none", "z")}
    least: ClassVar = {"order": 2}
    most: ClassVar = {"order": 20}

    order: int = 10
    scale: str = "none"

    @property
    def size(self) -> int:
        return len(_zernike_kinds(self.order)) - 2

    @property
    def z(self) -> bool:
        return self.scale == "z"

    def of(self, image: Image) -> FloatArray:
        """The magnitudes, by order and then by turns; zeros without an object."""
        found = moment_magnitudes(on_unit_disc(silhouette(image.grey)), _zernike_basis(self.order))
        return np.delete(found, _zernike_kinds(self.order).index((1, 1)))[1:]


def zernike_radial(order: int, turns: int, radius: FloatArray) -> FloatArray:
    """The radial polynomial of a Zernike moment.

    >>> zernike_radial(4, 0, np.array([0.0, 1.0])).tolist()  # 6 r^4 - 6 r^2 + 1
    [1.0, 1.0]
    """
    high, low = (order + turns) // 2, (order - turns) // 2
    total = np.zeros_like(radius)
    for step in range(low + 1):
        shares = factorial(step) * factorial(high - step) * factorial(low - step)
        total += (-1) ** step * (factorial(order - step) // shares) * radius ** (order - 2 * step)
    return total


def _zernike_kinds(order: int) -> list[tuple[int, int]]:
    return [(n, m) for n in range(order + 1) for m in range(n + 1) if (n - m) % 2 == 0]


@lru_cache(maxsize=4)
def _zernike_basis(order: int) -> NDArray[Any]:
    """The conjugate polynomials on the grid, one row each."""
    radius, angle, inside = unit_disc(DISC_SIDE)
    rows = [
        (n + 1) / np.pi * zernike_radial(n, m, radius) * np.exp(-1j * m * angle) * inside
        for n, m in _zernike_kinds(order)
    ]
    return np.stack(rows).reshape(len(rows), -1)


RADIAL_WAVES, ANGULAR_WAVES = 3, 12


@dataclass(frozen=True)
class AngularRadial(Descriptor):
    """Magnitudes of the angular radial transform, 3 radial by 12 angular waves, over that of the area."""

    name: ClassVar[str] = "angular-radial"
    source: ClassVar[str] = "MPEG-7 (ISO 15938-3); Bober 2001"
    distance: ClassVar[str] = "l1"
    size: ClassVar[int] = RADIAL_WAVES * ANGULAR_WAVES - 1

    def of(self, image: Image) -> FloatArray:
        """35 magnitudes, the radial wave slowest; zeros without an object."""
        return moment_magnitudes(on_unit_disc(silhouette(image.grey)), _angular_radial_basis())[1:]


@cache
def _angular_radial_basis() -> NDArray[Any]:
    """The conjugate waves on the grid, one row each; the first is the area."""
    radius, angle, inside = unit_disc(DISC_SIDE)
    waves = [np.ones_like(radius), *(2 * np.cos(np.pi * n * radius) for n in range(1, RADIAL_WAVES))]
    rows = [wave * np.exp(-1j * m * angle) * inside / (2 * np.pi) for wave in waves for m in range(ANGULAR_WAVES)]
    return np.stack(rows).reshape(len(rows), -1)


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
        return self.side**2

    def of(self, image: Image) -> Vector:
        """Shares (stretch) or grey values (square), row by row."""
        if self.fit == "square":
            # All light pixels, not only the largest part, in the middle of a black square.
            light = object_box(image.grey > FRAME_THRESHOLD)
            spare = [max(light.shape) - each for each in light.shape]
            square = np.pad(light, [(each // 2, each - each // 2) for each in spare]).astype(np.uint8) * 255
            picture = pillow("Image")
            small = picture.fromarray(square).resize((self.side, self.side), picture.Resampling.BICUBIC)
            return np.asarray(small, dtype=np.uint8).astype(np.int64).ravel()
        return shrunk(object_box(silhouette(image.grey)), self.side, self.side).astype(np.float64).ravel()


HEIGHT_POINTS, HEIGHT_RUNS, HEIGHT_HARMONICS = 128, 16, 12


@dataclass(frozen=True)
class HeightSpectrum(Descriptor):
    """For each point of the outline the heights of the others over its tangent; the spectrum of that along the outline.

    Shift, turn, size, mirroring and the point of start change little. The best vector for silhouettes here; height
    matching is better still, but compares shapes pair by pair.
    """

    name: ClassVar[str] = "height-spectrum"
    source: ClassVar[str] = "after Wang, Bai et al. 2012 (height functions)"
    distance: ClassVar[str] = "l1"
    size: ClassVar[int] = HEIGHT_HARMONICS * HEIGHT_RUNS // 2

    def of(self, image: Image) -> FloatArray:
        """12 harmonics by 8 runs, the harmonic slowest; zeros for an object of one or two pixels."""
        return height_spectrum(outline_points(silhouette(image.grey), HEIGHT_POINTS))


def height_spectrum(points: FloatArray) -> FloatArray:
    """Magnitudes of the first harmonics of each run of heights; a run and its mirror image are averaged."""
    found = heights(points[None], HEIGHT_RUNS)[0]
    largest = np.abs(found).max(axis=0)
    scaled = found / np.where(largest > 0, largest, 1.0)
    terms = np.abs(np.fft.fft(scaled, axis=0))[:HEIGHT_HARMONICS] / len(points)
    return ((terms + terms[:, ::-1]) / 2)[:, : HEIGHT_RUNS // 2].ravel()


THRESHOLD = 128
DISC_SIDE = 64  # of the grid over the unit disc
DISC_FINE = 4  # the object is drawn this many times larger, then shrunk by area


def silhouette(grey: NDArray[Any]) -> BoolArray:
    """The pixels of the object: grey values of 128 or more, largest 8-connected part, with a border of one around.

    A picture without any light pixel has no object: all is False.
    >>> silhouette(np.array([[0, 255, 0, 200], [255, 0, 0, 0]])).astype(int)
    array([[0, 0, 0, 0, 0, 0],
           [0, 0, 1, 0, 0, 0],
           [0, 1, 0, 0, 0, 0],
           [0, 0, 0, 0, 0, 0]])
    """
    cv2 = opencv()
    light = np.pad(np.asarray(grey) >= THRESHOLD, 1).astype(np.uint8)
    _, parts, stats, _ = cv2.connectedComponentsWithStats(light, connectivity=8)
    if len(stats) == 1:
        return light > 0
    return parts == 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))


def object_box(mask: BoolArray) -> BoolArray:
    """The smallest upright box around the object; of no object, one pixel that is False.

    >>> object_box(np.array([[0, 0, 0], [0, 1, 1], [0, 0, 0]]) > 0)
    array([[ True,  True]])
    """
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if rows.size == 0:
        return np.zeros((1, 1), dtype=np.bool_)
    return mask[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def on_unit_disc(mask: BoolArray) -> FloatArray:
    """The object on a grid of 64x64 over the square around the unit disc: how much of each cell it covers.

    Its centroid lies in the middle and its farthest pixel, half a pixel added, on the circle. One long thin part
    therefore makes the rest small. No object gives zeros.
    """
    down, across = np.nonzero(mask)
    if down.size == 0:
        return np.zeros((DISC_SIDE, DISC_SIDE))
    y, x = down.mean(), across.mean()
    radius = float(np.hypot(down - y, across - x).max()) + 0.5
    width = DISC_SIDE * DISC_FINE
    scale = 2 * radius / width
    middle = (width - 1) / 2
    back = np.array([[scale, 0, x - scale * middle], [0, scale, y - scale * middle]])
    cv2 = opencv()
    flags = cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP
    drawn = cv2.warpAffine(mask.astype(np.float32), back, (width, width), flags=flags)
    return np.asarray(cv2.resize(drawn, (DISC_SIDE, DISC_SIDE), interpolation=cv2.INTER_AREA), dtype=np.float64)


def outline(mask: BoolArray) -> FloatArray:
    """The border pixels (x, y) of the object in order, always the same way round; holes are ignored.

    An object of one or two pixels has no outline: no point comes back.
    >>> square = np.zeros((4, 4), dtype=bool)
    >>> square[1:3, 1:3] = True
    >>> outline(square).tolist()
    [[1.0, 1.0], [1.0, 2.0], [2.0, 2.0], [2.0, 1.0]]
    """
    cv2 = opencv()
    found, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    points = max((each[:, 0].astype(np.float64) for each in found), key=len, default=np.empty((0, 2)))
    if len(points) < 3:
        return np.empty((0, 2))
    return points if twice_the_area(points) <= 0 else points[::-1]


def twice_the_area(points: FloatArray) -> float:
    """Twice the area inside a closed outline, with a sign that tells which way round it runs.

    >>> twice_the_area(np.array([[0., 0.], [1., 0.], [1., 1.], [0., 1.]]))
    2.0
    """
    x, y = points.T
    return float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


def equidistant_points(points: FloatArray, number: int) -> FloatArray:
    """So many points at equal distances along a closed outline, by linear interpolation; zeros where there is none.

    >>> equidistant_points(np.array([[0., 0.], [4., 0.], [4., 4.], [0., 4.]]), 8)[:3].tolist()
    [[0.0, 0.0], [2.0, 0.0], [4.0, 0.0]]
    """
    if len(points) == 0:
        return np.zeros((number, 2))
    closed = np.concatenate([points, points[:1]])
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(closed, axis=0).T))])
    wanted = np.arange(number) * (along[-1] / number)
    return np.stack([np.interp(wanted, along, axis) for axis in closed.T], axis=1)


def outline_points(mask: BoolArray, number: int) -> FloatArray:
    """Points at equal distances along the outline of an object; zeros for an object of one or two pixels."""
    return equidistant_points(outline(mask), number)


def heights(points: FloatArray, runs: int) -> FloatArray:
    """For each of many outlines (shapes, points, 2): heights over the tangent of each point, averaged in runs.

    The tangent at a point leads from the point before to the point after. The heights of all following points over it,
    in order, are averaged in `runs` runs of nearly equal length: (shapes, points, runs). Outlines without extent give
    zeros.
    """
    count = points.shape[1]
    following = (np.arange(count)[:, None] + np.arange(1, count)) % count  # row i: the points after point i, in order
    ahead = points[:, following]  # (shapes, points, count - 1, 2)
    tangent = np.roll(points, -1, axis=1) - np.roll(points, 1, axis=1)
    length = np.hypot(tangent[..., 0], tangent[..., 1])
    tangent = tangent / np.where(length > 0, length, 1.0)[..., None]
    offset = ahead - points[:, :, None]
    over = tangent[:, :, None, 0] * offset[..., 1] - tangent[:, :, None, 1] * offset[..., 0]
    borders = np.round(np.linspace(0, count - 1, runs + 1)).astype(np.int64)
    return np.add.reduceat(over, borders[:-1], axis=2) / np.diff(borders)


def mirror_images(points: FloatArray) -> FloatArray:
    """The mirror images of outlines, run the same way round as before: points reversed, x negated."""
    return points[:, ::-1] * np.array([-1.0, 1.0])


def unit_disc(side: int) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Radius and angle of the middle of each pixel of a square around the unit disc, and whether it lies inside.

    >>> radius, angle, inside = unit_disc(2)
    >>> radius.round(4).tolist(), int(inside.sum())
    ([[0.7071, 0.7071], [0.7071, 0.7071]], 4)
    """
    middle = (np.arange(side) - (side - 1) / 2) / (side / 2)
    y, x = np.meshgrid(middle, middle, indexing="ij")
    radius = np.hypot(x, y)
    return radius, np.arctan2(y, x), radius <= 1


def moment_magnitudes(drawn: FloatArray, basis: NDArray[Any]) -> FloatArray:
    """Magnitudes of the sums of the object against each row of the basis, over the first; zeros without an object."""
    sums = np.abs(np.einsum("kp,p->k", basis, drawn.ravel()))  # too small a product for several threads
    return sums / sums[0] if sums[0] > 0 else np.zeros(len(basis))
