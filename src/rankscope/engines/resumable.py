"""Work that can be stopped, in one SQLite file next to its result: the same work goes on from there.

The settings that the result depends on are kept with it, so that other work does not go on by mistake. The file goes
when the result is written.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from rankscope.core.errors import SettingError
from rankscope.core.files import sibling
from rankscope.core.wording import setting_usage, setting_value

SETTINGS_TABLE = "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)"


@dataclass(frozen=True)
class WorkKind:
    """What messages call some work, the ending of its file, and settings of which only that they differ is said."""

    noun: str
    verb: str
    ending: str
    large: Mapping[str, str]

    def place(self, output: str | Path) -> Path:
        """Where the state of a result lies.

        >>> WorkKind("gathering", "gathers", ".gathering", {}).place("out/docs.parquet").name
        '.docs.parquet.gathering'
        """
        return sibling(Path(output), self.ending)


class Resumable:
    """The file; only one process can have it open."""

    kind: ClassVar[WorkKind]

    def __init__(self, path: Path | str) -> None:
        self.path = path
        self.base = sqlite3.connect(path, isolation_level=None, timeout=0.0)
        self.base.execute("PRAGMA locking_mode = EXCLUSIVE")
        self.base.execute("PRAGMA synchronous = FULL")

    @classmethod
    @contextmanager
    def opened(cls, *place: Any) -> Iterator[Self]:
        """The state in a file, made if it is not there; a `SettingError` where it cannot be had or the block fails."""
        try:
            with closing(cls(*place)) as state:
                yield state
        except sqlite3.DatabaseError as error:
            raise SettingError(_explained(place[0], cls.kind, str(error))) from None

    def resume(self, schema: str, settings: Mapping[str, Any]) -> bool:
        """Make the tables, or check that the work was begun with the same settings; whether it goes on."""
        if self.base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            self._check(settings)
            return True
        for statement in (SETTINGS_TABLE, *filter(str.strip, schema.split(";"))):
            self.base.execute(statement)
        rows = [(name, json.dumps(value)) for name, value in settings.items()]
        self.base.executemany("INSERT INTO settings VALUES (?, ?)", rows)
        return False

    def _check(self, settings: Mapping[str, Any]) -> None:
        before = {name: json.loads(value) for name, value in self.base.execute("SELECT name, value FROM settings")}
        other = [name for name, value in settings.items() if before.get(name) != json.loads(json.dumps(value))]
        if not other:
            return
        large = self.kind.large
        words = [f"{setting_value(name, before.get(name))} before" for name in other if name not in large]
        words += [f"{large[name]} before" for name in other if name in large]
        raise SettingError(
            f"{self.path} holds {self.kind.noun} that was stopped, and it had other settings: {', '.join(words)}. "
            f"Give the same ones to go on, or {setting_usage('restart')} to begin anew"
        )

    @contextmanager
    def writing(self) -> Iterator[None]:
        """All of the block's changes on the disk, or none."""
        self.base.execute("BEGIN EXCLUSIVE")
        try:
            yield
        except BaseException:
            self.base.execute("ROLLBACK")
            raise
        self.base.execute("COMMIT")

    def close(self) -> None:
        self.base.close()


def remove_state(path: Path) -> None:
    """The file, and what SQLite left next to it when its process was ended."""
    for each in (path.with_name(f"{path.name}-journal"), path):
        each.unlink(missing_ok=True)


def _explained(path: Path | str, kind: WorkKind, words: str) -> str:
    if "locked" in words:
        return f"another process {kind.verb} into {path}: wait until it has finished"
    if "not a database" in words or "malformed" in words or "no such" in words:
        return f"{path} is no state of {kind.noun}, or is damaged: remove it, or give {setting_usage('restart')}"
    return f"cannot write {path}: {words}"
