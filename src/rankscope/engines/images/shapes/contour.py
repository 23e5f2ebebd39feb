"""The outline of an object: its border pixels in order, and points at equal distances along it."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import BoolArray, FloatArray
from rankscope.engines.images.optional import opencv


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
