"""What a graph draws, and means of curves over queries: which queries and scopes count, and how much each weighs.

Means of hits at whole scopes are made at all scopes at once: a ranking is a staircase that rises at each hit. The sum
of many staircases rises at all their hits, and so does the sum of their squares; no table of queries by scopes is
ever
made, so 20,000 complete rankings cost what their hits cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import MeasureError
from rankscope.core.validation import OneOf, check
from rankscope.core.wording import setting_usage
from rankscope.ranks.ragged import Ragged, column_sums_by, divide
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks


@dataclass(frozen=True, eq=False)
class Curve:
    """Points (x, y) in the order they are joined; NaN where a point does not exist.

    >>> import numpy as np
    >>> curve = Curve(np.array([0.5, 1.0]), np.array([1.0, 0.8]), x_name="recall", y_name="precision")
    >>> curve.to_polars().columns, len(curve)
    (['recall', 'precision'], 2)
    """

    x: FloatArray
    y: FloatArray
    name: str = ""
    x_name: str = "x"
    y_name: str = "y"
    error: FloatArray | None = None  # standard error of y over queries
    x_error: FloatArray | None = None  # and of x
    queries: IntArray | None = None  # how many queries are in each point
    interpolated: BoolArray | None = None  # whether some query has its hits interpolated between two scopes there
    lower_bound: BoolArray | None = None  # whether some ranking ended before it, so that the truth may lie higher
    note: str = ""
    more: Mapping[str, NDArray[Any]] = field(default_factory=dict)  # further columns: scope, a, ...

    def __post_init__(self) -> None:
        wrong = [name for name, column in self._columns().items() if column.shape != self.x.shape]
        if wrong:
            raise ValueError(f"every column needs one value for each point, but not so: {', '.join(wrong)}")

    def __len__(self) -> int:
        return self.x.size

    def to_polars(self) -> pl.DataFrame:
        """One row per point; null where there is none. A curve with a name has it in its first column."""
        table = pl.DataFrame(dict(self._columns()), nan_to_null=True)
        return table.insert_column(0, pl.lit(self.name).alias("curve")) if self.name else table

    def _columns(self) -> dict[str, NDArray[Any]]:
        columns = {
            self.x_name: self.x,
            self.y_name: self.y,
            "error": self.error,
            "x_error": self.x_error,
            "queries": self.queries,
            "interpolated": self.interpolated,
            "lower_bound": self.lower_bound,
            **self.more,
        }
        return {name: column for name, column in columns.items() if column is not None}


precision_recall_curve = partial(Curve, x_name="recall", y_name="precision")


@dataclass(frozen=True, eq=False)
class Region:
    """The area between two curves over the same x: what is possible, or what was gained over chance."""

    x: FloatArray
    low: FloatArray
    high: FloatArray
    name: str = ""
    note: str = ""

    def to_polars(self) -> pl.DataFrame:
        """One row per place: x, low, high."""
        return pl.DataFrame({"x": self.x, "low": self.low, "high": self.high}, nan_to_null=True)


# Who counts how much in a mean over queries: every query alike, or every class of queries alike.

Weighting = Literal["per_query", "per_class"]  # large classes dominate the first: a class of c adds c queries
WEIGHTING = OneOf(get_args(Weighting), exactly=True)


@dataclass(frozen=True, eq=False)
class Mean:
    """Means with their standard error (unbiased sd over root n, NaN where n = 1) and how many are in each."""

    value: FloatArray
    error: FloatArray
    queries: IntArray
    units: IntArray  # n of the standard error: queries, or classes


def units_of(queries: RelevantRanks, weighting: Weighting) -> IntArray:
    """Which unit each query belongs to, units numbered from 0: itself, or its class."""
    check(locals(), weighting=WEIGHTING)
    if weighting == "per_query":
        return np.arange(len(queries))
    if queries.classes is None:
        classes = setting_usage("classes", "CSV")
        raise MeasureError(f"weighting per_class needs the class of each query: give {classes}")
    return np.unique(np.array(queries.classes, dtype=object), return_inverse=True)[1].astype(np.int64)


def mean_over(values: FloatArray, unit: IntArray) -> Mean:
    """The mean over units of the mean within them, for each column; NaN is left out and not counted.

    >>> mean_over(np.array([[1.0], [2.0], [6.0]]), np.array([0, 0, 1])).value
    array([3.75])
    """
    means = unit_means(values, unit)
    there = ~np.isnan(means)
    # Added one after the other, as all means are.
    count = there.sum(axis=0)
    mean = divide(_last(np.where(there, means, 0.0)), count)
    squares = _last(np.where(there, means - mean, 0.0) ** 2)
    error = np.sqrt(divide(squares, np.maximum(count - 1, 0) * count))
    return Mean(mean, error, (~np.isnan(values)).sum(axis=0), count)


def unit_means(values: FloatArray, unit: IntArray) -> FloatArray:
    """The mean of each unit (row) in each column; NaN is left out, and where a unit has no value."""
    there = ~np.isnan(values)
    rows = int(unit.max(initial=-1)) + 1
    total, count = column_sums_by(unit, np.where(there, values, 0.0), rows), column_sums_by(unit, there, rows)
    return divide(total, count)


def weights_of(there: BoolArray, unit: IntArray) -> FloatArray:
    """What each query that is there weighs in the mean of `mean_over`; 0 for the others. They add up to 1."""
    count = np.bincount(unit, weights=there, minlength=int(unit.max(initial=-1)) + 1)
    return np.where(there, divide(1.0, count[unit] * max(1, int((count > 0).sum())), 0.0), 0.0)


def _last(values: FloatArray) -> FloatArray:
    return np.cumsum(values, axis=0)[-1] if values.shape[0] else np.zeros(values.shape[1])


ROUNDING = 1e-13  # a variance below this share of the mean square is zero, rounded


def mean_steps(queries: RelevantRanks, unit: IntArray, height: FloatArray, scopes: IntArray) -> Mean:
    """Mean over units of the mean within them of height * v(scope); `height` is one per query.

    >>> two = RelevantRanks.from_ranks([[1, 3], [2]])
    >>> mean_steps(two, np.array([0, 1]), np.array([0.5, 1.0]), np.array([1, 2, 3])).value
    array([0.25, 0.75, 1.  ])
    """
    units = int(unit.max(initial=-1)) + 1
    rise = height[queries.row] / np.bincount(unit, minlength=units)[unit[queries.row]]
    order = np.lexsort((queries.ranks, unit[queries.row]))
    ranks, rise = queries.ranks[order], rise[order]
    after = Ragged.from_rows(unit[queries.row][order], units).running_in_order(rise)
    total = _reached(ranks, rise, scopes)
    squares = _reached(ranks, rise * (2.0 * after - rise), scopes)
    mean = divide(total, units)
    variance = divide(squares - total * mean, units - 1)
    variance = np.where(variance * (units - 1) <= ROUNDING * squares, 0.0, variance)
    return Mean(mean, np.sqrt(divide(variance, units)), *(np.full(scopes.size, each) for each in (len(queries), units)))


def _reached(ranks: IntArray, rise: FloatArray, scopes: IntArray) -> FloatArray:
    order = np.argsort(ranks, kind="stable")
    heights = np.concatenate([[0.0], np.cumsum(rise[order])])
    return heights[np.searchsorted(ranks[order], scopes, side="right")]


# What curves ask of the rankings before they begin: known sizes, scopes that exist, queries that count.

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
