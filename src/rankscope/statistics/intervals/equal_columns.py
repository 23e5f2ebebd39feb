"""Points of a curve at which nothing has changed: what chance does to one of them it does to all."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import FloatArray, IntArray


def runs_of_equal_columns(table: FloatArray) -> tuple[IntArray, IntArray]:
    """The first column of each run of equal neighbours, and the number of the run that each column belongs to.

    A column with NaN is equal to none.
    >>> runs_of_equal_columns(np.array([[1.0, 1.0, 2.0, 1.0], [0.0, 0.0, 0.0, 0.0]]))
    (array([0, 2, 3]), array([0, 0, 1, 2]))
    """
    new = np.ones(table.shape[1], dtype=np.bool_)
    new[1:] = (table[:, 1:] != table[:, :-1]).any(axis=0)
    return np.flatnonzero(new), np.cumsum(new) - 1
