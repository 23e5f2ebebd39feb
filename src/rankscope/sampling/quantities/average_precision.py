"""AP from a sample: xinfAP of each query, and with an interval the mean precision at a relevant item."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.sampling.hit_pairs import DrawnHits, precision_sums, weight_sums
from rankscope.sampling.inferred_ap import inferred_ap
from rankscope.sampling.judged_run import JudgedRun
from rankscope.sampling.over_queries import Spread, SpreadRules, ratio_spread
from rankscope.sampling.quantities.quantity import Chosen, OverQueries, Quantity, QueryValues
from rankscope.sampling.rescaled import rescaled_factors

RATIO = "AP, ratio of totals"
NO_INTERVAL = (
    "estimate only: a mean of ratios is biased where few relevant items are drawn; in simulations intervals of 95 % "
    "held the truth in .005 to .765 of samples"
)


@dataclass(frozen=True)
class SampledAP(Quantity):
    """AP: of a query xinfAP; over queries sum S/sum c, the mean precision at a relevant item."""

    @property
    def text(self) -> str:
        """Its name."""
        return "AP"

    def of_queries(self, run: JudgedRun, chosen: Chosen) -> QueryValues:
        """Estimates only."""
        return QueryValues.only(inferred_ap(run))

    def over_queries(self, run: JudgedRun, chosen: Chosen) -> Iterator[OverQueries]:
        """The ratio with its intervals, then the mean of xinfAP without."""
        yield OverQueries(RATIO, pair_ratio(PairSums.of(run, chosen), chosen.level, (0.0, 1.0), not run.is_judged_first))
        values = self.of_queries(run, chosen).value
        mean = float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")
        yield OverQueries("mean AP (xinfAP)", Spread.only(mean), NO_INTERVAL)

    def difference(self, run: JudgedRun, other: JudgedRun, chosen: Chosen) -> Iterator[OverQueries]:
        """Of the two ratios: S of one minus S of the other, over the same relevant items."""
        apart = PairSums.of(run, chosen).minus(PairSums.of(other, chosen))
        is_wide = not (run.is_judged_first and other.is_judged_first)
        yield OverQueries(RATIO, pair_ratio(apart, chosen.level, (-1.0, 1.0), is_wide))


@dataclass(frozen=True, eq=False)
class PairSums:
    """S and the number of relevant items of each query, and both in every resample (resamples x queries)."""

    value: FloatArray
    relevant: FloatArray
    values: FloatArray
    relevants: FloatArray

    @classmethod
    def of(cls, run: JudgedRun, chosen: Chosen) -> PairSums:
        """Every run meets the same resamples: hits are drawn in the order of the frame."""
        factors = rescaled_factors(run.frame.strata, run.hit_stratum, chosen.chance(), chosen.resamples)
        return cls.of_hits(run.hits, factors[:, run.hit_order])

    @classmethod
    def of_hits(cls, hits: DrawnHits, factors: FloatArray) -> PairSums:
        """With the factors of each resample (resamples x hits)."""
        return cls(
            value=precision_sums(hits),
            relevant=weight_sums(hits, np.ones((1, hits.rank.size)))[0],
            values=precision_sums(hits, factors),
            relevants=weight_sums(hits, factors),
        )

    def minus(self, other: PairSums) -> PairSums:
        """The same relevant items, other precisions."""
        return PairSums(
            value=self.value - other.value,
            relevant=self.relevant,
            values=self.values - other.values,
            relevants=self.relevants,
        )


def pair_ratio(sums: PairSums, level: float, bounds: tuple[float, float], is_wide: bool) -> Spread:
    """sum S/sum c; the variance by the draw is that over the resamples."""
    wholes = sums.relevants.sum(axis=1)
    ratios = sums.values.sum(axis=1) / np.where(wholes > 0, wholes, np.nan)
    variance = float(np.nanvar(ratios, ddof=1)) if np.isfinite(ratios).sum() > 1 else float("nan")
    return ratio_spread(sums.value, sums.relevant, variance, SpreadRules(level, bounds, bounds, is_wide))
