"""Rows of the tables next to the journal: who judges, what is asked, under which guideline, from which pool."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Literal, NamedTuple

from rankscope.workbench.store.events import json_text

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
        """SHA-256 of the text."""
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
        result.update(json_text(_content(each)).encode() + b"\n")
    return result.hexdigest()


def _content(row: Pooled) -> list[Any]:
    return [row.query, row.item, row.stratum, row.pi, row.origin, row.drawn]
