"""The journal of a project: its statements, what shows that it is as it was written, and the one thread that writes it.

Each event carries a digest of itself and of the digest before it, so one that was changed, taken out or exchanged is
found, and where. The tables next to the events have a digest each. An end that is gone leaves no break behind: so the
last acknowledged event also stands in a small file of its own.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final, NamedTuple, TypeVar

from rankscope.core.digests import DAMAGED, damaged
from rankscope.core.errors import InputError, Problem, RankscopeError
from rankscope.workbench.store.databases import (
    SCHEMA_VERSION,
    SCHEMA_WITHOUT_DIGESTS,
    WRITER,
    ConnectionLostError,
    Database,
    Row,
)
from rankscope.workbench.store.events import (
    Assessor,
    Event,
    Guideline,
    Item,
    MarkEvent,
    PoolDesign,
    Pooled,
    Query,
    Refused,
    State,
    StoreError,
    Unavailable,
    json_text,
    pool_digest,
    without_collecting,
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


# The one writer of a journal: a thread that takes whatever waits, commits it at once, and only then acknowledges. A
# commit costs a wait for the disk, however many events it holds: so fifty people who mark at once share one wait.

COMMITTED_AT_ONCE: Final = 500  # events of one commit
ALONE: Final = frozenset({"undo", "draw"})  # kinds that depend on everything before them, and change it


class Rules:
    """What a project adds to the journal's own rules; this one adds nothing."""

    def read_again(self, journal: Journal) -> bool:
        """Read the tables next to the events, which another process may have changed; whether one did."""
        return False

    def complete(self, mark: MarkEvent) -> MarkEvent:
        """Refuse a mark, or add what only the state can say; all marks before it count already."""
        return mark

    def applied(self, events: Sequence[Event]) -> None:
        """These events are on the disk and in the state."""


class Saved(NamedTuple):
    """A mark that is on the disk; `again`: it was there before this request."""

    event: Event
    again: bool = False


@dataclass(frozen=True, eq=False)
class Waiting:
    """A mark that waits, or work on the other tables; without either somebody waits to know what is on the disk.

    Work is done between two commits, in a transaction of its own. `known` is how often another process had written, as
    far as the one who changes something knew; None where it is only read.
    """

    done: Future[Any]
    mark: MarkEvent | None = None
    work: Callable[[Journal], Any] | None = None
    known: int | None = None


class Writer:
    """Writes marks to a journal in the order in which they come, and keeps the state up to date.

    `rules` look at each mark in that order. `state` may be read by other threads while they hold `lock`; the rules are
    asked while the writer does.
    """

    def __init__(
        self,
        journal: Journal,
        rules: Rules | None = None,
        *,
        clock: Callable[[], int] = lambda: time.time_ns() // 1000,
        patience: float | None = None,
    ) -> None:
        self.journal, self.rules, self._clock = journal, rules or Rules(), clock
        self._patience = journal.database.patience if patience is None else patience
        with without_collecting():
            self.state = State.of(journal.events())
        journal.acknowledge()
        self.lock = threading.RLock()
        self._behind = False  # the connection was lost, and what is there now was not read yet
        self.elsewhere = 0  # how often it was found that another process had written
        self._waiting: SimpleQueue[Waiting | None] = SimpleQueue()
        self._closing = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="rankscope writer", daemon=True)
        self._thread.start()

    def send(self, mark: MarkEvent) -> Future[Saved]:
        """Let a mark be written; the result is there when it is on the disk, or the reason why it is not."""
        done: Future[Saved] = Future()
        self._put(Waiting(done, mark))
        return done

    def save(self, mark: MarkEvent) -> Saved:
        return self.send(mark).result()

    def change(self, work: Callable[[Journal], T]) -> T:
        """Change other tables, in one transaction; returns when that is on the disk.

        `Unavailable` where another process changed something that the one who asks could not know.
        """
        done: Future[T] = Future()
        self._put(Waiting(done, work=work, known=self.elsewhere))
        return done.result()

    def ask(self, work: Callable[[Journal], T]) -> T:
        done: Future[T] = Future()
        self._put(Waiting(done, work=work))
        return done.result()

    def look(self) -> None:
        """Make sure that this process is the one that writes and knows all that was written.

        `Unavailable` where it is not, and cannot be made so at once.
        """
        if self._behind or not self.journal.database.is_ours():
            done: Future[None] = Future()
            self._put(Waiting(done))
            done.result()

    def stop(self) -> None:
        """Write what waits, then end. Later marks are refused."""
        with self._closing:
            if not self._closed:
                self._closed = True
                self._waiting.put(None)
        self._thread.join()

    def _put(self, new: Waiting) -> None:
        with self._closing:
            if self._closed:
                raise Unavailable("the project was closed: nothing is written any more")
            self._waiting.put(new)

    def _run(self) -> None:
        going = True
        while going:
            taken = [self._waiting.get()]  # everything that waits, at least one; None last is the end
            with suppress(Empty):
                while taken[-1] is not None and len(taken) < COMMITTED_AT_ONCE:
                    taken.append(self._waiting.get_nowait())
            going = taken[-1] is not None
            for part in _parts([each for each in taken if each is not None]):
                self._write(part)

    def _write(self, part: list[Waiting]) -> None:
        try:
            self._with_patience(part)
        except BaseException as error:
            for each in part:
                if not each.done.done():
                    each.done.set_exception(error)

    def _with_patience(self, part: list[Waiting]) -> None:
        """Again where the connection was lost: what then turns out to be in the journal is not written twice."""
        only_looks = part[0].mark is None and part[0].work is None
        ends = time.monotonic() + (0.0 if only_looks else self._patience)
        again = False
        while True:
            self._catch_up(ends)
            try:
                self._do(part)
                break
            except ConnectionLostError as lost:
                self._behind = True
                if again and time.monotonic() > ends:
                    raise Unavailable(str(lost)) from None
                again = True

    def _do(self, part: list[Waiting]) -> None:
        first = part[0]
        if first.mark is not None:
            self._commit(part)
        elif first.work is not None:
            if first.known is not None and first.known != self.elsewhere:
                raise Unavailable("another process changed the project meanwhile: look at it again, then do this again")
            first.done.set_result(self.journal.change(first.work))
        else:
            if not self.journal.database.is_ours():
                raise ConnectionLostError("another process has written into the journal")
            first.done.set_result(None)

    def _catch_up(self, ends: float) -> None:
        """Where the connection was lost: have it again, with the lock, and know what was written meanwhile."""
        pause = 0.05
        while self._behind:
            try:
                self.journal.database.connect()
                self.journal.database.lock()
                with self.lock:
                    changed = self.rules.read_again(self.journal)
                    events = self.journal.news()
                    self.state.apply(events)
                    self.rules.applied(events)
                    self.elsewhere += changed or bool(events)
                self.journal.acknowledge()
                self._behind = False
            except InputError as error:
                raise Unavailable(str(error)) from None
            except (Unavailable, ConnectionLostError) as lost:
                if time.monotonic() + pause > ends:
                    raise Unavailable(str(lost)) from None
                time.sleep(pause)
                pause = min(1.0, 2 * pause)

    def _commit(self, marks: Sequence[Waiting]) -> None:
        events: list[tuple[Waiting, Event]] = []
        for each in marks:
            if each.done.done() or each.mark is None:
                continue
            try:
                planned = self._planned(each.mark, len(events), events[-1][1].at_us if events else self.state.at_us)
            except RankscopeError as error:
                each.done.set_exception(error)
                continue
            if isinstance(planned, Saved):
                each.done.set_result(planned)
            else:
                events.append((each, planned))
        if not events:
            return
        self.journal.append([event for _, event in events])
        with self.lock:
            self.state.apply(event for _, event in events)
            self.rules.applied([event for _, event in events])
        for each, event in events:
            each.done.set_result(Saved(event))

    def _planned(self, mark: MarkEvent, ahead: int, at_least: int) -> Saved | Event:
        """The event of a mark, behind so many of the same commit; or the one that its key made before.

        Time never goes back in a journal, even if the clock of the machine does.
        """
        known = self.state.known(mark.assessor, mark.key)
        if known is not None:
            _need_same(mark, known)
            return Saved(known, again=True)
        with self.lock:
            whole = self.rules.complete(mark)
            of = self.state.to_be_undone(whole) if whole.kind == "undo" else None
        return Event(
            id=self.state.last + ahead + 1,
            at_us=int(max(self._clock() if whole.at_us is None else whole.at_us, at_least)),
            assessor=int(whole.assessor),
            key=whole.key,
            kind=whole.kind,
            query=whole.query if of is None else of.query,
            item=whole.item if of is None else of.item,
            grade=None if whole.grade is None else int(whole.grade),
            ms=whole.ms,
            of=None if of is None else of.id,
            detail=whole.detail_text,
            pool=whole.pool,
            guideline=whole.guideline,
        )


def _need_same(mark: MarkEvent, known: Event) -> None:
    """A key stands for one mark; two different ones under the same key cannot both be answered with yes."""
    same = (mark.kind, mark.grade) == (known.kind, known.grade)
    if mark.kind == "undo":
        same = same and mark.of in (None, known.of)
    else:
        same = same and (mark.query, mark.item) == (known.query, known.item)
    if mark.kind == "prefer":
        same = same and mark.detail_text == known.detail
    if not same:
        raise Refused(f"the key '{mark.key}' was used for another mark: choose a new one for each")


def _parts(taken: Sequence[Waiting]) -> Iterator[list[Waiting]]:
    """What can be committed together: no event of a part depends on another event of it."""
    part: list[Waiting] = []
    seen: set[object] = set()  # what marks have in common with those that they could depend on: key, and item
    for each in taken:
        mark = each.mark
        traces = set() if mark is None else {("key", mark.assessor, mark.key), ("pair", mark.query, mark.item)}
        alone = mark is None or mark.kind in ALONE
        if part and (alone or seen & traces):
            yield part
            part, seen = [], set()
        if alone:
            yield [each]
        else:
            part.append(each)
            seen |= traces
    if part:
        yield part
