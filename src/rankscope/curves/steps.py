"""Means of hits at whole scopes, all scopes at once: a ranking is a staircase that rises at each hit.

The sum of many staircases rises at all their hits, and so does the sum of their squares; no table of queries by scopes
is ever made, so 20,000 complete rankings cost what their hits cost.
"""

from __future__ import annotations

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.curves.weighting import Mean
from rankscope.measures.fractions import divide
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import RelevantRanks

ROUNDING = 1e-13  # a variance below this share of the mean square is zero, rounded


def mean_steps(queries: RelevantRanks, unit: IntArray, height: FloatArray, scopes: IntArray) -> Mean:
    """Mean over units of the mean within them of height * v(scope); `height` is one per query.

    >>> two = RelevantRanks.from_ranks([[1, 3], [2]])
    >>> mean_steps(two, np.array([0, 1]), np.array([0.5, 1.0]), np.array([1, 2, 3])).value
    array([0.25, 0.75, 1.  ])
    """
    units = int(unit.max(initial=-1)) + 1
    rise = height[queries.row] / np.bincount(unit, minlength=units)[unit[queries.row]]
    order = np.lexsort((queries.ranks, unit[queries.row]))
    ranks, rise = queries.ranks[order], rise[order]
    after = Ragged.from_rows(unit[queries.row][order], units).running_in_order(rise)
    total = _reached(ranks, rise, scopes)
    squares = _reached(ranks, rise * (2.0 * after - rise), scopes)
    mean = divide(total, units)
    variance = divide(squares - total * mean, units - 1)
    variance = np.where(variance * (units - 1) <= ROUNDING * squares, 0.0, variance)
    return Mean(mean, np.sqrt(divide(variance, units)), *(np.full(scopes.size, each) for each in (len(queries), units)))


def _reached(ranks: IntArray, rise: FloatArray, scopes: IntArray) -> FloatArray:
    """The sum of the rises at ranks up to each scope."""
    order = np.argsort(ranks, kind="stable")
    heights = np.concatenate([[0.0], np.cumsum(rise[order])])
    return heights[np.searchsorted(ranks[order], scopes, side="right")]
