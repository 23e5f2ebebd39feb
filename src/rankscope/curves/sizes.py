"""What curves ask of the rankings before they begin: known sizes, scopes that exist, queries that count."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.errors import MeasureError
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks
from rankscope.wording import setting_usage

SLACK = 1e-9  # of comparisons of computed reals


def with_relevant_items(queries: RelevantRanks) -> RelevantRanks:
    """The queries that have a relevant item; the others have no recall and stay out of every mean."""
    some = queries.relevant > 0
    return queries if some.all() else queries.take(np.flatnonzero(some))


def known_sizes(queries: RelevantRanks, what: str) -> IntArray:
    """The size of the collection (d) of each query; refuses to guess it, and one that is less than the class."""
    if (queries.collection == UNKNOWN).any():
        raise MeasureError(
            f"{what} needs the size of the collection, which a run file does not tell: give "
            f"{setting_usage('collection_size', 'D')}"
        )
    short = np.flatnonzero(queries.collection < np.maximum(queries.relevant, queries.depth))
    if short.size:
        row = int(short[0])
        raise MeasureError(
            f"{what}: relevant and returned items <= collection size is needed, but query {queries.queries[row]} has "
            f"{int(queries.relevant[row])} and {int(queries.depth[row])}, the collection {int(queries.collection[row])}"
        )
    return queries.collection


def generality_index(queries: RelevantRanks, what: str = "the generality index") -> FloatArray:
    """G = log2(d/c) of each query; NaN where nothing is relevant."""
    size = known_sizes(queries, what)
    return np.log2(size / np.where(queries.relevant > 0, queries.relevant, np.nan))


def whole_scopes(queries: RelevantRanks, scopes: ArrayLike | None) -> IntArray:
    """The scopes asked for, or 1, 2, ... to the end of the longest ranking; none may exceed a known collection."""
    known = queries.collection[queries.collection != UNKNOWN]
    most = int(known.min()) if known.size else None
    if scopes is None:
        longest = max(1, int(queries.depth.max(initial=1)))
        return np.arange(1, (longest if most is None else min(longest, most)) + 1)
    given = np.asarray(scopes)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise MeasureError(f"scopes must be a list of whole numbers, got {scopes!r}")
    if given.size and given.min() < 1:
        raise MeasureError(f"scope >= 1 is needed, got {given.min()}")
    if most is not None and given.size and given.max() > most:
        raise MeasureError(f"scope <= collection ({most}) is needed, got {given.max()}")
    return given.astype(np.int64)


def unfinished(queries: RelevantRanks) -> BoolArray:
    """Rankings that end before all relevant items were found: beyond their end, hits are only a lower bound."""
    return queries.found < queries.relevant
