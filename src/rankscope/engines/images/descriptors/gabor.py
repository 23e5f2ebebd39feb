"""Mean and spread of the answers to waves of several lengths and directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.engines.images.descriptors.descriptor import Descriptor
from rankscope.engines.images.gabor_bank import GaborBank
from rankscope.engines.images.image import Image

LOWEST, HIGHEST = 0.05, 0.4  # cycles a pixel


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
        """Two for each filter."""
        return 2 * self.scales * self.orientations

    def of(self, image: Image) -> FloatArray:
        """Mean, deviation, filter by filter."""
        bank = GaborBank(self.scales, self.orientations, LOWEST, HIGHEST)
        return np.array([(found.mean(), found.std()) for found in bank.magnitudes(image.luminance)]).ravel()
