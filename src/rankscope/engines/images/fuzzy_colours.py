"""24 named colours that fade into one another: what CEDD, FCTH and JCD count.

The borders are our own; the papers draw theirs. Every step is a product, so the 24 shares of a colour add up to 1.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray
from rankscope.engines.images.blocks import ramp
from rankscope.engines.images.image import hsv

HUES = ("red", "orange", "yellow", "green", "cyan", "blue", "magenta")
BORDERS = (15.0, 45.0, 78.0, 158.0, 200.0, 272.0, 325.0)  # degrees, between one hue and the next; the last to red again
HALF_WIDTH = 7.5
NAMES = ("black", "grey", "white", *(f"{shade} {hue}" for hue in HUES for shade in ("light", "pure", "dark")))


def shares_of(rgb: NDArray[Any]) -> FloatArray:
    """How much of each of the 24 colours is in each colour of a picture: the last axis has 24 shares.

    >>> NAMES[shares_of(np.array([[[255, 0, 0]]]))[0, 0].argmax()]
    'pure red'
    >>> shares_of(np.array([[[128, 128, 128]]]))[0, 0, :3]
    array([0., 1., 0.])
    """
    hue, saturation, value = np.moveaxis(hsv(rgb).astype(np.float64), -1, 0)
    chromatic = ramp(saturation, 0.05, 0.30)
    black, bright = 1 - ramp(value, 0.05, 0.30), ramp(value, 0.70, 0.85)
    middle = 1 - black - bright
    greys = np.stack([black, (1 - chromatic) * middle, (1 - chromatic) * bright], axis=-1)
    coloured = (chromatic * (middle + bright))[..., None] * _hues(hue * 360)
    shaded = coloured[..., None] * _shades(saturation, value)[..., None, :]
    return np.concatenate([greys, shaded.reshape(*hue.shape, -1)], axis=-1)


def _hues(degrees: FloatArray) -> FloatArray:
    """How much of each of the seven hues: each rises at its lower border and falls at the next."""
    steps = [ramp(degrees, border - HALF_WIDTH, border + HALF_WIDTH) for border in BORDERS]
    between = [lower - upper for lower, upper in pairwise(steps)]
    return np.stack([1 - steps[0] + steps[-1], *between], axis=-1)


def _shades(saturation: FloatArray, value: FloatArray) -> FloatArray:
    """Light, pure and dark."""
    strong, light = ramp(saturation, 0.27, 0.73), ramp(value, 0.27, 0.73)
    return np.stack([light * (1 - strong), light * strong, 1 - light], axis=-1)
