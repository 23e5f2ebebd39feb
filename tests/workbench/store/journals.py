"""Journals to try things on, without a project around them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rankscope.workbench.store.databases import Database, SQLite
from rankscope.workbench.store.events import MarkEvent
from rankscope.workbench.store.journal import Journal, Writer


def new_journal(database: Database) -> Journal:
    """Empty tables in a database."""
    database.connect()
    journal = Journal(database)
    journal.create({"id": "0"}, [], [])
    return journal


@contextmanager
def open_writer(path: Path, **more: Any) -> Iterator[Writer]:
    """A writer of a journal in a file, made where it is not there."""
    database = SQLite(path)
    database.connect()
    journal = Journal(database)
    if not database.has_tables():
        journal.create({"id": "0"}, [], [])
    writer = Writer(journal, **more)
    try:
        yield writer
    finally:
        writer.stop()
        database.close()


def mark(key: str, item: str = "a", grade: int = 1, assessor: int = 1) -> MarkEvent:
    """A grade of the first query."""
    return MarkEvent(assessor=assessor, key=key, kind="grade", query="q1", item=item, grade=grade)


def undo(key: str, of: int | None = None, assessor: int = 1) -> MarkEvent:
    """An undo of the last mark, or of a named one."""
    return MarkEvent(assessor=assessor, key=key, kind="undo", of=of)
