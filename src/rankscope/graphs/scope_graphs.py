"""What precision-scope and recall-scope share: a curve per system over a doubling scope, between random and ideal."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.curves.curve import Curve
from rankscope.graphs.axis import Axis
from rankscope.graphs.describing import (
    MOST_BANDS,
    Systems,
    band_of,
    chosen_scopes,
    counted_systems,
    facts_of,
    said,
    size_known,
    size_note,
)
from rankscope.graphs.graph import Graph
from rankscope.graphs.marks import Side
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks

CurveOf = Callable[[RelevantRanks, IntArray], Curve]
Place = tuple[float, Side]
Level = Callable[[RelevantRanks, FloatArray], FloatArray]  # of queries and scopes: the mean over the queries


def over_scope(
    systems: Systems,
    what: str,
    title: str,
    y: Axis,
    curve_of: CurveOf,
    levels: tuple[Level, Level],
    places: tuple[Place, Place],
) -> Graph:
    """The graph of one quantity over scope, with the levels of an ideal and a random order, named at these places."""
    shown = counted_systems(systems, what)
    last = max(_last_scope(queries) for queries in shown)
    graph = Graph(title, Axis("scope", "s", "log2", domain=(1, max(2, last))), y)
    for level, (at, side) in zip(_levels(shown[0], last, *levels), places, strict=False):
        graph = graph.guides([level], dashed=True, at=at, side=side)
    ends = []
    for queries in shown:
        curve = curve_of(queries, chosen_scopes(_last_scope(queries)))
        around = band_of(curve) if len(shown) <= MOST_BANDS else None
        graph = graph if around is None else graph.band(around, queries.system)
        graph = graph.curve(curve, queries.system, size_note(queries), facts=facts_of(curve), markers=7)
        ends += _first(curve)
    bound = f"a lower bound from s = {min(ends):,.0f} on, where rankings have ended" if ends else ""
    subtitle = said(["means over queries", bound], bands=len(shown))
    summary = f"{y.quantity} over scope of {', '.join(each.system for each in shown)}."
    return graph.described(subtitle=subtitle, summary=summary)


def _last_scope(queries: RelevantRanks) -> int:
    known = queries.collection[queries.collection != UNKNOWN]
    longest = max(1, int(queries.depth.max(initial=1)))
    return min(longest, int(known.min())) if known.size else longest


def _levels(queries: RelevantRanks, last: int, ideal: Level, random: Level) -> Iterable[Curve]:
    scopes = np.geomspace(1, max(2, last), 121)
    yield Curve(scopes, ideal(queries, scopes), "ideal")
    if size_known([queries]):
        yield Curve(scopes, random(queries, scopes), "random")


def _first(curve: Curve) -> list[float]:
    """The first scope at which the curve is a lower bound."""
    if curve.lower_bound is None or not curve.lower_bound.any():
        return []
    return [float(curve.x[curve.lower_bound][0])]


def mean_in_classes(relevant: IntArray, value: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """The mean over queries of what depends on the class size alone; `value` gives a row for each size."""
    sizes, counts = np.unique(relevant, return_counts=True)
    return (value(sizes[:, None].astype(np.float64)) * counts[:, None]).sum(axis=0) / counts.sum()
