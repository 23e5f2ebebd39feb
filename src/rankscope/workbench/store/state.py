"""What the journal says now: the marks that stand, what can be undone, which keys were used. Rebuilt from events."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from rankscope.workbench.store.events import ANSWERS, LASTING, Event, MarkEvent, Refused

Pair: TypeAlias = tuple[str, str]  # query and item


@dataclass
class State:
    """The sum of all events so far. Events are applied in the order of the journal, and never twice."""

    events: list[Event] = field(default_factory=list)
    keys: dict[tuple[int, str], int] = field(default_factory=dict)  # the event that each assessor's key made
    done: dict[int, list[int]] = field(default_factory=dict)  # what each assessor may undo, in order
    answers: dict[Pair, dict[int, Event]] = field(default_factory=dict)  # what each assessor says now
    repeats: dict[Pair, dict[int, Event]] = field(default_factory=dict)  # the same of questions asked a second time
    comments: dict[Pair, list[Event]] = field(default_factory=dict)
    rulings: dict[Pair, list[Event]] = field(default_factory=dict)  # what adjudicators say; the last one counts
    preferences: dict[str, list[Event]] = field(default_factory=dict)  # which of two systems people prefer, by query
    draws: dict[tuple[int, str], Event] = field(default_factory=dict)  # of pool and query: the sample was drawn
    surveys: list[Event] = field(default_factory=list)  # questionnaires that were filled in
    ended: set[str] = field(default_factory=set)  # sessions of the pages that somebody ended
    undone: set[int] = field(default_factory=set)
    replaced: dict[int, Event] = field(default_factory=dict)  # what the same assessor had said of the item before

    @classmethod
    def of(cls, events: Iterable[Event]) -> State:
        state = cls()
        with without_collecting():
            state.apply(events)
        return state

    @property
    def last(self) -> int:
        """The number of the last event; 0 where there is none."""
        return len(self.events)

    @property
    def at_us(self) -> int:
        """When the last event was, in microseconds since 1970."""
        return self.events[-1].at_us if self.events else 0

    def apply(self, events: Iterable[Event]) -> None:
        """Go on with these; an event out of order means that the journal was changed behind our back."""
        for event in events:
            number, assessor = event.id, event.assessor
            if number != len(self.events) + 1:
                raise Refused(f"the journal has event {number} where {len(self.events) + 1} belongs: it was changed")
            self.events.append(event)
            self.keys[assessor, event.key] = number
            if event.kind == "undo":
                self._take_back(event)
                continue
            if event.kind in LASTING:
                self.surveys += [event] if event.kind == "survey" else []
                if event.kind == "leave":
                    self.ended.add(event.key)
                continue
            if assessor not in self.done:
                self.done[assessor] = []
            self.done[assessor].append(number)
            self._add(event, assessor)

    def _add(self, event: Event, assessor: int) -> None:
        pair = (event.query or "", event.item or "")
        if event.kind in ANSWERS:
            table = self.repeats if event.detail is not None and event.is_repeat else self.answers
            said = table.get(pair)
            if said is None:
                table[pair] = {assessor: event}
            else:
                if assessor in said:
                    self.replaced[event.id] = said[assessor]
                said[assessor] = event
        elif event.kind == "comment":
            self.comments.setdefault(pair, []).append(event)
        elif event.kind == "adjudicate":
            self.rulings.setdefault(pair, []).append(event)
        elif event.kind == "prefer":
            self.preferences.setdefault(pair[0], []).append(event)
        elif event.kind == "draw":
            self.draws[event.pool or 0, pair[0]] = event

    def _take_back(self, undo: Event) -> None:
        """What an undo names stands no more; what stood before it does again."""
        event = self.events[(undo.of or 0) - 1]
        self.undone.add(event.id)
        pair = (event.query or "", event.item or "")
        if event.kind == "comment":
            self.comments[pair].remove(event)
        elif event.kind == "adjudicate":
            self.rulings[pair].remove(event)
        elif event.kind == "prefer":
            self.preferences[pair[0]].remove(event)
        elif event.kind in ANSWERS:
            said = (self.repeats if event.is_repeat else self.answers)[pair]
            if said[event.assessor] is event:
                # The last answer before this one that was not undone itself, if there is one.
                before = self.replaced.get(event.id)
                while before is not None and before.id in self.undone:
                    before = self.replaced.get(before.id)
                if before is None:
                    del said[event.assessor]
                else:
                    said[event.assessor] = before

    def event(self, number: int) -> Event | None:
        """The event of a number; None where there is none."""
        return self.events[number - 1] if 0 < number <= len(self.events) else None

    def known(self, assessor: int, key: str) -> Event | None:
        """The event that this key made before."""
        number = self.keys.get((assessor, key))
        return None if number is None else self.events[number - 1]

    def answer(self, assessor: int, pair: Pair) -> Event | None:
        """What an assessor says of an item now; None where nothing stands."""
        return self.answers.get(pair, {}).get(assessor)

    def counted(self, pair: Pair) -> list[Event]:
        """The grades of an item that count: the last one of each assessor, without surplus ones."""
        said = self.answers.get(pair)
        return [each for each in said.values() if each.kind == "grade" and not each.is_surplus] if said else []

    def ruling(self, pair: Pair) -> Event | None:
        """What an adjudicator said of an item last and did not undo; None where nobody did."""
        said = self.rulings.get(pair)
        return said[-1] if said else None

    def history(self, assessor: int) -> Iterator[Event]:
        """What an assessor did and did not undo, the last first."""
        for number in reversed(self.done.get(assessor, ())):
            if number not in self.undone:
                yield self.events[number - 1]

    def to_be_undone(self, mark: MarkEvent) -> Event:
        """What an undo takes back: the event that it names, else the last one of this assessor that stands."""
        if mark.of is None:
            last = next(self.history(mark.assessor), None)
            if last is None:
                raise Refused("there is nothing left to undo")
            return last
        event = self.event(mark.of)
        if event is None or event.assessor != mark.assessor:
            raise Refused(f"event {mark.of} is none of yours: only your own marks can be undone")
        if event.kind == "undo":
            raise Refused(f"event {mark.of} is an undo itself: mark the item again instead")
        if event.kind == "round":
            raise Refused(f"event {mark.of} is a step of a feedback session: change the examples there instead")
        if event.kind == "survey":
            raise Refused(f"event {mark.of} is a questionnaire: answer it again instead")
        if event.kind == "leave":
            raise Refused(f"event {mark.of} is a sign-out: sign in again with the link instead")
        if event.id in self.undone:
            raise Refused(f"event {mark.of} was undone before")
        return event


@contextmanager
def without_collecting() -> Iterator[None]:
    """No search for cycles while many lasting objects are made: it would look at all of them again and again."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()
