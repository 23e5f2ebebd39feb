"""The precision-window graph (Huijsmans & Sebe 2001): what can be read where the class size is not known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.curves.curve import Curve
from rankscope.curves.window import ceilings, window_curves, window_mean
from rankscope.errors import SettingError
from rankscope.graphs.axis import Axis
from rankscope.graphs.describing import Systems, chosen_scopes, counted_systems, how_many, size_known, size_note
from rankscope.graphs.graph import Graph
from rankscope.graphs.kind import kind
from rankscope.ranks.relevant_ranks import RelevantRanks

LOWEST = 2.0**-20


@kind("precision-window")
def precision_window_graph(systems: Systems, queries: Sequence[str] = ()) -> Graph:
    """Precision against scope, both on log2 scales, where each diagonal is a number of hits.

    The mean of each system, or with `queries` a curve for each of these queries of one system. The diagonal on which a
    curve settles is a lower bound of its class size. An open triangle at the bottom stands for a scope without hits.
    """
    shown = counted_systems(systems, "the precision-window graph", most=1 if queries else 12)
    curves = _of_queries(shown[0], queries) if queries else [(_mean(each), size_note(each)) for each in shown]
    last = max(float(curve.more["scope"].max()) for curve, _ in curves)
    seen = np.concatenate([curve.more["precision"] for curve, _ in curves])
    floor = max(LOWEST, 2.0 ** np.floor(np.log2(seen[seen > 0].min()))) if (seen > 0).any() else 1 / last
    floor = min(floor, 0.5)
    last = max(last, 2.0)
    x, y = Axis("scope", "s", "log2", domain=(1, last)), Axis("precision", "p", "log2", domain=(floor, 1))
    graph = Graph("Precision over a doubling window", x, y, subtitle=_subtitle(shown[0], queries))
    graph = graph.guides(_diagonals(last, floor))
    level = _random(shown)
    if level is not None and floor < level < 1:
        graph = graph.rule(y=level, label="random")
    for curve, note in curves:
        graph = _with(graph, curve, note, floor)
    return graph.described(summary=f"Precision over scope on log2 scales of {', '.join(c.name for c, _ in curves)}.")


def _mean(queries: RelevantRanks) -> Curve:
    return window_mean(queries, chosen_scopes(max(1, int(queries.depth.max(initial=1)))))


def _of_queries(system: RelevantRanks, wanted: Sequence[str]) -> list[tuple[Curve, str]]:
    missing = [query for query in wanted if query not in system.queries]
    if missing:
        raise SettingError(f"{system.system} has no query {', '.join(missing)} with a relevant item")
    some = system.take(np.array([system.queries.index(query) for query in wanted], dtype=np.int64))
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


def _random(systems: list[RelevantRanks]) -> float | None:
    if not size_known(systems):
        return None
    return float((systems[0].relevant / systems[0].collection).mean())


def _subtitle(system: RelevantRanks, queries: Sequence[str]) -> str:
    what = f"{how_many(len(queries))} of {system.system}" if queries else "means over queries"
    return f"{what}; grey diagonals: v hits, the number on top"
