"""Hits at a relevant scope a = s/c: the same for classes of every size, interpolated where a c is no whole number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import BoolArray, FloatArray
from rankscope.curves.sizes import SLACK, unfinished
from rankscope.errors import MeasureError
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks, rank_counts


@dataclass(frozen=True, eq=False)
class ScopedHits:
    """V(a) of each query (rows) at each relevant scope (columns), and what is to be known of each column."""

    hits: FloatArray
    interpolated: BoolArray  # whether some query's hits are interpolated
    lower_bound: BoolArray  # whether some ranking ended before, with relevant items not found


def relevant_scopes(a: ArrayLike) -> FloatArray:
    """Relevant scopes as an array; each must be above 0."""
    given = np.asarray(a, dtype=np.float64)
    if given.ndim != 1 or not (np.isfinite(given) & (given > 0)).all():
        raise MeasureError(f"relevant scopes must be a list of numbers above 0, got {a!r}")
    return given


def split_scope(scope: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The whole scope at or below a computed one, and the share of the way to the next; within the slack it is 0.

    >>> split_scope(np.array([2.0 - 1e-12, 2.5]))
    (array([2., 2.]), array([0. , 0.5]))
    """
    whole = np.floor(scope + SLACK)
    share = scope - whole
    return whole, np.where(share <= SLACK, 0.0, share)


def hits_at(queries: RelevantRanks, a: ArrayLike) -> ScopedHits:
    """V(a) = v(a c), linear between neighbouring scopes, with v(0) = 0; NaN where a c exceeds a known collection."""
    given = relevant_scopes(a)
    scope = given[None, :] * queries.relevant[:, None]
    whole, share = split_scope(scope)
    below, above = _hits(queries, whole), _hits(queries, whole + 1)
    ends = np.where(queries.collection == UNKNOWN, np.inf, queries.collection)[:, None]
    hits = np.where(whole + (share > 0) > ends, np.nan, below + share * (above - below))
    bound = (scope > queries.depth[:, None] + SLACK) & unfinished(queries)[:, None]
    there = ~np.isnan(hits)
    return ScopedHits(hits, _anywhere(there & (share > 0)), _anywhere(there & bound))


def _anywhere(flags: BoolArray) -> BoolArray:
    return np.any(flags, axis=0, keepdims=True)[0]


def _hits(queries: RelevantRanks, scope: FloatArray) -> FloatArray:
    """v of every query at its own scopes."""
    found = Ragged.from_rows(queries.row, len(queries), rank=queries.ranks)
    row = np.repeat(np.arange(len(queries)), scope.shape[1])
    return rank_counts(found, row, scope.ravel().astype(np.int64)).reshape(scope.shape).astype(np.float64)
