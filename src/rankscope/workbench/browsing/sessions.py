"""Sessions of relevance feedback, rebuilt from the journal: what was begun, marked and asked, event by event.

Every step is an event of kind `round`. Its detail names the session by the key of the event that began it, and says
what was `done`: `begin`, `mark` or `round`. Items stand in it by their places in the collection.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from rankscope.workbench.store.events import Event, MarkEvent

Opinion = Literal["relevant", "not", "open"]
OPINIONS: tuple[Opinion, ...] = ("relevant", "not", "open")
DISPLAY = 20  # items shown in a round


@dataclass(frozen=True)
class SessionRound:
    """What was shown after a method had learnt from examples; round 0 is the ranking before feedback."""

    number: int
    method: str
    relevant: tuple[int, ...]
    not_relevant: tuple[int, ...]
    shown: tuple[int, ...]
    at_us: int
    note: str = ""  # the rule that stood in for the method, if one did


@dataclass(eq=False)
class FeedbackSession:
    """One search of somebody: what they began with, their examples now, and the rounds so far."""

    number: int
    key: str
    assessor: int
    query: str | None  # of the project
    example: int | None  # the place of an item
    features: str
    metric: str
    rounds: list[SessionRound] = field(default_factory=list)
    opinions: dict[int, Opinion] = field(default_factory=dict)  # by place, in the order of marking

    @property
    def relevant(self) -> list[int]:
        return [place for place, opinion in self.opinions.items() if opinion == "relevant"]

    @property
    def not_relevant(self) -> list[int]:
        return [place for place, opinion in self.opinions.items() if opinion == "not"]

    @property
    def last(self) -> SessionRound:
        return self.rounds[-1]

    @property
    def shown(self) -> list[int]:
        return list(dict.fromkeys(place for each in self.rounds for place in each.shown))

    def apply(self, event: Event) -> None:
        detail = event.details
        if detail["done"] == "mark":
            for place in detail["items"]:
                self.opinions.pop(place, None)
                if detail["as"] != "open":
                    self.opinions[place] = detail["as"]
            return
        self.rounds.append(
            SessionRound(
                number=len(self.rounds),
                method=detail.get("method", ""),
                relevant=tuple(detail.get("relevant", ())),
                not_relevant=tuple(detail.get("not", ())),
                shown=tuple(detail["shown"]),
                at_us=event.at_us,
                note=detail.get("note", ""),
            )
        )


@dataclass(eq=False)
class SessionLog:
    """All sessions of a project, by number from 1 on; call `read` before looking, to go on with what is new."""

    sessions: list[FeedbackSession] = field(default_factory=list)
    _by_key: dict[tuple[int, str], FeedbackSession] = field(default_factory=dict)
    _read: int = 0

    def read(self, events: Sequence[Event]) -> None:
        until = len(events)
        for event in events[self._read : until]:
            if event.kind == "round" and "session" in event.details:
                self._take(event)
        self._read = until

    def _take(self, event: Event) -> None:
        detail = event.details
        key = (event.assessor, detail["session"])
        if detail["done"] == "begin":
            session = FeedbackSession(
                number=len(self.sessions) + 1,
                key=event.key,
                assessor=event.assessor,
                query=event.query,
                example=detail.get("example"),
                features=detail["features"],
                metric=detail["metric"],
            )
            if session.example is not None:
                session.opinions[session.example] = "relevant"
            self.sessions.append(session)
            self._by_key[key] = session
        if key in self._by_key:
            self._by_key[key].apply(event)

    def of(self, assessor: int) -> list[FeedbackSession]:
        return [each for each in self.sessions if each.assessor == assessor]


def begin_mark(session: FeedbackSession, shown: Iterable[int]) -> MarkEvent:
    example = {} if session.example is None else {"example": session.example}
    detail = {"done": "begin", "features": session.features, "metric": session.metric, **example, "shown": list(shown)}
    return _mark(session, session.key, detail)


def opinion_mark(session: FeedbackSession, key: str, places: Iterable[int], opinion: Opinion) -> MarkEvent:
    return _mark(session, key, {"done": "mark", "as": opinion, "items": list(places)})


def round_mark(session: FeedbackSession, key: str, method: str, shown: Iterable[int], note: str = "") -> MarkEvent:
    learnt_from = {"relevant": session.relevant, "not": session.not_relevant}
    detail = {"done": "round", "method": method, **learnt_from, "shown": list(shown)}
    return _mark(session, key, {**detail, "note": note} if note else detail)


def _mark(session: FeedbackSession, key: str, detail: dict[str, Any]) -> MarkEvent:
    about = {"session": session.key, **detail}
    return MarkEvent(assessor=session.assessor, key=key, kind="round", query=session.query, detail=about)
