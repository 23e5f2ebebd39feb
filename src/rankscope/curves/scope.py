"""Precision and recall over scope: how many items one looks at, or how many for each relevant one."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.curves.curve import Curve
from rankscope.curves.relevant_scope import hits_at, relevant_scopes
from rankscope.curves.sizes import unfinished, whole_scopes, with_relevant_items
from rankscope.curves.steps import mean_steps
from rankscope.curves.weighting import Weighting, mean_over, units_of
from rankscope.ranks.relevant_ranks import RelevantRanks

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
