"""How sure a curve over generality is: an interval for each point, and a band for the whole curve.

Both draw the sampling unit of `units`, the class where queries of a class look for the same items. The interval of a
point is that of `mean_intervals`: the point of the full collection has the one that R-precision has in every command.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.curves.curve import Region
from rankscope.curves.generality import generality_curve
from rankscope.curves.generality_tables import GeneralityTable
from rankscope.statistics.intervals.band import Band
from rankscope.statistics.intervals.bands import band
from rankscope.statistics.intervals.deciding import FEW, deciding_units
from rankscope.statistics.intervals.mean_intervals import mean_intervals
from rankscope.statistics.table.query_curves import QueryCurves, curves_over_generality
from rankscope.statistics.table.units import unit_classes, unit_values


@dataclass(frozen=True, eq=False)
class GeneralityEstimate:
    """Mean precision at each level with its pointwise interval; NaN where one unit tells nothing.

    Where rankings were cut, `high` is the upper end for hits that stand right behind the end of the ranking.
    """

    index: FloatArray
    precision: FloatArray
    low: FloatArray
    high: FloatArray
    queries: IntArray
    units: IntArray  # sampling units in each point
    deciding: FloatArray  # by how many of them its mean is decided
    unit: str  # queries or classes
    ways: tuple[str, ...]  # which interval each point has, as `mean_intervals` names them
    level: float = 0.95

    @property
    def few(self) -> BoolArray:
        """Points that fewer than five units decide."""
        return np.asarray((self.units > 0) & (self.deciding < FEW))


def generality_estimate(table: GeneralityTable, level: float = 0.95, seed: int = 0) -> GeneralityEstimate:
    """The means of the columns with their pointwise intervals.

    >>> from rankscope.curves.generality_tables import generality_table
    >>> from rankscope.ranks.relevant_ranks import RelevantRanks
    >>> made = generality_estimate(generality_table(RelevantRanks.from_ranks([[1, 3], [2, 9]], collection=16)))
    >>> made.index.tolist(), made.precision[-1].tolist(), made.units.tolist(), made.few.all().tolist()
    ([1.0, 2.0, 3.0], 0.5, [2, 2, 2], True)
    """
    classes = unit_classes(table.queries)
    low, high, ways = _ends(table.precision, classes, level, seed)
    if _ended(table):
        high = _ends(table.precision_high, classes, level, seed)[1]
    curve = generality_curve(table)
    unit = "queries" if classes is None else "classes"
    return GeneralityEstimate(
        index=curve.index,
        precision=curve.precision,
        low=low,
        high=high,
        queries=curve.queries,
        units=units_at(table),
        deciding=deciding_at(table),
        unit=unit,
        ways=ways,
        level=level,
    )


def units_at(table: GeneralityTable) -> IntArray:
    """How many sampling units each level has."""
    return (~np.isnan(unit_values(table.low, unit_classes(table.queries)))).sum(axis=0)


def _ends(
    values: FloatArray, classes: Sequence[str] | None, level: float, seed: int
) -> tuple[FloatArray, FloatArray, tuple[str, ...]]:
    """Intervals of the columns, each from its own queries alone: others in the table must not change it."""
    there = ~np.isnan(values)
    low, high = np.full(values.shape[1], np.nan), np.full(values.shape[1], np.nan)
    ways = np.full(values.shape[1], "", dtype=object)
    for pattern in np.unique(there, axis=1).T:
        columns = (there == pattern[:, None]).all(axis=0)
        rows = np.flatnonzero(pattern)
        own = None if classes is None else [classes[row] for row in rows.tolist()]
        if rows.size:
            intervals = mean_intervals(values[np.ix_(rows, np.flatnonzero(columns))], own, level=level, seed=seed)
            low[columns], high[columns], ways[columns] = intervals.low, intervals.high, intervals.ways
    return low, high, tuple(ways.tolist())


def deciding_at(table: GeneralityTable) -> FloatArray:
    """By how many sampling units the mean of each level is decided."""
    return deciding_units(unit_values(table.precision, unit_classes(table.queries)))


@dataclass(frozen=True, eq=False)
class GeneralityBand:
    """The band for the whole curve: below from the lower ends, above from the upper ends of cut rankings."""

    lower: Band
    upper: Band

    @property
    def exists(self) -> bool:
        """Whether any point has limits."""
        return self.lower.exists

    def drawn(self) -> Region:
        """The limits as a graph shows them."""
        below, above = self.lower.drawn(), self.upper.drawn()
        low, high = np.minimum(below.low, above.low), np.maximum(below.high, above.high)
        return Region(x=below.x, low=low, high=high, name=below.name, note=below.note)


def generality_band(table: GeneralityTable, level: float = 0.95, seed: int = 0) -> GeneralityBand:
    """The whole curve at once, by the rule that all bands of curves follow."""
    classes = unit_classes(table.queries)

    def around(values: FloatArray) -> Band:
        curves: QueryCurves = curves_over_generality(table, values)
        return band(curves, level=level, classes=classes, seed=seed)

    lower = around(table.precision)
    return GeneralityBand(lower, around(table.precision_high) if _ended(table) else lower)


def _ended(table: GeneralityTable) -> bool:
    """Whether some ranking ended too early to know its hits."""
    return bool((table.high > table.low).any())
