"""The precision-window graph (Huijsmans & Sebe 2001): what can be read where the class size is not known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.curves.curve import Curve, Region
from rankscope.curves.window import ceiling, ceilings, window_curves, window_mean
from rankscope.errors import SettingError
from rankscope.graphs.axis import Axis
from rankscope.graphs.graph import Graph
from rankscope.graphs.kind import kind
from rankscope.graphs.kinds.shared.describing import (
    Systems,
    chosen_scopes,
    counted_systems,
    number,
    size_known,
)
from rankscope.graphs.kinds.shared.generality_words import generality_words, notes_of
from rankscope.graphs.kinds.shared.groups import rows_of_size
from rankscope.graphs.option import Option
from rankscope.graphs.system_count import ONE, SEVERAL
from rankscope.number_texts import how_many
from rankscope.ranks.relevant_ranks import RelevantRanks

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
    curves = _of_queries(shown[0], queries) if queries else list(zip(map(_mean, shown), notes_of(shown), strict=True))
    last = max(2.0, *(float(curve.more["scope"].max()) for curve, _ in curves))
    level = _random_level(shown, relevant, np.concatenate([curve.more["precision"] for curve, _ in curves]), last)
    floor = _bottom(np.concatenate([curve.more["precision"] for curve, _ in curves]), last, level)
    x, y = Axis("scope", "s", "log2", domain=(1, last)), Axis("precision", "p", "log2", domain=(floor, 1))
    graph = Graph("Precision over a doubling window", x, y, subtitle=_subtitle(shown, queries, relevant))
    graph = graph.guides(_diagonals(last, floor)) if relevant is None else _ceiling(graph, relevant, last)
    if level is not None:
        name = f"{'lowest random level 1/d' if relevant is None else 'random level c/d'} = {number(level)}"
        graph = graph.guides([Curve(np.array([1.0, last]), np.full(2, level), name)], dashed=True, at=0.03)
    for curve, note in curves:
        graph = _with(graph, curve, note, floor)
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


def _mean(queries: RelevantRanks) -> Curve:
    return window_mean(queries, chosen_scopes(max(1, int(queries.depth.max(initial=1)))))


def _of_queries(system: RelevantRanks, wanted: Sequence[str]) -> list[tuple[Curve, str]]:
    some = system.take(_rows(system, wanted))
    scopes = chosen_scopes(max(1, int(some.depth.max(initial=1))))
    notes = [f"c = {c:,}" for c in some.relevant.tolist()]
    return list(zip(window_curves(some, scopes), notes, strict=True))


def _with(graph: Graph, curve: Curve, note: str, floor: float) -> Graph:
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


def _subtitle(systems: Sequence[RelevantRanks], queries: Sequence[str], relevant: int | None) -> str:
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
