"""Curves over scope: precision, recall, and precision over a doubling window, where the class size is not known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np

from rankscope.analysis.curves.curve import Curve, Region
from rankscope.analysis.curves.scope import bounded_at
from rankscope.analysis.curves.window import ceiling, ceilings, window_curves, window_mean
from rankscope.analysis.statistics.query_curves import Axis as Quantity
from rankscope.analysis.statistics.query_curves import over_scope as curves_over_scope
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.core.wording import how_many
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks
from rankscope.reports.graphs.axes import Axis
from rankscope.reports.graphs.graph import Graph
from rankscope.reports.graphs.kinds import ONE, SEVERAL, Option, kind
from rankscope.reports.graphs.marks import Side
from rankscope.reports.graphs.query_groups import rows_of_size
from rankscope.reports.graphs.systems import (
    MOST_BANDS,
    Systems,
    band_around,
    band_words,
    chosen_scopes,
    counted_systems,
    facts_of,
    generality_words,
    interval_facts,
    intervals_of,
    legend_notes,
    number,
    random_name,
    size_known,
    thin_words,
    with_band,
)

# Precision over scope and recall over scope: a curve per system over a doubling scope, between random and ideal.


@kind("precision-scope", "share of the first s items that is relevant")
def precision_scope_graph(systems: Systems) -> Graph:
    """Precision against scope: what share of the first s items is relevant, for every s.

    Dashed: the ideal system, which shows all relevant items first, and, where the size of the collection is known,
    a random order.
    """
    return graph_over_scope(systems, "precision", ((0.45, "above right"), (0.02, "above right")))


@kind("recall-scope", "share of the relevant items among the first s")
def recall_scope_graph(systems: Systems) -> Graph:
    """Recall against scope: what share of the relevant items stands among the first s, for every s.

    Dashed: the ideal system, which shows all relevant items first, and, where the size of the collection is known,
    a random order.
    """
    return graph_over_scope(systems, "recall", ((0.4, "above left"), (0.8, "below right")))


def graph_over_scope(systems: Systems, quantity: Quantity, places: tuple[tuple[float, Side], ...]) -> Graph:
    """Precision or recall over scope, with the levels of an ideal and a random order, named at these places."""
    shown = counted_systems(systems, f"the {quantity}-scope graph")
    last = max(_last_scope(queries) for queries in shown)
    y = Axis(quantity, quantity[0], domain=(0, 1))
    graph = Graph(f"{quantity.capitalize()} over scope", Axis("scope", "s", "log2", domain=(1, max(2, last))), y)
    for level, (at, side) in zip(_levels(shown[0], quantity, last), places, strict=False):
        graph = graph.guides([level], dashed=True, at=at, side=side)
    shaded = len(shown) <= MOST_BANDS
    ends, bands = [], []
    for queries, note in zip(shown, legend_notes(shown), strict=True):
        curves = curves_over_scope(queries, chosen_scopes(_last_scope(queries)), quantity)
        around = band_around(curves, queries, drawn=shaded)
        bound = bounded_at(queries, around.x.astype(np.int64))
        limits = intervals_of(curves, queries)
        intervals = interval_facts(limits.low, limits.high, limits.ways)
        told = {**facts_of(replace(around.curve(), lower_bound=bound)), **intervals}
        graph = with_band(graph, around, queries.system, note, facts=told, markers=7, shaded=shaded)
        ends += around.x[bound][:1].tolist()
        bands.append(around)
    ended = f"a lower bound from s = {min(ends):,.0f} on, where rankings have ended" if ends else ""
    means = "means over queries" if max(map(len, shown)) > 1 else ""
    stated = generality_words(shown)
    subtitle = "; ".join(filter(None, [stated, means, ended, *(band_words(bands) if shaded else [thin_words(bands)])]))
    summary = f"{quantity} over scope of {', '.join(each.system for each in shown)}; {stated}."
    return graph.described(subtitle=subtitle, summary=summary)


def _last_scope(queries: RelevantRanks) -> int:
    known = queries.collection[queries.collection != UNKNOWN]
    longest = max(1, int(queries.depth.max(initial=1)))
    return min(longest, int(known.min())) if known.size else longest


def _levels(queries: RelevantRanks, quantity: Quantity, last: int) -> Iterator[Curve]:
    """The means over the queries of the ideal system and, where the size is known, of a random order."""
    scopes = np.geomspace(1, max(2, last), 121)
    sizes, counts = np.unique(queries.relevant, return_counts=True)
    of_size = sizes[:, None].astype(np.float64)
    best = np.minimum(1.0, of_size / scopes if quantity == "precision" else scopes / of_size)
    yield Curve(scopes, (best * counts[:, None]).sum(axis=0) / counts.sum(), "ideal")
    if not size_known([queries]):
        return
    if quantity == "precision":
        share = queries.relevant / queries.collection
        yield Curve(scopes, np.full(scopes.size, share.mean()), random_name(share))
    else:
        collections, weight = np.unique(queries.collection, return_counts=True)
        mean = np.average(scopes[None, :] / collections[:, None], axis=0, weights=weight)
        yield Curve(scopes, np.minimum(1.0, mean), "random s/d")


# The precision-window graph (Huijsmans & Sebe 2001): what can be read where the class size is not known.

LOWEST = 2.0**-20
FAR_BELOW = 64.0  # a random level so many times below the curves is left out


@kind("precision-window", "precision over scope on log2 scales, class size known or not", paper_width="full")
def precision_window_graph(
    systems: Systems,
    queries: Annotated[Sequence[str], Option("a curve for this query", "--query", metavar="ID")] = (),
    relevant: Annotated[
        int | None, Option("class size known: queries with this number of relevant items", metavar="C", least=1)
    ] = None,
) -> Graph:
    """Precision against scope, both on log2 scales, where each diagonal is a number of hits.

    The mean of each system, or with `queries` a curve for each of these queries of one system. The diagonal on which a
    curve settles is a lower bound of its class size. With `relevant` the class size is known: only queries with this
    many relevant items, below the ceiling they share. An open triangle at the bottom stands for a scope without hits.
    """
    shown = counted_systems(systems, "the precision-window graph", ONE if queries else SEVERAL)
    if relevant is not None:
        shown = [each.take(rows_of_size(each, relevant)) for each in shown]
    if queries:
        curves = _of_queries(shown[0], queries)
    else:
        means = [window_mean(each, chosen_scopes(max(1, int(each.depth.max(initial=1))))) for each in shown]
        curves = list(zip(means, legend_notes(shown), strict=True))
    last = max(2.0, *(float(curve.more["scope"].max()) for curve, _ in curves))
    seen = np.concatenate([curve.more["precision"] for curve, _ in curves])
    level = _random_level(shown, relevant, seen, last)
    floor = _bottom(seen, last, level)
    x, y = Axis("scope", "s", "log2", domain=(1, last)), Axis("precision", "p", "log2", domain=(floor, 1))
    graph = Graph("Precision over a doubling window", x, y, subtitle=_window_subtitle(shown, queries, relevant))
    graph = graph.guides(_diagonals(last, floor)) if relevant is None else _ceiling(graph, relevant, last)
    if level is not None:
        name = f"{'lowest random level 1/d' if relevant is None else 'random level c/d'} = {number(level)}"
        graph = graph.guides([Curve(np.array([1.0, last]), np.full(2, level), name)], dashed=True, at=0.03)
    for curve, note in curves:
        graph = _with_window(graph, curve, note, floor)
    return graph.described(summary=f"Precision over scope on log2 scales of {', '.join(c.name for c, _ in curves)}.")


def _random_level(shown: Sequence[RelevantRanks], relevant: int | None, seen: FloatArray, last: float) -> float | None:
    """The precision of a random order; None where it is not known, or so far below that curves would be squeezed."""
    if not size_known(shown):
        return None
    level = (relevant or 1) / float(shown[0].collection.max())
    return level if level * FAR_BELOW >= _bottom(seen, last, None) else None


def _bottom(seen: FloatArray, last: float, level: float | None) -> float:
    """A power of two below everything that is drawn."""
    lowest = seen[seen > 0].min(initial=1.0) if (seen > 0).any() else 1 / last
    lowest = min(lowest, level) if level is not None else lowest
    return float(min(max(LOWEST, 2.0 ** np.floor(np.log2(lowest) - (level == lowest))), 0.5))


def _ceiling(graph: Graph, relevant: int, last: float) -> Graph:
    """What more than all relevant items would be, and its border v = c."""
    if relevant >= last:
        return graph
    beyond = np.geomspace(relevant, last, 100)
    limit = 2.0 ** ceiling(relevant, beyond).y
    graph = graph.area(Region(beyond, limit, np.ones(limit.size)), f"out of reach: more than {relevant:,} hits")
    return graph.guides([Curve(beyond, limit, "ceiling c/s")], at=0.45)


def _of_queries(system: RelevantRanks, wanted: Sequence[str]) -> list[tuple[Curve, str]]:
    some = system.take(_rows(system, wanted))
    scopes = chosen_scopes(max(1, int(some.depth.max(initial=1))))
    notes = [f"c = {c:,}" for c in some.relevant.tolist()]
    return list(zip(window_curves(some, scopes), notes, strict=True))


def _with_window(graph: Graph, curve: Curve, note: str, floor: float) -> Graph:
    scope: FloatArray = curve.more["scope"].astype(np.float64)
    precision: FloatArray = curve.more["precision"]
    nothing = precision == 0
    shown = Curve(scope, np.where(nothing, np.nan, precision))
    facts = {"hits v (mean)": [f"{value:.4g}" for value in scope * precision]}
    if curve.queries is not None:
        facts["queries"] = [f"{value}" for value in curve.queries]
    graph = graph.curve(shown, curve.name, note, facts=facts, markers=7)
    if nothing.any():
        edge = Curve(scope[nothing], np.full(int(nothing.sum()), floor))
        graph = graph.points(edge, curve.name, open=True, edge=True, facts={"precision p": ["0"] * len(edge)})
    return graph


def _diagonals(last: float, floor: float) -> list[Curve]:
    """Lines of equal hits, from the bottom or the right edge up to p = 1, where they are named."""
    lines = []
    for line in ceilings(int(last)):
        hits = float(2.0 ** line.x[0])
        end = min(last, hits / floor)
        if hits < last:
            lines.append(
                Curve(np.array([end, hits]), np.array([hits / end, 1.0]), f"{hits:,.0f}" if hits > 1 else "v = 1")
            )
    return lines


def _window_subtitle(systems: Sequence[RelevantRanks], queries: Sequence[str], relevant: int | None) -> str:
    system = systems[0]
    means = "means over queries" if len(system) > 1 else how_many(1)
    what = f"{how_many(len(queries))} of {system.system}" if queries else means
    shown = [system.take(_rows(system, queries))] if queries else systems
    diagonals = "grey diagonals: v hits, the number on top" if relevant is None else ""
    return "; ".join(filter(None, (what, generality_words(shown), diagonals)))


def _rows(system: RelevantRanks, wanted: Sequence[str]) -> IntArray:
    missing = [query for query in wanted if query not in system.queries]
    if missing:
        raise SettingError(f"{system.system} has no query {', '.join(missing)} with a relevant item")
    return np.array([system.queries.index(query) for query in wanted], dtype=np.int64)
