"""One curve per query on a common grid, all queries at once: a matrix of queries by points, for bands and tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from rankscope.analysis.curves.curve import unfinished, whole_scopes, with_relevant_items
from rankscope.analysis.curves.generality import GeneralityTable, Members, Way, existing, generality_table
from rankscope.analysis.curves.precision_recall import points_at_scopes, precision_at_levels
from rankscope.analysis.curves.scope import RELEVANT_SCOPES, hits_at, relevant_scopes, split_scope
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.core.validation import OneOf, WholeNumber, check
from rankscope.measures.measure import RECALL_LEVELS
from rankscope.ranks.relevant_ranks import RelevantRanks

Start = Literal["first", "one"]
Axis = Literal["precision", "recall"]


@dataclass(frozen=True, eq=False)
class QueryCurves:
    """Values of each query (row) at each x (column); NaN where a query has no value there."""

    x: FloatArray
    values: FloatArray
    queries: tuple[str, ...]
    classes: tuple[str, ...] | None = None
    system: str = "run"
    x_name: str = "x"
    y_name: str = "y"
    cut: int = 0  # rankings that ended before all relevant items were found: their values are lower bounds
    lowest: FloatArray | float = 0.0  # what a value can be, at each x or at all
    highest: FloatArray | float = 1.0

    def __post_init__(self) -> None:
        rows = len(self.queries)
        if self.values.shape != (rows, self.x.size) or len(self.classes or self.queries) != rows:
            raise SettingError(
                f"{rows} queries at {self.x.size} points need a table of that shape and as many classes, "
                f"got {self.values.shape}"
            )

    def __len__(self) -> int:
        return len(self.queries)

    def take(self, rows: IntArray) -> QueryCurves:
        chosen = rows.tolist()
        return replace(
            self,
            values=self.values[rows],
            queries=tuple(self.queries[row] for row in chosen),
            classes=None if self.classes is None else tuple(self.classes[row] for row in chosen),
        )

    def minus(self, other: QueryCurves) -> QueryCurves:
        """This one minus another, query by query, for the queries that both have.

        >>> one, two = (precision_at_recall(RelevantRanks.from_ranks([ranks]), 2) for ranks in ([1, 2], [1, 4]))
        >>> two.minus(one).values
        array([[ 0. , -0.5]])
        """
        if not np.array_equal(self.x, other.x) or self.y_name != other.y_name:
            raise SettingError(f"{self.system} and {other.system} have curves over other points: give both one grid")
        place = {query: row for row, query in enumerate(other.queries)}
        here = np.array([row for row, query in enumerate(self.queries) if query in place], dtype=np.int64)
        if not here.size:
            raise SettingError(f"{other.system} and {self.system} share no query")
        there = np.array([place[self.queries[row]] for row in here.tolist()], dtype=np.int64)
        mine = self.take(here)
        return replace(
            mine,
            values=mine.values - other.values[there],
            system=f"{self.system} minus {other.system}",
            cut=max(self.cut, other.cut),
            lowest=np.subtract(self.lowest, other.highest),
            highest=np.subtract(self.highest, other.lowest),
        )


def recall_grid(points: int = 10) -> FloatArray:
    """Recall levels r_j = (j - 1)/(points - 1): from 0 to 1, both included.

    >>> recall_grid(5)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    points = check(locals(), points=WholeNumber(least=2))["points"]
    return np.arange(points) / (points - 1.0)


def precision_at_recall(queries: RelevantRanks, points: int = 10, start: Start = "first") -> QueryCurves:
    """Precision of each query at recall levels, linear between its knots (i/c, precision at the i-th hit).

    Hits that were not found have knots at 0. Below 1/c nothing is defined: the first knot is held, or with `start` one
    a knot (0, 1) is added.
    >>> precision_at_recall(RelevantRanks.from_ranks([[1, 2, 3, 5]]), points=5).values
    array([[1. , 1. , 1. , 1. , 0.8]])
    """
    check({"start": start}, start=OneOf(get_args(Start), exactly=True))
    queries = with_relevant_items(queries)
    levels = recall_grid(points)
    whole, share = split_scope(levels[None, :] * queries.relevant[:, None])
    hit = whole.astype(np.int64)
    below, above = _at_hit(queries, np.maximum(hit, 1)), _at_hit(queries, hit + 1)
    if start == "one":
        below = np.where(hit == 0, 1.0, below)
    return _curves(queries, levels, below + share * (above - below), "recall", "precision")


def interpolated_precision(queries: RelevantRanks, levels: Sequence[float] = RECALL_LEVELS) -> QueryCurves:
    """Interpolated precision of each query at recall levels, as the eleven-point curve has it; 0 where not reached."""
    queries = with_relevant_items(queries)
    given = np.asarray(levels, dtype=np.float64)
    return _curves(queries, given, precision_at_levels(queries, given), "recall", "precision")


def over_scope(queries: RelevantRanks, scopes: ArrayLike | None = None, axis: Axis = "precision") -> QueryCurves:
    """Precision or recall of each query at whole scopes.

    >>> over_scope(RelevantRanks.from_ranks([[1, 3], [2]]), [1, 2, 4], "recall").values
    array([[0.5, 0.5, 1. ],
           [0. , 1. , 1. ]])
    """
    queries = with_relevant_items(queries)
    given = whole_scopes(queries, scopes)
    values = points_at_scopes(queries, given)[axis].reshape(len(queries), given.size)
    highest = np.ones(given.size)
    if len(queries):  # precision of the largest class, recall of the smallest
        most = given / queries.relevant.min() if axis == "recall" else queries.relevant.max() / given
        highest = np.minimum(1.0, most)
    return _curves(queries, given.astype(np.float64), values, "scope", axis, highest)


def over_relevant_scope(
    queries: RelevantRanks, a: ArrayLike = RELEVANT_SCOPES, axis: Axis = "precision"
) -> QueryCurves:
    """Precision or recall of each query at relevant scopes a = s/c; NaN where a c exceeds the collection."""
    queries = with_relevant_items(queries)
    given = relevant_scopes(a)
    recall = hits_at(queries, given).hits / queries.relevant[:, None]
    if axis == "recall":
        return _curves(queries, given, recall, "relevant scope", axis, np.minimum(1.0, given))
    return _curves(queries, given, recall / given, "relevant scope", axis, np.minimum(1.0, 1.0 / given))


def over_generality(
    queries: RelevantRanks,
    levels: Sequence[int] | None = None,
    n: float = 1.0,
    way: Way = "thinned",
    members: Members = "constant",
) -> QueryCurves:
    """Precision of each query at scope n c over G, as GRiP (n = 1) and GRnP have it.

    Constant members: only queries that reach every level; varying ones have NaN where they do not reach it. Where a
    ranking ended the value is a lower bound.
    """
    table = existing(generality_table(queries, n, way, levels, members))
    return curves_over_generality(table, table.precision)


def curves_over_generality(table: GeneralityTable, values: FloatArray) -> QueryCurves:
    return _curves(table.queries, table.index, values, "G", "precision", min(1.0, 1.0 / table.n))


def _at_hit(queries: RelevantRanks, hit: IntArray) -> FloatArray:
    """Precision at the so many hits of each query (row), several a query; 0 where it was not found."""
    values = np.append(queries.position / queries.ranks, 0.0)
    first = np.cumsum(queries.found) - queries.found
    return values[np.where(hit <= queries.found[:, None], first[:, None] + hit - 1, values.size - 1)]


def _curves(
    queries: RelevantRanks,
    x: FloatArray,
    values: FloatArray,
    x_name: str,
    y_name: str,
    highest: FloatArray | float = 1.0,
) -> QueryCurves:
    return QueryCurves(
        x=x,
        values=values,
        queries=queries.queries,
        classes=queries.classes,
        system=queries.system,
        x_name=x_name,
        y_name=y_name,
        cut=int(unfinished(queries).sum()),
        highest=highest,
    )
