"""What a feedback method makes of a session: all items in a new order, and those to show next."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.caching import Recent
from rankscope.core.errors import SettingError
from rankscope.feedback import Examples, Items, Method
from rankscope.feedback.methods import METHODS
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
        """What is shown before any feedback."""
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
            known["truth"] = places[np.array(self._target(session), dtype=np.int64)]
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

    def _target(self, session: FeedbackSession) -> list[int]:
        label = target_class(self.project, session)
        return [each.place for each in self.project.items if label and each.class_ == label]

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
        """The vectors of a feature file, as methods take them."""
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
    """Items together with what was marked in other sessions."""
    log = np.zeros((len(sessions), len(items)), np.int8)
    for row, each in enumerate(sessions):
        log[row, each.relevant], log[row, each.not_relevant] = 1, -1
    return items.with_log(log)


def target_class(project: Project, session: FeedbackSession) -> str:
    """The class that is looked for: that of the example, else that of the query; empty where there is none."""
    if session.example is not None:
        return project.items[session.example].class_
    return project.queries[session.query].class_ if session.query is not None else ""
