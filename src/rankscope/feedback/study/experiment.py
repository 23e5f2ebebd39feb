"""What all methods of an experiment share: items, topics, how sessions begin, who marks, and the protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args
from typing import Protocol as Interface

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.core.validation import COUNT, FLAG, OneOf, Optional, WholeNumber, check_fields
from rankscope.feedback.examples.examples import stratified_folds
from rankscope.feedback.examples.items import Items
from rankscope.feedback.users.starts import OneQuery, Start
from rankscope.feedback.users.topics import Topics
from rankscope.feedback.users.users import Consistent, Displays, Judge, Said, Sessions, User, seed_of, uniform


@dataclass(frozen=True, eq=False)
class Experiment:
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
        ids: Sequence[str] = (),
        seed: int = 0,
    ) -> Experiment:
        """A simulated user (consistent unless told) or another marker, beginning with one query unless told.

        `ids` name the items to users who see them; without them users see numbers.
        """
        if topics.items != len(items):
            raise SettingError(f"topics speak of {topics.items} items, but there are {len(items)}")
        how = Protocol() if protocol is None else protocol
        marks = ByUser(Consistent() if user is None else user, topics, how, ids) if marker is None else marker
        halves = None
        if how.scored == "split":  # a random half of each target and of the rest
            each = zip(topics.targets, topics.labels, strict=True)
            folds = [stratified_folds(target, 2, seed=seed_of("halves", label, seed)) for target, label in each]
            halves = np.array([own.fold == 0 for own in folds])
        return cls(
            items=items,
            topics=topics,
            start=OneQuery() if start is None else start,
            protocol=how,
            marker=marks,
            halves=halves,
        )

    def sessions(self, count: int, seed: int = 0) -> Sessions:
        """So many sessions of each topic, the same ones for every method."""
        return self.start.drawn(self.topics, count, seed, self.halves)

    @property
    def provenance(self) -> dict[str, Any]:
        """What every ranking tells about itself."""
        about = {**self.protocol.settings(), "start": str(self.start)}
        pooled = {} if self.topics.judged is None else {"unjudged": "count as irrelevant"}
        return {"judgements": {"complete": True, **pooled}, "settings": {"ties": "position"}, "feedback": about}


ListName = Literal["full", "residual", "frozen", "split"]
Choice = Literal["top_ranked", "random"]
DisplayName = Literal["best", "informative"]
Remember = Literal["accumulate", "latest", "deletions"]
Unjudged = Literal["silent", "irrelevant"]


@dataclass(frozen=True)
class Protocol:
    """How far the user looks, how often, what he marks of it, and which list is scored.

    `frozen`, the usual list, is the whole session: what was shown keeps its place. `residual` is for one method against
    its own past; it differs by method, so that two are compared only on what neither has shown, and more not at all.

    Round 0 is the ranking before feedback; round t the one after t displays have been marked. `k_pos` and `k_neg` are
    the most a user marks of a display, None all of them; `choice` says which. `informative`: the method chooses what it
    wants to be told, which is no measure of quality. `latest` forgets all displays but the last, not what was given at
    the start. With `deletions` the user looks again at all examples after each round, and takes back those of another
    mind. Of items that nobody has judged the user says nothing (`silent`), or takes them for irrelevant; measures count
    them as irrelevant in either case.
    """

    scope: int = 20
    rounds: int = 5
    k_pos: int | None = None
    k_neg: int | None = None
    choice: Choice = "top_ranked"
    display: DisplayName = "best"
    show_seen: bool = False
    remember: Remember = "accumulate"
    scored: ListName = "frozen"
    unjudged: Unjudged = "silent"

    def __post_init__(self) -> None:
        marks = Optional(WholeNumber(least=0))
        words = {"choice": Choice, "display": DisplayName, "remember": Remember, "scored": ListName}
        words |= {"unjudged": Unjudged}
        check_fields(
            self,
            scope=COUNT,
            rounds=WholeNumber(least=0),
            k_pos=marks,
            k_neg=marks,
            show_seen=FLAG,
            **{name: OneOf(get_args(kind)) for name, kind in words.items()},
        )

    @property
    def examples_only_grow(self) -> bool:
        """Whether no round takes back an example, or shows an item that was judged before."""
        return self.remember == "accumulate" and not self.show_seen

    def settings(self) -> dict[str, Any]:
        return asdict(self)


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
        """Whether a second look at earlier examples comes to the same mark; who takes them back when marking agrees."""
        return np.ones(row.size, np.bool_)


@dataclass(frozen=True, eq=False)
class ByUser:
    """A simulated user who marks as much as the protocol asks."""

    user: User
    topics: Topics
    protocol: Protocol
    ids: Sequence[str] = ()  # of the items, for users who see them

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
                # which one of those he would mark each is, from 1, as he comes to them
                counted = np.cumsum(np.take_along_axis(said == side, order, axis=1), axis=1, dtype=np.int64)
                number = np.empty_like(counted)
                np.put_along_axis(number, order, counted, axis=1)
                said = np.where((said == side) & (number > most), 0, said).astype(np.int8)
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


@dataclass(frozen=True, eq=False)
class ByJudge(Marker):
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
