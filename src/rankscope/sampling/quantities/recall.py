"""Recall within a scope, from a sample: of one query a/(a + b), over queries the ratio of totals."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.measures.fractions import divide
from rankscope.sampling.judged_run import JudgedRun, cells_by_query
from rankscope.sampling.mid_p import recall_limits
from rankscope.sampling.over_queries import Bounds, Spread, SpreadRules, ratio_spread
from rankscope.sampling.quantities.quantity import EstimateRules, OverQueries, Quantity, QueryValues
from rankscope.sampling.strata import Strata, totals


@dataclass(frozen=True)
class SampledRecall(Quantity):
    """R@s: the share of the relevant items that stand among the first s."""

    scope: int

    @property
    def text(self) -> str:
        """Its name."""
        return f"R@{self.scope}"

    def of_queries(self, run: JudgedRun, chosen: EstimateRules) -> QueryValues:
        """Mid-p limits of a/(a + b)."""
        strata, stratum = run.frame.strata, run.hit_stratum
        inside = totals(strata, stratum, self._values(run)).value
        value = divide(inside, totals(strata, stratum, np.ones(stratum.size)).value, nothing=np.nan)
        if not run.has_cells:
            return QueryValues.only(value)
        cells = cells_by_query(strata.query, run.cells(self.scope))
        limits = [recall_limits(*each, chosen.level) for each in cells]
        low, high = np.array(limits, dtype=np.float64).reshape(-1, 2).T
        certain_low, certain_high = self._certain(run)
        return QueryValues(value=value, low=low, high=high, certain_low=certain_low, certain_high=certain_high)

    def over_queries(self, run: JudgedRun, chosen: EstimateRules) -> Iterator[OverQueries]:
        """All hits over all relevant items: queries with more relevant items count more."""
        rules = SpreadRules(chosen.level, self._certain_ratio(run), (0.0, 1.0))
        yield OverQueries(
            f"{self.text}, ratio of totals", linear_ratio(run.frame.strata, run.hit_stratum, self._values(run), rules)
        )

    def difference(self, run: JudgedRun, other: JudgedRun, chosen: EstimateRules) -> Iterator[OverQueries]:
        """Of the two ratios, whose denominators are the same."""
        apart = self._values(run) - self._values(other)
        spread = linear_ratio(
            run.frame.strata, run.hit_stratum, apart, SpreadRules(chosen.level, (-1.0, 1.0), (-1.0, 1.0))
        )
        yield OverQueries(f"{self.text}, ratio of totals", spread)

    def _values(self, run: JudgedRun) -> FloatArray:
        return (run.hit_rank <= self.scope).astype(np.float64)

    def _counts(self, run: JudgedRun) -> tuple[FloatArray, FloatArray]:
        """The least and the most relevant items of each query: rows inside the scope and outside."""
        size, judged, found = run.cells(self.scope)
        strata = run.frame.strata
        low = np.stack([strata.by_query(each.astype(np.float64)) for each in found])
        left = np.stack([strata.by_query(each.astype(np.float64)) for each in size - judged])
        return low, low + left

    def _certain(self, run: JudgedRun) -> tuple[FloatArray, FloatArray]:
        low, high = self._counts(run)
        return (
            divide(low[0], low[0] + high[1], nothing=np.nan),
            divide(high[0], high[0] + low[1], nothing=np.nan),
        )

    def _certain_ratio(self, run: JudgedRun) -> Bounds:
        if not run.has_cells:
            return 0.0, 1.0
        low, high = (each.sum(axis=1) for each in self._counts(run))
        if low[0] + high[1] == 0 or high[0] + low[1] == 0:
            return 0.0, 1.0
        return float(low[0] / (low[0] + high[1])), float(high[0] / (high[0] + low[1]))


def linear_ratio(strata: Strata, stratum: IntArray, values: FloatArray, rules: SpreadRules) -> Spread:
    """Sum of values over the number of relevant items, with the variance of its linear form."""
    parts = totals(strata, stratum, values).value
    wholes = totals(strata, stratum, np.ones(values.size)).value
    return ratio_spread(parts, wholes, ratio_variance(strata, stratum, values), rules)


def ratio_variance(strata: Strata, stratum: IntArray, values: FloatArray) -> float:
    """By the draw: the variance of sum (z - R)/C over the relevant items drawn.

    >>> strata = Strata(1, np.zeros(3, int), tuple("abc"), np.array([10, 90, 900]), np.array([10, 18, 45]))
    >>> round(math.sqrt(ratio_variance(strata, np.repeat([0, 1, 2], [7, 4, 2]), np.repeat([1.0, 0.0], [11, 2]))), 6)
    0.179166
    """
    whole = float(totals(strata, stratum, np.ones(values.size)).value.sum())
    if whole == 0:
        return math.nan
    ratio = float(totals(strata, stratum, values).value.sum()) / whole
    return float(totals(strata, stratum, (values - ratio) / whole).variance.sum())
