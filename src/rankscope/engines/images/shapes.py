"""Binary silhouettes: the object in a picture, its outline, and what can be measured on both."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import BoolArray, FloatArray
from rankscope.engines.images.image import opencv

THRESHOLD = 128
DISC_SIDE = 64  # of the grid over the unit disc
DISC_FINE = 4  # the object is drawn this many times larger, then shrunk by area


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


def object_box(mask: BoolArray) -> BoolArray:
    """The smallest upright box around the object; of no object, one pixel that is False.

    >>> object_box(np.array([[0, 0, 0], [0, 1, 1], [0, 0, 0]]) > 0)
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
        return np.zeros((DISC_SIDE, DISC_SIDE))
    y, x = down.mean(), across.mean()
    radius = float(np.hypot(down - y, across - x).max()) + 0.5
    width = DISC_SIDE * DISC_FINE
    scale = 2 * radius / width
    middle = (width - 1) / 2
    back = np.array([[scale, 0, x - scale * middle], [0, scale, y - scale * middle]])
    cv2 = opencv()
    flags = cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP
    drawn = cv2.warpAffine(mask.astype(np.float32), back, (width, width), flags=flags)
    return np.asarray(cv2.resize(drawn, (DISC_SIDE, DISC_SIDE), interpolation=cv2.INTER_AREA), dtype=np.float64)


def outline(mask: BoolArray) -> FloatArray:
    """The border pixels (x, y) of the object in order, always the same way round; holes are ignored.

    An object of one or two pixels has no outline: no point comes back.
    >>> square = np.zeros((4, 4), dtype=bool)
    >>> square[1:3, 1:3] = True
    >>> outline(square).tolist()
    [[1.0, 1.0], [1.0, 2.0], [2.0, 2.0], [2.0, 1.0]]
    """
    cv2 = opencv()
    found, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    points = max((each[:, 0].astype(np.float64) for each in found), key=len, default=np.empty((0, 2)))
    if len(points) < 3:
        return np.empty((0, 2))
    return points if twice_the_area(points) <= 0 else points[::-1]


def twice_the_area(points: FloatArray) -> float:
    """Twice the area inside a closed outline, with a sign that tells which way round it runs.

    >>> twice_the_area(np.array([[0., 0.], [1., 0.], [1., 1.], [0., 1.]]))
    2.0
    """
    x, y = points.T
    return float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


def equidistant_points(points: FloatArray, number: int) -> FloatArray:
    """So many points at equal distances along a closed outline, by linear interpolation; zeros where there is none.

    >>> equidistant_points(np.array([[0., 0.], [4., 0.], [4., 4.], [0., 4.]]), 8)[:3].tolist()
    [[0.0, 0.0], [2.0, 0.0], [4.0, 0.0]]
    """
    if len(points) == 0:
        return np.zeros((number, 2))
    closed = np.concatenate([points, points[:1]])
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(closed, axis=0).T))])
    wanted = np.arange(number) * (along[-1] / number)
    return np.stack([np.interp(wanted, along, axis) for axis in closed.T], axis=1)


def outline_points(mask: BoolArray, number: int) -> FloatArray:
    """Points at equal distances along the outline of an object; zeros for an object of one or two pixels."""
    return equidistant_points(outline(mask), number)


def heights(points: FloatArray, runs: int) -> FloatArray:
    """For each of many outlines (shapes, points, 2): heights over the tangent of each point, averaged in runs.

    The tangent at a point leads from the point before to the point after. The heights of all following points over it,
    in order, are averaged in `runs` runs of nearly equal length: (shapes, points, runs). Outlines without extent give
    zeros.
    """
    count = points.shape[1]
    following = (np.arange(count)[:, None] + np.arange(1, count)) % count  # row i: the points after point i, in order
    ahead = points[:, following]  # (shapes, points, count - 1, 2)
    tangent = np.roll(points, -1, axis=1) - np.roll(points, 1, axis=1)
    length = np.hypot(tangent[..., 0], tangent[..., 1])
    tangent = tangent / np.where(length > 0, length, 1.0)[..., None]
    offset = ahead - points[:, :, None]
    over = tangent[:, :, None, 0] * offset[..., 1] - tangent[:, :, None, 1] * offset[..., 0]
    borders = np.round(np.linspace(0, count - 1, runs + 1)).astype(np.int64)
    return np.add.reduceat(over, borders[:-1], axis=2) / np.diff(borders)


def mirror_images(points: FloatArray) -> FloatArray:
    """The mirror images of outlines, run the same way round as before: points reversed, x negated."""
    return points[:, ::-1] * np.array([-1.0, 1.0])


def unit_disc(side: int) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Radius and angle of the middle of each pixel of a square around the unit disc, and whether it lies inside.

    >>> radius, angle, inside = unit_disc(2)
    >>> radius.round(4).tolist(), int(inside.sum())
    ([[0.7071, 0.7071], [0.7071, 0.7071]], 4)
    """
    middle = (np.arange(side) - (side - 1) / 2) / (side / 2)
    y, x = np.meshgrid(middle, middle, indexing="ij")
    radius = np.hypot(x, y)
    return radius, np.arctan2(y, x), radius <= 1


def moment_magnitudes(drawn: FloatArray, basis: NDArray[Any]) -> FloatArray:
    """Magnitudes of the sums of the object against each row of the basis, over the first; zeros without an object."""
    sums = np.abs(np.einsum("kp,p->k", basis, drawn.ravel()))  # too small a product for several threads
    return sums / sums[0] if sums[0] > 0 else np.zeros(len(basis))
