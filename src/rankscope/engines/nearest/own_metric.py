"""A metric given as a Python function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray
from rankscope.engines.nearest.space import Space
from rankscope.errors import SettingError

Distances = Callable[[NDArray[Any], NDArray[Any]], Any]
AT_ONCE = 4096  # always the same rows together: what a function makes of them may depend on it


class OwnMetric(Space):
    """Distances from a function of the query's row and a table of rows, nearest first.

    It is called with the same 4,096 rows at a time regardless of the size of the blocks; its values are the references.
    >>> space = OwnMetric(np.array([[0.0], [3.0]]), lambda row, rows: np.abs(rows - row).max(axis=1))
    >>> space.scores(np.array([0]), slice(0, 2))
    array([[ 0., -3.]])
    """

    name = "own"
    exact = True
    shared = False  # nobody promised that the function may be called by several threads

    def __init__(self, matrix: NDArray[Any], function: Distances) -> None:
        self.rows, self.function = matrix, function

    def with_rows(self, rows: NDArray[Any]) -> Self:
        """By the same function."""
        return type(self)(rows, self.function)

    def scores(self, queries: IntArray, items: slice, level: int = 0) -> FloatArray:
        """One call for each query and each 4,096 items."""
        first = items.start // AT_ONCE * AT_ONCE
        starts = range(first, items.stop, AT_ONCE)
        table = [
            np.concatenate([self._called(query, self.rows[start : start + AT_ONCE]) for start in starts])
            for query in queries.tolist()
        ]
        return 0.0 - np.stack(table)[:, items.start - first : items.stop - first]

    def _called(self, query: int, rows: NDArray[Any]) -> FloatArray:
        found = np.asarray(self.function(self.asked.rows[query], rows), dtype=np.float64)
        if found.shape != (len(rows),):
            raise SettingError(f"a metric must return {len(rows)} distances, one for each row; got shape {found.shape}")
        if not np.isfinite(found).all():
            raise SettingError(f"a metric must return finite distances, got {found[~np.isfinite(found)][0]}")
        return found

    def reference(self, queries: IntArray, items: IntArray) -> FloatArray:
        """Picked from whole rows."""
        kinds, place = np.unique(queries, return_inverse=True)
        return self.reference_table(kinds, np.arange(len(self)))[place, items]

    def reference_table(self, queries: IntArray, items: IntArray) -> FloatArray:
        """Picked from whole rows."""
        return self.scores(queries, slice(0, len(self)))[:, items]
