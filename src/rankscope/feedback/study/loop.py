"""The feedback loop: rank, show, mark, learn, and rank again; many sessions at once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.feedback.examples.best_items import best_items
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.scored import Scored
from rankscope.feedback.methods.method import Method, start_scores
from rankscope.feedback.methods.tolerance import tolerant_scores
from rankscope.feedback.study.display_quality import DisplayQuality, display_quality
from rankscope.feedback.study.history import History
from rankscope.feedback.study.protocol import ListName
from rankscope.feedback.study.scored_lists import Listed, scored_list
from rankscope.feedback.study.setting import Experiment
from rankscope.feedback.users.drawn_sessions import Sessions
from rankscope.feedback.users.draws import seed_of
from rankscope.ranks.relevant_ranks import RelevantRanks

AT_ONCE = 1024  # sessions in a block, at most


@dataclass(frozen=True, eq=False)
class Round:
    """One round of a block of sessions: the list that is scored, what was shown, and from how many examples."""

    number: int
    ranks: RelevantRanks
    shown: DisplayQuality
    displayed: IntArray  # sessions x places; -1 in empty ones
    unjudged: IntArray  # how many items of the display nobody has judged
    positives: IntArray
    negatives: IntArray
    seconds: FloatArray  # to the ranking, a session's share of its block
    flags: tuple[str, ...]
    failed: tuple[str, ...]


def rounds(method: Method, setting: Experiment, sessions: Sessions) -> Iterator[Round]:
    """All rounds of a block of sessions, from 0; a session that fails stays as it is and shows nothing more."""
    yield from SessionBlock(method, setting, sessions).rounds()


def block_size(items: Items, sessions: int | None = None) -> int:
    """So many sessions are worked on at once; of few sessions each core gets its share."""
    share = AT_ONCE if sessions is None else -(-sessions // (os.cpu_count() or 1))
    return max(1, min(AT_ONCE, items.sessions_at_once, share))


def _begun(scored: Scored, start: FloatArray, begun: BoolArray) -> Scored:
    """The ranking that sessions begin with, where they have one."""
    flags, failed = (
        tuple("" if first else text for text, first in zip(texts, begun.tolist(), strict=True))
        for texts in (scored.flags, scored.failed)
    )
    return Scored(np.where(begun[:, None], start, scored.values), flags, failed)


class SessionBlock:
    """A block of sessions on its way; `current` are the scores of the round that `rounds` gave last."""

    def __init__(self, method: Method, setting: Experiment, sessions: Sessions) -> None:
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
        self.names = sessions.names(self.topics)
        self.asked = np.array([self.topics.names[row] for row in sessions.topic.tolist()], dtype=np.str_)
        self.units = [self.topics.units[row] for row in sessions.topic.tolist()]
        self.displays: list[IntArray] = []
        self.same: Scored | None = None  # scores that no feedback changes
        self.current = Scored.plain(np.empty((0, len(self.items))))
        self.state = method.block_state(self.items, len(sessions), self.protocol.examples_only_grow)

    def rounds(self) -> Iterator[Round]:
        """Round after round; `seen` is what was shown before the round given."""
        before: DisplayQuality | None = None
        for number in range(self.protocol.rounds + 1):
            examples = self._examples()
            began = perf_counter()
            self.current = scored = self._scored(number, examples)
            seconds = (perf_counter() - began) / max(len(self.sessions), 1)
            displayed = self._displayed(number, examples, scored)
            self.displays.append(displayed)
            before = self._quality(displayed, before)
            yield Round(
                number=number,
                ranks=self.listed(self.protocol.scored),
                shown=before,
                displayed=displayed,
                unjudged=self._unjudged(displayed),
                positives=examples.positives.lengths,
                negatives=examples.negatives.lengths,
                seconds=np.full(len(self.sessions), seconds),
                flags=scored.flags,
                failed=scored.failed,
            )
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
        examples = Examples(
            self.history.side(1),
            self.history.side(-1),
            self.sessions.seed,
            queries=queries,
            displays=displays,
            asked=self.asked,
        )
        return self.state.complete_examples(examples)

    @property
    def _tells_displays(self) -> bool:
        return bool(self.history.shown) and ("displays" in self.method.needs or self.protocol.display == "informative")

    def _scored(self, number: int, examples: Examples) -> Scored:
        """The method's scores; before feedback those of the start, for all methods alike but the controls."""
        if "truth" in self.method.needs:
            self.same = self.same or self._by_topic()
            return self.same
        begun = self.setting.start.ranked(self.sessions) & (number == 0 and self.method.needs_positives)
        if begun.any() or not self.method.needs_positives or bool(examples.without_positives.any()):
            examples = replace(examples, start=self._start(examples))
        if begun.all():
            return Scored.plain(start_scores(self.items, examples))
        scored = self.state.scores(examples)
        return scored if not begun.any() else _begun(scored, start_scores(self.items, examples), begun)

    def _start(self, examples: Examples) -> FloatArray | None:
        """The ranking each session begins with; where it has none of its own, nearness to its query."""
        rows = self.setting.start.scores(self.sessions, len(self.items))
        if rows is None or not np.isnan(rows).any():
            return rows
        return np.where(np.isnan(rows), start_scores(self.items, examples), rows)

    def _by_topic(self) -> Scored:
        """Scores of a control that knows the truth: one row for each target serves all its sessions."""
        rows, number = np.unique(self.sessions.scored, return_inverse=True)
        truth = self.topics.members.take(rows).lists("item")
        seeds = [seed_of("truth", self.topics.labels[row]) for row in rows.tolist()]
        scores = tolerant_scores(self.method, self.items, Examples.of([[]] * rows.size, truth=truth, seeds=seeds))
        flags, failed = (tuple(texts[place] for place in number.tolist()) for texts in (scores.flags, scores.failed))
        return Scored(scores.values[number], flags, failed)

    def _displayed(self, number: int, examples: Examples, scored: Scored) -> IntArray:
        """What the user sees next; nothing where the session failed."""
        out = self.given if self.protocol.show_seen else self.given | self.seen
        out = out if self.half is None else out | ~self.half
        good = scored.good
        if self.protocol.display == "informative" and number > 0:
            wanted = self._asked_for(examples, scored, out)
        else:
            wanted = best_items(scored.values, out, self.protocol.scope)
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

    def _unjudged(self, displayed: IntArray) -> IntArray:
        judged = self.topics.is_judged(self.sessions.topic[:, None], np.maximum(displayed, 0))
        return ((displayed >= 0) & ~judged).sum(axis=1)

    def listed(self, name: ListName, seen: BoolArray | None = None) -> RelevantRanks:
        """A list of the round that `rounds` gave last; `seen` takes the place of what this method has shown."""
        empty = np.empty(0, np.int64)
        places = self.history.first_places() if name == "frozen" else (empty, empty, empty)
        taken = self.seen if seen is None else seen
        return scored_list(
            name,
            self.current.values,
            Listed(
                relevant=self.relevant, query=self.query, given=self.given, seen=taken, places=places, half=self.half
            ),
            system=str(self.method),
            queries=self.names,
            classes=self.units,
            provenance=self.setting.provenance,
        )

    def _mark(self, displayed: IntArray) -> None:
        marked = self.setting.marker.marked(self.sessions, displayed)
        self.history.add(displayed, marked, self.setting.marker)
        row, place = np.nonzero(displayed >= 0)
        self.seen[row, displayed[row, place]] = True
        self.state.note_marks(*((marked.said == sign).sum(axis=1) for sign in (1, -1)))
