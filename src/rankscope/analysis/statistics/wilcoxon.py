"""Wilcoxon's signed-rank test: ranks of the sizes of the differences, so that none weighs too much.

Differences are rounded to 1e-9 first, because raw floats break true ties; zeros are dropped; tied sizes share the mean
of their ranks. The p-value is the normal approximation with the variance of the tied ranks, without continuity
correction; or exact, over the signs of those ranks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rankscope.analysis.statistics.paired_tests import (
    Alternative,
    PairTest,
    known_differences,
    one_sided_interval,
    tail_of,
)
from rankscope.analysis.statistics.sign_flip import EXACT, flips_in_words, sign_flip_p
from rankscope.core.arrays import FloatArray
from rankscope.core.wording import how_many

PLACES = 9
HALVINGS = 200
FEW = 1_000  # so many values have half a million pairs: all are made and sorted


def signed_ranks(differences: FloatArray) -> FloatArray:
    """The rank of each size with the sign of its difference; zeros are left out.

    >>> signed_ranks(np.array([0.5, -0.1, 0.0, 0.3, -0.3])).tolist()
    [4.0, -1.0, 2.5, -2.5]
    """
    rounded = differences.round(PLACES)
    moving = rounded[rounded != 0]
    _, place, count = np.unique(np.abs(moving), return_inverse=True, return_counts=True)
    return np.sign(moving) * (np.cumsum(count) - (count - 1) / 2)[place]


def wilcoxon(
    differences: ArrayLike,
    alternative: Alternative = "two-sided",
    *,
    level: float = 0.95,
    exact: bool | None = None,
) -> PairTest:
    """The pseudo-median of the queries that differ (Hodges and Lehmann), with interval and p-value.

    `exact` None enumerates the signs of up to 20 ranks, where the normal approximation rejects too often, and uses the
    approximation above; True counts the signs above too. The note has the other p-value where both are known.
    >>> made = wilcoxon([0.06, 0.03, 0.08, 0.02, -0.01], exact=False)
    >>> round(made.estimate, 4), round(made.p, 4), made.note
    (0.035, 0.0796, 'W+ = 14, 5 of 5 queries differ; normal approximation; exact p = 0.1250')
    """
    values, tail = known_differences(differences), tail_of(level, alternative)
    ranks = signed_ranks(values)
    median, p = (0.0, 1.0) if values.size else (math.nan, math.nan)
    low = high = math.nan
    note = "no query differs"
    if ranks.size:
        few = ranks.size <= EXACT
        chosen = few if exact is None else exact
        normal = normal_p(ranks, alternative)
        by_signs = float(sign_flip_p(ranks, alternative)[0]) if few or chosen else math.nan
        p = by_signs if chosen else normal
        other = f"; normal p = {normal:.4f}" if chosen else f"; exact p = {by_signs:.4f}" if few else ""
        way = "normal approximation" if not chosen else "exact" if few else flips_in_words(ranks.size)
        note = f"W+ = {ranks[ranks > 0].sum():g}, {ranks.size} of {how_many(values.size)} differ; {way}{other}"
        moving = np.sort(values[values.round(PLACES) != 0])
        median = pseudo_median(moving)
        low, high = one_sided_interval(*_limits(moving, tail), alternative)
    return PairTest(
        test="Wilcoxon",
        estimate=median,
        low=low,
        high=high,
        p=p,
        queries=values.size,
        note=note,
        quantity="pseudo-median",
        alternative=alternative,
        level=level,
    )


def normal_p(ranks: FloatArray, alternative: Alternative = "two-sided") -> float:
    """The normal approximation; the variance of W+ is a quarter of the sum of squared ranks, ties or not.

    >>> round(normal_p(np.array([1.0, 2.5, 2.5, 4.0, -5.0])), 4)
    0.4982
    """
    from scipy.special import ndtr

    z = ranks.sum() / math.sqrt(float(ranks @ ranks))
    tails = {"two-sided": 2 * ndtr(-abs(z)), "greater": ndtr(-z), "less": ndtr(z)}
    return float(tails[alternative])


def pseudo_median(ordered: FloatArray) -> float:
    """The median of the means of all pairs, each value with itself included.

    >>> pseudo_median(np.array([0.0, 1.0, 5.0]))
    1.75
    """
    pairs = ordered.size * (ordered.size + 1) // 2
    low, high = walsh_averages(ordered, ((pairs - 1) // 2, pairs // 2))
    return (low + high) / 2


def _limits(ordered: FloatArray, tail: float) -> tuple[float, float]:
    """Walsh averages as far from each end as the normal approximation allows."""
    from scipy.special import ndtri

    count = ordered.size
    sd = math.sqrt(count * (count + 1) * (2 * count + 1) / 24)
    place = math.floor(count * (count + 1) / 4 + float(ndtri(tail)) * sd)
    if place < 0:
        return -math.inf, math.inf
    low, high = walsh_averages(ordered, (place, count * (count + 1) // 2 - 1 - place))
    return low, high


def walsh_averages(ordered: FloatArray, places: Sequence[int]) -> list[float]:
    """The means of two values, or of one with itself, that stand at these places in their order, from 0.

    Of many values not all pairs are made: each place is found by halving.
    """
    if ordered.size > FEW:
        return [_found(ordered, place) for place in places]
    first, second = np.triu_indices(ordered.size)
    averages = np.sort((ordered[first] + ordered[second]) / 2)
    return averages[list(places)].tolist()


def _found(ordered: FloatArray, place: int) -> float:
    low, high = float(ordered[0]), float(ordered[-1])
    if _pairs_up_to(ordered, low) > place:
        return low
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (low, middle) if _pairs_up_to(ordered, middle) > place else (middle, high)
    return high


def _pairs_up_to(ordered: FloatArray, mean: float) -> int:
    reached = np.searchsorted(ordered, 2 * mean - ordered, side="right").sum()
    return int(reached + np.searchsorted(ordered, mean, side="right")) // 2
