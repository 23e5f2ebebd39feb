"""The two databases a journal can lie in, behind the same few calls: SQLite in the project's folder, or PostgreSQL.

Statements are written once, with `?` for a value. Every error of a database becomes one of `store.failures`, without a
password in it.
"""

from __future__ import annotations

import logging
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final

from rankscope.errors import SettingError
from rankscope.extras import import_extra
from rankscope.files import sole_writer
from rankscope.workbench.store import schema
from rankscope.workbench.store.failures import NoRoom, StoreError, Unavailable

Row = tuple[Any, ...]
LOCK: Final = ".rankscope.lock"
IN_ADDRESS: Final = re.compile(r"(://[^:/@\s]*:)(\S*)@")
IN_SETTING: Final = re.compile(r"(password\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&'\"]+)", re.IGNORECASE)
NO_ROOM: Final = ("SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_FSYNC")


class ConnectionLostError(Exception):
    """The connection is gone, and whether the last transaction counts is not known: look after connecting again."""


class Database(ABC):
    """One open connection, used by one thread at a time."""

    shown: str  # what messages call it

    @abstractmethod
    def connect(self) -> None:
        """Open it; again where the connection was lost."""

    @abstractmethod
    def lock(self) -> None:
        """Make this process the only one that writes here; `Unavailable` where another does."""

    @abstractmethod
    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """Run one statement; its rows."""

    @abstractmethod
    def insert(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        """Add whole rows to a table."""

    @abstractmethod
    def transaction(self) -> AbstractContextManager[None]:
        """All of a block's statements on the disk when it ends, or none of them."""

    @abstractmethod
    def has_tables(self) -> bool:
        """Whether the tables of this project are there."""

    @abstractmethod
    def create_tables(self) -> None:
        """Make the tables, inside of a transaction."""

    @abstractmethod
    def drop_tables(self) -> None:
        """Take away what was just made, where the rest of a project could not be."""

    @abstractmethod
    def check(self) -> str:
        """`ok`, or what is damaged, in the words of the database."""

    @abstractmethod
    def close(self) -> None:
        """Close it; what a clean stop tidies up is tidied."""


class SQLite(Database):
    """A file: write-ahead log, and each commit waits until the disk has it (`synchronous=FULL`)."""

    def __init__(self, path: Path, *, readonly: bool = False) -> None:
        self.path, self.readonly = path, readonly
        self.shown = str(path)
        self._base: Any = None
        self._held: IO[bytes] | None = None

    def connect(self) -> None:
        """Open the file; made where it is not there, unless it is only read."""
        import sqlite3

        uri = f"{self.path.resolve().as_uri()}?mode={'ro' if self.readonly else 'rwc'}"
        with self._explained():
            self._base = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=5.0, check_same_thread=False)
            if not self.readonly:
                self._base.execute("PRAGMA journal_mode = WAL")
            self._base.execute("PRAGMA synchronous = FULL")
            self._base.execute("PRAGMA fullfsync = ON")  # macOS: through the cache of the disk, too

    def lock(self) -> None:
        """A locked file next to it, which a killed process lets go."""
        try:
            self._held = sole_writer(self.path.parent, LOCK)
        except SettingError:
            raise Unavailable(
                f"{self.path.parent} is open in another process (is rankscope serve running?): stop that first, or do "
                "this in its pages"
            ) from None

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """Run one statement; its rows."""
        with self._explained():
            found: list[Row] = self._base.execute(statement, values).fetchall()
        return found

    def insert(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        """Add whole rows to a table."""
        if not rows:
            return
        with self._explained():
            self._base.executemany(f"INSERT INTO {table} VALUES ({_marks(rows, '?')})", rows)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; whatever fails is rolled back."""
        with self._explained():
            self._base.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._base.execute("COMMIT")
            except BaseException:
                if self._base.in_transaction:
                    self._base.execute("ROLLBACK")
                raise

    def has_tables(self) -> bool:
        """Whether the tables are there."""
        return bool(self.execute("SELECT 1 FROM sqlite_master WHERE name = 'event'"))

    def create_tables(self) -> None:
        """Make the tables."""
        for statement in schema.statements("INTEGER", "REAL", schema.SQLITE_TRIGGERS):
            self.execute(statement)

    def drop_tables(self) -> None:
        """The file goes."""
        self.path.unlink(missing_ok=True)

    def check(self) -> str:
        """What `integrity_check` says."""
        return "; ".join(str(row[0]) for row in self.execute("PRAGMA integrity_check"))

    def backup(self, target: Path) -> None:
        """A whole copy in a new file, made while others read and write."""
        self.execute("VACUUM INTO ?", (str(target),))

    def close(self) -> None:
        """The log goes into the file, so that one file holds everything."""
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
            if name.startswith(
                ("SQLITE_BUSY", "SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_NOTADB", "SQLITE_CORRUPT")
            ):
                raise Unavailable(f"cannot use {self.shown}: {error}") from None
            raise StoreError(f"{self.shown}: {error}") from None


class PostgreSQL(Database):
    """A schema of its own in a database of a server; the password comes from PGPASSWORD or a passfile."""

    def __init__(self, address: str, name: str) -> None:
        self.address, self.name = check_address(address), f"rankscope_{name}"
        self.shown = f"{mask(address)} (schema {self.name})"
        self._driver = import_extra("psycopg", "psycopg", "team")
        logging.getLogger("psycopg").addHandler(logging.NullHandler())  # what it says is in our own errors
        self._base: Any = None
        self._locked = False

    def connect(self) -> None:
        """Open a session whose commits wait for the disk; the lock comes back with it where it was held."""
        with self._explained(lost=Unavailable):
            self._base = self._driver.connect(self.address, autocommit=True, connect_timeout=10)
            self._base.execute("SET synchronous_commit = on")
            self._base.execute(f"SET search_path = {self.name}")
            careless = self._base.execute("SHOW fsync").fetchone()[0] == "off"
        if careless:
            raise Unavailable(f"{self.shown}: this server runs with fsync = off, so no mark could be promised to stay")
        if self._locked:
            self.lock()

    def lock(self) -> None:
        """An advisory lock of the session, which the server frees when the connection ends."""
        found = self.execute("SELECT pg_try_advisory_lock(hashtextextended(?, 0))", (self.name,))
        if not found[0][0]:
            raise Unavailable(f"{self.shown} is open in another process: stop that first, or do this in its pages")
        self._locked = True

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """Run one statement; its rows."""
        with self._explained():
            done = self._base.execute(statement.replace("?", "%s") if values else statement, values or None)
            found: list[Row] = done.fetchall() if done.description else []
        return found

    def insert(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        """Add whole rows to a table, in one round trip."""
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
        """Whether the schema is there with its tables."""
        found = self.execute("SELECT to_regclass(?)", (f"{self.name}.event",))
        return found[0][0] is not None

    def create_tables(self) -> None:
        """Make the schema and its tables."""
        self.execute(f"CREATE SCHEMA {self.name}")
        for statement in schema.statements("bigint", "double precision", schema.POSTGRESQL_TRIGGERS):
            self.execute(statement)

    def drop_tables(self) -> None:
        """The schema goes."""
        self.connect()
        self.execute(f"DROP SCHEMA IF EXISTS {self.name} CASCADE")
        self.close()

    def check(self) -> str:
        """PostgreSQL checks its pages itself; every row is read once."""
        self.execute("SELECT count(*), sum(length(key)) FROM event")
        return "ok"

    def close(self) -> None:
        """End the session."""
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


def database_of(folder: Path, address: str | None, name: str) -> Database:
    """Where a project keeps its journal: in its folder, or at an address of PostgreSQL."""
    if address is None:
        return SQLite(folder / "judgements.db")
    return PostgreSQL(address, name)


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
