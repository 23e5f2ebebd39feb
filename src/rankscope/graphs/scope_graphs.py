"""What precision-scope and recall-scope share: a curve per system over a doubling scope, between random and ideal."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.curves.curve import Curve
from rankscope.curves.scope import precision_scope, recall_scope
from rankscope.graphs.axis import Axis
from rankscope.graphs.chance import band_around, band_facts, band_words, interval_facts, intervals_of, with_band
from rankscope.graphs.describing import (
    MOST_BANDS,
    Systems,
    chosen_scopes,
    counted_systems,
    facts_of,
    size_known,
    size_note,
)
from rankscope.graphs.graph import Graph
from rankscope.graphs.marks import Side
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks
from rankscope.statistics.query_curves import Axis as Quantity
from rankscope.statistics.query_curves import over_scope as curves_over_scope

CURVES = {"precision": precision_scope, "recall": recall_scope}
Place = tuple[float, Side]
Level = Callable[[RelevantRanks, FloatArray], FloatArray]  # of queries and scopes: the mean over the queries


def over_scope(systems: Systems, quantity: Quantity, levels: tuple[Level, Level], places: tuple[Place, Place]) -> Graph:
    """Precision or recall over scope, with the levels of an ideal and a random order, named at these places."""
    shown = counted_systems(systems, f"the {quantity}-scope graph")
    last = max(_last_scope(queries) for queries in shown)
    y = Axis(quantity, quantity[0], domain=(0, 1))
    graph = Graph(f"{quantity.capitalize()} over scope", Axis("scope", "s", "log2", domain=(1, max(2, last))), y)
    for level, (at, side) in zip(_levels(shown[0], last, *levels), places, strict=False):
        graph = graph.guides([level], dashed=True, at=at, side=side)
    ends, bands = [], []
    for queries in shown:
        scopes = chosen_scopes(_last_scope(queries))
        curve, each = CURVES[quantity](queries, scopes), curves_over_scope(queries, scopes, quantity)
        bands.append(band_around(each, queries) if len(shown) <= MOST_BANDS else None)
        graph = with_band(graph, bands[-1], queries.system)
        facts = {**facts_of(curve), **interval_facts(intervals_of(each.values, queries)), **band_facts(bands[-1])}
        graph = graph.curve(curve, queries.system, size_note(queries), facts=facts, markers=7)
        ends += _first(curve)
    bound = f"a lower bound from s = {min(ends):,.0f} on, where rankings have ended" if ends else ""
    subtitle = "; ".join(filter(None, ("means over queries", bound, band_words(bands))))
    summary = f"{quantity} over scope of {', '.join(each.system for each in shown)}."
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
