"""The lowest of many numbers drawn by chance, in order, without putting the others in order."""

from __future__ import annotations

import math

import numpy as np

from rankscope.arrays import FloatArray, IntArray

PART = 16  # of so many numbers one is looked at to guess how low the lowest are
SAFETY = 4.0  # standard errors by which the guess is too high


def lowest_places(rows: FloatArray, count: int) -> IntArray:
    """The places of so many of the lowest numbers of each row, ascending; no number may be NaN.

    A limit is guessed from a part of the numbers; only what does not exceed it is put in order. Where a guess was too
    low the true limits are found: the guess changes no result.
    >>> lowest_places(np.array([[0.3, 0.1, 0.2, 0.4]]), 2)
    array([[1, 2]])
    """
    row, place = _up_to(rows, _guessed_limits(rows, count))
    found = np.bincount(row, minlength=len(rows))
    if found.min(initial=count) < count:
        row, place = _up_to(rows, np.partition(rows, count - 1, axis=1)[:, count - 1])
        found = np.bincount(row, minlength=len(rows))
    column = np.arange(row.size) - np.repeat(np.cumsum(found) - found, found)
    values = np.full((len(rows), int(found.max(initial=count))), np.inf)
    places = np.zeros(values.shape, dtype=np.int64)
    values[row, column], places[row, column] = rows[row, place], place
    order = np.argsort(values, axis=1)[:, :count]
    return np.take_along_axis(places, order, axis=1)


def _guessed_limits(rows: FloatArray, count: int) -> FloatArray:
    """What so many numbers of each row hardly ever exceed, if they stand in no order."""
    expected = count / PART
    part = rows[:, ::PART]
    last = min(int(expected + SAFETY * math.sqrt(expected)), part.shape[1] - 1)
    limits: FloatArray = np.partition(part, last, axis=1)[:, last]
    return limits


def _up_to(rows: FloatArray, limits: FloatArray) -> tuple[IntArray, IntArray]:
    """Row and place of all numbers that do not exceed the limit of their row."""
    return np.divmod(np.flatnonzero(rows <= limits[:, None]), rows.shape[1])
