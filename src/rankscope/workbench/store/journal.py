"""The statements of a journal, and what shows that it is as it was written, to its last acknowledged event.

Each event carries a digest of itself and of the digest before it, so one that was changed, taken out or exchanged is
found, and where. The tables next to the events have a digest each. An end that is gone leaves no break behind: so the
last acknowledged event also stands in a small file of its own.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from rankscope.core.digests import DAMAGED, damaged
from rankscope.core.errors import InputError, Problem
from rankscope.workbench.store.databases import SCHEMA_VERSION, SCHEMA_WITHOUT_DIGESTS, WRITER, Database, Row
from rankscope.workbench.store.events import (
    Assessor,
    Event,
    Guideline,
    Item,
    PoolDesign,
    Pooled,
    Query,
    StoreError,
    Unavailable,
    json_text,
    pool_digest,
)

COLUMNS: Final = ", ".join(Event._fields)
DIGESTS: Final = "digests"  # in the table meta: those of the tables next to the events, and how often they were changed
ORDERS: Final = {"item": "place", "query": "place", "assessor": "id", "guideline": "version", "design": "version"}
WHOLE: Final = ("item", "assessor")  # tables whose rows change together or in place; to the others rows are added
AT_ONCE: Final = 1000  # rows that are read together where some cannot be
CHECK: Final = "rankscope project check FOLDER tells all of it, and writes what is whole with --journal FILE."
TABLE_OF: Final[Mapping[type, str]] = {
    Item: "item",
    Query: "query",
    Assessor: "assessor",
    Guideline: "guideline",
    PoolDesign: "design",
}
Kept = TypeVar("Kept", Item, Query, Assessor, Guideline, PoolDesign)
T = TypeVar("T")


class Journal:
    """The tables of one project in an open database.

    What is read is checked against its digests: damage is an `InputError`. A `lenient` one reads what is there before
    a break, and keeps what it found in `problems`.
    """

    def __init__(self, database: Database, last: LastAcknowledged | None = None, *, lenient: bool = False) -> None:
        self.database, self.last, self.lenient = database, last, lenient
        self.end = JournalEnd()
        self.has_digests = True
        self.problems: list[Problem] = []
        self._acknowledged: JournalEnd | None = None
        self._digests: dict[str, Any] = {}

    def create(self, meta: Mapping[str, str], items: Iterable[Item], queries: Iterable[Query]) -> None:
        """Make the tables, with what stays: all of it or nothing."""
        with self.database.transaction():
            self.database.create_tables()
            self.database.insert("meta", [("schema", SCHEMA_VERSION), *meta.items()])
            self.database.insert("item", list(items))
            self.database.insert("query", list(queries))
            self._digest_all()

    def prepare(self, *, writes: bool) -> tuple[str, ...]:
        """Look at the version, which may be one without digests: it gets them where it is to be written.

        What there is to say of it is returned.

        `Unavailable` where there are no tables, or those of another version of rankscope.
        """
        if not self.database.has_tables():
            raise Unavailable(
                f"{self.database.shown} holds no journal of this project. To move one there: export it with --journal, "
                "make a project with --database, and import it"
            )
        found = self.database.execute("SELECT value FROM meta WHERE name = ?", ("schema",))
        version = found[0][0] if found else None
        if version not in (SCHEMA_VERSION, SCHEMA_WITHOUT_DIGESTS):
            raise Unavailable(
                f"{self.database.shown} is of version {version}, and this rankscope reads {SCHEMA_VERSION}"
            )
        self.has_digests = version == SCHEMA_VERSION
        try:
            self._acknowledged = None if self.last is None else self.last.read()
        except InputError as error:
            if not self.lenient:
                raise
            self.problems += error.reports[0].problems
        if self.has_digests:
            return ()
        if not writes:
            return ("this journal has no digests yet, so damage was not looked for; it gets them when it is written",)
        self._add_digests()
        return ("this journal had no digests, so damage could not be looked for; it has them from now on",)

    def meta(self) -> dict[str, str]:
        rows = self.database.execute("SELECT name, value FROM meta ORDER BY name")
        found = {str(name): str(value) for name, value in rows}
        if self.has_digests:
            try:
                self._digests = json.loads(found.get(DIGESTS, ""))
                self.end = self.end._replace(changes=int(self._digests["changes"]))
                wrong = self._digests["meta"] != _digest_of_meta(rows)
            except (ValueError, KeyError, TypeError):
                self._digests, wrong = {}, True
            if wrong:
                self._damaged("what is kept of the project itself")
        return found

    def rows(self, kind: type[Kept]) -> list[Kept]:
        """All items, queries, assessors, guidelines or designs, in their order."""
        table = TABLE_OF[kind]
        found = self._rows(table)
        if self.has_digests and _digest_of(table, found) != self._digests.get(table):
            self._damaged(f"the table {table}")
        return [kind(*row) for row in found]

    def pool(self, design: PoolDesign) -> list[Pooled]:
        found = self.database.execute("SELECT * FROM pool WHERE version = ? ORDER BY place", (design.version,))
        rows = [Pooled._make(row) for row in found]
        if pool_digest(design.method, design.seed, design.budget, rows) != design.digest:
            self._damaged(f"pool {design.version}")
        return rows

    def events(self) -> list[Event]:
        """The whole journal, in order; the one that was acknowledged last is among them."""
        self.end = self.end._replace(number=0, digest="")
        acknowledged, reached = self._acknowledged, self.end
        events = []
        for event, reached in self._followed(self._event_rows(0)):
            events.append(event)
            if acknowledged is None or reached.number != acknowledged.number or not self.has_digests:
                continue
            if reached.digest != acknowledged.digest:
                self._report([f"event {reached.number:,} is not the one that was acknowledged"], DELETE_IT)
        self.end = reached._replace(changes=self.end.changes)
        if acknowledged is not None and not self.problems:  # a `lenient` journal that is broken has said so
            lost = acknowledged.number - self.end.number
            if lost > 0:
                words = f"ends with event {self.end.number:,}, and event {acknowledged.number:,} was acknowledged: "
                self._report([f"{words}{lost:,} {'is' if lost == 1 else 'are'} lost"], DELETE_IT)
            elif self.end.changes < acknowledged.changes:
                words = "people, queries, guidelines or pools are those of an earlier time: the last changes are lost"
                self._report([words], DELETE_IT)
        return events

    def news(self) -> list[Event]:
        """The events behind those that were read or written. An `InputError` where they do not go on from there."""
        before = self.end
        rows = self._event_rows(max(0, before.number - 1))
        if before.number and (not rows or (rows[0][0], rows[0][-1]) != (before.number, before.digest)):
            what = f"holds no event {before.number:,} as this process knows it: it is another journal, or an older copy"
            raise InputError.of(self.database.shown, [what], "Bring the journal back, or start again with this one.")
        found = list(self._followed(rows[1:] if before.number else rows))
        if found:
            self.end = found[-1][1]._replace(changes=before.changes)
        return [event for event, _ in found]

    def append(self, events: Sequence[Event]) -> None:
        digest, rows = self.end.digest, []
        for event in events:
            digest = linked(digest, event)
            rows.append((*event, digest))
        with self.database.transaction():
            self.database.insert("event", rows)
        self.end = self.end._replace(number=events[-1].id, digest=digest)
        self.acknowledge()

    def change(self, work: Callable[[Journal], T]) -> T:
        with self.database.transaction():
            result = work(self)
            changes = self.end.changes if not self.has_digests else int(self._stored_digests()["changes"])
        self.end = self.end._replace(changes=changes)
        self.acknowledge()
        return result

    def acknowledge(self) -> None:
        if self.last is not None:
            self.last.write(self.end)

    def close(self) -> None:
        self.database.close()
        if self.last is not None:
            self.last.close()

    def put_assessor(self, one: Assessor) -> None:
        """Add somebody, or change role, token or whether they may still come in."""
        digests = self._stored_digests()
        if _digest_of("assessor", self._rows("assessor")) != digests["assessor"]:
            self._damaged("the table assessor")
        self.database.execute("DELETE FROM assessor WHERE id = ?", (one.id,))
        self.database.insert("assessor", [one])
        self._store_digests({**digests, "assessor": _digest_of("assessor", self._rows("assessor"))})

    def add(self, row: Query | Guideline | PoolDesign) -> None:
        table = TABLE_OF[type(row)]
        self.database.insert(table, [row])
        digests = self._stored_digests()
        (stored,) = self.database.execute(f"SELECT * FROM {table} WHERE {ORDERS[table]} = ?", (row[0],))
        self._store_digests({**digests, table: linked(digests[table], stored)})

    def add_pool(self, design: PoolDesign, rows: Sequence[Pooled]) -> None:
        self.add(design)
        self.database.insert("pool", rows)

    # digests

    def _stored_digests(self) -> dict[str, Any]:
        return json.loads(self.database.execute("SELECT value FROM meta WHERE name = ?", (DIGESTS,))[0][0])

    def _store_digests(self, digests: Mapping[str, Any]) -> None:
        """Those of the tables, after one change more, and that of what is known of the project itself."""
        meta = self.database.execute("SELECT name, value FROM meta ORDER BY name")
        self._digests = {**digests, "changes": digests.get("changes", 0) + 1, "meta": _digest_of_meta(meta)}
        self.database.execute("DELETE FROM meta WHERE name = ?", (DIGESTS,))
        self.database.insert("meta", [(DIGESTS, json_text(self._digests))])

    def _digest_all(self) -> None:
        self._store_digests({table: _digest_of(table, self._rows(table)) for table in ORDERS})

    def _add_digests(self) -> None:
        """To a journal of the version before, as it is found."""
        events = self.events()
        digests, digest = [], ""
        for event in events:
            digest = linked(digest, event)
            digests.append((digest, event.id))
        with self.database.transaction():
            self.database.add_digests(digests)
            self.database.execute("UPDATE meta SET value = ? WHERE name = 'schema'", (SCHEMA_VERSION,))
            self._digest_all()
        self.has_digests = True

    # reading

    def _rows(self, table: str) -> list[Row]:
        return self.database.execute(f"SELECT * FROM {table} ORDER BY {ORDERS[table]}")

    def _event_rows(self, after: int) -> list[Row]:
        """Events with their digests, None where there are none; a lenient journal reads up to what cannot be read."""
        asked = f"SELECT {COLUMNS}, {'digest' if self.has_digests else 'NULL'} FROM event WHERE id > ?"
        try:
            return self.database.execute(f"{asked} ORDER BY id", (after,))
        except StoreError as error:
            if not self.lenient:
                raise
            self.problems.append(Problem("", str(error)))
        found: list[Row] = []
        for many in (AT_ONCE, 1):
            try:
                some = f"{asked} ORDER BY id LIMIT {many}"
                while (rows := self.database.execute(some, (after,))) and rows[-1][0] > after:
                    found += rows
                    after = rows[-1][0]
            except (StoreError, TypeError):
                continue
        return found

    def _followed(self, rows: Iterable[Row]) -> Iterator[tuple[Event, JournalEnd]]:
        """Events that follow from each other, each with the end of the journal up to it; a break ends them."""
        number, digest = self.end.number, self.end.digest
        for row in rows:
            *values, stored = row
            digest = linked(digest, values) if self.has_digests else ""
            if values[0] != number + 1 or (self.has_digests and digest != stored):
                found = values[0]
                before = f"The {number:,} events before it are whole." if number else "No event before it is there."
                if isinstance(found, int) and found > number + 1:
                    self._report(
                        [Problem(f"event {number + 1:,}", f"is gone: event {found:,} follows")], f"{before} {CHECK}"
                    )
                else:
                    self._damaged(f"event {number + 1:,}", f"{before} {CHECK}")
                return
            number += 1
            yield Event._make(values), JournalEnd(number, digest)

    def _damaged(self, what: str, advice: str = CHECK) -> None:
        self._report([Problem("", f"{what} {DAMAGED}")], advice)

    def _report(self, problems: Sequence[Problem | str], advice: str) -> None:
        error = InputError.of(self.database.shown, problems, advice)
        if not self.lenient:
            raise error
        self.problems += error.reports[0].problems


def _digest_of(table: str, rows: Sequence[Row]) -> str:
    """Of all rows together; or of the last one, where each is linked to the one before."""
    digest = ""
    for part in [rows] if table in WHOLE else rows:
        digest = linked(digest, part)
    return digest


def _digest_of_meta(rows: Iterable[Row]) -> str:
    """Of what stays: the digests themselves and the signature of the writer are left out."""
    return linked("", [row for row in rows if row[0] not in (DIGESTS, WRITER)])


# What shows that a journal is as it was written, to its last acknowledged event.

LAST_FILE: Final = "judgements.last"
_json: Final = json.JSONEncoder(separators=(",", ":"), default=repr).encode  # repr: what only damage can put there


def linked(before: str, row: Sequence[Any]) -> str:
    """The digest of a row behind another one: SHA-256 of the digest before and of the row as a list of JSON.

    >>> linked("", [1, "a"])[:8], linked(linked("", [1, "a"]), [2, "b"])[:8]
    ('20109453', '246d7b8a')
    """
    return hashlib.sha256(f"{before}{_json(row)}".encode()).hexdigest()


class JournalEnd(NamedTuple):
    """How far a journal goes: its last event with its digest, and how often the tables next to it were changed."""

    number: int = 0
    digest: str = ""
    changes: int = 0


class LastAcknowledged:
    """The file with the end of a journal that was acknowledged last; written over in place, since it is short."""

    SIZE: Final = 160  # bytes, so that a shorter text leaves nothing of a longer one

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = -1

    def read(self) -> JournalEnd | None:
        """What it says; None where there is none yet."""
        try:
            text = self.path.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError):
            text = "damaged"
        if not text:
            return None
        try:
            number, digest, changes = json.loads(text)
            return JournalEnd(int(number), str(digest), int(changes))
        except (ValueError, TypeError):
            raise damaged(self.path, DELETE_IT) from None

    def write(self, end: JournalEnd) -> None:
        """Say that all up to here was acknowledged.

        It waits for no disk: what was written is there when this process is killed, and after the power went it says
        too little at worst. Where there is no room for it, an earlier end stands.
        """
        with suppress(OSError):
            if self._file < 0:
                self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
            os.lseek(self._file, 0, os.SEEK_SET)
            os.write(self._file, f"{_json(end):<{self.SIZE - 1}}\n".encode())

    def close(self) -> None:
        if self._file >= 0:
            with suppress(OSError):
                os.fsync(self._file)
            os.close(self._file)
            self._file = -1


DELETE_IT: Final = f"Is an older copy of the journal here on purpose? Then delete {LAST_FILE}: what is here counts."
