"""Which graphs a report shows: every kind whose data exist, and for the others why not and what would help."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope import graphs
from rankscope.errors import RankscopeError
from rankscope.graphs.graph import Graph
from rankscope.graphs.kind import GraphKind
from rankscope.names import slugs
from rankscope.ranks.relevant_ranks import RelevantRanks

if TYPE_CHECKING:
    from rankscope.statistics.verdicts.compared import Compared

Progress = Callable[[str, float], None]


@dataclass(frozen=True, eq=False)
class Alternative:
    """Another graph of the same kind that a reader may choose, under a heading; one of them is shown first."""

    id: str
    text: str
    heading: str
    graph: Graph
    chosen: bool


@dataclass(frozen=True, eq=False)
class Figure:
    """A graph, or the reason why it is not drawn."""

    id: str  # safe in a file name and in an address, and no other figure's
    kind: GraphKind[Any]
    graph: Graph | None = None
    reason: str = ""
    note: str = ""
    choose: str = ""  # what the alternatives differ in
    alternatives: tuple[Alternative, ...] = ()

    @property
    def headings(self) -> dict[str, list[Alternative]]:
        """The alternatives under their headings."""
        result: dict[str, list[Alternative]] = {}
        for each in self.alternatives:
            result.setdefault(each.heading, []).append(each)
        return result

    @property
    def caption(self) -> str:
        """What this kind of graph shows."""
        return self.kind.sentence

    @property
    def subtitle(self) -> str:
        """What the graph says beneath its title."""
        return "; ".join(filter(None, (self.drawn.subtitle, self.note)))

    @property
    def drawn(self) -> Graph:
        """The graph, where there is one."""
        assert self.graph is not None
        return self.graph


def figures_of(
    systems: Sequence[RelevantRanks],
    measure: str = "AP",
    progress: Progress | None = None,
    compared: Compared | None = None,
) -> tuple[Figure, ...]:
    """All kinds of graph, in the order people want to see them.

    Graphs that show a verdict show the one given, `compared`, so that page and picture say the same.
    """
    asked = list(_asked(systems))
    done = []
    for each in asked:
        done.append(_graph(each.kind, each.chosen, measure, compared))
        _tell(progress, len(done) / len(asked))
    ids = slugs([f"{each.kind.name} {each.suffix}" for each in asked])
    results = [_figure(*each) for each in zip(ids, asked, done, strict=True)]
    return _without_repetition([_with_variants(figure, each) for figure, each in zip(results, asked, strict=True)])


def _tell(progress: Progress | None, share: float) -> None:
    if progress is not None:
        progress("graphs", share)


def _without_repetition(figures: list[Figure]) -> tuple[Figure, ...]:
    """One reason is told once for a kind."""
    told = set()
    kept = []
    for each in figures:
        if each.graph is None and (each.kind.name, each.reason) in told:
            continue
        told.add((each.kind.name, each.reason))
        kept.append(each)
    return tuple(kept)


@dataclass(frozen=True, eq=False)
class _Asked:
    """A kind with the systems of one graph, and what distinguishes the graphs of one kind."""

    kind: GraphKind[Any]
    systems: list[RelevantRanks]
    suffix: str = ""

    @property
    def chosen(self) -> list[RelevantRanks]:
        return self.systems if self.kind.enough is None else _sampled(self.systems, self.kind.enough)

    @property
    def note(self) -> str:
        count, shown = len(self.systems[0]), len(self.chosen[0])
        return "" if shown == count else f"{shown:,} queries drawn from {count:,} with seed 0"


def _asked(systems: Sequence[RelevantRanks]) -> Iterator[_Asked]:
    for kind in graphs.KINDS:
        shares = kind.systems.shares(systems)
        several = len(shares) > 1 or kind.systems.most == 1
        yield from (_Asked(kind, share, share[-1].system if several else "") for share in shares)


def _graph(kind: GraphKind[Any], systems: list[RelevantRanks], measure: str, compared: Compared | None) -> Graph | str:
    """The graph, or in words why there is none."""
    try:
        return kind(systems, **kind.accepted(measure, compared=compared))
    except RankscopeError as error:
        return str(error)


def _figure(id: str, asked: _Asked, result: Graph | str) -> Figure:
    if isinstance(result, str):
        return Figure(id, asked.kind, reason=result)
    return Figure(id, asked.kind, result, note=asked.note)


def _with_variants(figure: Figure, asked: _Asked) -> Figure:
    """The same with all graphs that its kind offers of these systems."""
    offered = asked.kind.variants(asked.chosen) if figure.graph is not None else None
    if offered is None:
        return figure
    ids = slugs([f"{figure.id} {each.value}" for each in offered.values])
    others = [
        Alternative(
            id=figure.id if each.chosen else ids[number],
            text=each.text,
            heading=each.heading,
            graph=figure.drawn if each.chosen else asked.kind(asked.chosen, **{offered.option: each.value}),
            chosen=each.chosen,
        )
        for number, each in enumerate(offered.values)
    ]
    return replace(figure, choose=offered.label, alternatives=tuple(others))


def _sampled(systems: list[RelevantRanks], most: int) -> list[RelevantRanks]:
    """At most so many queries, drawn with seed 0: the same ones of all systems."""
    queries = systems[0].queries
    if len(queries) <= most or any(each.queries != queries for each in systems):
        return systems
    rows = np.sort(np.random.default_rng(0).choice(len(queries), most, replace=False))
    return [each.take(rows) for each in systems]
