"""Curves over generality: GRiP, GRnP, and GReP, the surface (Sebe, Huijsmans, Tian & Gevers 2004)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, TypeAlias

import numpy as np

from rankscope.analysis.curves.curve import SLACK, Curve, Region
from rankscope.analysis.curves.generality import (
    FORMER_WAYS,
    GeneralityCurve,
    GeneralityTable,
    Members,
    Way,
    existing,
    generality_curve,
    generality_table,
    grep_surface,
    random_line,
    reaching,
    shared_level,
)
from rankscope.analysis.statistics.sampling_units import FEW_UNITS
from rankscope.core.arrays import BoolArray, FloatArray
from rankscope.core.errors import MeasureError, SettingError
from rankscope.core.wording import decimal_text
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports.graphs.axes import Axis
from rankscope.reports.graphs.graph import Graph
from rankscope.reports.graphs.kinds import ONE, Option, kind
from rankscope.reports.graphs.marks import Facts
from rankscope.reports.graphs.systems import (
    MOST_BANDS,
    Systems,
    band_facts,
    counted_systems,
    domain_note,
    interval_facts,
    promise_of,
    shown_of,
    unit_note,
)

if TYPE_CHECKING:
    from rankscope.analysis.statistics.generality_estimate import GeneralityBand, GeneralityEstimate


# GRiP: where precision equals recall, over generality (Sebe, Huijsmans, Tian & Gevers 2004).


@kind("grip", "precision = recall (at scope c) over generality", needs=("collection size",), costly=True)
def grip_graph(
    systems: Systems, way: WayOption = "thinned", members: MembersOption = "constant", reach: ReachOption = None
) -> Graph:
    """GRiP: precision = recall (at scope c) against the generality index G, from few distractors to all there are.

    `way` says how G is varied: thinned (random distractors left out within each query, recommended) or bins (queries by
    class size). Queries of large classes do not reach a high G. With constant `members` every point is of the same
    queries, those that reach all levels shown, half of all at least, or with `reach` those that reach this G; varying
    takes at each G those that reach it, and may rise because easy ones are left. A narrow domain next to a wide one:
    rank the features with `--distractors 'nearest(M)'` and 'random(M)' and draw both. Needs the size of the collection.
    """
    shown = counted_systems(systems, "GRiP")
    y = Axis("precision = recall", "p = r", domain=(0, 1))
    empty = Graph("GRiP: quality over generality", GENERALITY, y)
    graph = graph_over_generality(empty, shown, 1.0, way, members, reach)
    return graph.described(summary=f"GRiP of {', '.join(each.system for each in shown)}.")


# GRnP: precision and recall at n times the class size, over generality (Sebe, Huijsmans, Tian & Gevers 2004).


@kind("grnp", "precision and recall at scope n c over generality", needs=("collection size",), costly=True)
def grnp_graph(
    systems: Systems,
    n: Annotated[float, Option("scope in class sizes", "-n", above=0)] = 2.0,
    way: WayOption = "thinned",
    members: MembersOption = "constant",
    reach: ReachOption = None,
) -> Graph:
    """GRnP: precision and recall at scope n c against the generality index G; recall = n times precision, on the right.

    `way`, `members` and `reach` as for grip. Needs the size of the collection.
    """
    shown = counted_systems(systems, "GRnP")
    top = min(1.0, 1.0 / n)
    y = Axis("precision", f"p at scope {n:g}c", domain=(0, top))
    graph = Graph(f"GR{n:g}P: quality at {n:g} times the class size", GENERALITY, y)
    graph = graph.second_axis(Axis("recall", f"r = {n:g}p", domain=(0, 1)), factor=n)
    graph = graph_over_generality(graph, shown, n, way, members, reach)
    return graph.described(summary=f"GR{n:g}P of {', '.join(each.system for each in shown)}.")


# GReP: the surface of precision over recall and generality (Sebe, Huijsmans, Tian & Gevers 2004).

HALF = 0.5  # of the relevant items
SCOPES = tuple(float(2.0 ** (step / 2)) for step in range(-4, 13, 2))


@kind("grep", "precision over recall and generality, a surface", systems=ONE, needs=("collection size",), enough=500)
def grep_graph(systems: Systems, way: WayOption = "thinned", members: MembersOption = "constant") -> Graph:
    """GReP: precision as a surface over recall and the generality index G, of one system.

    `way` and `members` as for grip. Drawn in three dimensions by matplotlib (svg, pdf, png), with the plane p = r, GRiP
    and the random level in it; without matplotlib, and on a page, as a heat map. Needs the size of the collection.
    """
    (queries,) = counted_systems(systems, "GReP", ONE)
    (cut,) = generality_tables([queries], 1.0, way, members)
    from rankscope.analysis.statistics.generality_estimate import deciding_at

    surface = grep_surface(queries, SCOPES, way, members=members)
    index = np.broadcast_to(surface.index[:, None], surface.recall.shape)
    few = deciding_at(cut) < FEW_UNITS
    from_level = f"fewer than {FEW_UNITS} units decide from G = {cut.index[few].min():.3g} on" if few.any() else ""
    graph = Graph(
        f"GReP of {queries.system}: precision over recall and generality",
        GENERALITY.over(float(surface.index.min()) - 0.5, float(surface.index.max()) + 0.5),
        Axis("recall", "r", domain=(0, 1)),
        subtitle="; ".join(filter(None, (WAYS[cut.way], members_words(cut), from_level))),
        summary=f"Precision of {queries.system} as a surface over recall and generality.",
    )
    precision = Axis("precision", "p", domain=(0, 1))
    height = np.minimum(surface.precision, 1.0)
    graph = graph.described(conclusion=_surface_conclusion(surface.index, surface.recall, height))
    return graph.surface(index, surface.recall, height, queries.system, precision)


def _surface_conclusion(index: FloatArray, recall: FloatArray, precision: FloatArray) -> str:
    """Precision at a recall of a half, at the lowest and the highest generality index that reach it."""
    heights = [_at_half(*each) for each in zip(recall, precision, strict=True)]
    reached = [row for row, height in enumerate(heights) if np.isfinite(height)]
    if len(reached) < 2:
        return f"A recall of {decimal_text(HALF)} is not reached at two levels of G."
    low, high = (float(index[row]) for row in (reached[0], reached[-1]))
    first, last = (heights[row] for row in (reached[0], reached[-1]))
    way = "falls" if last < first else "rises"
    return (
        f"At recall {decimal_text(HALF)} precision {way} from {decimal_text(first)} at G = {low:.3g} to "
        f"{decimal_text(last)} at G = {high:.3g}, where {_others(high)} for each relevant item in place of "
        f"{2**low - 1:,.0f}."
    )


def _others(generality: float) -> str:
    """How many items next to each relevant one: of d/c = 2^G one is relevant.

    >>> _others(13.0), _others(1.0)
    ('8,191 others stand', '1 other stands')
    """
    count = round(2**generality - 1)
    return "1 other stands" if count == 1 else f"{count:,} others stand"


def _at_half(recall: FloatArray, precision: FloatArray) -> float:
    """Precision where recall is a half; NaN where the curve does not reach from below it to above."""
    there = np.isfinite(recall) & np.isfinite(precision)
    order = np.argsort(recall[there], kind="stable")
    x, y = recall[there][order], precision[there][order]
    return float(np.interp(HALF, x, y)) if x.size and x[0] <= HALF <= x[-1] else float("nan")


# What GRiP and GRnP share: precision over the generality index, above the level of a random order.

WAYS: dict[Way, str] = {
    "thinned": "random distractors left out",
    "bins": "queries by class size, which confounds generality and difficulty",
}
SEEN = 0.005  # a gap that an eye can see
GENERALITY = Axis("generality index", "G = log2(d/c)", whole=True)


WayOption: TypeAlias = Annotated[Way, Option("how generality varies", former=FORMER_WAYS)]
MembersOption: TypeAlias = Annotated[
    Members,
    Option(
        "which queries: constant (the same at every G, those that reach all levels shown) or varying (at each G those "
        "that reach it)"
    ),
]
ReachOption: TypeAlias = Annotated[float | None, Option("only queries that reach this generality index", metavar="G")]


@dataclass(frozen=True, eq=False)
class _Cut:
    """The curve of one system with its interval or band."""

    table: GeneralityTable
    curve: GeneralityCurve
    estimate: GeneralityEstimate
    band: GeneralityBand | None

    @classmethod
    def of(cls, table: GeneralityTable, banded: bool) -> _Cut:
        from rankscope.analysis.statistics.generality_estimate import generality_band, generality_estimate

        around = generality_band(table) if banded else None
        return cls(table, generality_curve(table), generality_estimate(table), around)


def graph_over_generality(
    graph: Graph, systems: list[RelevantRanks], n: float, way: Way, members: Members, reach: float | None
) -> Graph:
    """A curve per system at scope n c; shaded, where there is only one, what it gains over a random order."""
    tables = generality_tables(systems, n, way, members, reach)
    cuts = [_Cut.of(table, len(tables) <= MOST_BANDS) for table in tables]
    curves = [cut.curve for cut in cuts]
    last = max(float(curve.index.max(initial=1.0)) for curve in curves)
    first = min(float(curve.index.min(initial=last)) for curve in curves)
    start, last = (first - 0.5, last + 0.5) if way == "bins" else (0.0, last)
    if len(cuts) == 1:
        graph = graph.area(_shading(curves[0]), "gain over random" + (", E*" if n == 1 else ""))
    top = (graph.y.domain or (0.0, 1.0))[1]
    line = random_line(np.linspace(start, last, 161), n)
    inside = line.y <= top + 1e-9
    graph = graph.guides([Curve(line.x[inside], line.y[inside], "random")], dashed=True, at=0.2)
    graph = graph.guides(_counts(curves[0], top))
    for cut in cuts:
        same = cut.table.queries.queries == tables[0].queries.queries
        queries = cut.table.queries
        graph = _with(graph, cut, domain_note(queries, "" if same else unit_note(queries)))
    return graph.described(x=GENERALITY.over(start, last), subtitle=_subtitle(cuts))


def generality_tables(
    systems: list[RelevantRanks], n: float, way: Way, members: Members, reach: float | None = None
) -> list[GeneralityTable]:
    """The queries that are followed, of all systems over the same levels: as far as half of each one's queries reach.

    With `reach` only those that reach this G, over the levels up to it.
    """
    if reach is not None:
        if members == "varying":
            raise SettingError("reach keeps the same queries at every level: it goes with constant members")
        try:
            systems = [reaching(queries, reach) for queries in systems]
        except MeasureError as error:
            raise SettingError(str(error)) from None
    levels = None
    if way != "bins" and members == "constant":
        top = int(reach + SLACK) if reach is not None else min(shared_level(queries) for queries in systems)
        levels = range(1, top + 1)
    tables = [existing(generality_table(queries, n, way, levels, members)) for queries in systems]
    for table in tables:
        need_points(table.low, table.queries)
    return tables


def need_points(precision: FloatArray, queries: RelevantRanks) -> None:
    """Refuse a collection in which more than half is relevant to every query: there is no level of G to show."""
    if not np.isfinite(precision).any():
        raise SettingError(f"no query of {queries.system} has a point over generality: too few distractors")


def members_words(table: GeneralityTable) -> str:
    """Which queries are followed, of how many."""
    shown = shown_of(table.queries, table.counted)
    if table.way == "bins":
        return f"{shown}, different ones in every bin (number above)"
    there = (~np.isnan(table.low)).sum(axis=0)
    if table.members == "varying" and np.ptp(there) > 0:
        ends = f"{there.max():,} to {there.min():,}, see above"
        return f"{shown}, at each G those that reach it ({ends}): a rise may only mean that easy ones are left"
    top = int(table.index[~table.full].max(initial=0.0))
    return shown if len(table.queries) == table.counted else f"{shown} that reach G = {top}"


def _subtitle(cuts: list[_Cut]) -> str:
    """How G varies, who is followed, and what bands and hollow points are."""
    table, estimates = cuts[0].table, [cut.estimate for cut in cuts]
    banded = [cut.band for cut in cuts if cut.band is not None and cut.band.exists]
    ended = any(cut.curve.cut.any() for cut in cuts)
    hollow = (
        f"hollow: fewer than {FEW_UNITS} {estimates[0].unit} decide"
        if any(each.few.any() for each in estimates)
        else ""
    )
    words = promise_of(banded[0].lower, len(banded)) if banded else ""
    beyond = "up to what lies behind their ends" if ended else ""
    bands = ", ".join(filter(None, (words, beyond))) if words else ""
    bound = "dotted: lower bounds, rankings have ended" if any(_bounded(cut.curve).any() for cut in cuts) else ""
    return "; ".join(filter(None, (WAYS[table.way], members_words(table), hollow, bound, bands)))


def _counts(curve: GeneralityCurve, top: float) -> list[Curve]:
    """How many queries are in each point, where that changes: names of lines without length at the top."""
    if not (curve.queries.size and np.ptp(curve.queries) > 0):
        return []
    counts = zip(curve.index.tolist(), curve.queries.tolist(), strict=True)
    return [Curve(np.array([index]), np.array([top]), f"{count:,}") for index, count in counts]


def _with(graph: Graph, cut: _Cut, note: str) -> Graph:
    curve, name = cut.curve.curve(), cut.table.queries.system
    band = cut.band if cut.band is not None and cut.band.exists else None
    graph = graph if band is None else graph.band(band.drawn(), name)
    for part, light in _parts(cut):
        graph = graph.curve(Curve(curve.x[part], curve.y[part]), name, note, markers=0, light=light)
    facts = {**_facts(cut), **interval_facts(cut.estimate.low, cut.estimate.high, cut.estimate.ways)}
    facts |= {} if band is None else band_facts(band.lower, told=band.drawn())
    return graph.points(curve, name, open=cut.estimate.few, facts=facts)


def _parts(cut: _Cut) -> list[tuple[slice, bool]]:
    """Pieces of the curve; light where points are of fewer queries, of different bins, or visibly lower bounds."""
    curve = cut.curve
    light = _bounded(curve) | (curve.queries < curve.queries.max(initial=0)) | (curve.way == "bins")
    joints = light[:-1] | light[1:]
    ends = [0, *(np.flatnonzero(np.diff(joints)) + 1).tolist(), joints.size]
    pieces = [(slice(one, other + 1), bool(joints[one])) for one, other in pairwise(ends) if other > one]
    return pieces or [(slice(None), bool(light.any()))]


def _bounded(curve: GeneralityCurve) -> BoolArray:
    """Points that rankings which have ended could lift by what an eye can see."""
    return np.asarray(curve.precision_high - curve.precision > SEEN)


def _shading(cut: GeneralityCurve) -> Region:
    """From the random level to the curve, the level bent as it is between the points."""
    index, precision = cut.index, cut.precision
    there = np.isfinite(precision)
    fine = np.linspace(float(index[there].min()), float(index[there].max()), 161)
    height = np.interp(fine, index[there], precision[there])
    return Region(fine, np.minimum(2.0**-fine, height), height)


def _facts(cut: _Cut) -> Facts:
    curve, estimate = cut.curve, cut.estimate
    facts = {
        "recall r": [f"{value:.4f}" for value in curve.recall],
        "random level": [f"{value:.4g}" for value in curve.chance],
        "gain E*": [f"{value:.4f}" for value in curve.gain],
        "queries": curve.queries.tolist(),
    }
    return facts if estimate.unit == "queries" else {**facts, "classes": estimate.units.tolist()}
