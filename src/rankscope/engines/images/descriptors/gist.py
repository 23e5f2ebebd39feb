"""The gist of a scene: how strong which waves are in which part of the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.engines.images.blocks import groups
from rankscope.engines.images.descriptors.descriptor import Descriptor
from rankscope.engines.images.gabor_bank import GaborBank
from rankscope.engines.images.image import Image, luminance

SIDE, GRID = 128, 4
BANK = GaborBank(scales=4, orientations=8, lowest=0.03, highest=0.35)
SIGMA, LEAST_CONTRAST = 8, 0.2


@dataclass(frozen=True)
class Gist(Descriptor):
    """Mean magnitude of 32 Gabor filters in 4 x 4 cells, after local contrast has been evened out; filter slowest.

    It follows the idea of Oliva and Torralba, not their code: figures of papers that use that do not transfer.
    >>> Gist().of(Image.of(np.full((5, 9), 200))).round(4).any().item()
    False
    """

    name: ClassVar[str] = "gist"
    source: ClassVar[str] = "after Oliva and Torralba 2001"
    size: ClassVar[int] = BANK.scales * BANK.orientations * GRID**2
    distance: ClassVar[str] = "l1"

    def of(self, image: Image) -> FloatArray:
        """512 means."""
        plane = _evened(luminance(image.shrunk(SIDE, SIDE)))
        means = [groups(found, SIDE // GRID).mean(axis=(2, 3)).ravel() for found in BANK.magnitudes(plane)]
        return np.concatenate(means)


def _evened(plane: FloatArray) -> FloatArray:
    """Log luminance minus its local mean, over its local root mean square."""
    from scipy.ndimage import gaussian_filter

    logs = np.log1p(plane)
    around: FloatArray = logs - gaussian_filter(logs, SIGMA, mode="reflect")
    spread = np.sqrt(np.maximum(gaussian_filter(around**2, SIGMA, mode="reflect"), 0.0))
    return around / (LEAST_CONTRAST + spread)
