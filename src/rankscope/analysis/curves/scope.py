"""Precision and recall over scope: how many items one looks at, or how many for each relevant one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rankscope.analysis.curves.curve import (
    SLACK,
    Curve,
    Weighting,
    mean_over,
    mean_steps,
    unfinished,
    units_of,
    whole_scopes,
    with_relevant_items,
)
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import MeasureError
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks, rank_counts

RELEVANT_SCOPES = (0.25, 0.5, 1.0, 2.0, 4.0)


def precision_scope(
    queries: RelevantRanks, scopes: ArrayLike | None = None, weighting: Weighting = "per_query"
) -> Curve:
    """Mean precision at each scope.

    >>> precision_scope(RelevantRanks.from_ranks([[1, 3], [2]]), [1, 2, 4]).y
    array([0.5  , 0.5  , 0.375])
    """
    return _over_scope(queries, scopes, weighting, "precision")


def recall_scope(queries: RelevantRanks, scopes: ArrayLike | None = None, weighting: Weighting = "per_query") -> Curve:
    """Mean recall at each scope: it never falls.

    >>> recall_scope(RelevantRanks.from_ranks([[1, 3], [2]]), [1, 2, 4]).y
    array([0.25, 0.75, 1.  ])
    """
    return _over_scope(queries, scopes, weighting, "recall")


def precision_relevant_scope(
    queries: RelevantRanks, a: ArrayLike = RELEVANT_SCOPES, weighting: Weighting = "per_query"
) -> Curve:
    """Mean precision at relevant scopes a = s/c; where a c is whole for a query it is its `Rprec(a)`."""
    return _over_relevant_scope(queries, a, weighting, "precision")


def recall_relevant_scope(
    queries: RelevantRanks, a: ArrayLike = RELEVANT_SCOPES, weighting: Weighting = "per_query"
) -> Curve:
    """Mean recall at relevant scopes a = s/c."""
    return _over_relevant_scope(queries, a, weighting, "recall")


def ideal_precision_scope(relevant: int, scopes: IntArray) -> Curve:
    """Precision of the Total Recall Ideal System: 1 up to the class size c, then c/s."""
    return Curve(
        x=scopes.astype(np.float64),
        y=np.minimum(1.0, relevant / scopes),
        name="ideal",
        x_name="scope",
        y_name="precision",
    )


def ideal_recall_scope(relevant: int, scopes: IntArray) -> Curve:
    """Recall of the Total Recall Ideal System: s/c up to the class size c, then 1."""
    return Curve(
        x=scopes.astype(np.float64), y=np.minimum(1.0, scopes / relevant), name="ideal", x_name="scope", y_name="recall"
    )


def bounded_at(queries: RelevantRanks, scopes: IntArray) -> BoolArray:
    """Scopes beyond the end of some ranking that lacks relevant items."""
    shortest = queries.depth[unfinished(queries)].min(initial=np.iinfo(np.int64).max)
    return scopes > shortest


def _over_scope(
    queries: RelevantRanks, scopes: ArrayLike | None, weighting: Weighting, which: Literal["precision", "recall"]
) -> Curve:
    queries = with_relevant_items(queries)
    given = whole_scopes(queries, scopes)
    height = 1.0 / queries.relevant if which == "recall" else np.ones(len(queries))
    mean = mean_steps(queries, units_of(queries, weighting), height, given)
    divisor: FloatArray = np.ones(given.size) if which == "recall" else given.astype(np.float64)
    return Curve(
        x=given.astype(np.float64),
        y=mean.value / divisor,
        name=queries.system,
        x_name="scope",
        y_name=which,
        error=mean.error / divisor,
        queries=mean.queries,
        lower_bound=bounded_at(queries, given),
        note=weighting,
    )


def _over_relevant_scope(
    queries: RelevantRanks, a: ArrayLike, weighting: Weighting, which: Literal["precision", "recall"]
) -> Curve:
    queries = with_relevant_items(queries)
    given = relevant_scopes(a)
    here = hits_at(queries, given)
    mean = mean_over(here.hits / queries.relevant[:, None], units_of(queries, weighting))
    divisor = np.ones(given.size) if which == "recall" else given
    return Curve(
        x=given,
        y=mean.value / divisor,
        name=queries.system,
        x_name="relevant scope",
        y_name=which,
        error=mean.error / divisor,
        queries=mean.queries,
        interpolated=here.interpolated,
        lower_bound=here.lower_bound,
        note=weighting,
    )


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
