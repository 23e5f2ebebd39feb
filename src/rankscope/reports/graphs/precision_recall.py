"""The precision-recall graph: radial means of one generality, or recall levels, with what cannot be reached."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Literal

import numpy as np

from rankscope.analysis.curves.averaging import By, doubling_grid, generality_groups, radial_lattice, radial_mean
from rankscope.analysis.curves.curve import SLACK, Curve, Region, known_sizes
from rankscope.analysis.curves.precision_recall import (
    highest_precision,
    lowest_precision,
    mean_at_recall_levels,
    query_curve,
    random_at_recall_levels,
    scope_line,
)
from rankscope.analysis.statistics.bands import Band
from rankscope.analysis.statistics.query_curves import (
    QueryCurves,
    interpolated_precision,
    over_relevant_scope,
    over_scope,
)
from rankscope.analysis.statistics.sampling_units import FEW_UNITS, unit_classes
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import MeasureError, SettingError
from rankscope.core.wording import how_many, setting_usage
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports.graphs.graph import Axis, Facts, Graph
from rankscope.reports.graphs.kinds import Option, Variant, Variants, kind
from rankscope.reports.graphs.systems import (
    MIXED_CAUTION,
    MOST_BANDS,
    Systems,
    band_around,
    band_facts,
    band_words,
    chosen_scopes,
    counted_systems,
    domain_note,
    facts_of,
    from_to,
    generality_words,
    legend_notes,
    number,
    pointwise_facts,
    rows_of_size,
    shown_of,
    size_known,
    unit_note,
    with_band,
    with_random_level,
    with_random_levels,
)

SCOPES = (0.25, 0.5, 1.0, 2.0, 4.0)
WHAT = "the precision-recall graph"
MOST_GROUPS = 5
MOST_RELEVANT = 2000  # of larger classes chance at the hits of a level takes long, and is the generality to the eye
RECALL, PRECISION = Axis("recall", "r", domain=(0, 1)), Axis("precision", "p", domain=(0, 1))
DOTTED = "dotted: a lower bound, some rankings have ended"


def _variants(systems: Systems) -> Variants | None:
    """What a page offers: first every query, then of one system all groups that fit on one graph, then each alone."""
    shown = counted_systems(systems, WHAT)
    if not size_known(shown) or _single(shown):
        return None
    groups = query_groups(shown[0])
    results = [
        Variant(each.name, f"{each.name}: {unit_note(each.queries)}", heading=heading)
        for heading, members in group_choices(shown[0])
        for each in members
    ]
    if len(results) < 2:
        return None
    every = Variant(EVERY_QUERY, f"every generality, at recall levels: {unit_note(shown[0])}", chosen=True)
    exact = groups[0].name.startswith("c")
    overview = [Variant(None, "several class sizes" if exact else "several generality indices")]
    binned = [Variant("bins", "several generality indices, interpolated")] if exact else []
    together = [*overview, *binned] if len(shown) == 1 and len(groups) > 1 else []
    return Variants("group", "Queries of", (every, *together, *results))


@kind("precision-recall", "the trade that every deeper look makes", uses=("collection size",), variants=_variants)
def precision_recall_graph(
    systems: Systems,
    group: Annotated[
        str | None,
        Option(
            "which queries: c=8 (with 8 relevant items) or G=7 (of that generality index, rounded); exact or bins says "
            "how they are grouped; all takes every query, at recall levels. Default: the group in the middle, exact "
            "where enough share a class size"
        ),
    ] = None,
    scopes: Sequence[float] = SCOPES,
    averaging: Annotated[
        Literal["radial", "levels"] | None, Option("means at equal relevant scope, or at eleven recall levels")
    ] = None,
    at_generality: Annotated[
        Sequence[int],
        Option(
            "whole generality indices, as 4,8,12: a curve at each, random distractors left out of the same queries",
            metavar="G,G",
            least=1,
        ),
    ] = (),
) -> Graph:
    """Precision against recall: the trade that every deeper look makes.

    One query has a point at each of its hits. More queries, where the size of the collection is known: radial means at
    equal relevant scope a = s/c over queries of one generality, because curves of different generality must not be
    joined. One system shows a curve for each of several groups; systems are compared on the group in the middle, or on
    the `group` asked for: c=8 (of that class size, nothing is interpolated) or G=7 (of that generality index, rounded);
    exact or bins says how queries are grouped. Where the size is not known, and of all queries: interpolated precision
    at eleven recall levels, as in TREC (`averaging` radial or levels decides it by hand). c, d, G and the random level
    c/d stand on the graph, or in their place the caution that queries of several generalities are averaged. The ideal
    system runs along p = 1, then down r = 1 to c/d. `at_generality` shows what the surface of GReP is at whole levels
    of G: curves of the same queries in collections from which random distractors were left out, exact means over all
    ways to do so.
    """
    shown = counted_systems(systems, WHAT)
    if at_generality:
        return _at_generality(shown, group, at_generality, scopes, averaging)
    if averaging != "levels" and group is None and _single(shown):
        return _of_one_query(shown, scopes)
    if averaging == "levels" or (averaging is None and (group == EVERY_QUERY or not size_known(shown))):
        return _at_levels(shown, group)
    groups = query_groups(shown[0], group)
    if len(shown) == 1 and len(groups) > 1:
        return _by_generality(shown[0], groups, scopes)
    return _compared(shown, usual(groups), scopes)


def _at_generality(
    systems: list[RelevantRanks],
    group: str | None,
    levels: Sequence[int],
    scopes: Sequence[float],
    averaging: str | None,
) -> Graph:
    """One system at several levels of G, or several systems at one."""
    if averaging == "levels":
        raise SettingError(f"{setting_usage('at_generality')} has means at equal relevant scope, not at recall levels")
    if len(systems) > 1 and len(levels) > 1:
        raise SettingError(f"give one system, or one level of {setting_usage('at_generality')} for several systems")
    followed = [_followed(queries, group, max(levels)) for queries in systems]
    pairs = [(queries, level) for queries in followed for level in sorted(levels)]
    curves = [Radial.at_level(queries, level, scopes) for queries, level in pairs]
    relevant = from_to(np.concatenate([each.relevant for each in followed]))
    lowest = min(2.0**-level for level in levels)
    title = "Precision and recall" + (f" of {systems[0].system}" if len(systems) == 1 else f" at G = {levels[0]}")
    graph = _ideal_down_to(Graph(title, RECALL, PRECISION).guides(_scope_lines(scopes)), followed, lowest)
    graph = with_random_levels(graph, [2.0**-level for level in levels])
    shaded = len(curves) <= MOST_BANDS
    bands = [each.band(drawn=shaded) for each in curves]
    for (queries, level), each, around in zip(pairs, curves, bands, strict=True):
        name = queries.system if len(systems) > 1 else f"G = {level}"
        graph = _with(graph, each, name, domain_note(queries, f"random level {number(2.0**-level)}"), around, shaded)
    top = f"{shown_of(followed[0], len(systems[0]))} that reach G = {max(levels)}"
    told = [each for each in band_words(bands) if "sampling units" not in each] if shaded else []
    sizes = f"c = {relevant}, d = {'c 2^G' if len(levels) > 1 else f'{2 ** levels[0]:,} c'}"
    words = [top, sizes, "random distractors left out, exact means", _points(curves), *told]
    return graph.described(
        subtitle="; ".join(words),
        summary=f"Precision-recall curves of {_names(systems)} at G = {', '.join(map(str, sorted(levels)))}.",
    )


def _followed(queries: RelevantRanks, group: str | None, level: int) -> RelevantRanks:
    from rankscope.analysis.curves.generality import reaching

    some = queries if group is None else group_named(queries, group).queries
    try:
        return reaching(some, level)
    except MeasureError as error:
        raise SettingError(str(error)) from None


def _single(systems: list[RelevantRanks]) -> bool:
    return all(len(each) == 1 for each in systems)


def _of_one_query(systems: list[RelevantRanks], scopes: Sequence[float]) -> Graph:
    """A point at each hit: between two hits there is nothing but a falling precision."""
    first = systems[0]
    stated = generality_words(systems)
    graph = Graph(
        "Precision and recall of one query",
        RECALL,
        PRECISION,
        subtitle=f"1 query; {stated}; a marker at each hit",
        summary=f"Precision and recall at the hits of one query of {_names(systems)}; {stated}.",
    )
    graph = _behind(graph, first, scopes)
    for queries in systems:
        curve = query_curve(queries, queries.queries[0])
        graph = graph.curve(curve, queries.system, _found(queries), facts=facts_of(curve), markers=range(len(curve)))
    return graph


def _found(queries: RelevantRanks) -> str:
    """How many of its relevant items a query has, and where the search for the others ended."""
    relevant, found, depth = (int(each[0]) for each in (queries.relevant, queries.found, queries.depth))
    if found == relevant:
        return f"all {relevant:,} found"
    return f"{found:,} of {relevant:,} found, the ranking ends at {depth:,}"


def _at_levels(everyone: list[RelevantRanks], group: str | None) -> Graph:
    """Interpolated precision of all queries, or of those of one group."""
    if group in ("exact", "bins"):
        raise SettingError(f"{setting_usage('group', group)} has radial means: at recall levels give one group, or all")
    members = [every_query(each) if group is None else group_named(each, group) for each in everyone]
    systems = [each.queries for each in members]
    graph = Graph("Precision and recall", RECALL, PRECISION)
    line = Curve(np.linspace(0.0, 1.0, 11), np.ones(11), "ideal")
    graph = graph.guides([line], dashed=True, at=0.8, side="below left")
    first = systems[0]
    if size_known(systems) and int(first.relevant.max()) <= MOST_RELEVANT:
        # above the generality, as at its hits nothing is interpolated; of large classes it lies on it, which is stated
        chance = random_at_recall_levels(first)
        graph = graph.guides([replace(chance, name=f"random {from_to(chance.y)}")], dashed=True, at=0.0)
    shaded = len(systems) <= MOST_BANDS
    bands = []
    for queries, note in zip(systems, legend_notes(systems), strict=True):
        each = interpolated_precision(queries)
        bands.append(band_around(each, queries, drawn=shaded))
        told = {**facts_of(mean_at_recall_levels(queries)), **pointwise_facts(each, queries)}
        graph = with_band(graph, bands[-1], queries.system, note, facts=told, markers=range(each.x.size), shaded=shaded)
    stated = generality_words(systems)
    who = stated if len(members[0]) == len(everyone[0]) else _who(members[0], everyone[0], stated)
    words = [who, "interpolated at eleven recall levels", *(band_words(bands) if shaded else [])]
    summary = f"Interpolated precision at recall levels of {_names(systems)}; {stated}."
    return graph.described(subtitle="; ".join(words), summary=summary)


def _by_generality(queries: RelevantRanks, groups: list[QueryGroup], scopes: Sequence[float]) -> Graph:
    """One system: a curve for each group, five at most, evenly from easy to hard."""
    some = spread_out(groups, MOST_GROUPS)
    graph = Graph(f"Precision and recall of {queries.system}", RECALL, PRECISION)
    graph = graph.guides(_scope_lines(scopes))
    graph = _with_ideal(graph, [each.queries for each in some])
    curves = [Radial.of(each, scopes) for each in some]
    shares = [each.queries.relevant / each.queries.collection for each in some]
    graph = with_random_levels(graph, [float(each.mean()) for each in shares])
    for each, share in zip(curves, shares, strict=True):
        around, own = each.band(drawn=False), each.members.queries
        note = f"{'' if each.members.exact else 'mean '}g = {number(float(share.mean()))}, {unit_note(own)}"
        graph = _with(graph, each, each.members.name, note, around, shaded=False)
    shown = sum(len(each.queries) for each in some)
    words = (
        f"{len(some)} of {how_many(len(groups), 'groups')} of equal generality, {shown:,} of {how_many(len(queries))}"
    )
    if len(some) == len(groups):
        words = f"all {how_many(len(groups), 'groups')} of equal generality"
    sizes = from_to(np.concatenate([each.queries.collection for each in some]))
    index = from_to(np.log2(1 / np.concatenate(shares)))
    stated = f"d = {sizes}, G = {index}, random level g = c/d of each"
    mixed = "" if all(each.exact for each in some) else f"G is rounded: {MIXED_CAUTION}"
    ended = DOTTED if any(each.ended for each in curves) else ""
    return graph.described(
        subtitle="; ".join(filter(None, (words, stated, mixed, _points(curves), ended))),
        summary=f"Radial precision-recall curves of {queries.system} by generality.",
    )


def _compared(systems: list[RelevantRanks], group: QueryGroup, scopes: Sequence[float]) -> Graph:
    members = [group, *(group_named(queries, group.name) for queries in systems[1:])]
    title = "Precision and recall" + (f" of {systems[0].system}" if len(systems) == 1 else "")
    graph = _behind(Graph(title, RECALL, PRECISION), group.queries, scopes)
    curves = [Radial.of(each, scopes) for each in members]
    shaded = len(systems) <= MOST_BANDS
    bands = [each.band(drawn=shaded) for each in curves]
    for each, around in zip(curves, bands, strict=True):
        own = each.members.queries
        same = own.queries == group.queries.queries
        graph = _with(graph, each, own.system, domain_note(own, "" if same else unit_note(own)), around, shaded)
    ended = DOTTED if any(each.ended for each in curves) else ""
    few = f"rests on fewer than {FEW_UNITS} units" if group.units < FEW_UNITS else ""
    told = [each for each in band_words(bands) if "sampling units" not in each] if shaded else []
    stated = generality_words([each.queries for each in members])
    words = [_who(group, systems[0], stated), _points(curves), ended, few, *told]
    return graph.described(
        subtitle="; ".join(filter(None, words)),
        summary=f"Radial precision-recall curves of {_names(systems)} on {_who(group, systems[0], stated)}.",
    )


def _who(group: QueryGroup, everyone: RelevantRanks, stated: str) -> str:
    """Which queries of how many, and of which generality: those of a class size, or of a G that is rounded."""
    shown = shown_of(group.queries, len(everyone))
    if group.exact:
        return f"{shown} with {stated}"
    return f"{shown}{'' if group.name == EVERY_QUERY else f' with {group.name}, rounded'}; {stated}"


def _points(curves: list[Radial]) -> str:
    """Whether hits were taken between two scopes."""
    exact = all(each.exact for each in curves)
    return "radial means at whole scopes" if exact else "radial means, interpolated between scopes"


def _with(graph: Graph, radial: Radial, name: str, note: str, around: Band, shaded: bool) -> Graph:
    """The curve with markers on the scope lines, thin where few units decide, dotted where some ranking has ended."""
    curve = radial.curve
    graph = graph.band(radial.region(around), name) if shaded and around.exists else graph
    facts = {**facts_of(curve), **radial.interval_facts(), **band_facts(around, shaded, radial.limits(around))}
    for part, light in radial.parts():
        told = {key: [values[row] for row in part] for key, values in facts.items()}
        markers = [place for place, row in enumerate(part) if row in radial.markers and not (light and place == 0)]
        thin = np.flatnonzero(around.few[part]).tolist()
        line = Curve(curve.x[part], curve.y[part])
        graph = graph.curve(line, name, note, facts=told, markers=markers, light=light, thin=thin)
    return graph


# what stands behind the curves


def _behind(graph: Graph, own: RelevantRanks, scopes: Sequence[float]) -> Graph:
    """What cannot be reached, scope lines, the ideal and the random level of these queries."""
    share = own.relevant / own.collection if size_known([own]) else np.zeros(1)
    # Above the line of scope 1, and below the worst ranking; what is too thin to see is left out.
    relevant = int(own.relevant.max())
    recall = np.linspace(0.0, 1.0, 101)
    parts = [Region(recall, np.zeros(101), lowest_precision(recall, float(share.min())))]
    edge = np.linspace(0.0, 1.0 / relevant, 21)
    parts.append(Region(edge, highest_precision(edge, relevant), np.ones(edge.size)))
    visible = [part for part in parts if np.trapezoid(part.high - part.low, part.x) > 0.02]
    for place, part in enumerate(visible):
        graph = graph.area(part, "" if place else "cannot be reached")
    return with_random_level(_with_ideal(graph.guides(_scope_lines(scopes)), [own]), own)


def _with_ideal(graph: Graph, groups: list[RelevantRanks]) -> Graph:
    """The ideal system: p = 1 from the first hit to the last, then down r = 1 to the least generality, if known."""
    known = size_known(groups)
    lowest = min(float((each.relevant / each.collection).min()) for each in groups) if known else None
    return _ideal_down_to(graph, groups, lowest)


def _ideal_down_to(graph: Graph, groups: list[RelevantRanks], end: float | None) -> Graph:
    largest = max(int(each.relevant.max()) for each in groups)
    top = np.linspace(1.0 / largest, 1.0, 20)
    lowest = [] if end is None else [end]
    line = Curve(np.append(top, np.ones(len(lowest))), np.append(np.ones(20), lowest), "ideal")
    return graph.guides([line], dashed=True, at=0.75, side="below left")


def _scope_lines(scopes: Sequence[float]) -> list[Curve]:
    lines = [scope_line(a, points=2) for a in scopes]
    return [
        Curve(line.x, line.y, f"a = {Fraction(a).limit_denominator(64)}") for line, a in zip(lines, scopes, strict=True)
    ]


def _names(systems: list[RelevantRanks]) -> str:
    return ", ".join(each.system for each in systems)


# The radial mean of one group as a graph draws it: where its points stand, and how chance moves it along its rays.

STEP = 0.25  # of log2 a, between points of a bin


@dataclass(frozen=True, eq=False)
class Radial:
    """The mean curve of a group, and how much of what its scope allows each of its queries has at the same points."""

    members: QueryGroup
    curve: Curve
    each: QueryCurves  # recall over min(a, 1), from 0 to 1: precision up to a = 1, then recall
    markers: frozenset[int]  # points on the scope lines
    exact: bool  # whether all points stand at whole scopes

    @classmethod
    def of(cls, members: QueryGroup, scopes: Sequence[float]) -> Radial:
        """At whole scopes where all queries have one class size, else at equal steps of log2 a."""
        queries = members.queries
        if members.exact:  # whole scopes to the end of the longest ranking
            last = max(1, min(int(queries.depth.max(initial=1)), int(queries.collection.min())))
            whole = _with_lines(last, int(queries.relevant[0]), scopes)
            curve, recall = radial_lattice(queries, whole), over_scope(queries, whole, "recall")
        else:
            grid = doubling_grid(queries)  # equal steps of log2 a that exist for every query
            if grid.size > 1:  # to the end of the longest ranking
                first, reach = np.log2(grid[0]), float(np.log2(np.maximum(queries.depth, 1) / queries.relevant).max())
                last_step = max(min(np.log2(grid[-1]), reach), first)
                grid = np.asarray(2.0 ** np.arange(first, last_step + SLACK, STEP))
            grid = grid if grid.size else np.ones(1)
            curve, recall = radial_mean(queries, grid), over_relevant_scope(queries, grid, "recall")
        return cls._of(members, curve, recall, scopes, members.exact)

    @classmethod
    def at_level(cls, queries: RelevantRanks, level: int, scopes: Sequence[float]) -> Radial:
        """The exact mean over all ways to leave distractors out until G is this level, which all queries must reach."""
        from rankscope.analysis.curves.thinning import recall_at_level

        members = QueryGroup(f"G = {level}", float(level), queries, np.arange(len(queries)))
        relevant = np.unique(queries.relevant)
        exact = relevant.size == 1
        if exact:  # up to the whole thinned collection: whole scopes
            size = int(relevant[0])
            a = np.asarray(_with_lines(size * 2**level, size, scopes) / size)
        else:
            start = np.ceil(-np.log2(relevant[0]) / STEP - SLACK) * STEP
            a = np.asarray(2.0 ** np.arange(start, level + SLACK, STEP))
        recall = recall_at_level(queries, level, a)
        mean = recall.low.mean(axis=0)
        curve = Curve(
            x=mean,
            y=mean / a,
            name=members.name,
            x_name="recall",
            y_name="precision",
            queries=np.full(a.size, len(queries)),
            lower_bound=np.asarray((recall.high - recall.low > SLACK).any(axis=0)),
            more={"a": a, "scope": np.rint(a * relevant[0]).astype(np.int64)} if exact else {"a": a},
        )
        each = QueryCurves(
            x=a, values=recall.low, queries=queries.queries, classes=queries.classes, system=queries.system
        )
        return cls._of(members, curve, each, scopes, exact)

    @classmethod
    def _of(
        cls, members: QueryGroup, curve: Curve, recall: QueryCurves, scopes: Sequence[float], exact: bool
    ) -> Radial:
        on = np.isclose(curve.more["a"][:, None], np.asarray(scopes)[None, :], rtol=1e-6, atol=SLACK).any(axis=1)
        each = replace(recall, values=recall.values / np.minimum(curve.more["a"], 1.0), highest=1.0)
        return cls(members=members, curve=curve, each=each, markers=frozenset(np.flatnonzero(on).tolist()), exact=exact)

    @property
    def a(self) -> FloatArray:
        return np.asarray(self.curve.more["a"], dtype=np.float64)

    @property
    def ended(self) -> bool:
        """Whether some point lies beyond the end of a ranking that lacks relevant items."""
        return bool(self.curve.lower_bound is not None and self.curve.lower_bound.any())

    def parts(self) -> list[tuple[IntArray, bool]]:
        """The points that are certain, then those that are lower bounds, drawn lightly."""
        rows = np.arange(len(self.curve))
        known = rows.size if self.curve.lower_bound is None else int((~self.curve.lower_bound).sum())
        if known == rows.size:
            return [(rows, False)]
        solid = [(rows[:known], False)] if known else []
        return [*solid, (rows[max(known - 1, 0) :], True)]

    def band(self, drawn: bool = True) -> Band:
        """The band of what the scope allows at each a, for the whole curve."""
        return band_around(self.each, self.members.queries, drawn)

    def interval_facts(self) -> Facts:
        """The pointwise interval of precision: at a = 1 that of R-precision."""
        return pointwise_facts(self.each, self.members.queries, times=self._most(), of=" of p")

    def limits(self, band: Band) -> Region:
        """The band as one of precision, at each a."""
        drawn, most = band.drawn(), self._most()
        return Region(self.a, drawn.low * most, drawn.high * most)

    def region(self, band: Band) -> Region:
        """What the pieces of the rays within the band sweep, as a region over recall."""
        ends = self.limits(band)
        there = np.isfinite(ends.low)
        a = self.a[there]
        return swept(a, ends.low[there] * a, ends.high[there] * a)

    def _most(self) -> FloatArray:
        """The highest precision at each a."""
        return np.minimum(1.0, 1.0 / self.a)


def swept(a: FloatArray, low: FloatArray, high: FloatArray) -> Region:
    """The region of all points (r, r/a) with low <= r <= high at some a; recall never falls as a grows.

    Every x stands twice, as seen from the left and from the right: where recall stays, precision falls upright.
    >>> region = swept(np.array([1.0, 2.0]), np.array([0.4, 0.5]), np.array([0.6, 0.8]))
    >>> region.x[::2].tolist(), region.low[::2].round(3).tolist(), region.high[::2].round(3).tolist()
    ([0.4, 0.5, 0.6, 0.8], [0.4, 0.25, 0.3, 0.4], [0.4, 0.5, 0.6, 0.4])
    """
    low, high = np.maximum.accumulate(low), np.maximum.accumulate(high)
    x = np.repeat(np.unique(np.concatenate([low, high])), 2)
    below = np.where(x <= low[-1], _along(x, low, low / a), x / a[-1])
    above = np.where(x >= high[0], _along(x, high, high / a), x / a[0])
    return Region(x, np.minimum(below, above), above)


def _along(x: FloatArray, recall: FloatArray, precision: FloatArray) -> FloatArray:
    """A falling curve at places that stand twice: its upper end where it falls upright, then its lower end."""
    rises = np.diff(recall) > 0
    first, last = np.insert(rises, 0, True), np.append(rises, True)
    left, right = (np.interp(x, recall[some], precision[some]) for some in (first, last))
    here = np.isin(x, recall)
    between = np.interp(x, recall, precision)
    return np.where(here, np.where(np.arange(x.size) % 2 == 0, left, right), between)


def _with_lines(last: int, relevant: int, scopes: Sequence[float]) -> IntArray:
    """Whole scopes up to the last, among them those of the scope lines of one class size."""
    lines = np.asarray(scopes, dtype=np.float64) * relevant
    on = np.rint(lines[np.abs(lines - np.rint(lines)) <= SLACK]).astype(np.int64)
    return np.union1d(chosen_scopes(last), on[(on >= 1) & (on <= last)])


# Groups of equal generality: which queries may share a precision-recall curve, and which group is shown first.
#
# Queries of one class size in one collection share a lattice of points and need no interpolation: groups are exact
# where such groups exist. Otherwise queries are binned by their generality index G, and their curve is interpolated.

EVERY_QUERY = "all"
ONE_SIZE, ONE_INDEX = "one class size", "one generality index, rounded"
MOST_OFFERED = 8  # exact groups that a page offers
ENOUGH = 10  # sampling units that make an exact group worth a curve of its own


@dataclass(frozen=True, eq=False)
class QueryGroup:
    """Some queries of all, and the words for them; their rankings are taken when they are asked for."""

    name: str  # c = 8, or G = 7
    index: float
    everything: RelevantRanks
    rows: IntArray

    def __len__(self) -> int:
        return self.rows.size

    @cached_property
    def queries(self) -> RelevantRanks:
        return self.everything.take(self.rows)

    @cached_property
    def units(self) -> int:
        classes = unit_classes(self.everything)
        return len(self) if classes is None else len({classes[row] for row in self.rows.tolist()})

    @property
    def exact(self) -> bool:
        """Whether all queries have one class size in one collection, so that nothing is interpolated."""
        whole = self.everything
        return bool(np.ptp(whole.relevant[self.rows]) == 0 and np.ptp(whole.collection[self.rows]) == 0)


def query_groups(queries: RelevantRanks, group: str | None = None) -> list[QueryGroup]:
    """The groups, easiest first: `group` is exact, bins or all, or the name of the one wanted; None takes what fits.

    Exact groups fit where half of the sampling units are in groups of enough of them, and where there is only one.
    >>> five = RelevantRanks.from_ranks([[1, 2]] * 12 + [[1, 2, 3]] * 12, collection=64)
    >>> [(each.name, len(each.queries)) for each in query_groups(five)]
    [('c = 3', 12), ('c = 2', 12)]
    >>> [each.name for each in query_groups(five, "bins")]
    ['G = 4', 'G = 5']
    """
    known_sizes(queries, "radial averaging")
    if group == "bins":
        return _members(queries, "bins")
    if group not in (None, "exact"):
        return [group_named(queries, group)]
    exact = _members(queries, "exact")
    units = [each.units for each in exact]
    fits = 2 * sum(each for each in units if each >= ENOUGH) >= sum(units)
    return exact if group or len(exact) == 1 or fits else _members(queries, "bins")


def every_query(queries: RelevantRanks) -> QueryGroup:
    """All queries as one group, of whatever generality."""
    return QueryGroup(EVERY_QUERY, 0.0, queries, np.arange(len(queries)))


def usual(groups: Sequence[QueryGroup]) -> QueryGroup:
    """The group to show first: of those of enough units the one nearest to the query in the middle by generality."""
    index = np.repeat([each.index for each in groups], [len(each) for each in groups])
    middle = float(np.median(index))
    return min(solid(groups), key=lambda each: (abs(each.index - middle), -len(each)))


def spread_out(groups: Sequence[QueryGroup], most: int) -> list[QueryGroup]:
    """So many groups of enough units at most, evenly from the easiest to the hardest."""
    enough = solid(groups)
    places = np.unique(np.linspace(0, len(enough) - 1, min(most, len(enough))).round().astype(np.int64))
    return [enough[place] for place in places.tolist()]


def solid(groups: Sequence[QueryGroup]) -> list[QueryGroup]:
    """The groups of enough units; where there are none, those that do not rest on few, else all."""
    for least in (ENOUGH, FEW_UNITS, 0):
        some = [each for each in groups if each.units >= least]
        if some:
            break
    return some


def group_choices(queries: RelevantRanks) -> list[tuple[str, list[QueryGroup]]]:
    """What a page offers, under headings: the kind that fits first; bins hold every query, exact groups may be many."""
    shown, bins = query_groups(queries), _members(queries, "bins")
    exact = [each for each in _members(queries, "exact") if each.units >= FEW_UNITS]
    largest = sorted(exact, key=lambda each: -len(each))[:MOST_OFFERED]
    there = {each.rows.tobytes() for each in largest}
    one_size = (ONE_SIZE, [each for each in exact if each in largest])
    several = (ONE_INDEX, [each for each in bins if each.rows.tobytes() not in there])
    ordered = [several, one_size] if shown[0].name.startswith("G") else [one_size, several]
    return [(heading, groups) for heading, groups in ordered if groups]


def group_named(queries: RelevantRanks, name: str) -> QueryGroup:
    """The group of this name, as c=8 (or c=8,d=1000) or G=7, or all; c=8 needs no collection size."""
    if name == EVERY_QUERY:
        return every_query(queries)
    if not size_known([queries]) and (size := re.fullmatch(r"c=([1-9]\d*)", _plain(name))):
        return QueryGroup(f"c = {size[1]}", 0.0, queries, rows_of_size(queries, int(size[1])))
    by: By = "bins" if name.strip().upper().startswith("G") else "exact"
    groups = _members(queries, by)
    wanted = _plain(name)
    for each in groups:
        first = int(each.rows[0])
        full_name = f"c = {each.everything.relevant[first]}, d = {each.everything.collection[first]}"
        if wanted in (_plain(each.name), _plain(full_name)):
            return each
    of_size = [each for each in groups if _plain(each.name).partition(",")[0] == wanted]
    if len(of_size) == 1:  # classes of one size are all in collections of one size
        return of_size[0]
    there = ", ".join(f"{_plain(each.name)} ({len(each):,})" for each in _members(queries, "bins"))
    sizes = sorted(_members(queries, "exact"), key=lambda each: -len(each))[:8]
    most = ", ".join(f"{_plain(each.name)} ({len(each):,})" for each in sizes)
    raise SettingError(
        f"{queries.system} has no group {name!r}. By generality index, with their queries: {there}. Largest groups of "
        f"one class size: {most}. Or exact or bins for all groups of a kind, or all for every query in one"
    )


def _members(queries: RelevantRanks, by: By) -> list[QueryGroup]:
    groups = generality_groups(queries, by)
    one_size = np.ptp(queries.collection) == 0
    return [
        QueryGroup(group.name.partition(", d")[0] if one_size else group.name, group.index, queries, group.rows)
        for group in groups
    ]


def _plain(name: str) -> str:
    """Without spaces, in the case that letters have here.

    >>> _plain("g = 7.0"), _plain("C=8")
    ('G=7', 'c=8')
    """
    text = re.sub(r"\.0+$", "", name.replace(" ", "").lower())
    return text.replace("g=", "G=")
