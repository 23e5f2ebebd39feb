"""Does performance depend on d/c alone? Thinned collections and classes of other sizes are compared at equal G."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.curves.generality import GeneralityCurve, grnp
from rankscope.curves.weighting import Weighting
from rankscope.errors import MeasureError
from rankscope.ranks.relevant_ranks import RelevantRanks


@dataclass(frozen=True, eq=False)
class Homogeneity:
    """Precision of both ways at the mean G of each bin, with the half widths of their intervals.

    A gap beyond both intervals means that hits depend on the class size and not only on d/c, or that classes of
    different size are differently hard: then curves by class size say nothing about a growing collection.
    """

    index: FloatArray
    thinned: FloatArray
    bins: FloatArray
    thinned_half: FloatArray
    bins_half: FloatArray  # NaN for a bin of one query: no interval, no verdict
    queries: IntArray  # in the bin
    alpha: float

    @property
    def gap(self) -> FloatArray:
        """Precision of the bin less that of the thinned collections."""
        return self.bins - self.thinned

    @property
    def differs(self) -> BoolArray:
        """Whether the two intervals are disjoint."""
        return np.abs(self.gap) > self.thinned_half + self.bins_half

    def to_polars(self) -> pl.DataFrame:
        """One row per bin."""
        names = ("index", "thinned", "thinned_half", "bins", "bins_half", "gap", "differs", "queries")
        return pl.DataFrame({name: getattr(self, name) for name in names}, nan_to_null=True)


def homogeneity(
    queries: RelevantRanks, n: float = 1.0, alpha: float = 0.05, weighting: Weighting = "per_query"
) -> Homogeneity:
    """Compare the ways `thinned` and `bins` at equal G: thinned values are taken linearly between their levels.

    Bins whose mean G lies outside the levels of thinning are left out. Intervals are mean and t quantile times error.
    """
    if not 0 < alpha < 1:
        raise MeasureError(f"0 < alpha < 1 is needed, got {alpha!r}")
    thinned, bins = grnp(queries, n, "thinned", None, weighting), grnp(queries, n, "bins", None, weighting)
    thinned = thinned.where(~np.isnan(thinned.error))
    bins = bins.where(
        (bins.mean_index >= thinned.index.min(initial=np.inf)) & (bins.mean_index <= thinned.index.max(initial=0))
    )
    at = bins.mean_index
    values, widths = (
        np.interp(at, thinned.index, each) if at.size else np.empty(0)
        for each in (thinned.precision, _half(thinned, alpha))
    )
    return Homogeneity(at, values, bins.precision, widths, _half(bins, alpha), bins.queries, alpha)


def _half(curve: GeneralityCurve, alpha: float) -> FloatArray:
    """Half the width of the interval of each mean."""
    from scipy.special import stdtrit

    quantile = stdtrit(np.where(curve.units > 1, curve.units - 1.0, np.nan), 1.0 - alpha / 2)
    return quantile * curve.error / curve.n
