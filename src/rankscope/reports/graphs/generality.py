"""Curves over generality, GRiP, GRnP and the surface GReP (Sebe et al. 2004), and mean curves with confidence bands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import numpy as np

from rankscope.analysis.curves.curve import SLACK, Curve, Region, generality_index
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
from rankscope.analysis.statistics.bands import DEFAULT, Band, difference_band
from rankscope.analysis.statistics.bands import WAYS as BAND_WAYS
from rankscope.analysis.statistics.bands import band as mean_band
from rankscope.analysis.statistics.query_curves import QueryCurves, over_generality, over_scope, precision_at_recall
from rankscope.analysis.statistics.sampling_units import FEW_UNITS, unit_classes
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import MeasureError, SettingError
from rankscope.core.wording import decimal_text, how_many, join_words, plain_number
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks
from rankscope.reports.graphs.graph import Axis, Facts, Graph
from rankscope.reports.graphs.kinds import ONE, Option, SystemCount, kind
from rankscope.reports.graphs.systems import (
    MOST_BANDS,
    LevelOption,
    Systems,
    band_facts,
    band_words,
    chosen_scopes,
    counted_systems,
    domain_note,
    generality_words,
    interval_facts,
    legend_notes,
    promise_of,
    shown_of,
    size_note,
    unit_note,
    with_band,
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
    heights = []
    for row, heights_of_row in zip(recall, precision, strict=True):
        there = np.isfinite(row) & np.isfinite(heights_of_row)
        order = np.argsort(row[there], kind="stable")
        x, y = row[there][order], heights_of_row[there][order]
        crossed = x.size and x[0] <= HALF <= x[-1]  # the curve goes from below a half to above
        heights.append(float(np.interp(HALF, x, y)) if crossed else float("nan"))
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
    if len(cuts) == 1:  # from the random level, bent as it is between the points, to the curve
        index, precision = (
            values[np.isfinite(curves[0].precision)] for values in (curves[0].index, curves[0].precision)
        )
        fine = np.linspace(float(index.min()), float(index.max()), 161)
        height = np.interp(fine, index, precision)
        gain = Region(fine, np.minimum(2.0**-fine, height), height)
        graph = graph.area(gain, "gain over random" + (", E*" if n == 1 else ""))
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


def _facts(cut: _Cut) -> Facts:
    curve, estimate = cut.curve, cut.estimate
    facts = {
        "recall r": [f"{value:.4f}" for value in curve.recall],
        "random level": [f"{value:.4g}" for value in curve.chance],
        "gain E*": [f"{value:.4f}" for value in curve.gain],
        "queries": curve.queries.tolist(),
    }
    return facts if estimate.unit == "queries" else {**facts, "classes": estimate.units.tolist()}


# Mean curves with their confidence bands, and the band of the difference of two systems.

BANDS = "the graph of bands"
BANDED = SystemCount(1, 4)  # more bands over each other cannot be read
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
    systems=BANDED,
    compares=True,
    against_baseline=(("difference", True),),
)
def band_graph(
    systems: Systems,
    curve: Annotated[CurveName, Option("which curve")] = "precision-recall",
    band: Annotated[
        str,
        Option("which band: unseen-unit (whole curve), bonferroni, sup-t, or t (each point)", choices=tuple(BAND_WAYS)),
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
    shown = counted_systems(systems, BANDS, BANDED)
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
    subtitle = "; ".join(filter(None, (stated, _bands_subtitle(bands))))
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
        subtitle="; ".join(filter(None, (stated, _bands_subtitle([around]), marked))),
        conclusion=_difference_conclusion(around, graph, (first, second)),
        summary=f"{second} minus {first}: the band leaves out 0 at {apart.size} of {how_many(len(around), 'points')}.",
    )


def _difference_conclusion(around: Band, graph: Graph, names: tuple[str, str]) -> str:
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
    ends = np.flatnonzero(np.diff(np.concatenate([[False], there, [False]]).astype(np.int8)))
    spans = zip(x[ends[::2]].tolist(), x[ends[1::2] - 1].tolist(), strict=True)
    return [
        f"at {axis.quantity} {plain_number(low)}"
        if low == high
        else f"from {axis.quantity} {plain_number(low)} to {plain_number(high)}"
        for low, high in spans
    ]


def _bands_subtitle(bands: list[Band]) -> str:
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
