"""The precision-recall graph, with scope lines, random and ideal level, and what cannot be reached."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from rankscope.curves.averaging import Group, doubling_grid, generality_groups, radial_mean
from rankscope.curves.curve import Curve, Region
from rankscope.curves.guides import highest_precision, lowest_precision, scope_line
from rankscope.curves.precision_recall import mean_at_recall_levels
from rankscope.errors import SettingError
from rankscope.graphs.axis import Axis
from rankscope.graphs.describing import (
    MOST_BANDS,
    Systems,
    band_of,
    counted_systems,
    facts_of,
    how_many,
    said,
    size_known,
    size_note,
)
from rankscope.graphs.graph import Graph
from rankscope.graphs.kind import kind
from rankscope.measures.interpolated_precision import LEVELS
from rankscope.ranks.relevant_ranks import RelevantRanks

SCOPES = (0.25, 0.5, 1.0, 2.0, 4.0)
WHAT = "the precision-recall graph"
MOST_GROUPS = 5
FEW = 5
RECALL, PRECISION = Axis("recall", "r", domain=(0, 1)), Axis("precision", "p", domain=(0, 1))


@kind("precision-recall")
def precision_recall_graph(
    systems: Systems, generality: float | None = None, scopes: Sequence[float] = SCOPES, averaging: str | None = None
) -> Graph:
    """Precision against recall: the trade that every deeper look makes.

    Where the size of the collection is known: radial means at equal relevant scope a = s/c over queries of one
    generality, because curves of different generality must not be joined. One system shows a curve for each generality;
    several are compared at the generality index that most queries have, or at the one asked for. Where it is not known:
    interpolated precision at eleven recall levels, as in TREC (`averaging` radial or levels decides it by hand).
    """
    shown = counted_systems(systems, WHAT)
    if averaging not in (None, "radial", "levels"):
        raise SettingError(f"averaging is radial or levels, got {averaging!r}")
    if averaging == "levels" or (averaging is None and not size_known(shown)):
        return _at_levels(shown)
    groups = generality_groups(shown[0], "bins")
    if len(shown) == 1 and generality is None and len(groups) > 1:
        return _by_generality(shown[0], groups, scopes)
    return _compared(shown, _chosen(groups, generality), scopes)


def _at_levels(systems: list[RelevantRanks]) -> Graph:
    subtitle = said(["interpolated at eleven recall levels"], bands=len(systems))
    graph = Graph("Precision and recall", RECALL, PRECISION, subtitle=subtitle)
    band = len(systems) <= MOST_BANDS
    for queries in systems:
        graph = _with(graph, mean_at_recall_levels(queries), queries.system, size_note(queries), LEVELS, band)
    return graph.described(summary=f"Interpolated precision at recall levels of {_names(systems)}.")


def _by_generality(queries: RelevantRanks, groups: tuple[Group, ...], scopes: Sequence[float]) -> Graph:
    """One system: a curve for each group of equal generality, the five largest groups at most."""
    enough = [group for group in groups if group.rows.size >= FEW] or list(groups)
    largest = sorted(sorted(enough, key=lambda group: -group.rows.size)[:MOST_GROUPS], key=lambda group: group.index)
    left = len(groups) - len(largest)
    graph = Graph(
        f"Precision and recall of {queries.system}", RECALL, PRECISION,
        subtitle=said(["radial means of equal generality G = log2(d/c)", f"{left} groups left out" if left else ""], 0),
    ).guides(_scope_lines(scopes))  # fmt: skip
    for group in largest:
        members = queries.take(group.rows)
        graph = _with(graph, _radial(members, group.name), group.name, how_many(len(members)), scopes, band=False)
    return graph.described(summary=f"Radial precision-recall curves of {queries.system} by generality.")


def _compared(systems: list[RelevantRanks], group: Group, scopes: Sequence[float]) -> Graph:
    """Several systems at one generality."""
    first = systems[0]
    members = [_same(queries, group) for queries in systems]
    own = members[0]
    share = own.relevant / own.collection
    graph = Graph(
        "Precision and recall" + (f" of {first.system}" if len(systems) == 1 else ""), RECALL, PRECISION,
        subtitle=said([f"radial means, {_members(own, group, first)}"], bands=len(systems)),
    )  # fmt: skip
    band = len(systems) <= MOST_BANDS
    for region in _unreachable(int(own.relevant.max()), float(share.min())):
        graph = graph.area(region, region.name)
    graph = graph.guides(_scope_lines(scopes)).rule(y=float(share.mean()), label="random")
    for queries in members:
        graph = _with(graph, _radial(queries, queries.system), queries.system, size_note(queries), scopes, band)
    return graph.described(summary=f"Radial precision-recall curves of {_names(systems)} at {group.name}.")


def _members(members: RelevantRanks, group: Group, first: RelevantRanks) -> str:
    everything = len(members) == len(first)
    return f"generality index {group.name}" + ("" if everything else f" ({len(members):,} of {len(first):,} queries)")


def _radial(queries: RelevantRanks, name: str) -> Curve:
    """The radial mean, at finer steps than a table needs."""
    coarse = doubling_grid(queries)
    if coarse.size < 2:
        return radial_mean(queries, coarse if coarse.size else [1.0], name=name)
    fine = 2.0 ** np.arange(np.log2(coarse[0]), np.log2(coarse[-1]) + 1e-9, 0.25)
    return radial_mean(queries, fine, name=name)


def _with(
    graph: Graph, curve: Curve, name: str, note: str, markers: Sequence[float] = SCOPES, band: bool = True
) -> Graph:
    """The curve with markers on the scope lines, or at these recall levels."""
    at = curve.more.get("a", curve.x)
    which = [row for row in range(len(curve)) if np.isclose(at[row], markers, rtol=1e-6, atol=1e-9).any()]
    around = band_of(curve) if band else None
    graph = graph if around is None else graph.band(around, name)
    return graph.curve(curve, name, note, facts=facts_of(curve), markers=which or 6)


def _scope_lines(scopes: Sequence[float]) -> list[Curve]:
    lines = [scope_line(a, points=2) for a in scopes]
    return [
        Curve(line.x, line.y, f"a = {Fraction(a).limit_denominator(64)}") for line, a in zip(lines, scopes, strict=True)
    ]


def _unreachable(relevant: int, generality: float) -> list[Region]:
    """Above the line of scope 1, and below the worst ranking; what is too thin to see is left out."""
    recall = np.linspace(0.0, 1.0, 101)
    name = "cannot be reached"
    parts = [Region(recall, np.zeros(101), lowest_precision(recall, generality), name)]
    edge = np.unique(np.concatenate([np.linspace(0.0, 1.0 / relevant, 21)]))
    parts.append(Region(edge, highest_precision(edge, relevant), np.ones(edge.size), name))
    visible = [part for part in parts if np.trapezoid(part.high - part.low, part.x) > 0.02]
    return [Region(part.x, part.low, part.high, name if i == 0 else "") for i, part in enumerate(visible)]


def _chosen(groups: tuple[Group, ...], generality: float | None) -> Group:
    if generality is None:
        return max(groups, key=lambda group: group.rows.size)
    near = [group for group in groups if abs(group.index - generality) <= 0.5]
    if not near:
        there = ", ".join(f"{group.index:g}" for group in groups)
        raise SettingError(f"no query has generality index {generality:g}; there are: {there}")
    return near[0]


def _same(queries: RelevantRanks, group: Group) -> RelevantRanks:
    """The queries of a system that belong to a group by their own generality."""
    for each in generality_groups(queries, "bins"):
        if each.index == group.index:
            return queries.take(each.rows)
    raise SettingError(f"{queries.system} has no query of generality index {group.index:g}")


def _names(systems: list[RelevantRanks]) -> str:
    return ", ".join(each.system for each in systems)
