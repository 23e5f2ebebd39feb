"""The low end of each row of many numbers, found without putting whole rows in order."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray, IntArray

PART = 16  # of so many numbers one is looked at to guess a limit
SAFETY = 3.5  # standard errors by which the limit is too high, if the numbers stand in no order
MOST_SCREENED = 1 / 8  # of the numbers of a row: if more are asked for, nothing is gained by leaving out the others


@dataclass(frozen=True, eq=False)
class LowNumbers:
    """All numbers of each row up to some limit, in the order of the row."""

    values: FloatArray  # inf behind the last one of a row
    places: IntArray  # where they stand in the row

    def in_order(self, count: int) -> IntArray:
        """The places of so many of the lowest of each row, ascending.

        >>> low_numbers(np.array([[0.3, 0.1, 0.2, 0.4]]), 2).in_order(2)
        array([[1, 2]])
        """
        order = np.argsort(self.values, axis=1)[:, :count]
        return np.take_along_axis(np.broadcast_to(self.places, self.values.shape), order, axis=1)


def low_numbers(rows: FloatArray, count: int) -> LowNumbers:
    """Among them at least so many of the lowest numbers of each row; no number may be NaN.

    The limits are guessed from a part of the numbers. Where a guess was too low the true limits are found: a guess
    changes how many numbers there are, never which are the lowest.
    """
    if count > MOST_SCREENED * rows.shape[1]:
        return LowNumbers(rows, np.arange(rows.shape[1])[None, :])
    cell = np.flatnonzero(rows <= _guessed_limits(rows, count))
    found = _in_each_row(cell, rows)
    if found.min(initial=count) < count:
        cell = np.flatnonzero(rows <= np.partition(rows, count - 1, axis=1)[:, [count - 1]])
        found = _in_each_row(cell, rows)
    return _side_by_side(rows, cell, found)


def _guessed_limits(rows: FloatArray, count: int) -> FloatArray:
    """What so many numbers of each row hardly ever exceed, if they stand in no order: one column."""
    expected = count / PART
    part = rows[:, ::PART]
    last = min(int(expected + SAFETY * math.sqrt(expected)), part.shape[1] - 1)
    limits: FloatArray = np.partition(part, last, axis=1)[:, [last]]
    return limits


def _in_each_row(cell: IntArray, rows: FloatArray) -> IntArray:
    return np.bincount(cell // rows.shape[1], minlength=len(rows))


def _side_by_side(rows: FloatArray, cell: IntArray, found: IntArray) -> LowNumbers:
    """Numbers of the given cells, so many found in each row, moved to the front of their rows."""
    width = int(found.max(initial=0))
    values = np.full((len(rows), width), np.inf)
    places = np.zeros(values.shape, dtype=np.int64)
    row = np.arange(len(rows))
    to = np.arange(cell.size) + np.repeat(row * width - (np.cumsum(found) - found), found)
    values.reshape(-1)[to] = rows.reshape(-1)[cell]
    places.reshape(-1)[to] = cell - np.repeat(row * rows.shape[1], found)
    return LowNumbers(values, places)
