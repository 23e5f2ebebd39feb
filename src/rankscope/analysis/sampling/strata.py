"""Strata: groups of items of one query from which some were drawn at random and judged, totals estimated from them,
resamples within strata, and the interval of one total.

Everything that is summed is 0 for an item that is not relevant, so the relevant items drawn are all that totals need.

Student's interval of one stratified total, with Satterthwaite's degrees of freedom (1946). It is for samples of many
pairs from few strata, such as all pairs of a test stratified by a machine's grade. For the class size of one query it
is no good: where few relevant items are drawn it held the truth in .78 of simulated samples, and `intervals` takes its
place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankscope.analysis.sampling.estimate import EstimatedRange
from rankscope.analysis.sampling.intervals import t_quantile
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.ranks.ragged import sums_by


@dataclass(frozen=True, eq=False)
class Strata:
    """Of each stratum: the number of its query, its name, how many items it has (N) and how many are judged (n).

    A stratum not judged in full has at least two judged items.
    """

    queries: int
    query: IntArray
    name: tuple[str, ...]
    size: IntArray
    judged: IntArray

    def __len__(self) -> int:
        return self.size.size

    @cached_property
    def scale(self) -> FloatArray:
        """N/n: for how many items a judged one stands."""
        return self.size / np.maximum(self.judged, 1)

    @cached_property
    def pair_scale(self) -> FloatArray:
        """(N - 1)/(n - 1): for how many items one counts, given another judged one of its stratum."""
        return np.where(self.judged > 1, (self.size - 1) / np.maximum(self.judged - 1, 1), 1.0)

    @property
    def is_full(self) -> BoolArray:
        return self.judged == self.size

    def by_query(self, values: FloatArray) -> FloatArray:
        """Sums over the strata of each query."""
        return sums_by(self.query, values, self.queries)


@dataclass(frozen=True, eq=False)
class SampleTotals:
    """Estimated totals, one a query, with the variance of each by the draw of the sample."""

    value: FloatArray
    variance: FloatArray


def totals(strata: Strata, stratum: IntArray, value: FloatArray) -> SampleTotals:
    """T = sum of N ybar, variance sum of N^2 (1 - n/N) s^2/n, from the values of the relevant items drawn.

    >>> strata = Strata(1, np.zeros(3, int), tuple("abc"), np.array([10, 90, 900]), np.array([10, 18, 45]))
    >>> found = totals(strata, np.repeat([0, 1, 2], [7, 4, 2]), np.ones(13))
    >>> found.value.round(6).tolist(), np.sqrt(found.variance).round(4).tolist()
    ([67.0], [28.4361])
    """
    sums, squares = sums_by(stratum, value, len(strata)), sums_by(stratum, value * value, len(strata))
    return SampleTotals(strata.by_query(strata.scale * sums), strata.by_query(stratum_variance(strata, sums, squares)))


def stratum_variance(strata: Strata, sums: FloatArray, squares: FloatArray) -> FloatArray:
    """What each stratum adds to the variance of a total; from sums of values, and of their squares, over the sample."""
    n = np.maximum(strata.judged, 1)
    spread = np.maximum(squares - sums * sums / n, 0.0) / np.maximum(n - 1, 1)
    return strata.size * (strata.size - strata.judged) * spread / n


# Resamples of a judged sample within its strata, rescaled so that their spread is that of the draw (Rao & Wu 1988).

RESAMPLES = 200


def rescaled_factors(
    strata: Strata, stratum: IntArray, chance: np.random.Generator, resamples: int = RESAMPLES
) -> FloatArray:
    """By what the weight of each hit is multiplied in each resample: 1 - f + f n m/(n - 1), f = sqrt(1 - n/N).

    `stratum` is that of each relevant item drawn; m counts how often it is among n - 1 draws with replacement from the
    n judged items of its stratum. A stratum that is judged in full does not vary.
    """
    factors = np.ones((resamples, stratum.size))
    found = np.bincount(stratum, minlength=len(strata))
    varies = ~strata.is_full & (found > 0)
    columns = np.flatnonzero(varies[stratum])
    if not columns.size:
        return factors
    varying = stratum[columns]
    n, size = strata.judged[varying], strata.size[varying]
    share = np.sqrt(1.0 - n / size)
    times = _times_drawn(varying, strata.judged, chance, resamples)
    factors[:, columns] = 1.0 - share + share * n / (n - 1) * times
    return factors


def _times_drawn(stratum: IntArray, judged: IntArray, chance: np.random.Generator, resamples: int) -> IntArray:
    """How often each hit is drawn: first how many draws of its stratum meet some hit, then which."""
    strata, found = np.unique(stratum, return_counts=True)
    n = judged[strata]
    met = chance.binomial(n - 1, found / n, size=(resamples, strata.size))
    order = np.argsort(stratum, kind="stable")
    start = np.cumsum(found) - found
    cell = np.repeat(np.arange(met.size), met.ravel())
    place = cell % strata.size
    hit = order[start[place] + (chance.random(cell.size) * found[place]).astype(np.int64)]
    return np.bincount(cell // strata.size * stratum.size + hit, minlength=resamples * stratum.size).reshape(
        resamples, stratum.size
    )


# Student's interval of one stratified total, with Satterthwaite's degrees of freedom (1946).


@dataclass(frozen=True)
class StratifiedTotal:
    """A total with its standard error, its degrees of freedom and its interval."""

    error: float
    freedom: float
    range: EstimatedRange


def stratified_total(strata: Strata, stratum: IntArray, value: FloatArray, level: float = 0.95) -> StratifiedTotal:
    """Of all strata together, from the values of the items drawn that have one; the others count as 0.

    >>> strata = Strata(1, np.zeros(3, int), tuple("abc"), np.array([10, 90, 900]), np.array([10, 18, 45]))
    >>> found = stratified_total(strata, np.repeat([0, 1, 2], [7, 4, 2]), np.ones(13))
    >>> round(found.error, 4), round(found.freedom, 2), round(found.range.low, 2), round(found.range.high, 2)
    (28.4361, 51.11, 9.92, 124.08)
    """
    sums = sums_by(stratum, value, len(strata))
    parts = stratum_variance(strata, sums, sums_by(stratum, value * value, len(strata)))
    whole, total = float(parts.sum()), float((strata.scale * sums).sum())
    if whole == 0:
        return StratifiedTotal(0.0, math.inf, EstimatedRange(total, total, total))
    freedom = whole**2 / float((parts**2 / np.maximum(strata.judged - 1, 1)).sum())
    half = t_quantile(level, freedom) * math.sqrt(whole)
    return StratifiedTotal(math.sqrt(whole), freedom, EstimatedRange(total, total - half, total + half))
