"""What is known to be relevant in a session, from a class or from marks, and the graphs that can be drawn of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from rankscope.analysis.curves.curve import Curve
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports import graphs
from rankscope.reports.graphs.axes import Axis
from rankscope.reports.graphs.graph import Graph
from rankscope.reports.graphs.marks import Stroke
from rankscope.workbench.browsing.session_ranking import target_class
from rankscope.workbench.browsing.sessions import DISPLAY, FeedbackSession
if TYPE_CHECKING:
    from rankscope.workbench.project import Project
# Graphs of a session: what is known of it is drawn, and what is not says why.

BEFORE, AFTER = "before feedback", "with feedback"
NEEDS_ALL: Final = "recall needs all relevant items, and only {judged:,} of {items:,} items are judged"
MOST_ROWS: Final = 24  # of a table of numbers


@dataclass(frozen=True, eq=False)
class SessionGraph:
    """One graph, or why there is none."""

    kind: str
    title: str
    graph: Graph | None
    reason: str = ""


@dataclass(frozen=True, eq=False)
class SessionLists:
    """The lists that are drawn: the ranking before feedback, and the session as it went."""

    session: FeedbackSession
    truth: SessionTruth
    lists: dict[str, IntArray]

    def systems(self) -> list[RelevantRanks]:
        """As the graphs of the library take them; only where all is known."""
        return [
            RelevantRanks.from_ranks(
                [self.truth.ranks(order)],
                relevant=[self.truth.count],
                depth=[len(order)],
                collection=[len(order)],
                system=name,
            )
            for name, order in self.lists.items()
        ]


def precision_scope(lists: SessionLists) -> SessionGraph:
    """As deep as it is known."""
    title = "Precision at each scope"
    if lists.truth.is_complete and lists.truth.count:
        found = _whole("precision-scope", title, lists, graphs.precision_scope_graph)
        return replace(found, graph=None if found.graph is None else _of_one_search(found.graph, title, lists))
    curves = {name: lists.truth.precision(order) for name, order in lists.lists.items()}
    deepest = max(len(each) for each in curves.values())
    if not deepest:
        reason = "the first item of the list is not judged: mark what is shown"
        return SessionGraph("precision-scope", title, None, reason)
    graph = Graph(
        title,
        Axis("scope", "s", domain=(0, max(deepest, DISPLAY)), whole=True),
        Axis("precision", "p", domain=(0, 1)),
        subtitle=f"as far as all is judged: to scope {deepest:,}",
        summary=f"Precision of the first items, to scope {deepest:,}.",
    )
    for name, values in curves.items():
        scopes = np.arange(1.0, len(values) + 1)
        graph = graph.curve(Curve(scopes, values), name, f"to scope {len(values):,}") if len(values) else graph
    return SessionGraph("precision-scope", title, graph)


def rounds(lists: SessionLists) -> SessionGraph:
    """The share of relevant items of each display."""
    title = "Precision of each round"
    values = [lists.truth.share(each.shown) for each in lists.session.rounds]
    if all(each is None for each in values):
        reason = f"no round is judged whole: mark all {DISPLAY} items that are shown, the rest by one button"
        return SessionGraph("rounds", title, None, reason)
    known = [f"{each:.2f}" for each in values if each is not None]
    missing = len(values) - len(known)
    last = len(values) - 1
    words = f"share of relevant items among the {DISPLAY} that were shown"
    graph = Graph(
        title,
        Axis("round of feedback", domain=(-0.1, max(last, 1) + 0.1), whole=True),
        Axis("precision", "p", domain=(0, 1)),
        subtitle=f"{words}{f'; {missing} not judged whole' if missing else ''}",
        summary=f"Precision of round 0 to {last}: {', '.join(known)}.",
    )
    line = Curve(np.arange(len(values), dtype=np.float64), np.array([np.nan if v is None else v for v in values]))
    return SessionGraph("rounds", title, graph.curve(line, "of what was shown", markers=range(len(values))))


GRAPH_KINDS: dict[str, Callable[[SessionLists], SessionGraph]] = {
    "rounds": rounds,
    "precision-scope": precision_scope,
    "precision-recall": lambda lists: _whole(
        "precision-recall", "Precision and recall", lists, graphs.precision_recall_graph
    ),
    "grip": lambda lists: _whole("grip", "GRiP: quality over generality", lists, graphs.grip_graph),
}


def _whole(kind: str, title: str, lists: SessionLists, make: Callable[..., Graph]) -> SessionGraph:
    """A graph that needs to know everything."""
    truth = lists.truth
    if not truth.is_complete:
        return SessionGraph(kind, title, None, NEEDS_ALL.format(judged=truth.judged, items=truth.items))
    if not truth.count:
        return SessionGraph(kind, title, None, "there is no other relevant item to be found")
    return SessionGraph(kind, title, make(lists.systems()))


def _of_one_search(graph: Graph, title: str, lists: SessionLists) -> Graph:
    """A graph of the library in the words of one search: no means over queries, no notes on their number."""
    from rankscope.reports.graphs.systems import generality_words

    subtitle = generality_words(lists.systems())
    marks = [replace(mark, note="") if isinstance(mark, Stroke) else mark for mark in graph.marks]
    return replace(graph, title=title, subtitle=subtitle, marks=tuple(marks))


def table_of(graph: Graph) -> list[tuple[str, list[float], list[float]]]:
    """The numbers of the curves: name, x and y; of long ones some points, the first and last among them."""
    found: dict[str, tuple[list[float], list[float]]] = {}
    for mark in graph.marks:
        if isinstance(mark, Stroke) and mark.role == "curve":
            xs, ys = found.setdefault(mark.name, ([], []))
            there = np.flatnonzero(np.isfinite(mark.y))
            some = there[np.unique(np.linspace(0, len(there) - 1, min(MOST_ROWS, len(there))).round().astype(np.int64))]
            xs += mark.x[some].tolist()
            ys += mark.y[some].tolist()
    return [(name, *values) for name, values in found.items()]


# What is known to be relevant in a session: a class of the collection, or what people have said so far.

TruthName = Literal["class", "marks"]


@dataclass(frozen=True, eq=False)
class SessionTruth:
    """Which items are relevant, and of which that is known; the example of the session is none of them."""

    relevant: BoolArray
    known: BoolArray
    example: int | None
    name: TruthName
    label: str = ""

    @classmethod
    def by_class(cls, project: Project, session: FeedbackSession) -> SessionTruth | None:
        """The class of the example, or of the query; None where it has none."""
        label = target_class(project, session)
        if not label:
            return None
        relevant = np.array([each.class_ == label for each in project.items], dtype=np.bool_)
        known = np.ones(len(relevant), np.bool_)
        return cls(relevant=relevant, known=known, example=session.example, name="class", label=label)

    @classmethod
    def by_marks(cls, project: Project, session: FeedbackSession) -> SessionTruth:
        """What was marked in the session, and what the same person judged for its query."""
        count = len(project.items)
        relevant, known = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
        if session.query is not None:
            with project.lock:
                answers = [(pair[1], said) for pair, said in project.state.answers.items() if pair[0] == session.query]
            for item, said in answers:
                own = said.get(session.assessor)
                if own is not None and own.grade is not None:
                    place = project.places[item]
                    known[place], relevant[place] = True, own.grade >= project.file.relevant
        for place, opinion in session.opinions.items():
            known[place], relevant[place] = True, opinion == "relevant"
        return cls(relevant=relevant, known=known, example=session.example, name="marks")

    @cached_property
    def _others(self) -> BoolArray:
        rest = np.ones(len(self.known), np.bool_)
        if self.example is not None:
            rest[self.example] = False
        return rest

    @property
    def is_complete(self) -> bool:
        """Whether it is known of every item."""
        return bool(self.known[self._others].all())

    @property
    def judged(self) -> int:
        """Of how many items it is known."""
        return int(self.known[self._others].sum())

    @property
    def items(self) -> int:
        """How many items there are."""
        return int(self._others.sum())

    @property
    def count(self) -> int:
        """How many relevant items are known."""
        return int(self.relevant[self._others].sum())

    def ranks(self, order: IntArray) -> IntArray:
        """Where the relevant items stand in an order, from 1 on."""
        return np.flatnonzero(self.relevant[order]) + 1

    def depth(self, order: IntArray) -> int:
        """How many of the first items are all known."""
        unknown = np.flatnonzero(~self.known[order])
        return int(unknown[0]) if unknown.size else len(order)

    def precision(self, order: IntArray) -> FloatArray:
        """At each scope as deep as it is known."""
        hits = np.cumsum(self.relevant[order[: self.depth(order)]])
        return hits / np.arange(1, hits.size + 1)

    def share(self, shown: tuple[int, ...]) -> float | None:
        """The share of relevant items of a display; None where some of it is not known."""
        places = list(shown)
        return float(self.relevant[places].mean()) if places and self.known[places].all() else None


def whole_list(session: FeedbackSession, order: IntArray) -> IntArray:
    """The session as one list: all that was shown in its order, then the rest as the last round ranks it.

    What was shown keeps its place, as in the laboratory: a method gains nothing by ranking its own examples first.
    """
    shown = np.array(session.shown, dtype=np.int64)
    return np.concatenate([shown, order[~np.isin(order, shown)]])
