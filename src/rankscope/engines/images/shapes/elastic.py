"""Matching two closed outlines point by point, where one may run ahead of the other a little."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray

CANDIDATES = 512  # at a time, so that a slab of differences stays in the cache


def elastic_costs(own: NDArray[Any], others: NDArray[Any], shift: IntArray, band: int) -> FloatArray:
    """The mean cost along the best match of one outline with each of many, `band` points from step at the most.

    `own` has (points, runs) values, `others` (runs, points, candidates); point i of `own` may go with point
    i + shift + o of a candidate, -band <= o <= band, at the cost of the sum of absolute differences. A match begins and
    ends at any o, and goes on by one point on either side or on both.
    >>> one, turned, slower = [0., 1., 5., 1.], [1., 0., 1., 5.], [0., 1., 1., 5.]  # only the last point costs
    >>> elastic_costs(np.array([one]).T, np.array([turned, slower]).T[None], np.array([1, 0]), 1)
    array([0.  , 0.25])
    """
    count = others.shape[2]
    parts = [slice(start, start + CANDIDATES) for start in range(0, count, CANDIDATES)]
    costs = [_last_row(_costs(own, others[:, :, part], shift[part], band)) for part in parts]
    return np.concatenate([np.empty(0), *costs]) / len(own)


def _costs(own: NDArray[Any], others: NDArray[Any], shift: IntArray, band: int) -> NDArray[Any]:
    """Cost of each point at each offset: (points, offsets, candidates)."""
    points, runs = own.shape
    width, count = 2 * band + 1, shift.size
    place = (np.arange(-band, points + band)[:, None] + shift) % points * count + np.arange(count)
    costs = np.zeros((width, points, count), dtype=own.dtype)
    step = np.empty((points, count), dtype=own.dtype)
    for run in range(runs):
        turned = np.ascontiguousarray(others[run]).reshape(-1)[place]
        mine = own[:, run, None]
        for offset in range(width):
            np.subtract(turned[offset : offset + points], mine, out=step)
            np.abs(step, out=step)
            np.add(costs[offset], step, out=costs[offset])
    return costs.transpose(1, 0, 2)


def _last_row(costs: NDArray[Any]) -> FloatArray:
    """The least sum of costs over all matches, by dynamic programming over the points; all candidates at once."""
    total = costs[0].copy()
    for cost in costs[1:]:
        reached = total.copy()
        np.minimum(total[:-1], total[1:], out=reached[:-1])  # in step, or one point of our own further
        total[0] = cost[0] + reached[0]
        for offset in range(1, len(total)):  # or one point of the candidate further
            np.minimum(reached[offset], total[offset - 1], out=total[offset])
            total[offset] += cost[offset]
    return total.min(axis=0).astype(np.float64)
