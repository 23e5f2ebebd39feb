"""How displays get marks: by a simulated user, all sessions at once, or by a judge, one session after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol as Interface

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.feedback.study.protocol import Protocol
from rankscope.feedback.users.drawn_sessions import Sessions
from rankscope.feedback.users.draws import uniform
from rankscope.feedback.users.judge import Judge
from rankscope.feedback.users.topics import Topics
from rankscope.feedback.users.users import Displays, Said, User


@dataclass(frozen=True, eq=False)
class Marked:
    """What was said of each place of each display, and the grade (goodness) of what was picked."""

    said: Said
    grades: FloatArray
    deleted: tuple[IntArray, IntArray] | None = None  # sessions and items taken back


class Marker(Interface):
    """Marks displays, sessions x places, with -1 in empty places."""

    def marked(self, sessions: Sessions, shown: IntArray) -> Marked:
        """Marks of one display of each session."""

    def agrees(self, sessions: Sessions, row: IntArray, item: IntArray, mark: IntArray, number: int) -> BoolArray:
        """Whether a second look at earlier examples comes to the same mark."""


@dataclass(frozen=True, eq=False)
class ByUser:
    """A simulated user who marks as much as the protocol asks."""

    user: User
    topics: Topics
    protocol: Protocol
    ids: Sequence[str] = ()  # of the items, for users who see them

    def asked_for_all(self) -> ByUser:
        """The same user, asked for every item of a display."""
        return replace(self, protocol=replace(self.protocol, k_pos=None, k_neg=None))

    def marked(self, sessions: Sessions, shown: IntArray) -> Marked:
        """What the user says of all displays, but for what he is not asked."""
        items = np.maximum(shown, 0)
        look = Displays(
            gains=self.topics.gains(sessions.topic[:, None], items),
            seeds=sessions.seed,
            items=items,
            there=shown >= 0,
            wanted=self.protocol.k_pos,
            topics=self._topics(sessions.topic),
            ids=self.ids,
        )
        said = self.user.says(look)
        if self.protocol.unjudged == "silent":
            said = np.where(self.topics.is_judged(sessions.topic[:, None], items), said, 0).astype(np.int8)
        order = self._order(sessions, items)
        for side, most in ((1, self.protocol.k_pos), (-1, self.protocol.k_neg)):
            if most is not None:
                said = np.where((said == side) & (_place(said == side, order) > most), 0, said).astype(np.int8)
        return Marked(said, np.where(said > 0, self.user.worth(look), -1.0))

    def _topics(self, rows: IntArray) -> list[str]:
        names = self.topics.labels
        return [names[row] for row in rows.tolist()]

    def agrees(self, sessions: Sessions, row: IntArray, item: IntArray, mark: IntArray, number: int) -> BoolArray:
        """The user looks again at each, and may err in another way."""
        gains = self.topics.gains(sessions.topic[row], item)
        there = np.ones((row.size, 1), np.bool_)
        look = Displays(
            gains=gains[:, None],
            seeds=sessions.seed[row],
            items=item[:, None],
            there=there,
            wanted=0,
            purpose=f"look again {number}",
            topics=self._topics(sessions.topic[row]),
            ids=self.ids,
        )
        said = self.user.says(look)[:, 0]
        return (said == mark) | (said == 0)

    def _order(self, sessions: Sessions, items: IntArray) -> IntArray:
        """The places of each display in the order in which the user comes to them."""
        if self.protocol.choice == "top_ranked":
            return np.broadcast_to(np.arange(items.shape[1]), items.shape)
        key = uniform(np.broadcast_to(sessions.seed[:, None], items.shape), items, "choice")
        return np.argsort(key, axis=1, kind="stable")


def _place(chosen: BoolArray, order: IntArray) -> IntArray:
    """Which one of the chosen each is, from 1, in the given order of places."""
    counted = np.cumsum(np.take_along_axis(chosen, order, axis=1), axis=1, dtype=np.int64)
    place = np.empty_like(counted)
    np.put_along_axis(place, order, counted, axis=1)
    return place


@dataclass(frozen=True, eq=False)
class ByJudge:
    """A judge, a person perhaps, who is asked session by session and sees ids."""

    judge: Judge
    topics: Topics
    ids: Sequence[str]

    def marked(self, sessions: Sessions, shown: IntArray) -> Marked:
        """Each display is shown by itself."""
        said = np.zeros(shown.shape, np.int8)
        number = {name: place for place, name in enumerate(self.ids)}
        rows: list[int] = []
        back: list[int] = []
        for row, (topic, display) in enumerate(zip(sessions.topic.tolist(), shown.tolist(), strict=True)):
            ids = [self.ids[item] for item in display if item >= 0]
            if not ids:
                continue
            marks = self.judge.mark(self.topics.labels[topic], ids)
            marks.check(ids)
            for side, names in ((1, marks.relevant), (-1, marks.irrelevant)):
                said[row, np.isin(shown[row], [number[name] for name in names])] = side
            rows += [row] * len(marks.deleted)
            back += [number[name] for name in marks.deleted]
        return Marked(said, np.where(said > 0, 1.0, -1.0), (np.array(rows, np.int64), np.array(back, np.int64)))

    def agrees(self, sessions: Sessions, row: IntArray, item: IntArray, mark: IntArray, number: int) -> BoolArray:
        """A judge takes examples back when marking."""
        return np.ones(row.size, np.bool_)
