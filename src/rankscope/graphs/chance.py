"""What graphs say of chance: a band for the whole curve, drawn and named so, and an interval of each point, to be told.

The unit of chance is that of every command (`statistics.units`); the interval of a point is that which the same number
has in every table (`statistics.mean_intervals`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from rankscope.arrays import FloatArray
from rankscope.graphs.banded import promise_of
from rankscope.graphs.graph import Graph
from rankscope.graphs.marks import Facts
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.statistics.band import Band
from rankscope.statistics.bands import band
from rankscope.statistics.mean_intervals import mean_intervals
from rankscope.statistics.query_curves import QueryCurves
from rankscope.statistics.units import unit_classes

LEVEL = 0.95


class Limits(Protocol):
    """Anything with a lower and an upper end at each point."""

    @property
    def low(self) -> FloatArray:
        """Lower ends."""

    @property
    def high(self) -> FloatArray:
        """Upper ends."""


def band_around(curves: QueryCurves, queries: RelevantRanks) -> Band:
    """The band of these queries' curves by the rule of all bands."""
    return band(curves, level=LEVEL, classes=unit_classes(queries))


def intervals_of(values: FloatArray, queries: RelevantRanks) -> Limits:
    """The pointwise interval of the mean of each column."""
    return mean_intervals(values, unit_classes(queries), level=LEVEL)


def band_words(bands: Iterable[Band | None]) -> str:
    """What the bands promise; nothing where none is drawn.

    >>> from rankscope.statistics.bands import band
    >>> band_words([band([[0.1, 0.2], [0.3, 0.2], [0.2, 0.4]]), None])
    '95% band for the whole curve'
    """
    drawn = [each for each in bands if each is not None and each.exists]
    return promise_of(drawn[0], len(drawn)) if drawn else ""


def with_band(graph: Graph, around: Band | None, name: str) -> Graph:
    """The band of a series, where there is one."""
    return graph if around is None or not around.exists else graph.band(around.drawn(), name)


def interval_facts(limits: Limits, level: float = LEVEL, of: str = "") -> Facts:
    """The interval of each point, named pointwise."""
    return {f"{100 * level:g}% interval{of}, pointwise": _ranges(limits.low, limits.high)}


def band_facts(around: Band | None, limits: Limits | None = None) -> Facts:
    """The band at each point, where one is drawn; `limits` where they are told in another quantity."""
    if around is None or not around.exists:
        return {}
    told = limits or around.drawn()
    what = "whole curve" if around.simultaneous else "pointwise"
    return {f"{100 * around.level:g}% band, {what}": _ranges(told.low, told.high)}


def units_in(queries: RelevantRanks) -> int:
    """How many units of chance these queries are."""
    classes = unit_classes(queries)
    return len(queries) if classes is None else len(set(classes))


def _ranges(low: FloatArray, high: FloatArray) -> Sequence[str]:
    ends = zip(low.tolist(), high.tolist(), strict=True)
    return ["none" if a != a or b != b else f"{a:.4f} to {b:.4f}" for a, b in ends]
