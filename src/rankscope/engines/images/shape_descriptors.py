"""Descriptors of silhouettes: harmonics of the outline, moments over the unit disc, heights, the object itself as a
small picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from math import factorial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray
from rankscope.engines.images.descriptors import Descriptor, Vector
from rankscope.engines.images.image import Image, pillow, shrunk
from rankscope.engines.images.shapes import (
    DISC_SIDE,
    heights,
    moment_magnitudes,
    object_box,
    on_unit_disc,
    outline_points,
    silhouette,
    unit_disc,
)

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
