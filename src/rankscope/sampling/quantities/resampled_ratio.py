"""Ratios of totals over queries whose variance is that over resamples of the judged sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.sampling.hit_pairs import DrawnHits, weight_sums
from rankscope.sampling.over_queries import Spread, SpreadRules, ratio_spread


@dataclass(frozen=True, eq=False)
class RatioSums:
    """A sum and the number of relevant items of each query, and both in every resample (resamples x queries)."""

    value: FloatArray
    relevant: FloatArray
    values: FloatArray
    relevants: FloatArray

    @classmethod
    def of(cls, hits: DrawnHits, factors: FloatArray, value: FloatArray, values: FloatArray) -> RatioSums:
        """Next to sums that were made with these factors."""
        once = np.ones((1, hits.rank.size))
        return cls(
            value=value, relevant=weight_sums(hits, once)[0], values=values, relevants=weight_sums(hits, factors)
        )

    def minus(self, other: RatioSums) -> RatioSums:
        """The same relevant items, other sums."""
        return RatioSums(
            value=self.value - other.value,
            relevant=self.relevant,
            values=self.values - other.values,
            relevants=self.relevants,
        )


def resampled_ratio(sums: RatioSums, rules: SpreadRules) -> Spread:
    """Sum of values over all relevant items; the variance by the draw is that over the resamples."""
    wholes = sums.relevants.sum(axis=1)
    ratios = sums.values.sum(axis=1) / np.where(wholes > 0, wholes, np.nan)
    variance = float(np.nanvar(ratios, ddof=1)) if np.isfinite(ratios).sum() > 1 else float("nan")
    return ratio_spread(sums.value, sums.relevant, variance, rules)
