"""The precision-window graph: log2 of precision over log2 of scope, for classes of known or unknown size.

On these axes a number of hits is a diagonal: y = log2 v - x. A curve without hits has no place; such points are open.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankscope.analysis.curves.curve import Curve, Weighting
from rankscope.analysis.curves.precision_recall import check_sizes, points_at_scopes
from rankscope.analysis.curves.scope import precision_scope
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import MeasureError
from rankscope.measures.quadruple import Quadruple
from rankscope.ranks.ragged import divide
from rankscope.ranks.relevant_ranks import RelevantRanks

X_NAME, Y_NAME = "log2 scope", "log2 precision"


def window_curves(queries: RelevantRanks, scopes: ArrayLike | None = None) -> tuple[Curve, ...]:
    """One curve per query, at the given scopes or at every place of its ranking; class sizes need not be known.

    Where v = 0 y is NaN and `open` is true: mark it at the bottom edge with an open triangle.
    """
    points = points_at_scopes(queries, scopes)
    parts = zip(queries.queries, points.offsets[:-1].tolist(), points.offsets[1:].tolist(), strict=True)
    return tuple(
        _logarithmic(points["scope"][start:end], points["precision"][start:end], query) for query, start, end in parts
    )


def window_mean(queries: RelevantRanks, scopes: ArrayLike | None = None, weighting: Weighting = "per_query") -> Curve:
    """The logarithm of the mean precision at each scope; choose queries of one class size to have one ceiling."""
    mean = precision_scope(queries, scopes, weighting)
    return _logarithmic(mean.x.astype(np.int64), mean.y, mean.name, mean.queries)


def settled_hits(queries: RelevantRanks) -> IntArray:
    """The diagonal on which each curve settles: hits at the end of the ranking, a lower bound of the class size."""
    return queries.found


def ceiling(relevant: int, scopes: ArrayLike) -> Curve:
    """The highest precision a class of known size allows: y = min(0, log2 c - x); beyond c this is the line v = c.

    >>> ceiling(8, [8, 16, 64, 16384]).y.tolist()
    [0.0, -1.0, -3.0, -11.0]
    """
    _check(relevant)
    x = np.log2(np.asarray(scopes, dtype=np.float64))
    return Curve(x=x, y=np.minimum(0.0, math.log2(relevant) - x), name=f"c = {relevant}", x_name=X_NAME, y_name=Y_NAME)


def ceilings(collection: int) -> tuple[Curve, ...]:
    """Ceilings for c = 1, 2, 4, ... where the class size is unknown, from the scope c to the whole collection."""
    _check(collection)
    sizes = [2**power for power in range(collection.bit_length())]
    return tuple(ceiling(size, np.unique([size, collection])) for size in sizes)


def random_floor(collection: int, relevant: int = 1) -> Curve:
    """The random level y = log2(c/d) at every scope; of an unknown class the lowest there is, -log2 d.

    >>> random_floor(16384, 8).y.tolist(), random_floor(16384).y.tolist()
    ([-11.0, -11.0], [-14.0, -14.0])
    """
    check_sizes(relevant, collection)
    level = math.log2(relevant / collection)
    return Curve(
        x=np.array([0.0, math.log2(collection)]), y=np.full(2, level), name="random", x_name=X_NAME, y_name=Y_NAME
    )


def worst_case(relevant: int, collection: int, scopes: IntArray) -> Curve:
    """The least precision, all irrelevant items first: p = max(0, (s - e)/s); open where it is 0."""
    _check(relevant)
    return _logarithmic(scopes, np.maximum(0.0, (scopes - (collection - relevant)) / scopes), "worst")


@dataclass(frozen=True)
class CertainBounds:
    """What a practical study knows for sure from collection size, scope and hits, without knowing the class size."""

    precision: float
    least_relevant: int
    most_relevant: int
    least_recall: float  # NaN where nothing can be relevant
    least_generality: float
    most_generality: float


def certain_bounds(collection: int, scope: int, hits: int) -> CertainBounds:
    """v <= c <= v + d - s, so r >= v/(d - s + v) and v/d <= g <= (v + d - s)/d; precision is exact.

    >>> round(certain_bounds(collection=20000, scope=100, hits=6).least_recall, 9)
    0.000301417
    """
    most = hits + collection - scope
    Quadruple(collection, hits, scope, hits)  # refuses what cannot be
    recall = float(divide(hits, most))
    return CertainBounds(
        precision=hits / scope,
        least_relevant=hits,
        most_relevant=most,
        least_recall=recall,
        least_generality=hits / collection,
        most_generality=most / collection,
    )


def _logarithmic(scope: IntArray, precision: FloatArray, name: str, queries: IntArray | None = None) -> Curve:
    nothing = precision == 0
    y = np.log2(np.where(nothing, np.nan, precision))
    more = {"scope": scope, "precision": precision, "open": nothing}
    return Curve(x=np.log2(scope), y=y, name=name, x_name=X_NAME, y_name=Y_NAME, queries=queries, more=more)


def _check(count: int) -> None:
    if count < 1:
        raise MeasureError(f"at least one item is needed, got {count}")
