"""What is written: events of the journal, rows of the tables next to it, and what can go wrong on the way to the disk.

`State` is what the journal says now, rebuilt from its events.

StoreError
├── Refused        the mark itself cannot be: another grade, a foreign undo, a key that was used for another mark
├── NoRoom         the disk is full, or a quota is
└── Unavailable    the database cannot be reached, or is held by another process
"""

from __future__ import annotations

import gc
import hashlib
import json
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from rankscope.core.errors import RankscopeError, SettingError
from rankscope.core.names import one_line

# Events of the journal: what an assessor did, once, in order.

Kind = Literal["grade", "unsure", "skip", "undo", "comment", "prefer", "round", "adjudicate", "draw", "survey", "leave"]
KINDS: tuple[Kind, ...] = get_args(Kind)
ANSWERS: Final = frozenset({"grade", "unsure", "skip"})  # what an assessor says of an item of a query
LASTING: Final = frozenset({"round", "survey", "leave"})  # steps of a session, questionnaires, goodbyes: never undone
LONGEST_LOOK: Final = 5 * 60 * 1000  # ms that one mark may count as time of looking
RESERVED: Final = frozenset({"surplus", "repeat", "import"})  # details that only a project itself may give
LONGEST_KEY, LONGEST_DETAIL = 64, 20_000  # signs


class Event(NamedTuple):
    """One row of the journal; `of` is the event that an undo takes back, `ms` how long the item was visible."""

    id: int
    at_us: int
    assessor: int
    key: str
    kind: str
    query: str | None
    item: str | None
    grade: int | None
    ms: int | None
    of: int | None
    detail: str | None
    pool: int | None
    guideline: int | None

    @property
    def details(self) -> Mapping[str, Any]:
        return _parsed(self.detail) if self.detail else {}

    @property
    def is_surplus(self) -> bool:
        """Whether the item had all the marks it needs already: kept, but in no export."""
        return self.detail is not None and bool(self.details.get("surplus"))

    @property
    def is_repeat(self) -> bool:
        """Whether the assessor was asked a second time, to see whether the answer is the same."""
        return self.detail is not None and bool(self.details.get("repeat"))


_parsed = lru_cache(maxsize=1024)(json.loads)


@dataclass(frozen=True, kw_only=True)
class MarkEvent:
    """An event on its way to the journal. `key` is chosen by whoever sends it: the same key twice is the same mark.

    >>> MarkEvent(assessor=1, key="k", kind="grade", query="q1", item="a", grade=2, ms=900_000).ms
    300000
    """

    assessor: int
    key: str
    kind: Kind
    query: str | None = None
    item: str | None = None
    grade: int | None = None
    ms: int | None = None
    of: int | None = None
    detail: Mapping[str, Any] | None = None
    pool: int | None = None
    guideline: int | None = None
    at_us: int | None = None  # known already where a journal is imported
    is_copy: bool = False  # made elsewhere and brought in from a file: nobody was asked for it here

    def __post_init__(self) -> None:
        if self.ms is not None:
            object.__setattr__(self, "ms", min(max(int(self.ms), 0), LONGEST_LOOK))
        if wrong := _problem(self):
            raise Refused(wrong)

    @property
    def detail_text(self) -> str | None:
        return json_text(self.detail) if self.detail else None


def json_text(value: object) -> str:
    """JSON in its one form: names sorted, no spaces.

    >>> json_text({"b": 1, "a": "ü"})
    '{"a":"ü","b":1}'
    """
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def is_storable(text: str) -> bool:
    """Whether every database takes a text: no zero byte, no half of a surrogate pair."""
    return "\0" not in text and (text.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in text))


def _problem(mark: MarkEvent) -> str:
    """What no journal could hold, in words; empty where all is well."""
    if mark.kind not in KINDS:
        return f"no kind of mark '{mark.kind}'. There are: {', '.join(KINDS)}"
    if not 0 < len(mark.key) <= LONGEST_KEY:
        return f"the key of a mark has 1 to {LONGEST_KEY} signs, got {len(mark.key)}"
    texts = (mark.key, mark.query or "", mark.item or "", mark.detail_text or "")
    if not all(map(is_storable, texts)):
        return "a mark holds a zero byte or half of a surrogate pair, which is no text"
    if len(texts[-1]) > LONGEST_DETAIL:
        return f"a mark is too long: {len(texts[-1]):,} signs of detail, and at most {LONGEST_DETAIL:,} are kept"
    return "" if mark.kind not in ("grade", "adjudicate") or mark.grade is not None else "a grade is missing"


# Rows of the tables next to the journal: who judges, what is asked, under which guideline, from which pool.

Role = Literal["judge", "adjudicator", "admin"]
ROLES: tuple[Role, ...] = ("judge", "adjudicator", "admin")


class Assessor(NamedTuple):
    """Somebody, or a machine, that marks; of the token of an invitation only a hash is kept."""

    id: int
    name: str
    kind: str  # human, machine, or project: rankscope itself
    role: str
    token_hash: str | None
    active: int


class Query(NamedTuple):
    """What is looked for: words, a narrative, an item as example, a class."""

    place: int
    id: str
    text: str
    narrative: str
    example: str | None
    class_: str


class Item(NamedTuple):
    """An item of the collection, as it stood when the project was made."""

    place: int
    id: str
    class_: str


class Guideline(NamedTuple):
    """What assessors are told, in one of its versions."""

    version: int
    text: str
    at_us: int

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


class PoolDesign(NamedTuple):
    """How a pool was made: the method as it is written, the seed, the budget of each query, the runs as JSON."""

    version: int
    method: str
    seed: int
    budget: int | None
    runs: str
    digest: str
    at_us: int

    @property
    def run_names(self) -> list[str]:
        """The runs, in the order in which origins number them."""
        return [str(each["name"]) for each in json.loads(self.runs)]


class Pooled(NamedTuple):
    """A candidate of a pool; `pi` and `drawn` are None where that is known only when marks have come."""

    version: int
    query: str
    item: str
    stratum: str
    pi: float | None
    origin: str
    drawn: int | None
    place: int


def pool_digest(method: str, seed: int, budget: int | None, rows: list[Pooled]) -> str:
    """SHA-256 of how a pool was made and of all its candidates, in order; the version is no part of it."""
    result = hashlib.sha256(json_text([method, seed, budget]).encode())
    for each in rows:
        row = [each.query, each.item, each.stratum, each.pi, each.origin, each.drawn]
        result.update(json_text(row).encode() + b"\n")
    return result.hexdigest()


class StoreError(RankscopeError):
    """A mark was not saved; nothing of it is in the journal."""


class Refused(StoreError):  # noqa: N818  (it says what happened to the mark)
    """The mark itself cannot be: sending it again changes nothing."""


class NoRoom(StoreError):  # noqa: N818  (it says what is missing)
    """The disk is full: the mark can be sent again, with the same key, when there is room."""


class Unavailable(StoreError):  # noqa: N818  (it says what the database is)
    """The database cannot be reached, or is held by another process."""


# The people of a project: names and roles, invitations with a secret of which only a hash is kept.

TOKEN_BYTES: Final = 16
LONGEST_NAME: Final = 80
PROJECT: Final = Assessor(id=0, name="project", kind="project", role="admin", token_hash=None, active=1)
OWNER: Final = Assessor(id=1, name="owner", kind="human", role="admin", token_hash=None, active=1)


class Invitation(NamedTuple):
    """An assessor and the token that lets them in; it is shown once and kept nowhere."""

    assessor: Assessor
    token: str

    @property
    def path(self) -> str:
        """The address to open, behind that of the server."""
        return f"/enter/{self.token}"


def new_token() -> str:
    """A secret that nobody guesses.

    >>> len(new_token())
    22
    """
    return secrets.token_urlsafe(TOKEN_BYTES)


def token_hash(token: str) -> str:
    """What is kept of a token; it has 128 random bits, so a plain hash cannot be searched."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def check_person(name: str, role: str) -> None:
    """A `SettingError` with everything that is wrong with a name and a role."""
    problems = []
    is_one_line = 0 < len(name) <= LONGEST_NAME and one_line(name) == name and name.strip() == name
    if not is_one_line or not is_storable(name):
        problems.append(f"a name is one line of 1 to {LONGEST_NAME} signs, without spaces around it")
    if name == PROJECT.name:
        problems.append(f"'{PROJECT.name}' is what rankscope itself is called in a journal: choose another name")
    if role not in ROLES:
        problems.append(f"no role '{role}'. There are: {', '.join(ROLES)}")
    if problems:
        raise SettingError.of(problems)


# What the journal says now: the marks that stand, what can be undone, which keys were used.

Pair: TypeAlias = tuple[str, str]  # query and item
NEVER_UNDONE: Final = {  # what such an event is, and what to do
    "undo": "an undo itself: mark the item again",
    "round": "a step of a feedback session: change the examples there",
    "survey": "a questionnaire: answer it again",
    "leave": "a sign-out: sign in again with the link",
}


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
        return self.events[number - 1] if 0 < number <= len(self.events) else None

    def known(self, assessor: int, key: str) -> Event | None:
        number = self.keys.get((assessor, key))
        return None if number is None else self.events[number - 1]

    def answer(self, assessor: int, pair: Pair) -> Event | None:
        return self.answers.get(pair, {}).get(assessor)

    def counted(self, pair: Pair) -> list[Event]:
        """The grades of an item that count: the last one of each assessor, without surplus ones."""
        said = self.answers.get(pair)
        return [each for each in said.values() if each.kind == "grade" and not each.is_surplus] if said else []

    def ruling(self, pair: Pair) -> Event | None:
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
        if event.kind in NEVER_UNDONE:
            raise Refused(f"event {mark.of} is {NEVER_UNDONE[event.kind]} instead")
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
