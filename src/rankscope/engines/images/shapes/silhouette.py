"""The object in a picture of light on dark: its largest connected part."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import BoolArray, FloatArray
from rankscope.engines.images.optional import opencv

THRESHOLD = 128
SIDE = 64  # of the grid over the unit disc
FINE = 4  # the object is drawn this many times larger, then shrunk by area


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


def box(mask: BoolArray) -> BoolArray:
    """The smallest upright box around the object; of no object, one pixel that is False.

    >>> box(np.array([[0, 0, 0], [0, 1, 1], [0, 0, 0]]) > 0)
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
        return np.zeros((SIDE, SIDE))
    y, x = down.mean(), across.mean()
    radius = float(np.hypot(down - y, across - x).max()) + 0.5
    width = SIDE * FINE
    scale = 2 * radius / width
    middle = (width - 1) / 2
    back = np.array([[scale, 0, x - scale * middle], [0, scale, y - scale * middle]])
    cv2 = opencv()
    flags = cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP
    drawn = cv2.warpAffine(mask.astype(np.float32), back, (width, width), flags=flags)
    return np.asarray(cv2.resize(drawn, (SIDE, SIDE), interpolation=cv2.INTER_AREA), dtype=np.float64)
