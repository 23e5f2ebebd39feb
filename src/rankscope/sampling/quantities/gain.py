"""Discounted gain within a scope, from a sample; normalised it is a ratio of two estimates, and has no interval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.measures.fractions import divide
from rankscope.sampling.judged_run import JudgedRun
from rankscope.sampling.over_queries import Spread
from rankscope.sampling.quantities.quantity import EstimateRules, LinearQuantity, OverQueries, Quantity, QueryValues
from rankscope.sampling.strata import group_sums, totals

NO_INTERVAL = (
    "estimate only: the ideal gain is estimated too, which biases the mean; in simulations intervals of 95 % held the "
    "truth in .004 to .936 of samples"
)


@dataclass(frozen=True)
class SampledGain(LinearQuantity):
    """DCG@k: the sum of grade/log2(rank + 1) over the first k."""

    scope: int
    first_ranks_decide: ClassVar[bool] = True

    @property
    def text(self) -> str:
        """Its name."""
        return f"DCG@{self.scope}"

    def values(self, run: JudgedRun, chosen: EstimateRules) -> FloatArray:
        """The discounted grade."""
        return np.where(run.hit_rank <= self.scope, run.hit_gain / np.log2(run.hit_rank + 1.0), 0.0)

    def certain(self, run: JudgedRun, chosen: EstimateRules) -> tuple[FloatArray, FloatArray]:
        """What is judged; how high grades can be is not known."""
        query = run.frame.strata.query[run.hit_stratum]
        low = group_sums(query, self.values(run, chosen), len(run.frame.queries))
        return low, np.full(low.size, np.inf)

    def of_queries(self, run: JudgedRun, chosen: EstimateRules) -> QueryValues:
        """Estimates only: few drawn items decide, and no limits of one query hold."""
        return QueryValues.only(self.totals(run, chosen).value)


@dataclass(frozen=True)
class SampledNormalisedGain(Quantity):
    """nDCG@k: DCG@k over that of the best order of as many items of each grade as are estimated; never above 1.

    The mean is taken first and cut at 1 then: to cut each query would make it too small.
    """

    scope: int

    @property
    def text(self) -> str:
        """Its name."""
        return f"nDCG@{self.scope}"

    def of_queries(self, run: JudgedRun, chosen: EstimateRules) -> QueryValues:
        """Estimates only."""
        return QueryValues.only(np.minimum(self._ratios(run, chosen), 1.0))

    def over_queries(self, run: JudgedRun, chosen: EstimateRules) -> Iterator[OverQueries]:
        """The mean of the queries that have a value."""
        values = self._ratios(run, chosen)
        mean = min(float(np.nanmean(values)), 1.0) if np.isfinite(values).any() else float("nan")
        yield OverQueries(f"mean {self.text}", Spread.only(mean), NO_INTERVAL)

    def difference(self, run: JudgedRun, other: JudgedRun, chosen: EstimateRules) -> Iterator[OverQueries]:
        """None."""
        yield from ()

    def _ratios(self, run: JudgedRun, chosen: EstimateRules) -> FloatArray:
        gain = SampledGain(self.scope).totals(run, chosen).value
        return divide(gain, ideal_gain(run, self.scope), nothing=np.nan)


def ideal_gain(run: JudgedRun, scope: int) -> FloatArray:
    """The highest DCG that the estimated numbers of items of each grade allow; parts of an item count in part."""
    strata, ideal = run.frame.strata, np.zeros(len(run.frame.queries))
    before = np.zeros(ideal.size)
    for grade in np.unique(run.hit_gain)[::-1].tolist():
        count = totals(strata, run.hit_stratum, (run.hit_gain == grade).astype(np.float64)).value
        after = np.minimum(before + count, scope)
        ideal += grade * (_discounts(after) - _discounts(before))
        before = after
    return ideal


def _discounts(places: FloatArray) -> FloatArray:
    """The sum of 1/log2(rank + 1) over so many first ranks, straight lines between whole numbers."""
    most = int(np.ceil(places.max(initial=0.0)))
    sums = np.append(0.0, np.cumsum(1.0 / np.log2(np.arange(most) + 2.0)))
    return np.interp(places, np.arange(most + 1), sums)
