"""What a feedback method makes of a session: items in a new order, and those to show next; and graphs of a session."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankscope.analysis.curves.curve import Curve
from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.caching import Recent
from rankscope.core.errors import SettingError
from rankscope.feedback import Examples, Items, Method
from rankscope.feedback.methods import METHODS
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.reports import graphs
from rankscope.reports.graphs.graph import Axis, Graph, Stroke
from rankscope.reports.graphs.systems import generality_words
from rankscope.workbench.browsing.collection import Neighbourhood
from rankscope.workbench.browsing.sessions import DISPLAY, FeedbackSession, SessionRound

if TYPE_CHECKING:
    from rankscope.engines.text import Index
    from rankscope.workbench.project import Project


KEPT = 32  # rankings
SEED = 0


class RankedSession(NamedTuple):
    """All items, the best first; `note` says which rule stood in for the method, if one did."""

    order: IntArray
    shown: IntArray
    note: str


class SessionRanker:
    """Ranks for sessions; features are prepared once, and the last rankings kept."""

    def __init__(self, project: Project, neighbourhood: Callable[[str, str], Neighbourhood]) -> None:
        self.project, self._neighbourhood = project, neighbourhood
        self._items: dict[str, Items] = {}
        self._orders = Recent[NDArray[Any]](KEPT, lambda each: 1)
        self._least: dict[str, float] = {}  # value of a feature file
        self._lock = threading.Lock()

    def start_scores(self, session: FeedbackSession) -> FloatArray:
        """Before any feedback: nearness to the example, else how well the words fit, else chance."""
        return self._orders.get((session.key, "scores"), lambda: self._start_scores(session))

    def _start_scores(self, session: FeedbackSession) -> FloatArray:
        count = len(self.project.items)
        if session.example is not None:
            near = self._neighbourhood(session.features, session.metric).like_item(session.example, count - 1)
            scores = np.empty(count)
            scores[near.places] = -np.arange(1.0, count)  # ranks: they hold what is shown of equal scores too
            scores[session.example] = 0.0
            return scores
        words = self.project.queries[session.query].text if session.query is not None else ""
        if words and self.project.sources.index is not None:
            found = dict(self._index.search(words, limit=None, syntax="words"))
            return np.array([found.get(each.id, 0.0) for each in self.project.items])
        return np.random.default_rng(SEED).permutation(count).astype(np.float64)

    def start(self, session: FeedbackSession) -> IntArray:
        """All items before any feedback, without the example."""
        key = (session.key, "start")
        return self._orders.get(key, lambda: self._without_example(session, self.start_scores(session)))

    def first_shown(self, session: FeedbackSession) -> IntArray:
        return self.start(session)[:DISPLAY]

    def rank(self, session: FeedbackSession, method: Method, others: Sequence[FeedbackSession] = ()) -> RankedSession:
        """With the examples as they are now; what cannot be scored is a `SettingError` that says why.

        `others` are the sessions of everybody, which some methods learn from.
        """
        if reason := self.why_not(session, type(method)):
            raise SettingError(f"{method.name} cannot be used here: {reason}")
        items, places = self._ranked_items(session, method)
        earlier = [each for each in others if each.key != session.key and each.opinions]
        if "log" in method.needs and earlier:
            items = with_log(items, earlier)
        examples = self._examples(session, method, places)
        scored = method.scores(items, examples)
        if scored.failed[0]:
            raise SettingError(f"{method} cannot learn from these examples: {scored.failed[0]}")
        values = scored.values[0][places]
        order = self._without_example(session, values)
        key = _round_key(session.key, len(session.rounds), str(method), session.relevant, session.not_relevant)
        self._orders.get(key, lambda: order)
        next_ones = method.query(items, examples, scored, DISPLAY + 1)[0]  # the example may be one of them
        back = np.full(len(items), -1)
        back[places] = np.arange(len(places))
        seen = {*session.shown, *session.opinions, session.example}
        shown = [place for place in back[next_ones[next_ones >= 0]].tolist() if place >= 0 and place not in seen]
        return RankedSession(order, np.array(shown[:DISPLAY], dtype=np.int64), scored.flags[0])

    def order_of(
        self, session: FeedbackSession, done: SessionRound, others: Sequence[FeedbackSession] = ()
    ) -> IntArray:
        """The order of a round that was asked for, from the examples it learnt from."""
        if done.number == 0:
            return self.start(session)
        key = _round_key(session.key, done.number, done.method, done.relevant, done.not_relevant)
        opinions: Any = dict.fromkeys(done.relevant, "relevant") | dict.fromkeys(done.not_relevant, "not")
        then = replace(session, rounds=session.rounds[: done.number], opinions=opinions)
        return self._orders.get(key, lambda: self.rank(then, METHODS.parse(done.method), others).order)

    def _without_example(self, session: FeedbackSession, scores: FloatArray) -> IntArray:
        order = np.argsort(-scores, kind="stable")
        return order if session.example is None else order[order != session.example]

    # what a method is told

    def _examples(self, session: FeedbackSession, method: Method, places: IntArray) -> Examples:
        query = None
        if session.example is not None:
            query = self.items(session.features).matrix[session.example] if "words" not in method.needs else None
        known: dict[str, Any] = {}
        if "truth" in method.needs:
            label = target_class(self.project, session)
            target = [each.place for each in self.project.items if label and each.class_ == label]
            known["truth"] = places[np.array(target, dtype=np.int64)]
        picked = set(session.relevant)
        known["displays"] = [
            (places[list(each.shown)], places[[place for place in each.shown if place in picked]])
            for each in session.rounds
            if each.shown
        ]  # all methods show what was not shown before
        if "words" in method.needs:
            known["asked"] = [session.query]
        start = np.empty(len(places))
        start[places] = self.start_scores(session)
        return Examples.single(
            places[session.relevant], places[session.not_relevant], query=query, start=start, seeds=SEED, **known
        )

    def why_not(self, session: FeedbackSession, kind: type[Method]) -> str:
        """Why a method cannot be used in a session; empty where it can."""
        project = self.project
        words = project.queries[session.query].text if session.query is not None else ""
        if "words" in kind.needs and (not words or project.sources.index is None):
            return "it learns words, and there is no index of the texts, or no query in words"
        if "truth" in kind.needs and not target_class(project, session):
            return "it knows all relevant items, and the collection has no class for this search"
        if "words" not in kind.needs and not project.access.feature_names:
            return "it learns from features, and the project names none"
        if "counts" in kind.needs:
            if session.features not in self._least:
                self._least[session.features] = float(project.access.vectors(session.features).matrix.min())
            if self._least[session.features] < 0:
                return "it takes features for counts of words, and some of them are negative"
        return ""

    def _ranked_items(self, session: FeedbackSession, method: Method) -> tuple[Items, IntArray]:
        """The items that a method ranks, and where among them each item of the project is."""
        if "words" not in method.needs:
            return self.items(session.features), np.arange(len(self.project.items))
        from rankscope.feedback import TextItems

        name = session.query or ""
        made = TextItems.in_index(self._index, {name: self.project.queries[name].text})
        row = {each: number for number, each in enumerate(made.ids)}
        return made, np.array([row[each.id] for each in self.project.items], dtype=np.int64)

    def items(self, features: str) -> Items:
        with self._lock:
            if features not in self._items:
                self._items[features] = Items.of(self.project.access.vectors(features).matrix)
            return self._items[features]

    @cached_property
    def _index(self) -> Index:
        from rankscope.engines.text import Index

        assert self.project.sources.index is not None
        return Index.open(self.project.sources.index)


def _round_key(session: str, number: int, method: str, relevant: Iterable[int], others: Iterable[int]) -> Any:
    return session, number, method, tuple(relevant), tuple(others)


def with_log(items: Items, sessions: Sequence[FeedbackSession]) -> Items:
    log = np.zeros((len(sessions), len(items)), np.int8)
    for row, each in enumerate(sessions):
        log[row, each.relevant], log[row, each.not_relevant] = 1, -1
    return items.with_log(log)


def target_class(project: Project, session: FeedbackSession) -> str:
    """The class that is looked for: that of the example, else that of the query; empty where there is none."""
    if session.example is not None:
        return project.items[session.example].class_
    return project.queries[session.query].class_ if session.query is not None else ""


# Graphs of a session: what is known of it is drawn, and what is not says why.

BEFORE, AFTER = "before feedback", "with feedback"
NEEDS_ALL: Final = "recall needs all relevant items, and only {judged:,} of {items:,} items are judged"
MOST_ROWS: Final = 24  # of a table of numbers


@dataclass(frozen=True, eq=False)
class SessionGraph:
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
    title = "Precision at each scope"
    if lists.truth.is_complete and lists.truth.count:
        found = _whole("precision-scope", title, lists, graphs.precision_scope_graph)
        if found.graph is None:
            return found
        # in the words of one search: no means over queries, no notes on their number
        marks = [replace(mark, note="") if isinstance(mark, Stroke) else mark for mark in found.graph.marks]
        subtitle = generality_words(lists.systems())
        return replace(found, graph=replace(found.graph, title=title, subtitle=subtitle, marks=tuple(marks)))
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
    truth = lists.truth
    if not truth.is_complete:
        return SessionGraph(kind, title, None, NEEDS_ALL.format(judged=truth.judged, items=truth.items))
    if not truth.count:
        return SessionGraph(kind, title, None, "there is no other relevant item to be found")
    return SessionGraph(kind, title, make(lists.systems()))


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
        label = target_class(project, session)
        if not label:
            return None
        relevant = np.array([each.class_ == label for each in project.items], dtype=np.bool_)
        known = np.ones(len(relevant), np.bool_)
        return cls(relevant=relevant, known=known, example=session.example, name="class", label=label)

    @classmethod
    def by_marks(cls, project: Project, session: FeedbackSession) -> SessionTruth:
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
        return bool(self.known[self._others].all())

    @property
    def judged(self) -> int:
        return int(self.known[self._others].sum())

    @property
    def items(self) -> int:
        return int(self._others.sum())

    @property
    def count(self) -> int:
        return int(self.relevant[self._others].sum())

    def ranks(self, order: IntArray) -> IntArray:
        """Where the relevant items stand in an order, from 1 on."""
        return np.flatnonzero(self.relevant[order]) + 1

    def depth(self, order: IntArray) -> int:
        unknown = np.flatnonzero(~self.known[order])
        return int(unknown[0]) if unknown.size else len(order)

    def precision(self, order: IntArray) -> FloatArray:
        hits = np.cumsum(self.relevant[order[: self.depth(order)]])
        return hits / np.arange(1, hits.size + 1)

    def share(self, shown: tuple[int, ...]) -> float | None:
        """The share of relevant items of a display; None where some of it is not known."""
        places = list(shown)
        return float(self.relevant[places].mean()) if places and self.known[places].all() else None
