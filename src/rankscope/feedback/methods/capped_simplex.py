"""A small quadratic programme: two sides, each with shares of a given total, none above a cap."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import FloatArray, IntArray

GAP = 1e-10
MOST_STEPS = 100_000


def least_quadratic(matrix: FloatArray, side: FloatArray, totals: tuple[float, float], cap: float) -> FloatArray:
    """The a, 0 <= a <= cap, with the least a' matrix a; side +1 adds up to totals[0], side -1 to totals[1].

    Pairs of one side exchange weight, the pair that gains most per unit first, until none gains (Keerthi et al. 2001).
    >>> least_quadratic(np.diag([1.0, 3.0, 1.0]), np.array([1, 1, -1]), (0.8, 0.2), 1.0)
    array([0.6, 0.2, 0.2])
    """
    shares = np.zeros(side.size)
    for sign, total in zip((1, -1), totals, strict=True):
        shares[side == sign] = total / max(int(np.count_nonzero(side == sign)), 1)
    slope = matrix @ shares
    for _ in range(MOST_STEPS):
        gain, giver, taker = max(_best_pair(slope, shares, np.flatnonzero(side == sign), cap) for sign in (1, -1))
        if gain <= GAP:
            break
        bend = matrix[giver, giver] + matrix[taker, taker] - 2 * matrix[giver, taker]
        step = min(shares[giver], cap - shares[taker], gain / max(bend, 1e-12))
        shares[giver] -= step
        shares[taker] += step
        slope += step * (matrix[:, taker] - matrix[:, giver])
    return shares


def _best_pair(slope: FloatArray, shares: FloatArray, members: IntArray, cap: float) -> tuple[float, int, int]:
    """Who of one side should give, who should take, and what that gains per unit."""
    able, open_ = members[shares[members] > 0], members[shares[members] < cap]
    if not able.size or not open_.size:
        return 0.0, 0, 0
    giver, taker = able[np.argmax(slope[able])], open_[np.argmin(slope[open_])]
    return float(slope[giver] - slope[taker]), int(giver), int(taker)
