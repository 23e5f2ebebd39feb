"""The precision-recall graph: points of each query, and means at equal scope or at equal recall."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import FloatArray, IntArray
from rankscope.catalogue import unknown_name
from rankscope.curves.curve import Curve
from rankscope.curves.scope import precision_scope, recall_scope
from rankscope.curves.sizes import SLACK, unfinished, whole_scopes, with_relevant_items
from rankscope.curves.weighting import Weighting, mean_over, units_of
from rankscope.errors import MeasureError
from rankscope.measures.fractions import divide
from rankscope.measures.interpolated_precision import IPrec, hits_needed
from rankscope.measures.recall_levels import LEVELS
from rankscope.ranks.ragged import Ragged, ranges
from rankscope.ranks.relevant_ranks import RelevantRanks, rank_counts

At = Literal["hits", "scopes"]


def points_at_hits(queries: RelevantRanks) -> Ragged:
    """The points where recall rises, per query: scope, hits, recall, precision; markers belong here."""
    hits, scope = queries.position, queries.ranks
    return _points(queries, queries.row, scope, hits)


def points_at_scopes(queries: RelevantRanks, scopes: ArrayLike | None = None) -> Ragged:
    """The points at the given scopes, or at every place of each ranking: scope, hits, recall, precision.

    Past the end of a ranking hits stay as they are: a lower bound.
    """
    if scopes is None:
        row = np.repeat(np.arange(len(queries)), queries.depth)
        scope = ranges(np.ones(len(queries), dtype=np.int64), queries.depth)
    else:
        given = whole_scopes(queries, scopes)
        row, scope = np.repeat(np.arange(len(queries)), given.size), np.tile(given, len(queries))
    found = Ragged.from_rows(queries.row, len(queries), rank=queries.ranks)
    return _points(queries, row, scope, rank_counts(found, row, scope))


def query_curve(queries: RelevantRanks, query: str, at: At = "hits") -> Curve:
    """Recall and precision of one query, at its hits or at every scope.

    >>> query_curve(RelevantRanks.from_ranks([[1, 4]], queries=["301"]), "301").to_polars().rows()
    [('301', 0.5, 1.0, 1, 1), ('301', 1.0, 0.5, 4, 2)]
    """
    one = queries.take(np.array([_row_of(queries, query)]))
    points = points_at_hits(one) if at == "hits" else points_at_scopes(one)
    more = {name: points[name] for name in ("scope", "hits")}
    return Curve(x=points["recall"], y=points["precision"], name=query, x_name="recall", y_name="precision", more=more)


def mean_at_scopes(
    queries: RelevantRanks, scopes: ArrayLike | None = None, weighting: Weighting = "per_query"
) -> Curve:
    """Mean recall and mean precision at equal scope; for classes of one size this is the radial mean."""
    recall, precision = recall_scope(queries, scopes, weighting), precision_scope(queries, scopes, weighting)
    return Curve(
        x=recall.y,
        y=precision.y,
        name=queries.system,
        x_name="recall",
        y_name="precision",
        error=precision.error,
        x_error=recall.error,
        queries=recall.queries,
        lower_bound=recall.lower_bound,
        note=weighting,
        more={"scope": recall.x.astype(np.int64)},
    )


def mean_at_recall_levels(
    queries: RelevantRanks,
    levels: Sequence[float] = LEVELS,
    interpolated: bool = True,
    rounding: str = "ceil",
    weighting: Weighting = "per_query",
) -> Curve:
    """Mean precision at recall levels: the eleven-point curve, or not interpolated (precision at hit ceil(l c)).

    Interpolated precision is the best at that recall or beyond (`IPrec`); both are 0 where a level is not reached, a
    lower bound. The chance level of the curve that is not interpolated is `random_at_recall_levels`.
    """
    queries = with_relevant_items(queries)
    given = np.asarray(levels, dtype=np.float64)
    values = precision_at_levels(queries, given, interpolated, rounding)
    needed = [hits_needed(float(level), queries.relevant, rounding) for level in given]
    bound = [bool((unfinished(queries) & (hits > queries.found)).any()) for hits in needed]
    mean = mean_over(values, units_of(queries, weighting))
    return Curve(
        x=given,
        y=mean.value,
        name=queries.system,
        x_name="recall",
        y_name="precision",
        error=mean.error,
        queries=mean.queries,
        lower_bound=np.array(bound, dtype=np.bool_),
        note=f"{weighting}, {'' if interpolated else 'not '}interpolated",
    )


def mean_at_precision_levels(
    queries: RelevantRanks, levels: Sequence[float], weighting: Weighting = "per_query"
) -> Curve:
    """Mean recall at precision levels along interpolated curves: the largest recall that has this precision.

    A query that never has it counts as 0; a ranking that has ended may lack it, a lower bound.
    >>> curve = mean_at_precision_levels(RelevantRanks.from_ranks([[1, 3], [2, 8]]), [1.0, 0.5, 0.25])
    >>> curve.x.tolist(), curve.y.tolist()
    ([0.25, 0.75, 1.0], [1.0, 0.5, 0.25])
    """
    queries = with_relevant_items(queries)
    given = np.asarray(levels, dtype=np.float64)
    if given.ndim != 1 or not ((given > 0) & (given <= 1)).all():
        raise MeasureError(f"precision levels must be above 0 and at most 1, got {levels!r}")
    points = points_at_hits(queries)
    recall = np.zeros((len(queries), given.size))
    for column, level in enumerate(given.tolist()):
        there = points["precision"] >= level - SLACK
        np.maximum.at(recall[:, column], points.row[there], points["recall"][there])
    mean = mean_over(recall, units_of(queries, weighting))
    return Curve(
        x=mean.value,
        y=given,
        name=queries.system,
        x_name="recall",
        y_name="precision",
        x_error=mean.error,
        queries=mean.queries,
        lower_bound=np.full(given.size, bool(unfinished(queries).any())),
        note=f"{weighting}, interpolated",
    )


def precision_at_levels(
    queries: RelevantRanks, levels: FloatArray, interpolated: bool = True, rounding: str = "ceil"
) -> FloatArray:
    """Precision of each query (row) at each recall level (column), interpolated or at its hit.

    >>> precision_at_levels(RelevantRanks.from_ranks([[2, 3]]), np.array([0.5, 1.0])).round(4)
    array([[0.6667, 0.6667]])
    """
    if interpolated:
        columns = [IPrec(float(level), rel=queries.rel, levels=rounding).of(queries) for level in levels]
    else:
        columns = [precision_at_hit(queries, level_hits(queries, float(level), rounding)) for level in levels]
    return np.stack(columns, axis=1) if columns else np.empty((len(queries), 0))


def level_hits(queries: RelevantRanks, level: float, rounding: str = "ceil") -> IntArray:
    """How many hits reach a recall level above 0, at least one."""
    if not 0 < level <= 1:
        raise MeasureError(f"a recall level that is not interpolated must be above 0 and at most 1, got {level:g}")
    return np.maximum(hits_needed(level, queries.relevant, rounding), 1)


def precision_at_hit(queries: RelevantRanks, hits: IntArray) -> FloatArray:
    """Precision where each query has its so many hits; 0 where it never has."""
    there = queries.position == hits[queries.row]
    value = np.zeros(len(queries))
    value[queries.row[there]] = (queries.position / queries.ranks)[there]
    return value


def _points(queries: RelevantRanks, row: IntArray, scope: IntArray, hits: IntArray) -> Ragged:
    recall = divide(hits, queries.relevant[row])
    return Ragged.from_rows(row, len(queries), scope=scope, hits=hits, recall=recall, precision=hits / scope)


def _row_of(queries: RelevantRanks, query: str) -> int:
    try:
        return queries.queries.index(query)
    except ValueError:
        raise MeasureError(f"{queries.system}: {unknown_name('query', query, queries.queries)}") from None
