"""The studentised range, by which all pairs of means are compared, and the cubic spline that it is read from.

How far apart the largest and smallest of k means lie by chance, in standard errors. P(Q > q) is
the mean over s of the tail of the range of k normals at q s, where nu s² is chi-squared with nu degrees of freedom. The
inner tail depends on k only and is tabulated once; both integrals are trapezoids over smooth integrands, which are
exact but for rounding. Many pairs cost little more than one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from rankscope.core.arrays import FloatArray

WIDEST = 40.0  # the tail of the range of normals beyond is below 1e-170
STEP = 0.02
DEPTH = 45.0  # the density of log s is left out below exp(-45) of its peak
FEWEST_POINTS, SPACING = 128, 0.03  # points over log s: at least so many, and no farther apart
NODES = 257  # degrees of freedom at which quantiles are computed before they are interpolated
MANY = 4_000  # more tails than this with one number of degrees of freedom are interpolated
AT_ONCE = 500_000  # products q s in one block
HALVINGS = 50


@dataclass(frozen=True)
class StudentisedRange:
    """The range of `count` means; `tail` and `quantile` take arrays."""

    count: int

    def tail(self, q: ArrayLike, nu: ArrayLike) -> FloatArray:
        """P(Q > q) with nu degrees of freedom.

        >>> bool(abs(StudentisedRange(6).tail(4.372651, 24) - 0.05) < 1e-7)
        True
        """
        if np.ndim(nu) == 0 and np.size(q) > MANY:
            return self._interpolated(np.asarray(q, np.float64), float(nu))  # type: ignore[arg-type]
        values, freedom = np.broadcast_arrays(np.asarray(q, np.float64), np.asarray(nu, np.float64))
        flat, every = values.ravel(), freedom.ravel()
        points = _points(float(every.min(initial=np.inf)))
        blocks = (slice(start, start + AT_ONCE // points) for start in range(0, flat.size, AT_ONCE // points))
        parts = [self._tail(flat[block], every[block], points) for block in blocks]
        return np.concatenate([np.empty(0), *parts]).reshape(values.shape)

    def quantile(self, level: float, nu: ArrayLike) -> FloatArray:
        """The value that Q exceeds with probability 1 - level.

        >>> float(StudentisedRange(6).quantile(0.95, 24).round(6))
        4.372651
        """
        freedom = np.asarray(nu, np.float64)
        known = np.unique(freedom)
        if known.size <= NODES:
            return self._quantile(level, known)[np.searchsorted(known, freedom)]
        ends = 1 / known[-1], 1 / known[0]
        quantiles = self._quantile(level, 1 / np.linspace(*ends, NODES))
        return EvenSpline.through(*ends, quantiles)(1 / freedom)

    def _tail(self, q: FloatArray, nu: FloatArray, points: int) -> FloatArray:
        # Values of s for each nu, and their weights, which add up to 1; evenly over log s.
        from scipy.special import gammaln

        low, high = _ends(nu)
        step = (high - low) / (points - 1)
        at = low[:, None] + step[:, None] * np.arange(points)
        peak = nu / 2 * np.log(nu / 2) - gammaln(nu / 2) - nu / 2 + np.log(2)
        density = np.exp(peak[:, None] + nu[:, None] * (at - np.expm1(2 * at) / 2))
        s, weight = np.exp(at), density * step[:, None]
        wide = np.minimum(q[:, None] * s, WIDEST)
        return np.clip((np.exp(_log_tail(self.count)(wide)) * weight).sum(axis=1), 0.0, 1.0)

    def _interpolated(self, q: FloatArray, nu: float) -> FloatArray:
        """The logarithm of the tail is smooth over log(1 + q): to 1e-9 as the tail itself."""
        there = np.isfinite(q)
        end = float(np.log1p(q[there].max(initial=1.0)))
        tail = self.tail(np.expm1(np.linspace(0.0, end, MANY // 2)), nu)
        log_tail = EvenSpline.through(0.0, end, np.log(np.maximum(tail, np.finfo(np.float64).tiny)))
        return np.where(there, np.exp(log_tail(np.log1p(np.where(there, q, 0.0)))), np.nan)

    def _quantile(self, level: float, nu: FloatArray) -> FloatArray:
        low, high = np.zeros(nu.size), np.ones(nu.size)
        while (self.tail(high, nu) > 1 - level).any():
            high *= 2
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            above = self.tail(middle, nu) > 1 - level
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        return (low + high) / 2


@lru_cache(maxsize=32)
def _log_tail(count: int) -> EvenSpline:
    """The logarithm of the tail of the range of so many normals, as a smooth function of the width.

    Tail = count times the integral of phi(z) (Phi(z)^(k-1) - (Phi(z) - Phi(z - w))^(k-1)), k = count.

    The difference of powers is computed as one factor, so that small tails keep their digits.
    """
    from scipy.special import log_ndtr

    z, step = np.linspace(-9.0, WIDEST + 9.0, 490, retstep=True)
    w = np.linspace(0.0, WIDEST, round(WIDEST / STEP) + 1)
    whole = log_ndtr(z)
    share = np.exp(log_ndtr(z - w[:, None]) - whole)  # of those below z, how many lie more than w below it
    with np.errstate(divide="ignore"):
        lost = -np.expm1((count - 1) * np.log1p(-np.minimum(share, 1.0)))
    density = count * step * np.exp((count - 1) * whole - z**2 / 2) / np.sqrt(2 * np.pi)
    return EvenSpline.through(0.0, WIDEST, np.log(lost @ density))


def _ends(nu: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Where log s begins and ends: its density is exp(-DEPTH) of the peak there."""
    from scipy.special import lambertw

    edge = -np.exp(-1 - 2 * DEPTH / nu)
    low, high = (np.log(-lambertw(edge, branch).real) / 2 for branch in (0, -1))
    return low, high


def _points(smallest: float) -> int:
    """How many points the smallest number of degrees of freedom needs; its distribution is the widest."""
    if not np.isfinite(smallest):
        return FEWEST_POINTS
    low, high = _ends(np.array([smallest]))
    return max(FEWEST_POINTS, int((high - low)[0] / SPACING))


# A cubic spline through values at evenly spaced places: scipy has one, in a package that takes long to load.

FEWEST_KNOTS = 4


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
        if y.size < FEWEST_KNOTS:
            raise ValueError(f"a spline needs at least {FEWEST_KNOTS} values, got {y.size}")
        step = (end - start) / (y.size - 1)
        chord = np.diff(y) / step
        slope = _spline_slopes(chord)
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


def _spline_slopes(chord: FloatArray) -> FloatArray:
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
