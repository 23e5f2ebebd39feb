"""A colour histogram that may be cut short: the coarse part comes first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import IntArray
from rankscope.engines.images.companding import levels
from rankscope.engines.images.descriptors.descriptor import Descriptor
from rankscope.engines.images.descriptors.hsv_histogram import HsvHistogram
from rankscope.engines.images.image import Image

HUES, SATURATIONS, VALUES = 16, 4, 4
LEVELS = 15  # 4 bits
STEPS = (2, 2, 2, 2, 1, 1, 0, 0)  # along hue four times, then saturation, then value


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
        """As many as are kept."""
        return self.coefficients

    def of(self, image: Image) -> IntArray:
        """The last sum, then the differences from coarse to fine."""
        counts = HsvHistogram(HUES, SATURATIONS, VALUES).of(image)
        share = counts.reshape(HUES, SATURATIONS, VALUES).transpose(2, 1, 0) / image.pixels
        sums = levels(share, LEVELS)
        differences = []
        for axis in STEPS:
            even, odd = (sums.take(range(first, sums.shape[axis], 2), axis) for first in (0, 1))
            differences.append((even - odd).ravel())
            sums = even + odd
        return np.concatenate([sums.ravel(), *reversed(differences)])[: self.coefficients]
