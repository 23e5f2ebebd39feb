"""How the heights over the tangents change along the outline, as magnitudes of harmonics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.engines.images.descriptors.descriptor import Descriptor
from rankscope.engines.images.image import Image
from rankscope.engines.images.shapes.contour import outline_points
from rankscope.engines.images.shapes.heights import heights
from rankscope.engines.images.shapes.silhouette import silhouette

POINTS, RUNS, HARMONICS = 128, 16, 12


@dataclass(frozen=True)
class HeightSpectrum(Descriptor):
    """For each point of the outline the heights of the others over its tangent; the spectrum of that along the outline.

    Shift, turn, size, mirroring and the point of start change little. The best vector for silhouettes here; height
    matching is better still, but compares shapes pair by pair.
    """

    name: ClassVar[str] = "height-spectrum"
    source: ClassVar[str] = "after Wang, Bai et al. 2012 (height functions)"
    distance: ClassVar[str] = "l1"
    size: ClassVar[int] = HARMONICS * RUNS // 2

    def of(self, image: Image) -> FloatArray:
        """12 harmonics by 8 runs, the harmonic slowest; zeros for an object of one or two pixels."""
        return spectrum(outline_points(silhouette(image.grey), POINTS))


def spectrum(points: FloatArray) -> FloatArray:
    """Magnitudes of the first harmonics of each run of heights; a run and its mirror image are averaged."""
    found = heights(points[None], RUNS)[0]
    largest = np.abs(found).max(axis=0)
    scaled = found / np.where(largest > 0, largest, 1.0)
    terms = np.abs(np.fft.fft(scaled, axis=0))[:HARMONICS] / len(points)
    return ((terms + terms[:, ::-1]) / 2)[:, : RUNS // 2].ravel()
