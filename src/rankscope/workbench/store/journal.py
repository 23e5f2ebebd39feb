"""The statements: everything that is read from and written to the tables of a project."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from rankscope.workbench.store import schema
from rankscope.workbench.store.dialects import Database
from rankscope.workbench.store.events import Event
from rankscope.workbench.store.failures import Unavailable
from rankscope.workbench.store.rows import Assessor, Guideline, Item, PoolDesign, Pooled, Query

COLUMNS: Final = ", ".join(Event._fields)


class Journal:
    """The tables of one project in an open database."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def create(self, meta: Mapping[str, str], items: Iterable[Item], queries: Iterable[Query]) -> None:
        """Make the tables, with what stays: all of it or nothing."""
        with self.database.transaction():
            self.database.create_tables()
            self.database.insert("meta", [("schema", schema.VERSION), *meta.items()])
            self.database.insert("item", list(items))
            self.database.insert("query", list(queries))

    def check_version(self) -> None:
        """`Unavailable` where there are no tables, or those of another version of rankscope."""
        if not self.database.has_tables():
            raise Unavailable(
                f"{self.database.shown} holds no journal of this project. To move one there: export it with --journal, "
                "make a project with --database, and import it"
            )
        found = self.meta().get("schema")
        if found != schema.VERSION:
            raise Unavailable(f"{self.database.shown} is of version {found}, and this rankscope reads {schema.VERSION}")

    def meta(self) -> dict[str, str]:
        """What is known of the project itself."""
        return {str(name): str(value) for name, value in self.database.execute("SELECT name, value FROM meta")}

    def items(self) -> list[Item]:
        """The collection, in its order."""
        return [Item._make(row) for row in self.database.execute("SELECT * FROM item ORDER BY place")]

    def queries(self) -> list[Query]:
        """All queries, in their order."""
        return [Query._make(row) for row in self.database.execute("SELECT * FROM query ORDER BY place")]

    def assessors(self) -> list[Assessor]:
        """Everybody, in the order in which they came."""
        return [Assessor._make(row) for row in self.database.execute("SELECT * FROM assessor ORDER BY id")]

    def guidelines(self) -> list[Guideline]:
        """All versions, the first one first."""
        return [Guideline._make(row) for row in self.database.execute("SELECT * FROM guideline ORDER BY version")]

    def designs(self) -> list[PoolDesign]:
        """How the pools were made, the first one first."""
        return [PoolDesign._make(row) for row in self.database.execute("SELECT * FROM design ORDER BY version")]

    def pool(self, version: int) -> list[Pooled]:
        """The candidates of one pool, in its order."""
        found = self.database.execute("SELECT * FROM pool WHERE version = ? ORDER BY place", (version,))
        return [Pooled._make(row) for row in found]

    def events(self, after: int = 0) -> list[Event]:
        """The journal behind an event, in order."""
        found = self.database.execute(f"SELECT {COLUMNS} FROM event WHERE id > ? ORDER BY id", (after,))
        return list(map(Event._make, found))

    def append(self, events: Sequence[Event]) -> None:
        """Events on the disk, all of them or none."""
        with self.database.transaction():
            self.database.insert("event", events)

    def put_assessor(self, one: Assessor) -> None:
        """Add somebody, or change role, token or whether they may still come in."""
        self.database.execute("DELETE FROM assessor WHERE id = ?", (one.id,))
        self.database.insert("assessor", [one])

    def add_query(self, query: Query) -> None:
        """One more query."""
        self.database.insert("query", [query])

    def add_guideline(self, guideline: Guideline) -> None:
        """One more version."""
        self.database.insert("guideline", [guideline])

    def add_pool(self, design: PoolDesign, rows: Sequence[Pooled]) -> None:
        """One more pool, frozen."""
        self.database.insert("design", [design])
        self.database.insert("pool", rows)
