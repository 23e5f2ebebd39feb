"""What an item is worth to a measure by standing higher among equal scores.

Sorting equal scores by worth gives one extreme of a measure and the reverse order the other, if exchanging two
neighbours so that the one of higher worth stands first never lowers the value (or never raises it). Grades are as
judged, below 0 for items in the pool that were not judged, NaN for all others.
"""

from __future__ import annotations

import numpy as np

from rankscope.arrays import FloatArray

SLIGHT = float(np.nextafter(0.0, -1.0))  # below an item that is not judged, above any real loss


def hits_first(grade: FloatArray, rel: float) -> FloatArray:
    """Relevant items, then what is not judged, then what is judged and not relevant: that takes places from hits.

    >>> hits_first(np.array([2.0, 0.0, -1.0, np.nan]), rel=1)
    array([ 1., -1.,  0.,  0.])
    """
    judged = grade >= 0
    return np.where(judged & (grade >= rel), 1.0, np.where(judged, -1.0, 0.0))


def gains_first(grade: FloatArray) -> FloatArray:
    """Items of grade above 0 by their grade, then what is not judged, then grade 0.

    >>> gains_first(np.array([2.0, 0.0, -1.0, np.nan])).tolist() == [2.0, SLIGHT, 0.0, 0.0]
    True
    """
    return np.where(grade > 0, grade, np.where(grade == 0, SLIGHT, 0.0))


def judged_first(grade: FloatArray, pooled: bool = False) -> FloatArray:
    """Judged items first, regardless of their grade; `pooled` with those of grade below 0.

    >>> judged_first(np.array([2.0, 0.0, -1.0, np.nan]))
    array([1., 1., 0., 0.])
    """
    return np.where((grade >= 0) | (pooled & (grade < 0)), 1.0, 0.0)


def not_known(grade: FloatArray) -> FloatArray:
    """No order is proven to be extreme."""
    return np.full(grade.shape, np.nan)
