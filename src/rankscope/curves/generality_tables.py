"""Recall of each query at each level of generality, and which queries are followed over the levels.

Queries of large classes do not reach a high G. A mean over whoever is left rises, because small, easy classes survive:
so one set of queries is followed, `constant`, those that reach every level shown; `varying` takes at each level those
that reach it, and then each point has its own number of queries.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.curves.sizes import SLACK, generality_index, known_sizes, with_relevant_items
from rankscope.errors import MeasureError
from rankscope.option_types import rule_of
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.validation import Number, Optional, Several, WholeNumber, check

if TYPE_CHECKING:
    from rankscope.curves.thinning import Thinned

Way = Literal["thinned", "bins"]
Members = Literal["constant", "varying"]
FORMER_WAYS = (  # words that people may still write
    (
        "hard",
        "ranks alone do not tell which distractors are hard for a class; rank the features with "
        "rankscope rank --distractors 'nearest(M)'",
    ),
)
WHAT = "a graph over generality"
RULES = {
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
    n, way, levels, members = check(locals(), **RULES).values()
    queries = with_relevant_items(queries)
    known_sizes(queries, WHAT)
    if way == "bins":
        return _binned(queries, n, levels)
    given = range(1, _top(queries, members) + 1) if levels is None else levels
    some = reaching(queries, max(given, default=0)) if members == "constant" else queries
    kept, index, full = _kept(some, given)
    parts = _recalls(some, kept, n)
    shares = [some.relevant / (some.relevant + each) for each in kept]
    return _made(some, n, way, members, len(queries), index, full, parts, shares)


def reaching(queries: RelevantRanks, level: float) -> RelevantRanks:
    """The queries whose own G is this at least; there must be one."""
    index = generality_index(queries, WHAT)
    rows = np.flatnonzero(index >= level - SLACK)
    if len(queries) and not rows.size:
        raise MeasureError(f"no query of {queries.system} reaches G = {level:g}; the largest is {index.max():.2f}")
    return queries if rows.size == len(queries) else queries.take(rows)


def shared_level(queries: RelevantRanks) -> int:
    """The highest level of G that at least half of the queries reach; 1 where some query does, else 0.

    >>> shared_level(RelevantRanks.from_ranks([[1], [1, 2], [1, 2, 3]], collection=16))
    3
    """
    reached = np.sort(np.floor(generality_index(with_relevant_items(queries), WHAT) + SLACK))
    if not reached.size:
        return 0
    return max(int(reached[reached.size // 2]), min(1, int(reached[-1])))


def _top(queries: RelevantRanks, members: Members) -> int:
    if members == "constant":
        return shared_level(queries)
    return math.floor(generality_index(queries).max(initial=0.0) + SLACK)


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
    from rankscope.curves.hits import hits_of
    from rankscope.curves.thinned_recall import recall_when_kept

    hits = hits_of(queries)
    return [recall_when_kept(hits, each, n) for each in kept]


def _binned(queries: RelevantRanks, n: float, levels: Sequence[int] | None) -> GeneralityTable:
    """Each query in the column of its round(G), with all distractors."""
    from rankscope.curves.thinning import Thinned

    number = np.floor(generality_index(queries) + 0.5 + SLACK).astype(np.int64)
    (result,) = _recalls(queries, [queries.collection - queries.relevant], n)
    index = np.unique(number) if levels is None else np.array(levels, dtype=np.int64)
    inside = [np.where(number == each, 0.0, np.nan) for each in index.tolist()]
    parts = [Thinned(result.low + each, result.high + each, result.variance + each) for each in inside]
    shares = [queries.relevant / queries.collection + each for each in inside]
    full = np.ones(index.size, dtype=np.bool_)
    return _made(queries, n, "bins", "varying", len(queries), index.astype(np.float64), full, parts, shares)


def _made(
    queries: RelevantRanks,
    n: float,
    way: Way,
    members: Members,
    counted: int,
    index: FloatArray,
    full: BoolArray,
    parts: list[Thinned],
    shares: list[FloatArray],
) -> GeneralityTable:
    def stacked(columns: list[FloatArray]) -> FloatArray:
        return np.stack(columns, axis=1) if columns else np.empty((len(queries), 0))

    low, high, variance = (stacked([getattr(part, name) for part in parts]) for name in ("low", "high", "variance"))
    chance = np.where(np.isnan(low), np.nan, stacked(shares))
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
        chance=chance,
    )
