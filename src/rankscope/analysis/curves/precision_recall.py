"""The precision-recall graph: points of each query, means at equal scope or recall, and what they are held against:
scope lines, the ideal system, the region that can be reached, a random order.

HS01 and S04 print the borders of the region as p = r/c and p = d r/c; they are p = c r and p = (c/d) r.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rankscope.analysis.curves.curve import (
    SLACK,
    Curve,
    Region,
    Weighting,
    known_sizes,
    mean_over,
    precision_recall_curve,
    unfinished,
    units_of,
    whole_scopes,
    with_relevant_items,
)
from rankscope.analysis.curves.scope import precision_scope, recall_scope
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.catalogue import unknown_name
from rankscope.core.errors import MeasureError
from rankscope.measures.measure import RECALL_LEVELS
from rankscope.measures.precision_recall import IPrec, hits_needed
from rankscope.measures.quadruple import harmonic
from rankscope.ranks.ragged import Ragged, divide, ranges
from rankscope.ranks.relevant_ranks import RelevantRanks, rank_counts

At = Literal["hits", "scopes"]


def points_at_hits(queries: RelevantRanks) -> Ragged:
    """The points where recall rises, per query: scope, hits, recall, precision; markers belong here."""
    return _points_at(queries, queries.row, queries.ranks, queries.position)


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
    return _points_at(queries, row, scope, rank_counts(found, row, scope))


def query_curve(queries: RelevantRanks, query: str, at: At = "hits") -> Curve:
    """Recall and precision of one query, at its hits or at every scope.

    >>> query_curve(RelevantRanks.from_ranks([[1, 4]], queries=["301"]), "301").to_polars().rows()
    [('301', 0.5, 1.0, 1, 1), ('301', 1.0, 0.5, 4, 2)]
    """
    one = queries.take(np.array([row_of(queries, query)]))
    points = points_at_hits(one) if at == "hits" else points_at_scopes(one)
    more = {name: points[name] for name in ("scope", "hits")}
    return precision_recall_curve(x=points["recall"], y=points["precision"], name=query, more=more)


def mean_at_scopes(
    queries: RelevantRanks, scopes: ArrayLike | None = None, weighting: Weighting = "per_query"
) -> Curve:
    """Mean recall and mean precision at equal scope; for classes of one size this is the radial mean."""
    recall, precision = recall_scope(queries, scopes, weighting), precision_scope(queries, scopes, weighting)
    return precision_recall_curve(
        x=recall.y,
        y=precision.y,
        name=queries.system,
        error=precision.error,
        x_error=recall.error,
        queries=recall.queries,
        lower_bound=recall.lower_bound,
        note=weighting,
        more={"scope": recall.x.astype(np.int64)},
    )


def mean_at_recall_levels(
    queries: RelevantRanks,
    levels: Sequence[float] = RECALL_LEVELS,
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
    return precision_recall_curve(
        x=given,
        y=mean.value,
        name=queries.system,
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
    return precision_recall_curve(
        x=mean.value,
        y=given,
        name=queries.system,
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
        hits = [level_hits(queries, float(level), rounding) for level in levels]
        columns = [each / rank_of_hit(queries, each) for each in hits]
    return np.stack(columns, axis=1) if columns else np.empty((len(queries), 0))


def level_hits(queries: RelevantRanks, level: float, rounding: str = "ceil") -> IntArray:
    """How many hits reach a recall level above 0, at least one."""
    if not 0 < level <= 1:
        raise MeasureError(f"a recall level that is not interpolated must be above 0 and at most 1, got {level:g}")
    return np.maximum(hits_needed(level, queries.relevant, rounding), 1)


def rank_of_hit(queries: RelevantRanks, hits: IntArray) -> FloatArray:
    """The rank where each query has its so many hits; infinite where it never has."""
    there = queries.position == hits[queries.row]
    rank = np.full(len(queries), np.inf)
    rank[queries.row[there]] = queries.ranks[there]
    return rank


def _points_at(queries: RelevantRanks, row: IntArray, scope: IntArray, hits: IntArray) -> Ragged:
    recall = divide(hits, queries.relevant[row])
    return Ragged.from_rows(row, len(queries), scope=scope, hits=hits, recall=recall, precision=hits / scope)


def row_of(queries: RelevantRanks, query: str) -> int:
    """The number of a query; raises `MeasureError` where the ranking does not have it."""
    try:
        return queries.queries.index(query)
    except ValueError:
        raise MeasureError(f"{queries.system}: {unknown_name('query', query, queries.queries)}") from None


# What stands behind a precision-recall curve: scope lines, the ideal system, and the region that can be reached.

SERIES_BELOW = 0.01  # below this generality the area comes from its series: the closed form loses digits
REGION_POINTS = 200


def scope_line(
    a: float | None = None, *, scope: int | None = None, relevant: int | None = None, points: int = 50
) -> Curve:
    """All (recall, precision) of one relevant scope a, or of a scope for so many relevant items: p = r/a.

    >>> line = scope_line(scope=8, relevant=4, points=3)
    >>> line.x.tolist(), line.y.tolist()
    ([0.0, 0.5, 1.0], [0.0, 0.25, 0.5])
    """
    if (a is None) == (scope is None or relevant is None):
        raise MeasureError("a scope line needs either a relevant scope a, or scope and relevant")
    slope = scope / relevant if scope is not None and relevant else a
    if slope is None or not 0 < slope < math.inf:
        raise MeasureError(f"relevant scope > 0 is needed, got {slope}")
    recall = np.linspace(0.0, min(1.0, slope), points)
    name = f"a = {slope:g}" if scope is None else f"scope {scope}"
    return precision_recall_curve(x=recall, y=recall / slope, name=name)


def ideal_curve(relevant: int, collection: int) -> Curve:
    """The Total Recall Ideal System (TRIS): along p = 1 to (1, 1), then down r = 1 to (1, g) at s = d.

    Its points stand at scopes 1 to c, then at doublings of c, and at d.
    """
    check_sizes(relevant, collection)
    doublings = relevant * 2 ** np.arange(1, 1 + max(0, math.ceil(math.log2(collection / relevant))))
    scope = np.concatenate([np.arange(1, relevant + 1), doublings[doublings < collection], [collection]])
    scope = np.unique(scope)
    hits = np.minimum(scope, relevant)
    return precision_recall_curve(x=hits / relevant, y=hits / scope, name="ideal", more={"scope": scope, "hits": hits})


def highest_precision(recall: ArrayLike, relevant: int) -> FloatArray:
    """The border to the left and above: p <= min(1, c r), because a scope holds at least one item."""
    return np.minimum(1.0, relevant * np.asarray(recall, dtype=np.float64))


def lowest_precision(recall: ArrayLike, generality: float, tight: bool = True) -> FloatArray:
    """The border to the right and below: p >= g r, or the tight p >= g r/(1 - g + g r) of the worst ranking.

    >>> lowest_precision([0.25, 1.0], 0.2, tight=False), lowest_precision([0.25, 1.0], 0.2).round(6)
    (array([0.05, 0.2 ]), array([0.058824, 0.2     ]))
    """
    given = generality * np.asarray(recall, dtype=np.float64)
    if not tight:
        return given
    return np.divide(given, 1.0 - generality + given, out=np.ones_like(given), where=(generality < 1) | (given > 0))


def accessible_region(relevant: int, collection: int, tight: bool = True, points: int = REGION_POINTS) -> Region:
    """Where points with at least one hit can lie, from r = 1/c to 1; shade the tight one (Boyd et al. 2012)."""
    check_sizes(relevant, collection)
    recall = np.linspace(1.0 / relevant, 1.0, points) if relevant > 1 else np.ones(1)
    low = lowest_precision(recall, relevant / collection, tight)
    note = "only recalls of whole hits exist; there is no point at recall 0 but precision 0"
    return Region(
        x=recall, low=low, high=highest_precision(recall, relevant), name=f"c = {relevant}, d = {collection}", note=note
    )


def minimum_area(generality: float) -> float:
    """The least area under a continuous precision-recall curve: 1 + (1 - g) ln(1 - g)/g; 1 where all is relevant.

    >>> round(minimum_area(0.2), 6)
    0.107426
    """
    if not 0 < generality <= 1:
        raise MeasureError(f"0 < generality <= 1 is needed, got {generality!r}")
    if generality == 1:
        return 1.0
    if generality < SERIES_BELOW:
        return math.fsum(generality**k / (k * (k + 1)) for k in range(1, 10))
    return 1.0 + (1.0 - generality) * math.log1p(-generality) / generality


def minimum_average_precision(relevant: int, collection: int) -> float:
    """AP of the worst ranking, all irrelevant items first: (1/c) sum over i of i/(i + e).

    >>> round(minimum_average_precision(4, 20), 6)
    0.131957
    """
    check_sizes(relevant, collection)
    distractors = collection - relevant
    if relevant > 1_000_000:
        return 1.0 - distractors * (harmonic(collection) - harmonic(distractors)) / relevant
    hit = np.arange(1, relevant + 1)
    return math.fsum(hit / (hit + distractors)) / relevant


def check_sizes(relevant: int, collection: int) -> None:
    """A class has an item at least, and no more than its collection."""
    if not 1 <= relevant <= collection:
        raise MeasureError(f"1 <= relevant <= collection is needed, got {relevant} and {collection}")


# What a random order would show: flat at equal scope, and above the generality at equal recall.

TENTHS = tuple(level / 10 for level in range(1, 11))


def random_level(generality: float) -> Curve:
    """The level of curves averaged at equal scope (radial): p = g at every recall."""
    return precision_recall_curve(x=np.array([0.0, 1.0]), y=np.full(2, generality), name="random")


def random_precision_at_hits(relevant: int, collection: int) -> FloatArray:
    """p_0(i): the precision to expect at the i-th hit of a random order, i = 1 to c; its mean is the random AP.

    With h_i(c) = E[1/rank of hit i of c], h_1(c) = f (H_d - H_(c-1)) and h_i(c) = f (1/(i-1) - h_(i-1)(c-1)), where
    f = c/(d-c+1); so it costs c^2 steps, not c d. Where most items are relevant f magnifies rounding: summed there.
    >>> random_precision_at_hits(4, 20).round(6)
    array([0.415154, 0.30606 , 0.267464, 0.248836])
    """
    check_sizes(relevant, collection)
    if 2 * relevant > collection:
        return _summed_over_ranks(relevant, collection)
    size = np.arange(1, relevant + 1)
    factor = size / (collection - size + 1.0)
    past = np.concatenate([[0.0], np.cumsum(1.0 / size)])[:-1]
    inverse = factor * (harmonic(collection) - past)  # of the first hit, for classes of each size
    result = np.empty(relevant)
    result[0] = inverse[-1]
    for hit in range(2, relevant + 1):
        inverse = factor[hit - 1 :] * (1.0 / (hit - 1) - inverse[:-1])
        result[hit - 1] = hit * inverse[-1]
    return result


def random_at_recall_levels(
    queries: RelevantRanks, levels: Sequence[float] = TENTHS, weighting: Weighting = "per_query"
) -> Curve:
    """The level of curves averaged at recall levels, not interpolated: mean of p_0 at the hits that reach each level.

    The best precision from a level on (interpolated) lies higher still in a random order.
    """
    queries = with_relevant_items(queries)
    sizes = np.stack([queries.relevant, known_sizes(queries, "the random level at recall levels")], axis=1)
    kinds, kind = np.unique(sizes, axis=0, return_inverse=True)
    tables = [random_precision_at_hits(int(relevant), int(collection)) for relevant, collection in kinds]
    starts = np.concatenate([[0], np.cumsum([table.size for table in tables])])[kind.ravel()]
    flat = np.concatenate([np.empty(0), *tables])
    columns = [flat[starts + level_hits(queries, level) - 1] for level in levels]
    values = np.stack(columns, axis=1) if columns else np.empty((len(queries), 0))
    mean = mean_over(values, units_of(queries, weighting))
    return precision_recall_curve(np.asarray(levels, dtype=np.float64), mean.value, "random", queries=mean.queries)


def _summed_over_ranks(relevant: int, collection: int) -> FloatArray:
    """Sum over ranks k of (i/k) C(k-1, i-1) C(d-k, c-i)/C(d, c)."""
    from scipy.special import gammaln

    def log_choose(n: FloatArray, k: FloatArray | float) -> FloatArray:
        return gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)

    result = np.empty(relevant)
    whole = log_choose(np.array([float(collection)]), relevant)[0]
    for hit in range(1, relevant + 1):
        rank = np.arange(hit, collection - relevant + hit + 1, dtype=np.float64)
        chance = log_choose(rank - 1, hit - 1.0) + log_choose(collection - rank, float(relevant - hit)) - whole
        result[hit - 1] = hit * (np.exp(chance) / rank).sum()
    return result
