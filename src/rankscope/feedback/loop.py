"""The feedback loop: rank, show, mark, learn, and rank again; many sessions at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.errors import SettingError
from rankscope.feedback.display_quality import DisplayQuality, display_quality
from rankscope.feedback.drawn_sessions import Sessions
from rankscope.feedback.draws import seed_of
from rankscope.feedback.examples import Examples
from rankscope.feedback.folds import stratified_folds
from rankscope.feedback.history import History
from rankscope.feedback.hit_ranks import best_items
from rankscope.feedback.items import Items
from rankscope.feedback.marking import ByUser, Marker
from rankscope.feedback.method import Method, start_scores
from rankscope.feedback.methods.retin import Retin
from rankscope.feedback.protocol import Protocol
from rankscope.feedback.scored import Scored
from rankscope.feedback.scored_lists import Listed, scored_list
from rankscope.feedback.starts import OneQuery, Start
from rankscope.feedback.tolerance import tolerant_scores
from rankscope.feedback.topics import Topics
from rankscope.feedback.users import Consistent, User
from rankscope.ranks.relevant_ranks import RelevantRanks

AT_ONCE = 1024  # sessions in a block, at most


@dataclass(frozen=True, eq=False)
class Setting:
    """What all methods of an experiment share."""

    items: Items
    topics: Topics
    start: Start
    protocol: Protocol
    marker: Marker
    halves: BoolArray | None = None  # topics x items: what feedback may come from, where the list is split

    @classmethod
    def of(
        cls,
        items: Items,
        topics: Topics,
        user: User | None = None,
        start: Start | None = None,
        protocol: Protocol | None = None,
        *,
        marker: Marker | None = None,
        seed: int = 0,
    ) -> Setting:
        """A simulated user (consistent unless told) or another marker, beginning with one query unless told."""
        if topics.items != len(items):
            raise SettingError(f"topics speak of {topics.items} items, but there are {len(items)}")
        how = Protocol() if protocol is None else protocol
        marks = ByUser(Consistent() if user is None else user, topics, how) if marker is None else marker
        halves = feedback_halves(topics, seed) if how.scored == "split" else None
        return cls(items, topics, OneQuery() if start is None else start, how, marks, halves)

    def sessions(self, count: int, seed: int = 0) -> Sessions:
        """So many sessions of each topic, the same ones for every method."""
        return self.start.drawn(self.topics, count, seed, self.halves)

    @property
    def provenance(self) -> dict[str, Any]:
        """What every ranking tells about itself."""
        about = {**self.protocol.settings(), "start": str(self.start)}
        return {"judgements": {"complete": True}, "settings": {"ties": "position"}, "feedback": about}


@dataclass(frozen=True, eq=False)
class Round:
    """One round of a block of sessions: the list that is scored, what was shown, and from how many examples."""

    number: int
    ranks: RelevantRanks
    shown: DisplayQuality
    displayed: IntArray  # sessions x places; -1 in empty ones
    positives: IntArray
    negatives: IntArray
    seconds: FloatArray  # to the ranking, a session's share of its block
    flags: tuple[str, ...]
    failed: tuple[str, ...]


def rounds(method: Method, setting: Setting, sessions: Sessions) -> Iterator[Round]:
    """All rounds of a block of sessions, from 0; a session that fails stays as it is and shows nothing more."""
    yield from _Block(method, setting, sessions).rounds()


def block_size(items: Items) -> int:
    """So many sessions are worked on at once."""
    return min(AT_ONCE, items.sessions_at_once)


def feedback_halves(topics: Topics, seed: int = 0) -> BoolArray:
    """Topics x items: a random half of each target and of the rest, where feedback may come from."""
    folds = [
        stratified_folds(target, 2, seed=seed_of("halves", label, seed)).fold == 0
        for target, label in zip(topics.targets, topics.labels, strict=True)
    ]
    return np.array(folds)


class _Block:
    """A block of sessions on its way."""

    def __init__(self, method: Method, setting: Setting, sessions: Sessions) -> None:
        self.method, self.setting, self.sessions = method, setting, sessions
        self.items, self.protocol, self.topics = setting.items, setting.protocol, setting.topics
        shape = (len(sessions), len(self.items))
        self.history = History(sessions, len(self.items), self.protocol)
        self.query, self.given, self.seen = (np.zeros(shape, np.bool_) for _ in range(3))
        asked = np.flatnonzero(sessions.query >= 0)
        self.query[asked, sessions.query[asked]] = True
        self.given[self.history.given_items] = True
        self.half = None if setting.halves is None else setting.halves[sessions.topic]
        self.relevant = self.topics.members.take(sessions.scored)
        self.around = np.full(len(sessions), method.first_rank) if isinstance(method, Retin) else None
        self.names = sessions.names(self.topics)
        self.classes = [self.topics.names[row] for row in sessions.topic.tolist()]
        self.same: Scored | None = None  # scores that no feedback changes

    def rounds(self) -> Iterator[Round]:
        before: DisplayQuality | None = None
        for number in range(self.protocol.rounds + 1):
            examples = self._examples()
            began = perf_counter()
            scored = self._scored(number, examples)
            seconds = (perf_counter() - began) / max(len(self.sessions), 1)
            displayed = self._displayed(number, examples, scored)
            before = self._quality(displayed, before)
            yield Round(
                number, self._list(scored), before, displayed, examples.positives.lengths, examples.negatives.lengths,
                np.full(len(self.sessions), seconds), scored.flags, scored.failed,
            )  # fmt: skip
            if number < self.protocol.rounds:
                self._mark(displayed)

    def _examples(self) -> Examples:
        """What the method is told."""
        asked = self.sessions.query >= 0
        queries = None
        if asked.any():
            queries = self.items.matrix[np.maximum(self.sessions.query, 0)].astype(np.float64)
            queries[~asked] = np.nan
        displays = self.history.displays if self._tells_displays else None
        made = Examples(self.history.side(1), self.history.side(-1), self.sessions.seed, queries, None, None, displays)
        return made if self.around is None else replace(made, around=self.around)

    @property
    def _tells_displays(self) -> bool:
        return bool(self.history.shown) and ("displays" in self.method.needs or self.protocol.display == "informative")

    def _scored(self, number: int, examples: Examples) -> Scored:
        """The method's scores; before feedback those of the start, for all methods alike but the controls."""
        if "truth" in self.method.needs:
            self.same = self.same or self._by_topic()
            return self.same
        first = number == 0 and self.setting.start.ranks and self.method.needs_positives
        if first or not self.method.needs_positives or bool(examples.without_positives.any()):
            examples = replace(examples, start=self.setting.start.scores(self.sessions, len(self.items)))
        return (
            Scored.plain(start_scores(self.items, examples))
            if first
            else tolerant_scores(self.method, self.items, examples)
        )

    def _by_topic(self) -> Scored:
        """Scores of a control that knows the truth: one row for each target serves all its sessions."""
        rows, number = np.unique(self.sessions.scored, return_inverse=True)
        truth = self.topics.members.take(rows).lists("item")
        seeds = [seed_of("truth", self.topics.labels[row]) for row in rows.tolist()]
        made = tolerant_scores(self.method, self.items, Examples.of([[]] * rows.size, truth=truth, seeds=seeds))
        flags, failed = (tuple(texts[place] for place in number.tolist()) for texts in (made.flags, made.failed))
        return Scored(made.values[number], flags, failed)

    def _displayed(self, number: int, examples: Examples, scored: Scored) -> IntArray:
        """What the user sees next; nothing where the session failed."""
        out = self.given if self.protocol.show_seen else self.given | self.seen
        out = out if self.half is None else out | ~self.half
        good = scored.good
        if self.protocol.display == "informative" and number > 0:
            wanted = self._asked_for(examples, scored, out)
        else:
            wanted = best_items(np.where(good[:, None], scored.values, 0.0), out, self.protocol.scope)
        return np.where(good[:, None], wanted, -1)

    def _asked_for(self, examples: Examples, scored: Scored, out: BoolArray) -> IntArray:
        """The method's own choice among the items that may be shown."""
        open_only = Scored(np.where(out, -np.inf, scored.values), scored.flags, scored.failed)
        with np.errstate(invalid="ignore"):
            chosen = self.method.query(self.items, examples, open_only, self.protocol.scope)
        allowed = ~np.take_along_axis(out, np.maximum(chosen, 0), axis=1)
        return np.where((chosen >= 0) & allowed, chosen, -1)

    def _quality(self, displayed: IntArray, before: DisplayQuality | None) -> DisplayQuality:
        places = np.maximum(displayed, 0)
        hit = self.topics.targets[self.sessions.scored[:, None], places]
        seen = np.take_along_axis(self.seen, places, axis=1)
        reachable = ~self.given[self.relevant.row, self.relevant["item"]]
        if self.half is not None:
            reachable &= self.half[self.relevant.row, self.relevant["item"]]
        return display_quality(displayed, hit, seen, self.relevant.count(reachable), before)

    def _list(self, scored: Scored) -> RelevantRanks:
        frozen = self.protocol.scored == "frozen"
        empty = np.empty(0, np.int64)
        places = self.history.first_places() if frozen else (empty, empty, empty)
        listed = Listed(self.relevant, self.query, self.given, self.seen, places, self.half)
        return scored_list(
            self.protocol.scored, scored.values, listed, system=str(self.method), queries=self.names,
            classes=self.classes, provenance=self.setting.provenance,
        )  # fmt: skip

    def _mark(self, displayed: IntArray) -> None:
        marked = self.setting.marker.marked(self.sessions, displayed)
        self.history.add(displayed, marked, self.setting.marker)
        row, place = np.nonzero(displayed >= 0)
        self.seen[row, displayed[row, place]] = True
        if self.around is not None and isinstance(self.method, Retin):
            hits, misses = ((marked.said == sign).sum(axis=1) for sign in (1, -1))
            self.around = self.method.next_rank(self.around, hits, misses)
