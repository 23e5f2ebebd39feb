"""Does performance depend on d/c alone? Thinned collections and classes of other sizes are compared at equal G."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.curves.generality import existing, generality_curve
from rankscope.curves.generality_tables import Members, generality_table
from rankscope.displayed import Tabular
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.statistics.intervals.deciding import FEW
from rankscope.statistics.intervals.generality_estimate import GeneralityEstimate, generality_estimate
from rankscope.validation import SHARE, check


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
        return apart & (self.units >= FEW)

    def to_polars(self) -> pl.DataFrame:
        """One row per bin."""
        names = ("index", "thinned", "thinned_low", "thinned_high", "bins", "bins_low", "bins_high", "gap", "differs")
        return pl.DataFrame({name: getattr(self, name) for name in (*names, "queries", "units")}, nan_to_null=True)


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
