"""What precision-scope and recall-scope share: a curve per system over a doubling scope, between random and ideal."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.curves.curve import Curve
from rankscope.curves.scope import bounded_at
from rankscope.graphs.axis import Axis
from rankscope.graphs.graph import Graph
from rankscope.graphs.kinds.shared.banded import band_words, thin_words, with_band
from rankscope.graphs.kinds.shared.chance import band_around, interval_facts, intervals_of
from rankscope.graphs.kinds.shared.describing import (
    MOST_BANDS,
    Systems,
    chosen_scopes,
    counted_systems,
    facts_of,
    size_known,
)
from rankscope.graphs.kinds.shared.generality_words import generality_words, notes_of, random_name
from rankscope.graphs.marks import Side
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks
from rankscope.statistics.table.query_curves import Axis as Quantity
from rankscope.statistics.table.query_curves import over_scope as curves_over_scope

Place = tuple[float, Side]
Level = Callable[[RelevantRanks, FloatArray], FloatArray]  # of queries and scopes: the mean over the queries


def over_scope(systems: Systems, quantity: Quantity, levels: tuple[Level, Level], places: tuple[Place, Place]) -> Graph:
    """Precision or recall over scope, with the levels of an ideal and a random order, named at these places."""
    shown = counted_systems(systems, f"the {quantity}-scope graph")
    last = max(_last_scope(queries) for queries in shown)
    y = Axis(quantity, quantity[0], domain=(0, 1))
    graph = Graph(f"{quantity.capitalize()} over scope", Axis("scope", "s", "log2", domain=(1, max(2, last))), y)
    for level, (at, side) in zip(_levels(shown[0], quantity, last, *levels), places, strict=False):
        graph = graph.guides([level], dashed=True, at=at, side=side)
    shaded = len(shown) <= MOST_BANDS
    ends, bands = [], []
    for queries, note in zip(shown, notes_of(shown), strict=True):
        curves = curves_over_scope(queries, chosen_scopes(_last_scope(queries)), quantity)
        around = band_around(curves, queries, drawn=shaded)
        bound = bounded_at(queries, around.x.astype(np.int64))
        limits = intervals_of(curves, queries)
        told = {**facts_of(replace(around.curve(), lower_bound=bound)), **interval_facts(limits, limits.ways)}
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


def _levels(queries: RelevantRanks, quantity: Quantity, last: int, ideal: Level, random: Level) -> Iterable[Curve]:
    scopes = np.geomspace(1, max(2, last), 121)
    yield Curve(scopes, ideal(queries, scopes), "ideal")
    if size_known([queries]):
        level = random_name(queries.relevant / queries.collection)
        name = level if quantity == "precision" else "random s/d"
        yield Curve(scopes, random(queries, scopes), name)


def mean_in_classes(relevant: IntArray, value: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """The mean over queries of what depends on the class size alone; `value` gives a row for each size."""
    sizes, counts = np.unique(relevant, return_counts=True)
    return (value(sizes[:, None].astype(np.float64)) * counts[:, None]).sum(axis=0) / counts.sum()
