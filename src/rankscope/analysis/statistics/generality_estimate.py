"""Curves over generality with their intervals and bands, and whether performance depends on generality alone
(homogeneity).

How sure a curve over generality is: an interval for each point, and a band for the whole curve. Both draw the sampling
unit of `sampling_units`, the class where queries of a class look for the same items. The interval of a point is that of
`mean_intervals`: the point of the full collection has the one that R-precision has in every command.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from rankscope.analysis.curves.curve import Region
from rankscope.analysis.curves.generality import GeneralityTable, Members, existing, generality_curve, generality_table
from rankscope.analysis.statistics.bands import Band, band
from rankscope.analysis.statistics.bootstrap import ENOUGH
from rankscope.analysis.statistics.mean_intervals import mean_intervals
from rankscope.analysis.statistics.query_curves import QueryCurves, curves_over_generality
from rankscope.analysis.statistics.sampling_units import FEW_UNITS, deciding_units, unit_classes, unit_values
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.display import Display, Tabular
from rankscope.core.rendering import HeadedTable, Presentation
from rankscope.core.validation import SHARE, check
from rankscope.core.wording import percent_text, setting_value
from rankscope.ranks.relevant_ranks import RelevantRanks


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
        return np.asarray((self.units > 0) & (self.deciding < FEW_UNITS))


def generality_estimate(table: GeneralityTable, level: float = 0.95, seed: int = 0) -> GeneralityEstimate:
    """The means of the columns with their pointwise intervals.

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
        units=(~np.isnan(unit_values(table.low, classes))).sum(axis=0),
        deciding=deciding_at(table),
        unit=unit,
        ways=ways,
        level=level,
    )


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
        return self.lower.exists

    def drawn(self) -> Region:
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


@dataclass(frozen=True, eq=False, repr=False)
class Homogeneity(Tabular):
    """Precision of both ways at the mean G of each bin, with their pointwise intervals over the sampling units.

    A gap beyond both intervals means that hits depend on the class size and not only on d/c, or that classes of
    different size are differently hard: then curves by class size say nothing about a growing collection.
    """

    index: FloatArray
    thinned: FloatArray
    thinned_low: FloatArray
    thinned_high: FloatArray
    bins: FloatArray
    bins_low: FloatArray
    bins_high: FloatArray
    queries: IntArray  # in the bin
    units: IntArray  # in the bin: queries, or classes where queries of a class look for the same items
    unit: str
    level: float

    @property
    def gap(self) -> FloatArray:
        """Precision of the bin minus that of the thinned collections."""
        return self.bins - self.thinned

    @property
    def differs(self) -> BoolArray:
        """Whether the two intervals are disjoint; never said of a bin of fewer than five units."""
        apart = (self.bins_low > self.thinned_high) | (self.bins_high < self.thinned_low)
        return apart & (self.units >= FEW_UNITS)

    def to_polars(self) -> pl.DataFrame:
        """One row per bin."""
        names = ("index", "thinned", "thinned_low", "thinned_high", "bins", "bins_low", "bins_high", "gap", "differs")
        return pl.DataFrame({name: getattr(self, name) for name in (*names, "queries", "units")}, nan_to_null=True)

    def records(self) -> list[dict[str, object]]:
        return homogeneity_rows(self)

    def display(self) -> Display:
        return Display.of([homogeneity_verdict(self)], self.records(), places=3)

    def presentation(self, system: str = "") -> Presentation:
        """Both ways at each bin as a table, and where they differ."""
        name = f"{system}: " if system else ""
        head = (
            f"{name}precision = recall at equal generality, {percent_text(self.level)} intervals over {self.unit} "
            f"(bounded below {ENOUGH}, BCa from {ENOUGH} on)"
        )
        rows = homogeneity_rows(self)
        return Presentation([head], [HeadedTable("", rows, places=3)] if rows else [], [homogeneity_verdict(self)])


def homogeneity(
    queries: RelevantRanks, n: float = 1.0, level: float = 0.95, members: Members = "constant"
) -> Homogeneity:
    """Compare the ways `thinned` and `bins` at equal G: thinned values are taken linearly between their levels.

    Bins whose mean G lies outside the levels of thinning are left out: with constant members these end where half of
    the queries end. A point of one unit has no interval.
    """
    level = check(locals(), level=SHARE)["level"]
    binned = existing(generality_table(queries, n, "bins"))
    thinned = generality_estimate(existing(generality_table(queries, n, "thinned", None, members)), level)
    bins = generality_estimate(binned, level)
    known = np.isfinite(thinned.low)
    at = generality_curve(binned).mean_index
    levels = thinned.index[known]
    inside = (at >= levels.min(initial=np.inf)) & (at <= levels.max(initial=-np.inf))
    value, low, high = (_between(thinned, name, known, at[inside]) for name in ("precision", "low", "high"))
    return Homogeneity(
        index=at[inside],
        thinned=value,
        thinned_low=low,
        thinned_high=high,
        bins=bins.precision[inside],
        bins_low=bins.low[inside],
        bins_high=bins.high[inside],
        queries=bins.queries[inside],
        units=bins.units[inside],
        unit=bins.unit,
        level=level,
    )


def _between(thinned: GeneralityEstimate, name: str, known: BoolArray, at: FloatArray) -> FloatArray:
    """A column of the estimate between its levels."""
    return np.interp(at, thinned.index[known], getattr(thinned, name)[known]) if at.size else np.empty(0)


# The test of homogeneity in words and as a table.


def homogeneity_rows(result: Homogeneity) -> list[dict[str, object]]:
    """One row for each generality index at which both are known."""
    units = {} if result.unit == "queries" else {result.unit: result.units.tolist()}
    columns: dict[str, list[object]] = {
        "G": result.index.tolist(),
        "thinned": result.thinned.tolist(),
        "thinned interval": [*map(_interval, result.thinned_low.tolist(), result.thinned_high.tolist())],
        "class size": result.bins.tolist(),
        "class size interval": [*map(_interval, result.bins_low.tolist(), result.bins_high.tolist())],
        "gap": result.gap.tolist(),
        "differs": ["yes" if each else "no" for each in result.differs.tolist()],
        "queries": result.queries.tolist(),
        **units,
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _interval(low: float, high: float) -> str:
    """Both ends; one unit has no interval.

    >>> _interval(0.25, 0.5), _interval(float("nan"), float("nan"))
    ('0.250 to 0.500', 'none')
    """
    return "none" if math.isnan(low) or math.isnan(high) else f"{low:.3f} to {high:.3f}"


def homogeneity_verdict(result: Homogeneity) -> str:
    """What the gaps say, and what they do not."""
    there = result.index.size
    if not there:
        return "No generality index has both a thinned collection and classes of that size: nothing can be compared."
    apart = int(result.differs.sum())
    if not apart:
        return (
            f"At none of {there} generality indices do the two lie apart beyond both {percent_text(result.level)} "
            "intervals: no dependence on class size in addition to d/c is shown, which is no proof that there is none."
        )
    signs = {bool(gap > 0) for gap in result.gap[result.differs].tolist()}
    side = "differ from" if len(signs) > 1 else ("do better than" if signs == {True} else "do worse than")
    return (
        f"At {apart} of {there} generality indices classes of that size {side} the queries that are followed through "
        "thinned collections, beyond both intervals: hits do not depend on d/c alone, or large and small classes are "
        f"not equally hard. Curves by class size ({setting_value('way', 'bins')}) say nothing about a growing "
        "collection here."
    )
