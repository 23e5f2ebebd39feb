"""Recall at a relevant scope when only some distractors are kept, drawn at random."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.curves.hits import AllHits, hits_of
from rankscope.curves.relevant_scope import split_scope
from rankscope.curves.thinning import Thinned, hits_when_kept
from rankscope.ranks.relevant_ranks import RelevantRanks


def recall_at_level(queries: RelevantRanks, level: int, a: FloatArray) -> Thinned:
    """Mean recall of each query (row) at relevant scopes (columns) when distractors are left out until G = level.

    NaN where a query has not so many distractors, or the collection left is smaller than the scope.
    >>> queries = RelevantRanks.from_ranks([[1, 3, 10, 40]], collection=100)
    >>> recall_at_level(queries, 2, np.array([1.0, 2.0])).low.round(6)
    array([[0.697871, 0.877067]])
    """
    hits = hits_of(queries)
    kept = queries.relevant * (2**level - 1)
    columns = [recall_when_kept(hits, kept, float(each)) for each in a]
    low, high, variance = (
        np.stack([getattr(each, name) for each in columns], axis=1) for name in ("low", "high", "variance")
    )
    return Thinned(low, high, variance)


def recall_when_kept(hits: AllHits, kept: IntArray, a: float) -> Thinned:
    """Mean recall at scope a c, linear between neighbouring scopes; NaN where the collection left is smaller than that.

    The variance is NaN where hits are interpolated.
    """
    whole, share = split_scope(a * hits.relevant.astype(np.float64))
    scope = whole.astype(np.int64)
    result = hits_when_kept(hits, kept, scope)
    if (share > 0).any():
        beyond = hits_when_kept(hits, kept, scope + 1)
        result = Thinned(
            result.low + share * (beyond.low - result.low),
            result.high + share * (beyond.high - result.high),
            np.where(share > 0, np.nan, result.variance),
        )
    there = whole + (share > 0) <= hits.relevant + kept
    missing = np.where(there, 0.0, np.nan)
    return Thinned(result.low + missing, result.high + missing, result.variance + missing).over(hits.relevant)
