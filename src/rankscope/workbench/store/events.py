"""What is written: events of the journal, rows of the tables next to it, and what can go wrong on the way to the disk.

StoreError
├── Refused        the mark itself cannot be: another grade, a foreign undo, a key that was used for another mark
├── NoRoom         the disk is full, or a quota is
└── Unavailable    the database cannot be reached, or is held by another process
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple, get_args

from rankscope.core.errors import RankscopeError

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
        """What else is known of it."""
        return _parsed(self.detail) if self.detail else {}

    @property
    def is_surplus(self) -> bool:
        """Whether the item had all the marks it needs already: kept, but in no export."""
        return self.detail is not None and bool(self.details.get("surplus"))

    @property
    def is_repeat(self) -> bool:
        """Whether the assessor was asked a second time, to see whether the answer is the same."""
        return self.detail is not None and bool(self.details.get("repeat"))


@lru_cache(maxsize=1024)
def _parsed(detail: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(detail)
    return found


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
        """The detail as it is stored."""
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


# What can go wrong between a mark and the disk.


class StoreError(RankscopeError):
    """A mark was not saved; nothing of it is in the journal."""


class Refused(StoreError):  # noqa: N818  (it says what happened to the mark)
    """The mark itself cannot be: sending it again changes nothing."""


class NoRoom(StoreError):  # noqa: N818  (it says what is missing)
    """The disk is full: the mark can be sent again, with the same key, when there is room."""


class Unavailable(StoreError):  # noqa: N818  (it says what the database is)
    """The database cannot be reached, or is held by another process."""
