"""Performance over generality G = log2(d/c): GRiP, the cut p = r through the surface of recall, precision and G (GReP),
GRnP, r = n p, and the tables they are made from.

G = log2(d/c) is varied in one of two ways, which a report must name: they answer different questions.
- `thinned`: within each query, keeping m = c (2^k - 1) random distractors; isolates generality. Recommended.
- `bins`: between queries, by round(G) of the full collection; confounds generality with the difficulty of classes.
Which distractors are hard for a class ranks alone do not tell: keeping the best-ranked ones of each query leaves the
head of its list as it is, and the curve level. A narrow domain comes from the features, `rank --distractors`.

Recall of each query at each level of generality, and which queries are followed over the levels. Queries of large
classes do not reach a high G. A mean over whoever is left rises, because small, easy classes survive: so one set of
queries is followed, `constant`, those that reach every level shown; `varying` takes at each level those that reach it,
and then each point has its own number of queries.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from rankscope.analysis.curves.curve import (
    SLACK,
    Curve,
    Region,
    Weighting,
    generality_index,
    known_sizes,
    mean_over,
    precision_recall_curve,
    units_of,
    weights_of,
    with_relevant_items,
)
from rankscope.analysis.curves.hits import hits_of
from rankscope.analysis.curves.scope import relevant_scopes
from rankscope.analysis.curves.thinning import Thinned, recall_when_kept
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import MeasureError
from rankscope.core.validation import Number, Optional, Several, WholeNumber, check, rule_of
from rankscope.ranks.relevant_ranks import RelevantRanks

SAYS = {
    "thinned": "random distractors left out within each query, exact means",
    "bins": "queries of the full collection by class size: generality and difficulty of classes are confounded",
}


@dataclass(frozen=True, eq=False)
class GeneralityCurve:
    """Precision and recall at scope n c over G. Where rankings were cut the truth lies from `recall` to `recall_high`.

    `spread` is the sd of the mean recall over thinnings: 0 where nothing is random, NaN where hits are interpolated.
    How the mean varies with the queries asked is told by `rankscope.analysis.statistics.generality_estimate`.
    """

    way: Way
    n: float
    index: FloatArray  # G: the level, or the middle of the bin
    mean_index: FloatArray  # mean G of the queries in the point
    recall: FloatArray
    recall_high: FloatArray
    spread: FloatArray
    chance: FloatArray  # mean generality: precision of a random order
    queries: IntArray  # n(k)
    cut: IntArray  # queries whose two ends differ, because their ranking ended too early
    full: BoolArray  # whether the point is the full collection at its own G
    name: str = ""
    weighting: Weighting = "per_query"
    members: Members = "constant"
    counted: int = 0  # queries with a relevant item: where members are constant, some of them may not be followed

    @property
    def precision(self) -> FloatArray:
        """p = r/n."""
        return self.recall / self.n

    @property
    def precision_high(self) -> FloatArray:
        """The upper end of precision."""
        return self.recall_high / self.n

    @property
    def gain(self) -> FloatArray:
        """E*: effectiveness 2 r/(1 + n) minus that of a random order, 2 n g/(1 + n); at n = 1 this is p - g."""
        return 2.0 * (self.recall - self.n * self.chance) / (1.0 + self.n)

    @property
    def note(self) -> str:
        """How G was varied, and who counts how much."""
        return f"{self.way}: {SAYS[self.way]}; {self.weighting}"

    def curve(self, axis: Literal["precision", "recall"] = "precision") -> Curve:
        """Precision, or recall for the axis on the right of GRnP, over G."""
        scale = self.n if axis == "precision" else 1.0
        more = {"high": self.recall_high / scale, "random": self.chance * self.n / scale}
        return Curve(
            x=self.index,
            y=self.recall / scale,
            name=self.name,
            x_name="G",
            y_name=axis,
            queries=self.queries,
            lower_bound=self.cut > 0,
            note=self.note,
            more=more,
        )

    def shading(self) -> Region:
        """From the random level up to the precision: at n = 1 this is E*."""
        return Region(
            x=self.index,
            low=self.chance,
            high=self.precision,
            name="E*" if self.n == 1 else "gain over random",
            note=self.note,
        )

    def to_polars(self) -> pl.DataFrame:
        """One row per level."""
        names = ("index", "mean_index", "precision", "recall", "precision_high", "recall_high", "spread")
        more = ("chance", "gain", "queries", "cut", "full")
        return pl.DataFrame({name: getattr(self, name) for name in (*names, *more)}, nan_to_null=True)

    def where(self, chosen: BoolArray) -> GeneralityCurve:
        """Some of the points."""
        names = [name for name, value in vars(self).items() if isinstance(value, np.ndarray)]
        return replace(self, **{name: getattr(self, name)[chosen] for name in names})


def grip(
    queries: RelevantRanks,
    way: Way = "thinned",
    levels: Sequence[int] | None = None,
    weighting: Weighting = "per_query",
    members: Members = "constant",
) -> GeneralityCurve:
    """Precision = recall at scope c over G: `grnp` with n = 1.

    >>> curve = grip(RelevantRanks.from_ranks([[1, 3, 10, 40]], collection=100))
    >>> curve.index.round(6).tolist(), curve.precision.round(6).tolist()
    ([1.0, 2.0, 3.0, 4.0, 4.643856], [0.780272, 0.697871, 0.584614, 0.502626, 0.5])
    """
    return grnp(queries, 1.0, way, levels, weighting, members)


def grnp(
    queries: RelevantRanks,
    n: float = 1.0,
    way: Way = "thinned",
    levels: Sequence[int] | None = None,
    weighting: Weighting = "per_query",
    members: Members = "constant",
) -> GeneralityCurve:
    """Precision and recall at scope n c over G; levels whose collection is smaller than that scope are left out.

    `levels` and `members` as for `generality_table`: the same queries at every level, or at each those that reach it.
    """
    return generality_curve(existing(generality_table(queries, n, way, levels, members)), weighting)


def existing(table: GeneralityTable) -> GeneralityTable:
    """Only the levels that have so large a scope; bins that have queries."""
    some = (~np.isnan(table.low)).any(axis=0)
    return table.where(some | ((2.0**table.index >= table.n * (1 - SLACK)) & (table.way != "bins")))


def random_line(index: FloatArray, n: float = 1.0, axis: Literal["precision", "recall"] = "precision") -> Curve:
    """The level of a random order over G: p = 2^-G, and r = n 2^-G."""
    return Curve(x=index, y=2.0**-index * (1.0 if axis == "precision" else n), name="random", x_name="G", y_name=axis)


def generality_curve(table: GeneralityTable, weighting: Weighting = "per_query") -> GeneralityCurve:
    """Means over the queries that have a value at a level; NaN where none has."""
    unit = units_of(table.queries, weighting)
    low, high, chance, own = (
        mean_over(each, unit) for each in (table.low, table.high, table.chance, -np.log2(table.chance))
    )
    there = ~np.isnan(table.low)
    weight = np.stack([weights_of(each, unit) for each in there.T], axis=1) if there.size else np.zeros(there.shape)
    variance = np.sum(np.where(there, weight * weight * table.variance, 0.0), axis=0)  # each query is thinned by itself
    return GeneralityCurve(
        way=table.way,
        n=table.n,
        index=table.index,
        mean_index=own.value,
        recall=low.value,
        recall_high=high.value,
        spread=np.where(there.any(axis=0), np.sqrt(variance), np.nan),
        chance=chance.value,
        queries=low.queries,
        cut=(table.high > table.low + SLACK).sum(axis=0),
        full=table.full,
        name=table.queries.system,
        weighting=weighting,
        members=table.members,
        counted=table.counted,
    )


Way = Literal["thinned", "bins"]
Members = Literal["constant", "varying"]
FORMER_WAYS = (  # words that people may still write
    (
        "hard",
        "ranks alone do not tell which distractors are hard for a class; rank the features with "
        "rankscope rank --distractors 'nearest(M)'",
    ),
)
OVER_GENERALITY = "a graph over generality"
TABLE_RULES = {
    "n": Number(above=0),
    "way": rule_of(Way, former=FORMER_WAYS),
    "levels": Optional(Several(WholeNumber(least=0))),
    "members": rule_of(Members),
}


@dataclass(frozen=True, eq=False)
class GeneralityTable:
    """Recall at scope n c of each query (row) at each level of G (column); NaN where a query does not reach the level.

    Where rankings were cut the truth lies from `low` to `high`. `variance` is that over thinnings.
    """

    way: Way
    n: float
    queries: RelevantRanks
    counted: int  # queries with a relevant item, of which `queries` are those that are followed
    members: Members
    index: FloatArray  # G: the level, or the middle of the bin
    full: BoolArray  # whether the column is the full collection at its own G
    low: FloatArray
    high: FloatArray
    variance: FloatArray
    chance: FloatArray  # generality: precision of a random order

    @property
    def precision(self) -> FloatArray:
        """p = r/n, the lower end."""
        return self.low / self.n

    @property
    def precision_high(self) -> FloatArray:
        """The upper end of precision."""
        return self.high / self.n

    def where(self, chosen: BoolArray) -> GeneralityTable:
        """Some of the levels."""
        tables = {name: getattr(self, name)[:, chosen] for name in ("low", "high", "variance", "chance")}
        return replace(self, index=self.index[chosen], full=self.full[chosen], **tables)


def generality_table(
    queries: RelevantRanks,
    n: float = 1.0,
    way: Way = "thinned",
    levels: Sequence[int] | None = None,
    members: Members = "constant",
) -> GeneralityTable:
    """Every query that is followed at every level; NaN where the collection left is smaller than the scope.

    Levels are those given; or G = 1, 2, ... as far as half of the queries reach, for members that vary as far as any
    does. The full collection is added at its own G where all queries share one. Bins part all queries by round(G).
    >>> both = RelevantRanks.from_ranks([[1, 3, 10, 40], [2]], collection=100)
    >>> generality_table(both).index.tolist(), generality_table(both, members="varying").index.tolist()
    ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 6.643856189774724], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    """
    n, way, levels, members = check(locals(), **TABLE_RULES).values()
    queries = with_relevant_items(queries)
    known_sizes(queries, OVER_GENERALITY)
    counted = len(queries)
    if way == "bins":
        members = "varying"
        index, parts, shares = _binned(queries, n, levels)
        full = np.ones(index.size, dtype=np.bool_)
    else:
        if levels is None:
            highest = generality_index(queries).max(initial=0.0) + SLACK
            levels = range(1, (shared_level(queries) if members == "constant" else math.floor(highest)) + 1)
        queries = reaching(queries, max(levels, default=0)) if members == "constant" else queries
        kept, index, full = _kept(queries, levels)
        parts = _recalls(queries, kept, n)
        shares = [queries.relevant / (queries.relevant + each) for each in kept]

    def stacked(columns: list[FloatArray]) -> FloatArray:
        return np.stack(columns, axis=1) if columns else np.empty((len(queries), 0))

    low, high, variance = (stacked([getattr(part, name) for part in parts]) for name in ("low", "high", "variance"))
    return GeneralityTable(
        way=way,
        n=n,
        queries=queries,
        counted=counted,
        members=members,
        index=index,
        full=full,
        low=low,
        high=high,
        variance=variance,
        chance=np.where(np.isnan(low), np.nan, stacked(shares)),
    )


def reaching(queries: RelevantRanks, level: float) -> RelevantRanks:
    """The queries whose own G is this at least; there must be one."""
    index = generality_index(queries, OVER_GENERALITY)
    rows = np.flatnonzero(index >= level - SLACK)
    if len(queries) and not rows.size:
        raise MeasureError(f"no query of {queries.system} reaches G = {level:g}; the largest is {index.max():.2f}")
    return queries if rows.size == len(queries) else queries.take(rows)


def shared_level(queries: RelevantRanks) -> int:
    """The highest level of G that at least half of the queries reach; 1 where some query does, else 0.

    >>> shared_level(RelevantRanks.from_ranks([[1], [1, 2], [1, 2, 3]], collection=16))
    3
    """
    reached = np.sort(np.floor(generality_index(with_relevant_items(queries), OVER_GENERALITY) + SLACK))
    if not reached.size:
        return 0
    return max(int(reached[reached.size // 2]), min(1, int(reached[-1])))


def _kept(queries: RelevantRanks, levels: Sequence[int]) -> tuple[list[IntArray], FloatArray, BoolArray]:
    """How many distractors each query keeps at each level, and in the full collection where all have the same G."""
    kept = [queries.relevant * (2**level - 1) for level in levels]
    index = generality_index(queries)
    own = float(index[0]) if index.size and np.ptp(index) <= SLACK else math.nan
    added = not math.isnan(own) and all(abs(level - own) > SLACK for level in levels)
    if added:
        kept.append(queries.collection - queries.relevant)
    places = np.array([*levels, *([own] if added else [])], dtype=np.float64)
    return kept, places, np.arange(places.size) >= len(levels)


def _recalls(queries: RelevantRanks, kept: Sequence[IntArray], n: float) -> list[Thinned]:
    """Recall of each query at each level; NaN where it has fewer distractors than it should keep."""
    hits = hits_of(queries)
    return [recall_when_kept(hits, each, n) for each in kept]


def _binned(
    queries: RelevantRanks, n: float, levels: Sequence[int] | None
) -> tuple[FloatArray, list[Thinned], list[FloatArray]]:
    """Levels, recall and generality: each query in the column of its round(G), with all distractors."""
    number = np.floor(generality_index(queries) + 0.5 + SLACK).astype(np.int64)
    (result,) = _recalls(queries, [queries.collection - queries.relevant], n)
    index = np.unique(number) if levels is None else np.array(levels, dtype=np.int64)
    inside = [np.where(number == each, 0.0, np.nan) for each in index.tolist()]
    parts = [Thinned(result.low + each, result.high + each, result.variance + each) for each in inside]
    shares = [queries.relevant / queries.collection + each for each in inside]
    return index.astype(np.float64), parts, shares


# GReP: the surface of recall and precision over generality, as a grid of levels of G and relevant scopes.

SURFACE_SCOPES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)


@dataclass(frozen=True, eq=False)
class Surface:
    """Rows are levels of G, columns relevant scopes a; NaN where a scope is larger than the collection."""

    way: Way
    index: FloatArray
    a: FloatArray
    recall: FloatArray
    recall_high: FloatArray
    queries: IntArray
    weighting: Weighting = "per_query"

    @property
    def precision(self) -> FloatArray:
        """p = r/a."""
        return self.recall / self.a

    def cut(self, level: int) -> Curve:
        """The precision-recall curve of one level, by its place in the grid."""
        return precision_recall_curve(
            x=self.recall[level],
            y=self.precision[level],
            name=f"G = {self.index[level]:g}",
            queries=self.queries[level],
            more={"a": self.a},
        )

    def to_polars(self) -> pl.DataFrame:
        """One row per point that exists: index, a, recall, precision, recall_high, queries."""
        index, a = np.meshgrid(self.index, self.a, indexing="ij")
        columns = {"index": index, "a": a, "recall": self.recall, "precision": self.precision}
        more = {"recall_high": self.recall_high, "queries": self.queries}
        return pl.DataFrame({name: grid.ravel() for name, grid in {**columns, **more}.items()}).filter(
            pl.col("queries") > 0
        )


def grep_surface(
    queries: RelevantRanks,
    a: ArrayLike = SURFACE_SCOPES,
    way: Way = "thinned",
    levels: Sequence[int] | None = None,
    weighting: Weighting = "per_query",
    members: Members = "constant",
) -> Surface:
    """The surface (G, r, p) at scopes a c; its cut at a = 1 is GRiP, at a = n GRnP. The same queries at every level.

    >>> surface = grep_surface(RelevantRanks.from_ranks([[1, 3, 10, 40]], collection=100), a=[1, 2], levels=[2])
    >>> surface.recall.round(6).tolist()
    [[0.697871, 0.877067], [0.5, 0.5]]
    """
    given = relevant_scopes(a)
    tables = [generality_table(queries, float(each), way, levels, members) for each in given]
    cuts = [generality_curve(table, weighting) for table in tables]
    grids = [np.stack([getattr(cut, name) for cut in cuts], axis=1) for name in ("recall", "recall_high", "queries")]
    return Surface(
        way=way,
        index=cuts[0].index,
        a=given,
        recall=grids[0],
        recall_high=grids[1],
        queries=grids[2],
        weighting=weighting,
    )
