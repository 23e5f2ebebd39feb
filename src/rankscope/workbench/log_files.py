"""The sessions of a project as a log of marks: session, item, mark; what `rankscope feedback --log` reads."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rankscope.errors import SettingError
from rankscope.files import atomic
from rankscope.workbench.browsing.sessions import SessionLog

if TYPE_CHECKING:
    from rankscope.workbench.project import Project

SUFFIXES = (".csv", ".tsv", ".jsonl")


class LogRow(NamedTuple):
    """One item that somebody has marked in a session: 1 relevant, -1 irrelevant."""

    session: str
    item: str
    mark: int


def write_log(project: Project, path: str | Path) -> int:
    """Write the marks of all sessions as they stand now, and the examples they began with; how many sessions have any.

    A session is called by its number. Nothing says who searched.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise SettingError(f"a log must be called NAME.csv, NAME.tsv or NAME.jsonl, got '{path}'")
    rows = log_rows(project)
    with atomic(path) as file:
        file.write(_lines(rows) if suffix == ".jsonl" else _table(rows, "\t" if suffix == ".tsv" else ","))
    return len({row.session for row in rows})


def log_rows(project: Project) -> list[LogRow]:
    """What is marked in each session now, in the order of marking."""
    log = SessionLog()
    log.read(project.state.events)
    return [
        LogRow(str(session.number), project.items[place].id, 1 if opinion == "relevant" else -1)
        for session in log.sessions
        for place, opinion in session.opinions.items()
    ]


def _lines(rows: list[LogRow]) -> str:
    return "".join(json.dumps(row._asdict(), ensure_ascii=False) + "\n" for row in rows)


def _table(rows: list[LogRow], separator: str) -> str:
    import csv

    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerows([LogRow._fields, *rows])
    return text.getvalue()
