"""What graphs ask of chance: a band for the whole curve, to be drawn, and an interval of each point, to be told.

The sampling unit is that of every command (`statistics.units`); the interval of a point is that which the same number
has in every table (`statistics.mean_intervals`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rankscope.arrays import FloatArray
from rankscope.graphs.marks import Facts
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.statistics.intervals.band import Band
from rankscope.statistics.intervals.bands import DEFAULT, band
from rankscope.statistics.intervals.bootstrap import SHORT, Intervals
from rankscope.statistics.intervals.mean_intervals import mean_intervals
from rankscope.statistics.table.query_curves import QueryCurves
from rankscope.statistics.table.units import unit_classes

LEVEL = 0.95


class LimitsAtPoints(Protocol):
    """Anything with a lower and an upper end at each point."""

    @property
    def low(self) -> FloatArray:
        """Lower ends."""

    @property
    def high(self) -> FloatArray:
        """Upper ends."""


def band_around(curves: QueryCurves, queries: RelevantRanks, drawn: bool = True) -> Band:
    """The band of these queries' curves by the rule of all bands; where it is not drawn chance need not be asked."""
    return band(curves, how=DEFAULT if drawn else "t", level=LEVEL, classes=unit_classes(queries))


def intervals_of(curves: QueryCurves, queries: RelevantRanks) -> Intervals:
    """The pointwise interval of the mean of each column."""
    return mean_intervals(curves.values, unit_classes(queries), level=LEVEL, bounds=(curves.lowest, curves.highest))


def interval_facts(limits: LimitsAtPoints, ways: Sequence[str], of: str = "") -> Facts:
    """The interval of each point, named pointwise, and which one it is: bounded, BCa or Student's t."""
    return {
        f"{100 * LEVEL:g}% interval{of}, pointwise": ranges(limits.low, limits.high),
        "kind of interval": [SHORT.get(way, "none") for way in ways],
    }


def ranges(low: FloatArray, high: FloatArray) -> Sequence[str]:
    """Intervals in words.

    >>> import numpy as np
    >>> ranges(np.array([0.25, np.nan]), np.array([0.5, np.nan]))
    ['0.2500 to 0.5000', 'none']
    """
    ends = zip(low.tolist(), high.tolist(), strict=True)
    return ["none" if a != a or b != b else f"{a:.4f} to {b:.4f}" for a, b in ends]
