"""The rows of rows.toml, one for each claim of a document."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("rows.toml")
STATUSES = {
    "ok": "the command shows it, the test checks it",
    "next": "being built; the note says what lacks",
    "background": "nothing to build",
    "cannot": "the note says why",
}


@dataclass(frozen=True, kw_only=True)
class ClaimRow:
    """One claim: how it stands, the commands that show it, the page that explains it, the tests that check it."""

    number: int
    claim: str
    status: str
    run: tuple[str, ...]
    page: str
    test: tuple[str, ...]
    note: str


@dataclass(frozen=True)
class ClaimedDocument:
    """A document and its rows."""

    key: str
    title: str
    rows: tuple[ClaimRow, ...]


def documents() -> tuple[ClaimedDocument, ...]:
    """All documents, in the order of the file.

    >>> [each.key for each in documents()]
    ['S04', 'HS01', 'HL08', 'B14', 'Lux']
    """
    read = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return tuple(
        ClaimedDocument(each["key"], each["title"], tuple(map(row_of, each["row"]))) for each in read["document"]
    )


def row_of(given: dict[str, Any]) -> ClaimRow:
    """A row as the file has it: a single command or test need not be a list, and ok need not be said."""
    several = {name: _several(given.get(name, ())) for name in ("run", "test")}
    usual = {"status": "ok", "page": "", "note": ""}
    return ClaimRow(**{**usual, **given, **several})


def all_rows() -> tuple[ClaimRow, ...]:
    """The rows of all documents."""
    return tuple(row for each in documents() for row in each.rows)


def counts(rows: Iterable[ClaimRow]) -> dict[str, int]:
    """How many rows have each status, those without a row left out.

    >>> counts([])
    {}
    """
    found = Counter(row.status for row in rows)
    return {status: found[status] for status in STATUSES if found[status]}


def _several(given: str | list[str] | tuple[str, ...]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)
