"""Which graphs a report shows: every kind that has something to say, and for the others why not and what would help."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rankscope.core.errors import RankscopeError
from rankscope.core.names import slugs
from rankscope.core.wording import how_many, setting_usage, speaking_to_readers
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports import graphs
from rankscope.reports.graphs.graph import Graph
from rankscope.reports.graphs.kinds import GraphKind, Variant, Variants, reader_chooses

if TYPE_CHECKING:
    from rankscope.analysis.comparison.compare import Compared


T = TypeVar("T")
Progress = Callable[[str, float], None]
FIRST = 3  # of the best that curves show at first, next to the baseline
MOST_CURVES = 8  # drawn at once
MOST_ALONE = 25  # systems that have graphs of their own on a page, or a curve that takes long
MOST_IN_CLASSES = 8  # systems side by side in each class
ONE_SYSTEM = "it compares systems, and there is one"
ONE_QUERY = "one query shows no chance and no difference to test"


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
    system: str = ""  # of whom it is, where each system has one of its own
    at_first: tuple[str, ...] = ()  # the systems drawn before anybody chooses, where it holds more than can be read

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

    @property
    def on_paper(self) -> Graph:
        """The graph with no more systems than a picture can show."""
        if self.at_first and len(self.drawn.series) > self.kind.systems.most:
            return self.drawn.only(self.at_first)
        return self.drawn


def first_choice(names: Sequence[str], order: Sequence[int]) -> tuple[str, ...]:
    """The best three and the baseline, which is the first of the names; `order` are all from the best to the worst.

    >>> first_choice(["base", "a", "b", "c", "d"], [4, 3, 0, 2, 1])
    ('d', 'c', 'base')
    >>> first_choice(["base", "a", "b", "c", "d"], [4, 3, 2, 1, 0])
    ('d', 'c', 'b', 'base')
    """
    best = [names[each] for each in order[:FIRST]]
    return tuple(dict.fromkeys([*best, names[0]]))


def best_and_baseline(systems: Sequence[T], order: Sequence[int], most: int = MOST_ALONE) -> list[T]:
    """So many systems, the best first: the last of them makes room for the baseline, the first of all, if need be.

    >>> best_and_baseline("abcd", [3, 2, 1, 0], most=2), best_and_baseline("abcd", [0, 1, 2, 3], most=2)
    (['d', 'a'], ['a', 'b'])
    """
    kept = list(order[:most])
    if systems and 0 not in kept:
        kept = [*kept[: most - 1], 0]
    return [systems[each] for each in kept]


def figures_of(
    systems: Sequence[RelevantRanks],
    measure: str = "AP",
    progress: Progress | None = None,
    compared: Compared | None = None,
    order: Sequence[int] | None = None,
) -> tuple[Figure, ...]:
    """All kinds of graph, in the order people want to see them; the first system is the baseline.

    Graphs that show a verdict show the one given, `compared`, so that page and picture say the same. `order` are the
    systems from the best to the worst.
    """
    places = list(range(len(systems)) if order is None else order)
    first = first_choice([each.system for each in systems], places) if systems else ()
    done = []
    with speaking_to_readers():  # why a graph is not there
        asked = list(_asked(systems, places))
        for each in asked:
            done.append(each.graph(measure, compared))
            if progress is not None:
                progress("graphs", len(done) / len(asked))
    ids = slugs([f"{each.kind.name} {each.system}" for each in asked])
    figures, told = [], set()
    for id, each, result in zip(ids, asked, done, strict=True):
        if not isinstance(result, str):
            figure = Figure(id, each.kind, result, note=each.note, system=each.system, at_first=first)
            figures.append(_with_variants(figure, each, measure, compared))
        elif (each.kind.name, result) not in told:  # one reason is told once for a kind
            told.add((each.kind.name, result))
            figures.append(Figure(id, each.kind, reason=result, system=each.system))
    return tuple(figures)


@dataclass(frozen=True, eq=False)
class _Asked:
    """A kind with the systems of one graph, and of whom it is where each system has its own."""

    kind: GraphKind[Any]
    systems: list[RelevantRanks]
    system: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""  # why it would say nothing
    shown: str = ""  # which systems, where not all

    @property
    def chosen(self) -> list[RelevantRanks]:
        return self.systems if self.kind.enough is None else _sampled(self.systems, self.kind.enough)

    @property
    def note(self) -> str:
        count, shown = len(self.systems[0]), len(self.chosen[0])
        sampled = "" if shown == count else f"{how_many(shown, 'queries')} drawn from {count:,} with seed 0"
        return "; ".join(filter(None, (self.shown, sampled)))

    def graph(self, measure: str, compared: Compared | None) -> Graph | str:
        """The graph, or in words why there is none."""
        if self.reason:
            return self.reason
        try:
            return self.drawn(measure, compared, next((each.value for each in self.offered if each.chosen), None))
        except RankscopeError as error:
            return str(error)

    def drawn(self, measure: str, compared: Compared | None, variant: str | None) -> Graph:
        """One of the variants, where there are some."""
        chosen = {self.variants.option: variant} if self.variants is not None else {}
        with reader_chooses():
            return self.kind(self.chosen, **self.kind.accepted(measure, compared=compared), **self.options, **chosen)

    @cached_property
    def variants(self) -> Variants | None:
        """What its kind offers of these systems."""
        with reader_chooses():
            return self.kind.variants(self.chosen)

    @property
    def offered(self) -> tuple[Variant, ...]:
        """What a reader may choose among."""
        return () if self.variants is None else self.variants.values


def _asked(systems: Sequence[RelevantRanks], order: Sequence[int]) -> Iterator[_Asked]:
    """What each kind is asked to draw."""
    for kind in graphs.KINDS.of_rivals():
        yield from _of_kind(kind, systems, order)


def _of_kind(kind: GraphKind[Any], systems: Sequence[RelevantRanks], order: Sequence[int]) -> Iterator[_Asked]:
    """What one kind is asked to draw: nothing that would say nothing."""
    everyone, reason = list(systems), _nothing_said(kind, systems)
    alone = best_and_baseline(everyone, order)
    if reason and (reason == ONE_SYSTEM or kind.systems.worth <= len(systems)):
        yield _Asked(kind, everyone, reason=reason)
    elif kind.systems.most == 1:
        yield from (_Asked(kind, [each], each.system) for each in alone)
    elif (kind.systems.most == 2 or kind.against_baseline is not None) and len(systems) > 1:
        pairs = ([systems[0], each] for each in alone if each is not systems[0])
        yield from (_Asked(kind, pair, pair[1].system, dict(kind.against_baseline or ())) for pair in pairs)
    elif kind.wants("classes") and len(systems) > MOST_IN_CLASSES:
        best = [systems[each] for each in order if each != 0]
        yield _Asked(kind, [systems[0], *best[: MOST_IN_CLASSES - 1]])
    elif kind.costly and len(alone) < len(systems):
        kept = [each for each in everyone if each in alone]
        yield _Asked(kind, kept, shown=f"the {len(kept) - 1} best systems and {systems[0].system}, of {len(systems)}")
    else:
        yield from (_Asked(kind, share) for share in kind.systems.shares(everyone))


def _nothing_said(kind: GraphKind[Any], systems: Sequence[RelevantRanks]) -> str:
    """Why a kind has nothing to say of these systems, if so."""
    if kind.systems.least > len(systems):
        return ONE_SYSTEM
    if kind.compares and len(systems[0]) == 1:
        return ONE_QUERY
    if kind.wants("classes") and len(set(systems[0].classes or ())) < 2:
        return f"queries have no classes, or all have one: give {setting_usage('classes')}"
    return ""


def _with_variants(figure: Figure, asked: _Asked, measure: str, compared: Compared | None) -> Figure:
    """The same with all graphs that its kind offers of these systems; of many systems the one alone."""
    few = len(asked.systems) <= asked.kind.systems.most
    if not few or asked.variants is None:
        return figure
    ids = slugs([f"{figure.id} {each.value}" for each in asked.offered])
    others = [
        Alternative(
            id=figure.id if each.chosen else ids[number],
            text=each.text,
            heading=each.heading,
            graph=figure.drawn if each.chosen else asked.drawn(measure, compared, each.value),
            chosen=each.chosen,
        )
        for number, each in enumerate(asked.offered)
    ]
    return replace(figure, choose=asked.variants.label, alternatives=tuple(others))


def _sampled(systems: list[RelevantRanks], most: int) -> list[RelevantRanks]:
    """At most so many queries, drawn with seed 0: the same ones of all systems."""
    queries = systems[0].queries
    if len(queries) <= most or any(each.queries != queries for each in systems):
        return systems
    rows = np.sort(np.random.default_rng(0).choice(len(queries), most, replace=False))
    return [each.take(rows) for each in systems]
