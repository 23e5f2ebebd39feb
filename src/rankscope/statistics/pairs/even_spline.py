"""A cubic spline through values at evenly spaced places: scipy has one, in a package that takes long to load."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import FloatArray

FEWEST = 4


@dataclass(frozen=True, eq=False)
class EvenSpline:
    """Cubic pieces with continuous second derivatives; the first two are one cubic, and so are the last two.

    `pieces` has the coefficients of each, the constant first, for the distance from where it begins.
    """

    start: float
    step: float
    pieces: FloatArray

    @classmethod
    def through(cls, start: float, end: float, values: ArrayLike) -> EvenSpline:
        """The spline through values at places from `start` to `end`; at least four.

        >>> cubic = EvenSpline.through(0.0, 4.0, [0.0, 1.0, 8.0, 27.0, 64.0])
        >>> cubic(2.5)
        array(15.625)
        """
        y = np.asarray(values, dtype=np.float64)
        if y.size < FEWEST:
            raise ValueError(f"a spline needs at least {FEWEST} values, got {y.size}")
        step = (end - start) / (y.size - 1)
        chord = np.diff(y) / step
        slope = _slopes(chord)
        bend = (slope[:-1] + slope[1:] - 2 * chord) / step
        return cls(start, step, np.stack([y[:-1], slope[:-1], (chord - slope[:-1]) / step - bend, bend / step]))

    def __call__(self, at: ArrayLike) -> FloatArray:
        """The values there; the outer pieces go on beyond the ends."""
        place = np.asarray(at, dtype=np.float64) - self.start
        with np.errstate(invalid="ignore"):  # NaN is in no piece, and its value is NaN
            piece = np.clip((place / self.step).astype(np.int64), 0, self.pieces.shape[1] - 1)
        place = place - piece * self.step
        value = self.pieces[3].take(piece)
        for power in (2, 1, 0):
            value = value * place + self.pieces[power].take(piece)
        return np.asarray(value)


def _slopes(chord: FloatArray) -> FloatArray:
    """The slope at each place, from those of the straight lines between neighbours.

    s[i - 1] + 4 s[i] + s[i + 1] = 3 (chord[i - 1] + chord[i]) inside; s[0] + 2 s[1] = (5 chord[0] + chord[1]) / 2 at
    the beginning, and likewise at the end. Solved by elimination from the first place to the last, and back.
    """
    right = [(5 * chord[0] + chord[1]) / 2, *(3 * (chord[:-1] + chord[1:])), (chord[-2] + 5 * chord[-1]) / 2]
    above, known = [2.0], [float(right[0])]
    for value in right[1:-1]:
        pivot = 4.0 - above[-1]
        known.append((float(value) - known[-1]) / pivot)
        above.append(1.0 / pivot)
    slope = [(float(right[-1]) - 2 * known[-1]) / (1.0 - 2 * above[-1])]
    for factor, value in zip(reversed(above), reversed(known), strict=True):
        slope.append(value - factor * slope[-1])
    return np.array(slope[::-1])
