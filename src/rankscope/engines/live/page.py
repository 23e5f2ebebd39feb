"""One page of an answer: what is asked for, and what is read from it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from rankscope.engines.live.failure import EngineFailure, short_text

T = TypeVar("T")
KINDS: dict[type, str] = {dict: "an object", list: "a list", str: "text"}


@dataclass(frozen=True)
class Place:
    """Which page of a ranking: its first document counted from 0, how many, and behind which one when that is known.

    `deep` says that pages follow each other by where the last one ended, because their numbers would be too large.
    """

    start: int
    size: int
    deep: bool = False
    after: Any = None


@dataclass(frozen=True)
class Page:
    """The documents of a page in their order; `total` and `took` (milliseconds) where the engine says them.

    `after` is where the next page begins, for deep ones.
    """

    ids: tuple[str, ...]
    scores: tuple[float, ...]
    total: int | None = None
    took: float | None = None
    after: Any = None


@dataclass(frozen=True)
class HttpRequest:
    """What is sent: always a POST, so that a query may be long."""

    url: str
    content: bytes
    media_type: str


def member(data: Any, name: str, kind: type[T]) -> T:
    """A member of an object of the answer; one that is missing or of another kind is a failure."""
    value = data.get(name) if isinstance(data, dict) else None
    if not isinstance(value, kind):
        there = "there is none" if value is None else f"got {short_text(repr(value))[:60]}"
        raise EngineFailure(f"the answer must have {KINDS[kind]} '{name}', {there}")
    return value


def number_in(value: Any) -> float | None:
    """A finite number of the answer; None where there is none, or something else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def id_text(value: Any, name: str, place: int) -> str:
    """An id as text: text, a whole number, or the only one of a list.

    >>> id_text(["d1"], "docno", 1), id_text(7, "id", 1)
    ('d1', '7')
    """
    only = value[0] if isinstance(value, list) and len(value) == 1 else value
    if isinstance(only, bool) or not isinstance(only, str | int) or only == "" or not _is_text(str(only)):
        there = "has none" if only is None else f"has {short_text(repr(value))[:60]}"
        raise EngineFailure(f"the field '{name}' must hold the id of each document, but document {place} {there}")
    return str(only)


def _is_text(value: str) -> bool:
    """Whether it can be written: half of a surrogate pair cannot."""
    return value.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in value)


def score_value(value: Any, place: int) -> float:
    """A score; its absence is a failure, because a run without scores cannot be compared with others."""
    number = number_in(value)
    if number is None:
        there = "has none" if value is None else f"has {short_text(repr(value))[:60]}"
        raise EngineFailure(f"each document must have a number as its score, but document {place} {there}")
    return number


def first_text(values: Sequence[Any]) -> str:
    """The first of some values that is text with anything in it."""
    return next((each for each in values if isinstance(each, str) and each.strip()), "")
