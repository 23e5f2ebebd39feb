"""Events of the journal: what an assessor did, once, in order."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple, get_args

from rankscope.workbench.store.failures import Refused

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
