"""Harmonics of the outline of an object: two readings of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.engines.images.descriptors.descriptor import Descriptor
from rankscope.engines.images.image import Image
from rankscope.engines.images.shapes.contour import outline_points
from rankscope.engines.images.shapes.silhouette import silhouette

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
        return centroid_harmonics(outline_points(silhouette(image.grey), POINTS))


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
        """Harmonics of both signs."""
        return 2 * self.harmonics

    def of(self, image: Image) -> FloatArray:
        """Harmonics 1, 2, ... and then -1, -2, ...; zeros for an object of one or two pixels."""
        return complex_harmonics(outline_points(silhouette(image.grey), POINTS), self.harmonics)


def centroid_harmonics(points: FloatArray) -> FloatArray:
    """Magnitudes of the harmonics of the distance from the mean point, over that of the mean distance.

    >>> around = np.exp(2j * np.pi * np.arange(8) / 8)
    >>> circle = np.stack([around.real, around.imag], axis=1)
    >>> bool(np.allclose(centroid_harmonics(circle), 0))
    True
    """
    radius = np.hypot(*(points - points.mean(axis=0)).T)
    terms = np.abs(np.fft.fft(radius))
    return _shares(terms[1 : len(points) // 2], float(terms[0]))


def complex_harmonics(points: FloatArray, number: int) -> FloatArray:
    """Magnitudes of the harmonics of x + iy, 1 to `number` and then -1 to -`number`, over the larger of 1 and -1.

    >>> around = np.exp(2j * np.pi * np.arange(8) / 8)
    >>> complex_harmonics(np.stack([around.real, around.imag], axis=1), 2).round(6).tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    path = points[:, 0] + 1j * points[:, 1]
    terms = np.abs(np.fft.fft(path - path.mean()))
    kept = np.concatenate([terms[1 : number + 1], terms[-1 : -number - 1 : -1]])
    return _shares(kept, float(max(terms[1], terms[-1])))


def _shares(terms: FloatArray, whole: float) -> FloatArray:
    return terms / whole if whole > 0 else np.zeros_like(terms)
