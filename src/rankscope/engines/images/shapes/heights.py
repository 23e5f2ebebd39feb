"""Heights of the outline over its own tangents: what a walker along it sees ahead."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import FloatArray


def heights(points: FloatArray, runs: int) -> FloatArray:
    """For each of many outlines (shapes, points, 2): heights over the tangent of each point, averaged in runs.

    The tangent at a point leads from the point before to the point after. The heights of all following points over it,
    in order, are averaged in `runs` runs of nearly equal length: (shapes, points, runs). Outlines without extent give
    zeros.
    """
    count = points.shape[1]
    ahead = points[:, _following(count)]  # (shapes, points, count - 1, 2)
    tangent = np.roll(points, -1, axis=1) - np.roll(points, 1, axis=1)
    length = np.hypot(tangent[..., 0], tangent[..., 1])
    tangent = tangent / np.where(length > 0, length, 1.0)[..., None]
    offset = ahead - points[:, :, None]
    over = tangent[:, :, None, 0] * offset[..., 1] - tangent[:, :, None, 1] * offset[..., 0]
    borders = np.round(np.linspace(0, count - 1, runs + 1)).astype(np.int64)
    return np.add.reduceat(over, borders[:-1], axis=2) / np.diff(borders)


def _following(count: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Row i: the points after point i, in order, once around."""
    return (np.arange(count)[:, None] + np.arange(1, count)) % count


def mirror_images(points: FloatArray) -> FloatArray:
    """The mirror images of outlines, run the same way round as before: points reversed, x negated."""
    return points[:, ::-1] * np.array([-1.0, 1.0])
