"""What has been gathered so far, in one SQLite file: stopped work goes on from there.

What became of a page, its text and its links are written in one transaction, so whenever a process is ended, a page is
either wholly there or still to be asked for.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rankscope.errors import SettingError
from rankscope.files import beside
from rankscope.gathering.addresses import machine_of
from rankscope.wording import setting_usage, setting_value

ENDING = ".gathering"
STORED, COPY, LEFT_OUT = "stored", "copy", "left out"
SCHEMA = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE pages (
    number INTEGER PRIMARY KEY, address TEXT NOT NULL UNIQUE, machine TEXT NOT NULL,
    depth INTEGER NOT NULL, turn INTEGER NOT NULL,
    outcome TEXT, asked INTEGER NOT NULL DEFAULT 0, reason TEXT NOT NULL DEFAULT '',
    final TEXT, title TEXT, text TEXT, digest BLOB, original INTEGER, outside INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX waiting ON pages (depth, turn, number) WHERE outcome IS NULL;
CREATE INDEX turns ON pages (machine, depth);
CREATE INDEX finals ON pages (final);
CREATE INDEX digests ON pages (digest);
"""


class WaitingPage(NamedTuple):
    """A page that is still to be asked for."""

    number: int
    address: str
    depth: int


@dataclass(frozen=True)
class Visit:
    """What became of a page: a text, or the page that has it already, or why there is none."""

    asked: bool = True
    final: str = ""
    title: str = ""
    text: str = ""
    original: int | None = None
    reason: str = ""
    links: tuple[str, ...] = ()
    outside: int = 0  # links that lead out of the folders


class State:
    """The file; only one process can have it open."""

    def __init__(self, path: Path, most: int) -> None:
        self.path, self._most = path, most
        self._base = sqlite3.connect(path, isolation_level=None, timeout=0.0)
        self._base.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._base.execute("PRAGMA synchronous = FULL")

    def begin(self, settings: Mapping[str, Any], addresses: Iterable[str]) -> bool:
        """Start, or go on if that was done before with the same settings; whether it goes on."""
        with self._written():
            if self._base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                self._check(settings)
                return True
            for statement in filter(str.strip, SCHEMA.split(";")):
                self._base.execute(statement)
            rows = [(name, json.dumps(value)) for name, value in settings.items()]
            self._base.executemany("INSERT INTO settings VALUES (?, ?)", rows)
            self._add(addresses, 0)
        return False

    def _check(self, settings: Mapping[str, Any]) -> None:
        before = {name: json.loads(value) for name, value in self._base.execute("SELECT name, value FROM settings")}
        other = [name for name, value in settings.items() if before.get(name) != json.loads(json.dumps(value))]
        if not other:
            return
        said = [f"{setting_value(name, before.get(name))} before" for name in other if name != "addresses"]
        said += ["other addresses before"] if "addresses" in other else []
        raise SettingError(
            f"{self.path} holds gathering that was stopped, and it had other settings: {', '.join(said)}. "
            f"Give the same ones to go on, or {setting_usage('restart')} to begin anew"
        )

    def next_page(self) -> WaitingPage | None:
        """The page whose turn it is: those few links away first, and of those each host in turn."""
        row = self._base.execute(
            "SELECT number, address, depth FROM pages WHERE outcome IS NULL ORDER BY depth, turn, number LIMIT 1"
        ).fetchone()
        return None if row is None else WaitingPage(*row)

    def record(self, page: WaitingPage, visit: Visit) -> None:
        """Write down what became of a page, and the links that it adds."""
        with self._written():
            digest = hashlib.sha256(visit.text.encode()).digest() if visit.text else None
            original = visit.original or self._holder("digest", digest)
            outcome = COPY if original else STORED if visit.text else LEFT_OUT
            kept = (visit.title, visit.text, digest) if outcome == STORED else (None, None, None)
            self._base.execute(
                "UPDATE pages SET outcome = ?, asked = ?, reason = ?, final = ?, title = ?, text = ?, digest = ?,"
                " original = ?, outside = ? WHERE number = ?",
                (outcome, visit.asked, visit.reason, visit.final, *kept, original, visit.outside, page.number),
            )
            self._add(visit.links, page.depth + 1)

    def holder_of(self, address: str) -> int | None:
        """The number of the page whose text was found at this address."""
        return self._holder("final", address)

    def _holder(self, column: str, value: object) -> int | None:
        found = self._base.execute(
            f"SELECT coalesce(original, number) FROM pages WHERE {column} = ? AND outcome IN (?, ?) LIMIT 1",
            (value, STORED, COPY),
        ).fetchone()
        return None if found is None else int(found[0])

    def _add(self, addresses: Iterable[str], depth: int) -> None:
        """New pages, numbered within their host; more than could ever be asked for are not kept."""
        known: dict[str, int] = {}
        for address in addresses:
            machine = machine_of(address)
            if machine not in known:
                known[machine] = self._pages_at(machine, depth)
            if known[machine] < self._most:
                known[machine] += self._base.execute(
                    "INSERT OR IGNORE INTO pages (address, machine, depth, turn) VALUES (?, ?, ?, ?)",
                    (address, machine, depth, known[machine]),
                ).rowcount

    def _pages_at(self, machine: str, depth: int) -> int:
        found = self._base.execute("SELECT count(*) FROM pages WHERE machine = ? AND depth = ?", (machine, depth))
        return int(found.fetchone()[0])

    def forget(self, numbers: Sequence[int]) -> None:
        """These pages are to be asked for again."""
        with self._written():
            self._base.executemany(
                "UPDATE pages SET outcome = NULL, asked = 0, reason = '' WHERE number = ?",
                [(each,) for each in numbers],
            )

    def has_answered(self, machine: str) -> bool:
        """Whether a page of this host has been stored."""
        found = self._base.execute(
            "SELECT 1 FROM pages WHERE machine = ? AND outcome = ? LIMIT 1", (machine, STORED)
        ).fetchone()
        return found is not None

    def asked(self) -> int:
        """How many pages were asked for."""
        return int(self._base.execute("SELECT count(*) FROM pages WHERE asked").fetchone()[0])

    def waiting(self) -> int:
        """How many pages are still to be asked for, as far as is known."""
        return int(self._base.execute("SELECT count(*) FROM pages WHERE outcome IS NULL").fetchone()[0])

    def counts(self) -> dict[str, int]:
        """How many pages had each outcome."""
        rows = self._base.execute("SELECT outcome, count(*) FROM pages WHERE outcome IS NOT NULL GROUP BY outcome")
        return dict(rows.fetchall())

    def outside(self) -> int:
        """How many links led out of the folders."""
        return int(self._base.execute("SELECT coalesce(sum(outside), 0) FROM pages").fetchone()[0])

    def left_out(self) -> list[tuple[str, str]]:
        """Addresses without a document, and why."""
        return self._base.execute(
            "SELECT address, reason FROM pages WHERE outcome = ? ORDER BY depth, turn, number", (LEFT_OUT,)
        ).fetchall()

    def documents(self) -> Iterator[tuple[str, str, str, str, list[str]]]:
        """Address, title, text, where it was found in the end, and the addresses of copies."""
        copies: dict[int, list[str]] = {}
        for original, address in self._base.execute(
            "SELECT original, address FROM pages WHERE outcome = ? ORDER BY depth, turn, number", (COPY,)
        ):
            copies.setdefault(original, []).append(address)
        for number, *fields in self._base.execute(
            "SELECT number, address, title, text, final FROM pages WHERE outcome = ? ORDER BY depth, turn, number",
            (STORED,),
        ):
            yield (*fields, copies.get(number, []))

    def close(self) -> None:
        """Let others open it."""
        self._base.close()

    @contextmanager
    def _written(self) -> Iterator[None]:
        """All of the block's changes on the disk, or none."""
        self._base.execute("BEGIN EXCLUSIVE")
        try:
            yield
        except BaseException:
            self._base.execute("ROLLBACK")
            raise
        self._base.execute("COMMIT")


def state_path(output: str | Path) -> Path:
    """Where the state of a result lies.

    >>> state_path("out/docs.parquet").name
    '.docs.parquet.gathering'
    """
    return beside(Path(output), ENDING)


def remove_state(path: Path) -> None:
    """The file, and what SQLite left beside it when its process was ended."""
    for each in (path.with_name(f"{path.name}-journal"), path):
        each.unlink(missing_ok=True)


@contextmanager
def open_state(path: Path, most: int) -> Iterator[State]:
    """The state in a file, made if it is not there; a `SettingError` where it cannot be had."""
    try:
        state = State(path, most)
        try:
            yield state
        finally:
            state.close()
    except sqlite3.DatabaseError as error:
        raise SettingError(_explained(path, error)) from None


def _explained(path: Path, error: sqlite3.DatabaseError) -> str:
    said = str(error)
    if "locked" in said:
        return f"another process gathers into {path}: wait until it has finished"
    if "not a database" in said or "malformed" in said or "no such" in said:
        return f"{path} is no state of gathering, or is damaged: remove it, or give {setting_usage('restart')}"
    return f"cannot write {path}: {said}"
