"""Recall at a relevant scope when only some distractors are kept, drawn at random."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import IntArray
from rankscope.curves.hits import AllHits
from rankscope.curves.relevant_scope import split_scope
from rankscope.curves.thinning import Thinned, hits_when_kept


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
