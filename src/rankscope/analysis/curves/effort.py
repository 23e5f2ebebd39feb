"""The effort of a search: how much of a ranking a user looks at for a wanted recall, of one query and over all of them.

A user who wants k of the c relevant items needs a window of w = k/p items, where p is the precision at recall k/c of
queries of the same generality (Huijsmans & Sebe 2001, section 3.1). What the next relevant item costs, in items that
must be looked at for it, is the economic value of a system where c is not known (Sebe et al. 2004, section 3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from rankscope.analysis.curves.averaging import By, generality_groups, radial_lattice, radial_mean
from rankscope.analysis.curves.curve import Curve, with_relevant_items
from rankscope.analysis.curves.precision_recall import level_hits, rank_of_hit, row_of
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.display import Display, Tabular
from rankscope.core.errors import MeasureError
from rankscope.core.rendering import HeadedTable, Presentation, Rows
from rankscope.core.wording import how_many, setting_usage
from rankscope.measures.quadruple import Contingency, Quadruple
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankscope.ranks.relevant_ranks import RelevantRanks

RECALLS = (0.1, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, eq=False)
class EffortOverQueries:
    """Medians over queries at each recall; a query that never reaches it counts as an infinite window."""

    system: str
    queries: int
    recalls: tuple[float, ...]
    reached: FloatArray  # share of the queries
    window: FloatArray
    relevant_scope: FloatArray  # the window over the class size, which queries of all sizes share
    cost: FloatArray  # items for each hit since the recall before

    def rows(self) -> list[dict[str, object]]:
        shown = zip(self.recalls, self.reached, self.window, self.relevant_scope, self.cost, strict=True)
        return [
            {
                "system": self.system,
                "recall": recall,
                "reached by": float(reached),
                "median window": _finite(window),
                "median s/c": _finite(scope),
                "median items per further hit": _finite(cost),
            }
            for recall, reached, window, scope, cost in shown
        ]


def windows(queries: RelevantRanks, recalls: Sequence[float] = RECALLS) -> FloatArray:
    """Queries x recalls: the scope that holds ceil(r c) relevant items; infinite where the ranking ends before.

    >>> windows(RelevantRanks.from_ranks([[1, 3, 10], [2]], relevant=[4, 1]), [0.5, 1.0])
    array([[ 3., inf],
           [ 2.,  2.]])
    """
    columns = [rank_of_hit(queries, level_hits(queries, level)) for level in recalls]
    return np.stack(columns, axis=1) if columns else np.empty((len(queries), 0))


def median_effort(queries: RelevantRanks, recalls: Sequence[float] = RECALLS) -> EffortOverQueries:
    """Windows of all queries that have a relevant item.

    >>> done = median_effort(RelevantRanks.from_ranks([[1, 4], [2, 3], [1]], relevant=[2, 2, 2]), [0.5, 1])
    >>> done.reached.round(3), done.window, done.cost
    (array([1.   , 0.667]), array([1., 4.]), array([1., 3.]))
    """
    there = with_relevant_items(queries)
    window = windows(there, recalls)
    hits = np.stack([level_hits(there, level) for level in recalls], axis=1)
    return EffortOverQueries(
        system=queries.system,
        queries=len(there),
        recalls=tuple(recalls),
        reached=np.isfinite(window).mean(axis=0),
        window=np.median(window, axis=0),
        relevant_scope=np.median(window / there.relevant[:, None], axis=0),
        cost=_median_cost(window, hits),
    )


def pooled_contingency(queries: RelevantRanks) -> Contingency | None:
    """The decision tables of all queries at scope s = c added up; None where the collection is not known.

    A ranking that ends before c counts what it has found.
    >>> pooled_contingency(RelevantRanks.from_ranks([[1, 4], [1]], relevant=[2, 1], collection=[10, 10]))
    Contingency(true_positives=2, false_positives=1, false_negatives=1, true_negatives=16)
    """
    there = with_relevant_items(queries)
    if not len(there) or (there.collection == UNKNOWN).any():
        return None
    hits, relevant, items = (int(each.sum()) for each in (there.hits(there.relevant), there.relevant, there.collection))
    return Contingency(
        true_positives=hits,
        false_positives=relevant - hits,
        false_negatives=relevant - hits,
        true_negatives=items - 2 * relevant + hits,
    )


def _median_cost(window: FloatArray, hits: IntArray) -> FloatArray:
    """The median over queries for which the recall takes further hits; NaN where it takes none in any."""
    further = np.diff(hits, axis=1, prepend=0)
    with np.errstate(invalid="ignore"):
        items = np.diff(window, axis=1, prepend=0.0)
    medians = []
    for column in range(window.shape[1]):
        some = further[:, column] > 0
        cost = np.where(np.isfinite(items[some, column]), items[some, column], np.inf) / further[some, column]
        medians.append(float(np.median(cost)) if cost.size else float("nan"))
    return np.array(medians)


def _finite(value: float) -> float:
    return float(value) if np.isfinite(value) else float("nan")


# How much of a ranking a user looks at for a wanted recall: of one query, and to expect at its generality.

ENOUGH = 5  # queries of exactly this generality; with fewer the bin of one G wide is taken
STEPS = 8.0  # relevant scopes between one and the next doubling


@dataclass(frozen=True)
class WantedRecall:
    """What one recall takes: the window of this query, NaN where its ranking ends before; and the one to expect.

    `cost` is how many items were looked at for each hit since the recall before.
    """

    recall: float
    hits: int
    window: float
    precision: float
    cost: float
    expected: float  # k/p of the queries of the same generality; NaN where that is not known

    def row(self) -> dict[str, object]:
        return {
            "recall": self.recall,
            "hits": self.hits,
            "window": int(self.window) if np.isfinite(self.window) else None,
            "precision": self.precision,
            "items per further hit": self.cost,
            "window to expect": self.expected,
        }


@dataclass(frozen=True, eq=False, repr=False)
class SearchEffort(Tabular):
    """One query of one system: its quadruples at some scopes, and what each recall takes."""

    system: str
    query: str
    relevant: int
    collection: int  # UNKNOWN where it is
    depth: int
    found: int
    at: tuple[Quadruple, ...]  # empty where the collection is not known
    scopes: tuple[tuple[int, int], ...]  # scope and hits, where the collection is not known too
    wanted: tuple[WantedRecall, ...]
    plane: str  # the queries of the same generality that the window to expect is read from; empty: none

    def scope_rows(self) -> list[dict[str, object]]:
        """Precision and recall at each scope, and what the hits since the scope before cost."""
        rows: list[dict[str, object]] = []
        before = (0, 0)
        for place, (scope, hits) in enumerate(self.scopes):
            row: dict[str, object] = {"scope": scope, "s/c": scope / self.relevant, "hits": hits}
            row |= {"precision": hits / scope, "recall": hits / self.relevant}
            if self.at:
                one = self.at[place]
                row |= {"effectiveness": one.effectiveness, "over chance (E*)": one.gain_over_random()}
            rows.append(row | {"items per further hit": _ratio(scope - before[0], hits - before[1])})
            before = (scope, hits)
        return rows

    def records(self) -> Rows:
        return [each.row() for each in self.wanted]

    def display(self) -> Display:
        return Display.of([effort_headline(self), *effort_notes(self)], self.records())

    def presentation(self) -> Presentation:
        """The decision table at each scope, then what each scope and each recall takes."""
        tables = [
            HeadedTable(f"Decision table at scope {one.scope:,}{_named(one.scope, self.relevant)}", one.decision_rows())
            for one in self.at
        ]
        if self.scopes:
            tables.append(HeadedTable("Scopes", self.scope_rows()))
        tables.append(HeadedTable("Window for a wanted recall", self.records()))
        return Presentation([effort_headline(self)], tables, notes=effort_notes(self), spaced=True)


def search_effort(
    queries: RelevantRanks, query: str, scopes: Sequence[int] | None = None, recalls: Sequence[float] = RECALLS
) -> SearchEffort:
    """The quadruples of one query at scopes c/2, c and 2c or those given, and windows for wanted recalls.

    Scopes beyond the end of the ranking are left out, for what they hold is not known.
    >>> ranks = RelevantRanks.from_ranks([[1, 3, 10, 40]], depth=[100], collection=[100], queries=["7"])
    >>> effort = search_effort(ranks, "7", recalls=[0.5, 1])
    >>> [(each.hits, each.window, each.cost) for each in effort.wanted], [each.hits for each in effort.at]
    ([(2, 3.0, 1.5), (4, 40.0, 18.5)], [1, 2, 2])
    """
    row = row_of(queries, query)
    one = queries.take(np.array([row]))
    relevant, collection, depth = int(one.relevant[0]), int(one.collection[0]), int(one.depth[0])
    if not relevant:
        raise MeasureError(f"query {query!r} has no relevant item: there is nothing to find, and nothing to explain")
    half_to_twice = (max(1, relevant // 2), relevant, 2 * relevant)
    chosen = sorted(set(half_to_twice if scopes is None else scopes))
    there = [scope for scope in chosen if 1 <= scope <= depth]
    hits = [int(one.hits(scope)[0]) for scope in there]
    known = collection != UNKNOWN
    plane, rows = _plane(queries, row) if known else ("", np.empty(0, np.int64))
    expected = expected_windows(queries.take(rows), relevant, recalls) if known else np.full(len(recalls), np.nan)
    return SearchEffort(
        system=queries.system,
        query=query,
        relevant=relevant,
        collection=collection,
        depth=depth,
        found=int(one.found[0]),
        at=tuple(Quadruple(collection, relevant, *pair) for pair in zip(there, hits, strict=True)) if known else (),
        scopes=tuple(zip(there, hits, strict=True)),
        wanted=_wanted(one, recalls, expected),
        plane=plane,
    )


def expected_windows(queries: RelevantRanks, relevant: int, recalls: Sequence[float] = RECALLS) -> FloatArray:
    """w = k/p for each recall of a class of this size, with p of the mean of queries of one generality.

    The mean is radial, at every scope where classes are of one size, else at eighths of doublings: at relevant scope a
    it has recall r and precision r/a, so k/p = a c. It is read between two scopes where recall passes k/c between them,
    and is NaN where the rankings end before that.
    """
    if np.unique(queries.relevant).size == 1:
        curve = radial_lattice(queries)
    else:
        least, most = 1.0 / queries.relevant.max(), float((queries.collection / queries.relevant).min())
        steps = np.arange(np.ceil(STEPS * np.log2(least)), np.floor(STEPS * np.log2(most)) + 1)
        curve = radial_mean(queries, 2.0 ** (steps / STEPS))
    k = np.maximum(np.ceil(np.asarray(recalls, dtype=np.float64) * relevant - 1e-9), 1.0)
    return _scope_of_recall(curve, k / relevant) * relevant


def _scope_of_recall(curve: Curve, recall: FloatArray) -> FloatArray:
    """The least relevant scope at which the mean recall is so high, linear between two scopes; NaN beyond the last."""
    there = ~np.isnan(curve.x)
    height = np.concatenate([[0.0], curve.x[there]])
    a = np.concatenate([[0.0], curve.more["a"][there]])
    after = np.searchsorted(height, recall - 1e-12, side="left")
    inside = np.minimum(after, height.size - 1)
    before = np.maximum(inside - 1, 0)
    rise = height[inside] - height[before]
    share = np.where(rise > 0, (recall - height[before]) / np.where(rise > 0, rise, 1.0), 1.0)
    return np.where(after < height.size, a[before] + np.minimum(share, 1.0) * (a[inside] - a[before]), np.nan)


def _plane(queries: RelevantRanks, row: int) -> tuple[str, IntArray]:
    """The queries of the same generality: exactly, or in the same bin of G where there are few of those."""
    for by in get_args(By):
        for group in generality_groups(queries, by):
            if row in group.rows and (group.rows.size >= ENOUGH or by == "bins"):
                return f"{group.name}, {how_many(group.rows.size)}", group.rows
    return "", np.empty(0, np.int64)


def _wanted(one: RelevantRanks, recalls: Sequence[float], expected: FloatArray) -> tuple[WantedRecall, ...]:
    found: list[WantedRecall] = []
    before = (0.0, 0)
    for level, window, later in zip(recalls, windows(one, recalls)[0].tolist(), expected.tolist(), strict=True):
        k = int(level_hits(one, level)[0])
        reached = np.isfinite(window)
        found.append(
            WantedRecall(
                recall=level,
                hits=k,
                window=window if reached else float("nan"),
                precision=k / window if reached else float("nan"),
                cost=_ratio(window - before[0], k - before[1]) if reached else float("nan"),
                expected=later,
            )
        )
        before = (window, k) if reached else before
    return tuple(found)


def _ratio(items: float, hits: int) -> float:
    return items / hits if hits else float("inf") if items else float("nan")


def effort_headline(effort: SearchEffort) -> str:
    """The sizes in a line."""
    c, d = effort.relevant, effort.collection
    sizes = f"c = {c:,} relevant {'item' if c == 1 else 'items'}"
    if d != UNKNOWN:
        from rankscope.measures.quadruple import Quadruple

        one = Quadruple(d, c, 1, int(d == c))
        sizes += f" in d = {d:,}: generality g = {one.generality:.3g}, G = {one.generality_index:.2f}"
    return (
        f"{effort.system}, query {effort.query}: {sizes}; {how_many(effort.depth, 'items')} ranked, "
        f"{effort.found:,} of c found"
    )


def effort_notes(effort: SearchEffort) -> list[str]:
    """What must be read next to the tables."""
    lines = []
    if effort.collection == UNKNOWN:
        usage = setting_usage("collection_size", "D")
        lines.append(f"without the size of the collection there is no decision table and no generality: give {usage}")
    if effort.plane:
        lines.append(f"window to expect: k/p, with the mean precision at recall k/c of queries of {effort.plane}")
    if effort.found < effort.relevant:
        lines.append(
            f"the ranking ends at {effort.depth:,} with "
            f"{how_many(effort.relevant - effort.found, 'relevant items')} not found: "
            "what they cost is not known, and a dash stands there"
        )
    return lines


def effort_json(efforts: Sequence[SearchEffort]) -> dict[str, Any]:
    """The same as one object."""
    return {
        "format": "rankscope.explanation",
        "version": 1,
        "explained": [
            {
                "system": each.system,
                "query": each.query,
                "relevant": each.relevant,
                "collection": None if each.collection == UNKNOWN else each.collection,
                "depth": each.depth,
                "found": each.found,
                "decision_tables": [{"scope": one.scope, **vars(one.contingency)} for one in each.at],
                "scopes": each.scope_rows(),
                "wanted": [one.row() for one in each.wanted],
                "same_generality": each.plane,
                "notes": effort_notes(each),
            }
            for each in efforts
        ],
    }


def _named(scope: int, relevant: int) -> str:
    """What the scope is of the class size."""
    names = {max(1, relevant // 2): "s = c/2", 2 * relevant: "s = 2c", relevant: "s = c"}
    if relevant == 1 and scope == 1:
        return " (s = c)"
    half = scope == relevant // 2 and relevant % 2
    return f" ({'s = c/2, rounded down' if half else names[scope]})" if scope in names else ""


# The part of a report that says what a user of each system has to look at: windows, costs, decision tables.


def effort_parts(systems: Sequence[RelevantRanks]) -> list[HeadedTable]:
    """Tables with one row for each system: windows, what a hit costs, and the decision tables added up."""
    efforts = [median_effort(each) for each in systems if (each.relevant > 0).any()]
    if not efforts:
        return []
    parts: list[HeadedTable] = []
    for heading, column, note in (
        ("Median window for a wanted recall", "median window", WINDOWS),
        ("Items to look at for each further hit", "median items per further hit", COSTS),
    ):
        rows: list[dict[str, object]] = [
            {"system": each.system, **{f"recall {row['recall']:g}": row[column] for row in each.rows()}}
            for each in efforts
        ]
        parts.append(HeadedTable(heading, rows, note, 1))
    tables = [(each.system, pooled_contingency(each)) for each in systems]
    known = [(name, table) for name, table in tables if table is not None]
    rows = [_decisions(name, vars(table)) for name, table in known]
    return [*parts, *([HeadedTable("Decision tables at scope s = c, added up", rows, DECISIONS)] if rows else [])]


WINDOWS = (
    "How many items hold this share of the relevant ones, in the median over queries; a query whose ranking ends "
    "before counts as infinitely far, and a dash stands where half of them do."
)
COSTS = "Items looked at for each relevant one since the recall before, in the median over queries."
DECISIONS = (
    "Relevant and retrieved (TP), relevant and missed (FN), retrieved for nothing (FP), rightly left alone (TN); "
    "rankscope evaluate explains that of one query."
)


def _decisions(name: str, counts: dict[str, int]) -> dict[str, object]:
    hits, missed = counts["true_positives"], counts["false_negatives"]
    items = sum(counts.values())
    return {
        "system": name,
        "TP": hits,
        "FN": missed,
        "FP": counts["false_positives"],
        "TN": counts["true_negatives"],
        "p = r": hits / (hits + missed),
        "g": f"{(hits + missed) / items:.3g}",
    }
