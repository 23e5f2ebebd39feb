"""Mean curves with their confidence bands, and the band of the difference of two systems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

import numpy as np

from rankscope.analysis.curves.curve import SLACK, generality_index
from rankscope.analysis.curves.generality import reaching, shared_level
from rankscope.analysis.statistics.bands import DEFAULT, WAYS, Band, difference_band
from rankscope.analysis.statistics.bands import band as mean_band
from rankscope.analysis.statistics.query_curves import QueryCurves, over_generality, over_scope, precision_at_recall
from rankscope.analysis.statistics.sampling_units import unit_classes
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.core.wording import how_many, join_words, plain_number
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks
from rankscope.reports.graphs.axes import Axis
from rankscope.reports.graphs.generality import GENERALITY, need_points
from rankscope.reports.graphs.graph import Graph
from rankscope.reports.graphs.kinds import Option, SystemCount, kind
from rankscope.reports.graphs.systems import (
    LevelOption,
    Systems,
    band_words,
    chosen_scopes,
    counted_systems,
    generality_words,
    legend_notes,
    size_note,
    with_band,
)

WHAT = "the graph of bands"
SYSTEMS = SystemCount(1, 4)  # more bands over each other cannot be read
MOST_MARKERS = 25
CurveName: TypeAlias = Literal["precision-recall", "precision-scope", "recall-scope", "grip"]


@dataclass(frozen=True)
class _Shape:
    """A curve that every query has: its title, its x axis over all systems, y, and how to make it."""

    title: str
    x: Callable[[list[RelevantRanks]], Axis]
    y: Axis
    make: Callable[[list[RelevantRanks], int], list[QueryCurves]]


@kind(
    "band",
    "mean curves, or their difference, with confidence bands",
    systems=SYSTEMS,
    compares=True,
    against_baseline=(("difference", True),),
)
def band_graph(
    systems: Systems,
    curve: Annotated[CurveName, Option("which curve")] = "precision-recall",
    band: Annotated[
        str, Option("which band: unseen-unit (whole curve), bonferroni, sup-t, or t (each point)", choices=tuple(WAYS))
    ] = DEFAULT,
    level: LevelOption = 0.95,
    points: Annotated[int, Option("how many recall levels")] = 21,
    difference: Annotated[bool, Option("the second system minus the first")] = False,
    seed: int = 0,
) -> Graph:
    """Mean curves with the band that other queries could have moved them in, or the band of a difference.

    `curve` is precision-recall (precision at `points` recall levels), precision-scope, recall-scope or grip. The band
    `unseen-unit` holds the whole curve at once; `bonferroni` and `sup-t` are for the whole curve too, but may not hold
    where few units decide; a `t` band is for each point by itself. Two bands that overlap are no test: `difference`
    draws second minus first, query by query; where its band leaves out 0 the systems differ. Where queries come from
    labelled classes, the classes are the sampling units. Points that rest on fewer than 5 units are thin.
    """
    shown = counted_systems(systems, WHAT, SYSTEMS)
    if difference and len(shown) != 2:
        raise SettingError(f"a difference is of two systems, got {len(shown)}")
    shape = CURVES[curve]
    title, everyone = shape.title, len(shown[0])
    if curve == "grip":  # the queries that reach every level of G shown: as far as half of each system's queries do
        top = min(shared_level(each) for each in shown)
        shown = [reaching(each, top) for each in shown]
        title += f", {len(shown[0]):,} of {how_many(everyone)}" if len(shown[0]) < everyone else ""
    table = shape.make(shown, points)
    graph = Graph(title, shape.x(shown), shape.y)
    classes = [unit_classes(each) for each in shown]
    stated = "" if curve == "grip" else generality_words(shown)  # which is over generality
    if difference:
        around = difference_band(table[0], table[1], band, level, classes[0], seed=seed)
        return _difference(graph, around, shown, stated)
    bands = [mean_band(each, None, band, level, some, seed=seed) for each, some in zip(table, classes, strict=True)]
    notes = legend_notes(shown) if stated else [size_note(each) for each in shown]
    for around, queries, note in zip(bands, shown, notes, strict=True):
        graph = with_band(graph, around, queries.system, note)
    names = ", ".join(each.system for each in shown)
    summary = "; ".join(filter(None, (f"{graph.title} of {names}, with confidence bands", stated)))
    subtitle = "; ".join(filter(None, (stated, _subtitle(bands))))
    return graph.described(subtitle=subtitle, summary=f"{summary}.")


def _difference(graph: Graph, around: Band, systems: list[RelevantRanks], stated: str) -> Graph:
    first, second = (each.system for each in systems)
    apart = np.flatnonzero(np.isfinite(around.low) & ~around.holds(np.zeros(len(around))))
    step = -(-len(around) // MOST_MARKERS)  # where there are many points, every second, third, ... has a marker
    markers = apart[apart % step == 0].tolist() or apart.tolist()
    graph = with_band(graph, around, around.name, how_many(around.queries), markers=markers)
    marked = "markers: 0 is outside" if apart.size else "0 is inside everywhere" if around.exists else ""
    drawn = around.drawn()
    values = np.concatenate([[0.0], drawn.low, drawn.high, around.mean])
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    room = 0.05 * (high - low) or 0.1
    return graph.rule(y=0.0, dashed=False).described(
        title=f"{graph.title}: {second} minus {first}",
        y=Axis("difference in", graph.y.quantity, domain=(low - room, high + room)),
        subtitle="; ".join(filter(None, (stated, _subtitle([around]), marked))),
        conclusion=_conclusion(around, graph, (first, second)),
        summary=f"{second} minus {first}: the band leaves out 0 at {apart.size} of {how_many(len(around), 'points')}.",
    )


def _conclusion(around: Band, graph: Graph, names: tuple[str, str]) -> str:
    """Where the band of a difference leaves out 0, and on which side."""
    if not around.exists:
        return ""
    drawn, (first, second) = around.drawn(), names
    sides = ((second, drawn.low > 0), (first, drawn.high < 0))
    told = [
        f"{name} has the higher {graph.y.quantity} {join_words(_stretches(around.x, there, graph.x))}"
        for name, there in sides
        if there.any()
    ]
    if not told:
        return (
            f"The band holds 0 everywhere: no significant difference in {graph.y.quantity} at any point. It holds at "
            "all points together and is wider than the interval of one mean, which may differ significantly even so."
        )
    everywhere = any(there.all() for _, there in sides)
    rest = "" if everywhere else " Elsewhere the difference is not significant."
    return f"The band leaves out 0: {', and '.join(told)}.{rest}"


def _stretches(x: FloatArray, there: BoolArray, axis: Axis) -> list[str]:
    """Where something holds, in words."""
    ends = np.flatnonzero(np.diff(np.concatenate([[False], there, [False]]).astype(np.int8)))
    spans = zip(x[ends[::2]].tolist(), x[ends[1::2] - 1].tolist(), strict=True)
    return [
        f"at {axis.quantity} {plain_number(low)}"
        if low == high
        else f"from {axis.quantity} {plain_number(low)} to {plain_number(high)}"
        for low, high in spans
    ]


def _subtitle(bands: list[Band]) -> str:
    """What the bands are, and what the means are."""
    other = "not the same queries at every point" if any(np.ptp(each.count) > 0 for each in bands) else ""
    cut = "lower bounds where rankings end" if any(each.cut for each in bands) else ""
    return "; ".join(filter(None, (*band_words(bands), other, cut)))


def _scopes(systems: list[RelevantRanks]) -> IntArray:
    """Scopes that every system can have: to the end of the longest ranking, within the smallest collection."""
    longest = max(1, max(int(each.depth.max(initial=1)) for each in systems))
    known = np.concatenate([each.collection[each.collection != UNKNOWN] for each in systems])
    return chosen_scopes(min(longest, int(known.min(initial=longest))))


def _scope_axis(systems: list[RelevantRanks]) -> Axis:
    return Axis("scope", "s", "log2", domain=(1, max(2, int(_scopes(systems)[-1]))))


def _over_generality(systems: list[RelevantRanks]) -> list[QueryCurves]:
    """Over the levels that every query reaches."""
    least = min(float(generality_index(each, "the band of GRiP").min()) for each in systems)
    results = [over_generality(each, range(1, int(least + SLACK) + 1)) for each in systems]
    for curves, queries in zip(results, systems, strict=True):
        need_points(curves.values, queries)
    return results


PRECISION, RECALL = Axis("precision", "p", domain=(0, 1)), Axis("recall", "r", domain=(0, 1))
CURVES: dict[CurveName, _Shape] = {
    "precision-recall": _Shape(
        title="Precision at recall levels",
        x=lambda systems: RECALL,
        y=PRECISION,
        make=lambda systems, points: [precision_at_recall(each, points) for each in systems],
    ),
    "precision-scope": _Shape(
        title="Precision over scope",
        x=_scope_axis,
        y=PRECISION,
        make=lambda systems, points: [over_scope(each, _scopes(systems), "precision") for each in systems],
    ),
    "recall-scope": _Shape(
        title="Recall over scope",
        x=_scope_axis,
        y=RECALL,
        make=lambda systems, points: [over_scope(each, _scopes(systems), "recall") for each in systems],
    ),
    "grip": _Shape(
        title="Precision = recall over generality",
        x=lambda systems: GENERALITY.over(0, max(float(generality_index(each).min()) for each in systems)),
        y=PRECISION,
        make=lambda systems, points: _over_generality(systems),
    ),
}
