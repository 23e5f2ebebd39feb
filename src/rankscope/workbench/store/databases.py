"""The two databases a journal can lie in, behind the same few calls: SQLite in the project's folder, or PostgreSQL.

Statements are written once, with `?` for a value. Every error of a database becomes a `StoreError`, without a
password in it. The tables stand at the end, in both dialects.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final, Protocol

from rankscope.core.caching import import_extra
from rankscope.core.errors import SettingError
from rankscope.core.files import HeldElsewhere, sole_writer
from rankscope.workbench.store.events import NoRoom, StoreError, Unavailable

Row = tuple[Any, ...]
DATABASE: Final = "judgements.db"  # in the folder of a project
LOCK: Final = ".rankscope.lock"
IN_ADDRESS: Final = re.compile(r"(://[^:/@\s]*:)(\S*)@")
IN_SETTING: Final = re.compile(r"(password\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&'\"]+)", re.IGNORECASE)
NO_ROOM: Final = ("SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_FSYNC")
AT_WORK: Final = "is open in another process (is rankscope serve running?): stop that first, or do this in its pages"
LIVELY: Final[Mapping[str, Any]] = {  # both sides notice within seconds that the network between them is gone
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
WRITER: Final = "writer"  # in the table meta: who took the lock last


class ConnectionLostError(Exception):
    """The connection is gone, and whether the last transaction counts is not known: look after connecting again."""


FileNumber = tuple[int, int]  # of device and file


class Database(Protocol):
    """One open connection, used by one thread at a time; only `is_ours` is asked by any."""

    shown: str  # what messages call it
    patience: float = 0.0  # seconds in which it may come back by itself when it was lost

    def connect(self) -> None:
        """Open it; again where the connection was lost."""

    def lock(self) -> None:
        """Make this process the only one that writes here; `Unavailable` where another does."""

    def is_ours(self) -> bool:
        """Whether nobody but this process has written since it took the lock, and what is open is what is there.

        `Unavailable` where nobody can say.
        """

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """Run one statement; its rows."""

    def insert(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        """Add whole rows to a table."""

    def transaction(self) -> AbstractContextManager[None]:
        """All of a block's statements on the disk when it ends, or none of them."""

    def has_tables(self) -> bool:
        """Whether the tables of this project are there."""

    def create_tables(self) -> None:
        """Make the tables, inside of a transaction."""

    def add_digests(self, digests: Sequence[tuple[str, int]]) -> None:
        """Give events of a journal that has none their digests, inside of a transaction."""

    def drop_tables(self) -> None:
        """Take away what was just made, where the rest of a project could not be."""

    def check(self) -> str:
        """`ok`, or what is damaged, in the words of the database."""

    def close(self) -> None:
        """Close it; what a clean stop tidies up is tidied."""


class SQLite(Database):
    """A file: write-ahead log, and each commit waits until the disk has it (`synchronous=FULL`)."""

    def __init__(self, path: Path, *, readonly: bool = False) -> None:
        self.path, self.readonly = path, readonly
        self.shown = str(path)
        self._base: Any = None
        self._held: IO[bytes] | None = None
        self._paths = [*(f"{path}{end}" for end in ("", "-wal", "-shm")), str(path.with_name(LOCK))]
        self._ours: list[FileNumber | None] | None = None  # the files when they were locked

    def connect(self) -> None:
        """Open the file. Where it is not there, the first time makes it, unless it is only read."""
        import sqlite3

        self.close()
        if self._ours is not None and _number_of(self.path) is None:
            raise Unavailable(f"{self.shown} is not there any more: it was moved or deleted")
        mode = "rwc" if self._ours is None else "rw"
        if self.readonly:
            # Readers write next to the file, to be seen by its writer; where they may not, it is whole without a log.
            effective = os.access in os.supports_effective_ids
            may_write = os.access(self.path.parent, os.W_OK, effective_ids=effective)
            has_log = self.path.with_name(f"{self.path.name}-wal").exists()
            mode = "ro" if may_write or has_log else "ro&immutable=1"
        with self._explained():
            self._base = sqlite3.connect(
                f"{self.path.resolve().as_uri()}?mode={mode}",
                uri=True,
                isolation_level=None,
                timeout=5.0,
                check_same_thread=False,
            )
            if not self.readonly:
                self._base.execute("PRAGMA journal_mode = WAL")
            self._base.execute("PRAGMA synchronous = FULL")
            self._base.execute("PRAGMA fullfsync = ON")  # macOS: through the cache of the disk, too

    def lock(self) -> None:
        """A locked file next to it, which a killed process lets go."""
        try:
            self._held = sole_writer(self.path.parent, LOCK)
        except HeldElsewhere:
            raise Unavailable(f"{self.path.parent} {AT_WORK}") from None
        except SettingError as error:
            raise Unavailable(str(error)) from None
        self.execute("SELECT count(*) FROM sqlite_master")  # now its log is open too
        self._ours = self._there()

    def is_ours(self) -> bool:
        """Whether the open files, and the lock, still lie where they were opened."""
        return self._ours is None or (self._held is not None and self._ours == self._there())

    def _there(self) -> list[FileNumber | None]:
        """What lies under the names of the database, its log, and the lock."""
        return [_number_of(path) for path in self._paths]

    def _need_ours(self) -> None:
        if not self.is_ours():
            raise ConnectionLostError(f"{self.shown} was moved, replaced or deleted while it was open")

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        with self._explained():
            return self._base.execute(statement, values).fetchall()

    def insert(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        if not rows:
            return
        with self._explained():
            self._base.executemany(f"INSERT INTO {table} VALUES ({_marks(rows, '?')})", rows)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; whatever fails is rolled back. What was committed into a file that is gone is not known."""
        self._need_ours()
        with self._explained():
            self._base.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._base.execute("COMMIT")
            except BaseException:
                if self._base.in_transaction:
                    self._base.execute("ROLLBACK")
                raise
        self._need_ours()

    def has_tables(self) -> bool:
        return bool(self.execute("SELECT 1 FROM sqlite_master WHERE name = 'event'"))

    def create_tables(self) -> None:
        for statement in schema_statements("INTEGER", "REAL", SQLITE_TRIGGERS):
            self.execute(statement)

    def add_digests(self, digests: Sequence[tuple[str, int]]) -> None:
        """The one time that events are changed."""
        self.execute("DROP TRIGGER event_stays")
        self.execute("ALTER TABLE event ADD COLUMN digest text")
        with self._explained():
            self._base.executemany("UPDATE event SET digest = ? WHERE id = ?", digests)
        self.execute(SQLITE_TRIGGERS[0])

    def drop_tables(self) -> None:
        self.path.unlink(missing_ok=True)

    def check(self) -> str:
        return "; ".join(str(row[0]) for row in self.execute("PRAGMA integrity_check"))

    def backup(self, target: Path) -> None:
        """A whole copy in a new file, made while others read and write."""
        self.execute("VACUUM INTO ?", (str(target),))

    def close(self) -> None:
        """The log goes into the file, so that one file holds everything; then the lock goes."""
        if self._base is not None:
            with suppress(StoreError):
                if self._held is not None:
                    self.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._base.close()
            self._base = None
        if self._held is not None:
            self._held.close()
            self._held = None

    @contextmanager
    def _explained(self) -> Iterator[None]:
        import sqlite3

        try:
            yield
        except sqlite3.Error as error:
            name = str(getattr(error, "sqlite_errorname", ""))
            if name in NO_ROOM:
                raise NoRoom(f"cannot write {self.shown}: {error} (disk full, or a limit reached)") from None
            if name.startswith("SQLITE_READONLY"):
                words = "the file and its folder must be yours to write"
                raise Unavailable(f"cannot write {self.shown}: {error}; {words}") from None
            if name.startswith(("SQLITE_BUSY", "SQLITE_CANTOPEN", "SQLITE_NOTADB", "SQLITE_CORRUPT")):
                raise Unavailable(f"cannot use {self.shown}: {error}") from None
            raise StoreError(f"{self.shown}: {error}") from None
        except UnicodeDecodeError:  # SQLite's own message quotes what is damaged
            raise Unavailable(f"cannot use {self.shown}: database disk image is malformed") from None


class PostgreSQL(Database):
    """A schema of its own in a database of a server; the password comes from PGPASSWORD or a passfile.

    The lock is one of the session and goes with it, so whoever takes it signs: `is_ours` reads the signature in a
    session of its own, and finds whether another process had the lock meanwhile.
    """

    patience = 20.0

    def __init__(self, address: str, name: str) -> None:
        self.address, self.name = check_address(address), f"rankscope_{name}"
        self.shown = f"{mask(address)} (schema {self.name})"
        self._driver = import_extra("psycopg", "psycopg", "team")
        logging.getLogger("psycopg").addHandler(logging.NullHandler())  # what it says is in our own errors
        self._base: Any = None
        self._signature: str | None = None
        self._watch: Any = None
        self._looking = threading.Lock()
        self._looked: tuple[float, bool | Unavailable] = (0.0, False)  # when the last look began, what it found

    def connect(self) -> None:
        """Open a session whose commits wait for the disk; an earlier one ends, and its lock with it."""
        self._leave()
        with self._explained(lost=Unavailable):
            self._base = self._session()
            self._base.execute("SET synchronous_commit = on")
            careless = self._base.execute("SHOW fsync").fetchone()[0] == "off"
        if careless:
            raise Unavailable(f"{self.shown}: this server runs with fsync = off, so no mark could be promised to stay")

    def lock(self) -> None:
        """An advisory lock of the session, which the server frees when the connection ends."""
        found = self.execute("SELECT pg_try_advisory_lock(hashtextextended(?, 0))", (self.name,))
        if not found[0][0]:
            raise Unavailable(f"{self.shown} {AT_WORK}")
        self._signature = secrets.token_hex(8)
        if self.has_tables():
            self.execute("DELETE FROM meta WHERE name = ?", (WRITER,))
            self.insert("meta", [(WRITER, self._signature)])

    def is_ours(self) -> bool:
        """Whether the signature is ours; those who ask while somebody looks share the next look."""
        asked = time.monotonic()
        with self._looking:
            if self._looked[0] <= asked:
                begin = time.monotonic()
                try:
                    self._looked = begin, self._reads_signature()
                except Unavailable as error:
                    self._looked = begin, error
            found = self._looked[1]
        if isinstance(found, Unavailable):
            raise Unavailable(str(found))
        return found

    def _reads_signature(self) -> bool:
        """A session that was lost is opened again once."""
        for _ in range(2):
            try:
                with self._explained():
                    if self._watch is None:
                        self._watch = self._session()
                    row = self._watch.execute("SELECT value FROM meta WHERE name = %s", (WRITER,)).fetchone()
                return row is not None and row[0] == self._signature
            except ConnectionLostError as error:
                lost = error
                self._watch = None
        raise Unavailable(str(lost))

    def _session(self) -> Any:
        found = self._driver.connect(self.address, autocommit=True, connect_timeout=10, **LIVELY)
        found.execute(f"SET search_path = {self.name}")
        for name in ("tcp_keepalives_idle", "tcp_keepalives_interval"):
            found.execute(f"SET {name} = 10")  # the server's side, so that it frees the lock of a machine that is gone
        return found

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        with self._explained():
            done = self._base.execute(statement.replace("?", "%s") if values else statement, values or None)
            return done.fetchall() if done.description else []

    def insert(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        if not rows:
            return
        with self._explained(), self._base.cursor() as cursor:
            cursor.executemany(f"INSERT INTO {table} VALUES ({_marks(rows, '%s')})", rows)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing."""
        with self._explained(), self._base.transaction():
            yield

    def has_tables(self) -> bool:
        found = self.execute("SELECT to_regclass(?)", (f"{self.name}.event",))
        return found[0][0] is not None

    def create_tables(self) -> None:
        self.execute(f"CREATE SCHEMA {self.name}")
        for statement in schema_statements("bigint", "double precision", POSTGRESQL_TRIGGERS):
            self.execute(statement)

    def add_digests(self, digests: Sequence[tuple[str, int]]) -> None:
        """The one time that events are changed."""
        self.execute("ALTER TABLE event DISABLE TRIGGER event_stays")
        self.execute("ALTER TABLE event ADD COLUMN digest text")
        with self._explained(), self._base.cursor() as cursor:
            cursor.executemany("UPDATE event SET digest = %s WHERE id = %s", digests)
        self.execute("ALTER TABLE event ENABLE TRIGGER event_stays")

    def drop_tables(self) -> None:
        self.connect()
        self.execute(f"DROP SCHEMA IF EXISTS {self.name} CASCADE")
        self.close()

    def check(self) -> str:
        """PostgreSQL checks its pages itself; every row is read once."""
        self.execute("SELECT count(*), sum(length(key)) FROM event")
        return "ok"

    def close(self) -> None:
        self._leave()
        with self._looking:
            if self._watch is not None:
                self._watch.close()
            self._watch = None

    def _leave(self) -> None:
        if self._base is not None:
            self._base.close()
            self._base = None

    @contextmanager
    def _explained(self, lost: type[Exception] = ConnectionLostError) -> Iterator[None]:
        errors = self._driver.errors
        try:
            yield
        except (errors.DiskFull, errors.InsufficientResources) as error:
            raise NoRoom(f"cannot write {self.shown}: {self._reason(error)}") from None
        except (self._driver.OperationalError, self._driver.InterfaceError) as error:
            raise lost(f"cannot reach {self.shown}: {self._reason(error)}") from None
        except self._driver.Error as error:
            kind = StoreError if self._base is not None else Unavailable
            raise kind(f"{self.shown}: {self._reason(error)}") from None

    def _reason(self, error: Exception) -> str:
        """What the server or its library says; some of its messages quote the password alone."""
        text = mask((str(error).strip() or type(error).__name__).splitlines()[0])
        for secret in passwords_in(self.address):
            text = text.replace(secret, "***")
        return text


def _number_of(path: Path | str) -> FileNumber | None:
    """What tells a file from every other one, in spite of its name; None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def database_of(folder: Path, address: str | None, name: str, *, readonly: bool = False) -> Database:
    """Where a project keeps its journal: in its folder, or at an address of PostgreSQL."""
    return SQLite(folder / DATABASE, readonly=readonly) if address is None else PostgreSQL(address, name)


def check_address(address: str) -> str:
    """An address of PostgreSQL as it is; a `SettingError`, without the password, for anything else."""
    if address.startswith(("postgresql://", "postgres://")) or re.match(r"\s*\w+\s*=", address):
        return address
    raise SettingError(
        f"'{mask(address)}' is no address of a database: write postgresql://USER@HOST/NAME or service=NAME, with the "
        "password in PGPASSWORD or a passfile"
    )


def mask(text: str) -> str:
    """A text without passwords.

    >>> mask("postgresql://ann:s3cr@t@db.example.org/judging?sslpassword=x&a=b")
    'postgresql://ann:***@db.example.org/judging?sslpassword=***&a=b'
    >>> mask("host=db password='a b' user=ann")
    'host=db password=*** user=ann'
    """
    return IN_SETTING.sub(r"\1***", IN_ADDRESS.sub(r"\1***@", text))


def passwords_in(address: str) -> list[str]:
    """The passwords that an address holds, as they are written, the longest first.

    >>> passwords_in("postgresql://ann:s3cr3t@h/db"), passwords_in("host=h password='a b'"), passwords_in("service=x")
    (['s3cr3t'], ['a b'], [])
    """
    found = [match[2] for match in IN_ADDRESS.finditer(address)]
    found += [match[2].strip("'") for match in IN_SETTING.finditer(address)]
    return sorted(filter(None, found), key=len, reverse=True)


def _marks(rows: Sequence[Sequence[Any]], mark: str) -> str:
    return ", ".join([mark] * len(rows[0]))


SCHEMA_VERSION: Final = "2"
SCHEMA_WITHOUT_DIGESTS: Final = "1"  # the version before
TABLES: Final = """
CREATE TABLE meta (name text PRIMARY KEY, value text NOT NULL);
CREATE TABLE item (place {whole} PRIMARY KEY, id text NOT NULL UNIQUE, class text NOT NULL);
CREATE TABLE query (
    place {whole} PRIMARY KEY, id text NOT NULL UNIQUE, text text NOT NULL, narrative text NOT NULL,
    example text, class text NOT NULL
);
CREATE TABLE assessor (
    id {whole} PRIMARY KEY, name text NOT NULL UNIQUE, kind text NOT NULL, role text NOT NULL, token_hash text,
    active {whole} NOT NULL
);
CREATE TABLE guideline (version {whole} PRIMARY KEY, text text NOT NULL, at_us {whole} NOT NULL);
CREATE TABLE design (
    version {whole} PRIMARY KEY, method text NOT NULL, seed {whole} NOT NULL, budget {whole}, runs text NOT NULL,
    digest text NOT NULL, at_us {whole} NOT NULL
);
CREATE TABLE pool (
    version {whole} NOT NULL, query text NOT NULL, item text NOT NULL, stratum text NOT NULL, pi {number},
    origin text NOT NULL, drawn {whole}, place {whole} NOT NULL, PRIMARY KEY (version, query, item)
);
CREATE TABLE event (
    id {whole} PRIMARY KEY, at_us {whole} NOT NULL, assessor {whole} NOT NULL, key text NOT NULL, kind text NOT NULL,
    query text, item text, grade {whole}, ms {whole}, of {whole}, detail text, pool {whole}, guideline {whole},
    digest text NOT NULL, UNIQUE (assessor, key)
)
"""
APPEND_ONLY: Final = "the journal is append-only"
SQLITE_TRIGGERS: Final = (  # the first one is taken away while digests are added
    f"CREATE TRIGGER event_stays BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, '{APPEND_ONLY}'); END",
    f"CREATE TRIGGER event_kept BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, '{APPEND_ONLY}'); END",
    # INSERT OR REPLACE would delete a row without asking the trigger above
    "CREATE TRIGGER event_new BEFORE INSERT ON event"
    " WHEN EXISTS (SELECT 1 FROM event WHERE id = NEW.id OR (assessor = NEW.assessor AND key = NEW.key))"
    f" BEGIN SELECT RAISE(ABORT, '{APPEND_ONLY}'); END",
)
POSTGRESQL_TRIGGERS: Final = (
    "CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS"
    f" $$ BEGIN RAISE EXCEPTION '{APPEND_ONLY}'; END $$",
    "CREATE TRIGGER event_stays BEFORE UPDATE OR DELETE ON event FOR EACH ROW EXECUTE FUNCTION refuse_change()",
    "CREATE TRIGGER event_kept BEFORE TRUNCATE ON event FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()",
)


def schema_statements(whole: str, number: str, triggers: tuple[str, ...]) -> list[str]:
    """What makes an empty store: `whole` and `number` are the types of whole and of all numbers."""
    return [*TABLES.format(whole=whole, number=number).strip().split(";\n"), *triggers]
