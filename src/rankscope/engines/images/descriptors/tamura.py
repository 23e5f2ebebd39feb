"""Coarseness, contrast and direction, as people see them in textures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.engines.images.blocks import bin_of
from rankscope.engines.images.descriptors.descriptor import Descriptor
from rankscope.engines.images.image import Image
from rankscope.engines.images.optional import opencv

SCALES = 5
DIRECTIONS = 16
SHARE_WEIGHT = 8
WEAKEST = 12.0  # gradients below this have no direction
WINDOW, CONTRASTS, ANGLES = 13, 8, 8  # of the joint histogram
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
        """18 or 320."""
        return 2 + DIRECTIONS if self.form == "values" else SCALES * CONTRASTS * ANGLES

    @property
    def distance(self) -> str:
        """City block for the values."""
        return "l1" if self.form == "values" else "js"

    @property
    def counts(self) -> bool:
        """For the histogram."""
        return self.form == "histogram"

    @property
    def z(self) -> bool:
        """For the values."""
        return self.form == "values"

    @property
    def z_columns(self) -> slice:
        """Coarseness and contrast."""
        return slice(0, 2)

    def of(self, image: Image) -> Any:
        """The values, or one count for each bin."""
        plane = image.luminance
        scale = _scale(plane)
        if self.form == "histogram":
            return _joint(plane, scale)
        return np.array([np.mean(2.0**scale), _contrast(plane), *SHARE_WEIGHT * _directions(plane)])


def _scale(plane: FloatArray) -> IntArray:
    """The k from 1 to 5 at which means over 2^k x 2^k pixels differ most between the two sides; the first on ties."""
    from scipy.ndimage import uniform_filter

    def differences(k: int) -> FloatArray:
        means, half = uniform_filter(plane, size=2**k, mode="nearest"), 2 ** (k - 1)
        sides = [np.abs(np.roll(means, -half, axis) - np.roll(means, half, axis)) for axis in (0, 1)]
        return np.maximum(*sides)

    return 1 + np.argmax([differences(k) for k in range(1, SCALES + 1)], axis=0)


def _contrast(plane: FloatArray) -> float:
    """Deviation over the fourth root of the kurtosis; 0 in a flat picture."""
    around = plane - plane.mean()
    variance, fourth = np.mean(around**2), np.mean(around**4)
    return float(variance / fourth**0.25) if fourth > 0 else 0.0


def _gradients(plane: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Strength, and direction from 0 to pi.

    Upright and level edges lie on the border of two bins: rounding keeps the last bits from choosing between them.
    """
    cv2 = opencv()
    found = (np.asarray(cv2.filter2D(plane, -1, kernel)) for kernel in (PREWITT, PREWITT.T.copy()))
    across, down = (np.round(each, EXACT_PLACES) for each in found)
    return (np.abs(across) + np.abs(down)) / 2, np.mod(np.arctan2(down, across) + np.pi / 2, np.pi)


def _directions(plane: FloatArray) -> FloatArray:
    """Shares of 16 directions among the pixels with a clear one; all 0 where there is none."""
    strength, angle = _gradients(plane)
    found = np.bincount(bin_of(angle[strength >= WEAKEST], DIRECTIONS, 0.0, np.pi), minlength=DIRECTIONS)
    return found / max(1, int(found.sum()))


def _joint(plane: FloatArray, scale: IntArray) -> IntArray:
    contrast = np.minimum(CONTRASTS - 1, np.floor(np.log2(1 + _local_contrast(plane)) * CONTRASTS / 6.5))
    angle = bin_of(_gradients(plane)[1], ANGLES, 0.0, np.pi)
    index = ((scale - 1) * CONTRASTS + contrast.astype(np.int64)) * ANGLES + angle
    return np.bincount(index.ravel(), minlength=SCALES * CONTRASTS * ANGLES)


def _local_contrast(plane: FloatArray) -> FloatArray:
    """The contrast of the window around each pixel, from its moments."""
    from scipy.ndimage import uniform_filter

    centred = plane - plane.mean()
    m1, m2, m3, m4 = (uniform_filter(centred**power, size=WINDOW, mode="nearest") for power in (1, 2, 3, 4))
    variance = np.maximum(m2 - m1**2, 0.0)
    fourth = m4 - 4 * m1 * m3 + 6 * m1**2 * m2 - 3 * m1**4
    kurtosis = np.divide(fourth, variance**2, out=np.ones_like(fourth), where=variance > 1e-6)
    return np.sqrt(variance) / np.maximum(kurtosis, 1.0) ** 0.25
