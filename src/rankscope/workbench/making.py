"""Making a project: everything is read and checked first, then written whole."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from rankscope.errors import RankscopeError, SettingError
from rankscope.files import made_folder, sibling
from rankscope.left_behind import PART
from rankscope.workbench.people import OWNER, PROJECT
from rankscope.workbench.private_files import KEY, create_private, write_session_key
from rankscope.workbench.project_file import NAME, ProjectFile, path_to_write
from rankscope.workbench.sources import Contents, Sources
from rankscope.workbench.store.dialects import Database, SQLite, database_of, mask
from rankscope.workbench.store.failures import Unavailable
from rankscope.workbench.store.journal import Journal

DATABASE: Final = "judgements.db"


def make_project(
    folder: Path, sources: Mapping[str, Any], settings: Mapping[str, Any], database: str | None, secret: bytes | None
) -> None:
    """The files of a new project; with bad input an error names everything, and nothing is made."""
    kept = None if database is None or mask(database) != database else database
    written = {name: _written(each, folder) for name, each in sources.items()}
    file = _checked_file({"id": secrets.token_hex(8), "database": kept, **written, **settings})
    _need_new(folder)
    contents = Sources.of(file, folder).read()
    created = str(time.time_ns() // 1000)
    meta = {"id": file.id, "secret": (secret or secrets.token_bytes(32)).hex(), "created_us": created}
    base = database_of(folder, database, file.id)
    with _whole_or_nothing(folder, base):
        made_folder(folder, private=True)
        if isinstance(base, SQLite):
            _create_file(base.path, meta, contents)
        else:
            _create_at(base, meta, contents)
        file.write(folder)
        write_session_key(folder)
        for path in (folder / NAME, folder, folder.resolve().parent):
            _sync(path)


@contextmanager
def _whole_or_nothing(folder: Path, base: Database) -> Iterator[None]:
    """What was made goes where the rest fails."""
    was_there = folder.exists()
    try:
        yield
    except BaseException:
        with suppress(RankscopeError):
            base.drop_tables()
        with suppress(OSError):
            for name in (NAME, KEY):
                (folder / name).unlink(missing_ok=True)
            if not was_there:
                folder.rmdir()
        raise


def _sync(path: Path) -> None:
    """Names and bytes on the disk, so that no mark that is acknowledged later lies in a file without a name."""
    if os.name == "nt":
        return
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _written(given: Any, folder: Path) -> Any:
    """Paths as project.toml has them."""
    if given is None:
        return None
    single = isinstance(given, str | Path)
    return path_to_write(given, folder) if single else [path_to_write(each, folder) for each in given]


def _checked_file(values: Mapping[str, Any]) -> ProjectFile:
    unknown = [name for name in values if name not in ProjectFile.__dataclass_fields__]
    if unknown:
        raise SettingError(f"a project has no setting '{unknown[0]}'")
    return ProjectFile.of(values)


def _need_new(folder: Path) -> None:
    """A folder without a project; what an earlier attempt left before it was ended, without a mark in it, goes."""
    if (folder / NAME).exists():
        raise SettingError(f"{folder} holds a project already: choose another folder")
    base = folder / DATABASE
    if not base.exists():
        return
    with suppress(Unavailable):
        old = SQLite(base, readonly=True)
        old.connect()
        empty = not old.has_tables() or old.execute("SELECT count(*) FROM event") == [(0,)]
        old.close()
        if empty:
            base.unlink()
            return
    raise SettingError(f"{folder} holds a {DATABASE} already: choose another folder, or move that away")


def _create_file(path: Path, meta: Mapping[str, str], contents: Contents) -> None:
    """The file under another name first, so that it is there whole or not at all."""
    temporary = sibling(path, f".{os.getpid()}.{secrets.token_hex(4)}{PART}")
    try:
        create_private(temporary)
        _create_at(SQLite(temporary), meta, contents)
        temporary.replace(path)
    finally:
        for ending in ("", "-wal", "-shm"):
            temporary.with_name(temporary.name + ending).unlink(missing_ok=True)


def _create_at(database: Database, meta: Mapping[str, str], contents: Contents) -> None:
    database.connect()
    try:
        journal = Journal(database)
        journal.create(meta, contents.items, contents.queries)
        with database.transaction():
            for each in (PROJECT, OWNER):
                journal.put_assessor(each)
    finally:
        database.close()
