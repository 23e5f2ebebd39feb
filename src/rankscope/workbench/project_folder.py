"""The folder of a project: made whole or not at all, closed to other users of the machine, and its journal copied."""

from __future__ import annotations

import os
import re
import secrets
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from rankscope.core.errors import RankscopeError, SettingError
from rankscope.core.file_guard import check_target
from rankscope.core.files import PART_SUFFIX, PRIVATE, atomic, made_folder, sibling
from rankscope.workbench.people import OWNER, PROJECT
from rankscope.workbench.project_file import PROJECT_FILE, ProjectFile, path_to_write
from rankscope.workbench.sources import Sources
from rankscope.workbench.store.databases import DATABASE, Database, SQLite, database_of, mask
from rankscope.workbench.store.events import Item, Query, Unavailable
from rankscope.workbench.store.journal import Journal


def make_project(
    folder: Path, sources: Mapping[str, Any], settings: Mapping[str, Any], database: str | None, secret: bytes | None
) -> None:
    """The files of a new project; with bad input an error names everything, and nothing is made."""
    kept = None if database is None or mask(database) != database else database
    written = {name: _written(each, folder) for name, each in sources.items()}
    values = {"id": secrets.token_hex(8), "database": kept, **written, **settings}
    if unknown := [name for name in values if name not in ProjectFile.__dataclass_fields__]:
        raise SettingError(f"a project has no setting '{unknown[0]}'")
    file = ProjectFile.of(values)
    _need_new(folder)
    items, queries = Sources.of(file, folder).read()
    created = str(time.time_ns() // 1000)
    meta = {"id": file.id, "secret": (secret or secrets.token_bytes(32)).hex(), "created_us": created}
    base = database_of(folder, database, file.id)
    with _whole_or_nothing(folder, base):
        made_folder(folder, private=True)
        if isinstance(base, SQLite):
            # The file under another name first, so that it is there whole or not at all.
            temporary = sibling(base.path, f".{os.getpid()}.{secrets.token_hex(4)}{PART_SUFFIX}")
            try:
                create_private(temporary)
                _create_at(SQLite(temporary), meta, items, queries)
                temporary.replace(base.path)
            finally:
                for ending in ("", "-wal", "-shm"):
                    temporary.with_name(temporary.name + ending).unlink(missing_ok=True)
        else:
            _create_at(base, meta, items, queries)
        file.write(folder)
        write_session_key(folder)
        for path in (folder / PROJECT_FILE, folder, folder.resolve().parent):
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
            for name in (PROJECT_FILE, SESSION_KEY):
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


def _need_new(folder: Path) -> None:
    """A folder without a project; what an earlier attempt left before it was ended, without a mark in it, goes."""
    if (folder / PROJECT_FILE).exists():
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


def _create_at(database: Database, meta: Mapping[str, str], items: list[Item], queries: list[Query]) -> None:
    database.connect()
    try:
        journal = Journal(database)
        journal.create(meta, items, queries)
        with database.transaction():
            for each in (PROJECT, OWNER):
                journal.put_assessor(each)
    finally:
        database.close()


# Who else on this machine may read a project: nobody, where the file system keeps permissions (not on Windows).

SESSION_KEY: Final = "sessions.key"
KEY_FORM: Final = re.compile(r"[0-9a-f]{64}\n?", re.ASCII)
OTHERS: Final = 0o077
PRIVATE_FOLDER: Final = 0o700


def create_private(path: Path) -> None:
    """A new, empty file of its owner alone; SQLite gives the log next to it the same permissions."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE))


def close_to_others(folder: Path, names: tuple[str, ...]) -> list[str]:
    """Leave a folder and these files of it to their owner; what there is to say of it."""
    if os.name == "nt":
        return []
    there = [path for path in (folder / name for name in names) if path.exists()]
    were_open = any(_is_open(path) and path.stat().st_size for path in there)  # a lock is empty
    for path in (folder, *there):
        # To its owner alone; a folder that everybody shares, as /tmp, stays as it is.
        with suppress(OSError):
            mode = path.stat().st_mode
            if mode & OTHERS and not mode & stat.S_ISVTX:
                path.chmod(PRIVATE_FOLDER if stat.S_ISDIR(mode) else PRIVATE)
    still = [path.name for path in there if _is_open(path)]
    if still:
        what = "the owner of the files, or a file system with permissions, could change that"
        return [f"other users of this machine can open {', '.join(still)} in {folder}: {what}"]
    return [f"other users of this machine could open {folder}: now only its owner can"] if were_open else []


def read_session_key(folder: Path) -> tuple[bytes, list[str]]:
    """What signs the sessions of a project, made anew where others could have read it; and what there is to say."""
    path = folder / SESSION_KEY
    try:
        text = path.read_text(encoding="ascii")
        if KEY_FORM.fullmatch(text) and not _is_open(path):
            return bytes.fromhex(text), []
    except (OSError, UnicodeDecodeError):
        pass
    try:
        return write_session_key(folder), ["everybody signs in anew, with their link: sessions have a new key"]
    except SettingError as error:
        return secrets.token_bytes(32), [f"everybody signs in anew after each start: {error}"]


def write_session_key(folder: Path) -> bytes:
    """A new key, in a new file, so that nobody who had the old one open reads it."""
    key = secrets.token_bytes(32)
    with atomic(folder / SESSION_KEY, private=True) as file:
        file.write(f"{key.hex()}\n")
    return key


def _is_open(path: Path) -> bool:
    """Whether others may do anything with a file."""
    return os.name != "nt" and bool(path.stat().st_mode & OTHERS)


# Copies of a journal's file that are whole and their owner's alone, made while others read and write.


def copy_database(database: Database, target: Path) -> None:
    """A copy under a name that is new; it appears when it is whole."""
    if not isinstance(database, SQLite):
        raise SettingError(f"{database.shown} is a server's: back it up with its own pg_dump")
    if target.exists():
        raise SettingError(f"{target} is there already: choose another name for the backup")
    check_target(target)
    temporary = sibling(target, f".{os.getpid()}.{secrets.token_hex(4)}{PART_SUFFIX}")
    source = SQLite(database.path, readonly=True)
    try:
        source.connect()
        create_private(temporary)
        source.backup(temporary)
        temporary.replace(target)
    finally:
        source.close()
        temporary.unlink(missing_ok=True)
