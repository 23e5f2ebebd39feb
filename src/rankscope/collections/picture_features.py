"""Two plain feature spaces of small grey pictures, for the sample collection: both in whole numbers, to be compared by
cosine, so that rankings come out the same on every machine.

They show two systems of different quality; the real descriptors live with the image engine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankscope.catalogue import Catalogue

Pictures: TypeAlias = NDArray[np.uint8]
Space: TypeAlias = Callable[[Pictures], NDArray[np.int32]]

CELL = 4


def pixels(pictures: Pictures) -> NDArray[np.int32]:
    """Grey values minus the mean of the picture, times the number of pixels to stay whole.

    Their cosine is the correlation of two pictures. A picture of one grey has no direction: all its features are 0.
    >>> pixels(np.array([[[0, 255], [255, 254]]], dtype=np.uint8))
    array([[-764,  256,  256,  252]], dtype=int32)
    """
    flat = pictures.reshape(len(pictures), -1).astype(np.int32)
    return flat * flat.shape[1] - flat.sum(axis=1, keepdims=True, dtype=np.int32)


def edges(pictures: Pictures) -> NDArray[np.int32]:
    """How much edge of each of four directions lies in each cell of 4x4 pixels, as a square root.

    A short relative of histograms of oriented gradients (Dalal & Triggs 2005): light on dark and dark on light count
    alike, and a shift of a pixel or two changes little. Sides must be multiples of 4.
    >>> half = np.full((1, 4, 4), 255, dtype=np.uint8)
    >>> half[:, :, 2:] = 0
    >>> edges(half)  # one upright edge: two steps of 255, counted twice, in each of four rows
    array([[1022,    0,    0,    0]], dtype=int32)
    """
    across, down = _steps(pictures, axis=2), _steps(pictures, axis=1)
    strength = 2 * np.maximum(np.abs(across), np.abs(down)) + np.minimum(np.abs(across), np.abs(down))
    parts = [_per_cell(strength * each) for each in _directions(across, down)]
    amounts = np.stack(parts, axis=-1).reshape(len(pictures), -1)
    return np.rint(16 * np.sqrt(amounts)).astype(np.int32)


def _steps(pictures: Pictures, axis: int) -> NDArray[np.int16]:
    """Difference of the two neighbours along an axis; 0 at the border."""
    values = np.moveaxis(pictures.astype(np.int16), axis, 0)
    steps = np.zeros_like(values)
    steps[1:-1] = values[2:] - values[:-2]
    return np.moveaxis(steps, 0, axis)


def _directions(across: NDArray[np.int16], down: NDArray[np.int16]) -> list[NDArray[np.bool_]]:
    """Where an edge is upright, level, or one of the diagonals; borders at 22.6 degrees, whose tangent is 5/12."""
    upright = 12 * np.abs(down) <= 5 * np.abs(across)
    level = (12 * np.abs(across) <= 5 * np.abs(down)) & ~upright
    slanted, same = ~(upright | level), (across > 0) == (down > 0)
    return [upright, level, slanted & same, slanted & ~same]


def _per_cell(values: NDArray[np.int16]) -> NDArray[np.int16]:
    rows = np.add.reduce([values[:, place::CELL] for place in range(CELL)], dtype=np.int16)
    return np.add.reduce([rows[:, :, place::CELL] for place in range(CELL)], dtype=np.int16)


SPACES: Catalogue[Space] = Catalogue("feature space", {"pixels": pixels, "edges": edges})
