"""Recall at a relevant scope when only some distractors are kept: random ones, or those ranked best."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.curves.hits import AllHits, Hits
from rankscope.curves.relevant_scope import split_scope
from rankscope.curves.thinning import Thinned, hits_when_kept

Keeping = Callable[[AllHits, IntArray, IntArray], Thinned]  # of hits, and of each query's distractors kept and scope


def hits_with_nearest(hits: AllHits, kept: IntArray, scope: IntArray) -> Thinned:
    """Hits within the scope when the `kept` best-ranked distractors stay: b distractors above become min(b, kept).

    From the ranks of one query these are the distractors nearest to its class. Nothing is random: the variance is 0.
    >>> from rankscope.curves.hits import hits_of
    >>> from rankscope.ranks.relevant_ranks import RelevantRanks
    >>> hits = hits_of(RelevantRanks.from_ranks([[1, 3, 10, 40]], collection=100))
    >>> hits_with_nearest(hits, np.array([2]), np.array([5])).low
    array([3.])
    """

    def within(some: Hits) -> FloatArray:
        new = some.place + np.minimum(some.above, kept[some.row])
        return some.total((new <= scope[some.row]).astype(np.float64))

    seen = within(hits.found)
    possible = kept <= hits.distractors
    low, high = (np.where(possible, seen + within(each), np.nan) for each in (hits.worst, hits.best))
    return Thinned(low, high, np.where(possible, 0.0, np.nan))


def recall_when_kept(hits: AllHits, kept: IntArray, a: float, keeping: Keeping = hits_when_kept) -> Thinned:
    """Mean recall at scope a c, linear between neighbouring scopes; NaN where the collection left is smaller than that.

    The variance is NaN where hits are interpolated.
    """
    whole, share = split_scope(a * hits.relevant.astype(np.float64))
    scope = whole.astype(np.int64)
    result = keeping(hits, kept, scope)
    if (share > 0).any():
        beyond = keeping(hits, kept, scope + 1)
        result = Thinned(
            result.low + share * (beyond.low - result.low),
            result.high + share * (beyond.high - result.high),
            np.where(share > 0, np.nan, result.variance),
        )
    there = whole + (share > 0) <= hits.relevant + kept
    missing = np.where(there, 0.0, np.nan)
    return Thinned(result.low + missing, result.high + missing, result.variance + missing).over(hits.relevant)
