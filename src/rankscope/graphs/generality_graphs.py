"""What GRiP and GRnP share: precision over the generality index, above the level of a random order."""

from __future__ import annotations

from typing import get_args

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.curves.curve import Curve, Region
from rankscope.curves.generality import GeneralityCurve, Way, grnp, random_line
from rankscope.curves.sizes import SLACK, generality_index
from rankscope.errors import SettingError
from rankscope.graphs.axis import Axis
from rankscope.graphs.describing import MOST_BANDS, TWO_SIDED, how_many, said
from rankscope.graphs.graph import Graph
from rankscope.graphs.marks import Facts
from rankscope.ranks.relevant_ranks import RelevantRanks

WAYS: dict[str, str] = {
    "thinned": "random distractors left out",
    "bins": "queries by class size, which confounds generality and difficulty",
    "hard": "only the best-ranked distractors kept",
}
GENERALITY = Axis("generality index", "G = log2(d/c)", whole=True)


def checked_way(way: str) -> Way:
    """One of the ways to vary generality."""
    for each in get_args(Way):
        if each == way:
            return each
    raise SettingError(f"way is one of {', '.join(WAYS)}, got {way!r}")


def over_generality(graph: Graph, systems: list[RelevantRanks], n: float, way: Way, reach: float | None) -> Graph:
    """A curve per system at scope n c; shaded, where there is only one, what it gains over a random order."""
    systems = [_reaching(queries, reach) for queries in systems]
    levels = None if reach is None or way == "bins" else range(1, int(reach + SLACK) + 1)
    cuts = [grnp(queries, n, way, levels) for queries in systems]
    for cut, queries in zip(cuts, systems, strict=True):
        need_points(cut.precision, queries)
    last = max(float(cut.index.max(initial=1.0)) for cut in cuts)
    first = min(float(cut.index.min(initial=last)) for cut in cuts)
    start, last = (first - 0.5, last + 0.5) if way == "bins" else (0.0, last)
    if len(cuts) == 1:
        graph = graph.area(_shading(cuts[0]), "gain over random" + (", E*" if n == 1 else ""))
    fine = np.linspace(start, last, 161)
    line = random_line(fine, n)
    inside = line.y <= (graph.y.domain or (0.0, 1.0))[1] + 1e-9
    graph = graph.guides([Curve(line.x[inside], line.y[inside], "random")], dashed=True, at=0.2)
    graph = graph.guides(_counts(cuts[0], (graph.y.domain or (0.0, 1.0))[1]))
    for cut, queries in zip(cuts, systems, strict=True):
        graph = _with(graph, cut, queries, band=len(cuts) <= MOST_BANDS)
    hidden = "bands reach up to what ended rankings may hide" if any(cut.cut.any() for cut in cuts) else ""
    subtitle = said([WAYS[way], _varying(cuts[0]), hidden if len(cuts) <= MOST_BANDS else ""], bands=len(cuts))
    return graph.described(x=GENERALITY.over(start, last), subtitle=subtitle)


def need_points(precision: FloatArray, queries: RelevantRanks) -> None:
    """Refuse a collection in which more than half is relevant to every query: there is no level of G to show."""
    if not np.isfinite(precision).any():
        raise SettingError(f"no query of {queries.system} has a point over generality: too few distractors")


def _varying(cut: GeneralityCurve) -> str:
    if not _varies(cut):
        return ""
    return "above: queries per bin" if cut.way == "bins" else "dotted where not all queries reach G (count above)"


def _reaching(queries: RelevantRanks, reach: float | None) -> RelevantRanks:
    """Only the queries whose own G is this at least: then all points up to it are of the same queries."""
    if reach is None:
        return queries
    index = generality_index(queries, "a graph over generality")
    rows = np.flatnonzero(index >= reach - SLACK)
    if not rows.size:
        raise SettingError(f"no query of {queries.system} reaches G = {reach:g}; the largest is {index.max():.2f}")
    return queries.take(rows)


def _varies(cut: GeneralityCurve) -> bool:
    return bool(cut.queries.size) and bool(np.ptp(cut.queries) > 0)


def _counts(cut: GeneralityCurve, top: float) -> list[Curve]:
    """How many queries are in each point, where that changes: names of lines without length at the top."""
    if not _varies(cut):
        return []
    counts = zip(cut.index.tolist(), cut.queries.tolist(), strict=True)
    return [Curve(np.array([index]), np.array([top]), f"{count:,}") for index, count in counts]


def _with(graph: Graph, cut: GeneralityCurve, queries: RelevantRanks, band: bool) -> Graph:
    curve = cut.curve()
    half = TWO_SIDED * cut.error / cut.n
    low, high = np.clip(curve.y - half, 0, 1), np.clip(cut.precision_high + half, 0, 1)
    facts = _facts(cut)
    graph = graph.band(Region(curve.x, low, high), queries.system) if band else graph
    for part, light in _parts(cut):
        graph = graph.curve(
            Curve(curve.x[part], curve.y[part]), queries.system, _note(cut), markers=0, light=light,
        )  # fmt: skip
    return graph.points(curve, queries.system, open=cut.hollow, facts=facts)


def _parts(cut: GeneralityCurve) -> list[tuple[slice, bool]]:
    """The levels that all queries reach, then those that only some do, drawn lightly; bins are never joined so."""
    whole = int((cut.queries == cut.queries.max(initial=0)).sum())
    if cut.way == "bins" or whole == cut.queries.size:
        return [(slice(None), False)]
    return [(slice(0, whole), False), (slice(whole - 1, None), True)]


def _shading(cut: GeneralityCurve) -> Region:
    """From the random level to the curve, the level bent as it is between the points."""
    index, precision = cut.index, cut.precision
    there = np.isfinite(precision)
    fine = np.linspace(float(index[there].min()), float(index[there].max()), 161)
    height = np.interp(fine, index[there], precision[there])
    return Region(fine, np.minimum(2.0**-fine, height), height)


def _note(cut: GeneralityCurve) -> str:
    most, last = int(cut.queries.max(initial=0)), int(cut.queries[-1]) if cut.queries.size else 0
    if cut.way == "bins":
        return how_many(int(cut.queries.sum()))
    return how_many(most) if last == most else f"{how_many(most)}, {last:,} at G = {cut.index[-1]:.3g}"


def _facts(cut: GeneralityCurve) -> Facts:
    return {
        "recall r": [f"{value:.4f}" for value in cut.recall],
        "random level": [f"{value:.4g}" for value in cut.chance],
        "gain E*": [f"{value:.4f}" for value in cut.gain],
        "queries": cut.queries.tolist(),
    }
