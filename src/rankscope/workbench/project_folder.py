"""The folder of a project, closed to other users of the machine; in it project.toml, which a person may edit."""

from __future__ import annotations

import os
import re
import secrets
import shlex
import stat
import time
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

from rankscope.core.catalogue import did_you_mean
from rankscope.core.errors import InputError, RankscopeError, SettingError
from rankscope.core.file_guard import check_target
from rankscope.core.files import PART_SUFFIX, PRIVATE, atomic, made_folder, sibling
from rankscope.core.validation import (
    COUNT,
    FLAG,
    SEED,
    TEXT,
    Number,
    Optional,
    Rule,
    Several,
    WholeNumber,
    plain_values,
)
from rankscope.workbench.sources import Sources
from rankscope.workbench.store.databases import DATABASE, Database, SQLite, check_address, database_of, mask
from rankscope.workbench.store.events import OWNER, PROJECT, Item, Query, Unavailable
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
        if os.name != "nt":
            # Names and bytes on the disk, so that no mark that is acknowledged later lies in a file without a name.
            for path in (folder / PROJECT_FILE, folder, folder.resolve().parent):
                number = os.open(path, os.O_RDONLY)
                try:
                    os.fsync(number)
                finally:
                    os.close(number)


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


def _written(given: Any, folder: Path) -> Any:
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


# project.toml: what a person may edit of a project, read with every problem at once.

PROJECT_FILE: Final = "project.toml"
IRDS: Final = "irds:"
SHARE: Final = Number(least=0, most=1)
# by table, each with what it means; a new setting adds its line here
SETTINGS: Final[dict[str, dict[str, tuple[Rule, str]]]] = {
    "project": {
        "id": (TEXT, "names the project in a database; leave it as it is"),
        "database": (
            Optional(TEXT),
            "where the journal is, if not in the folder: postgresql://USER@HOST/NAME or service=NAME",
        ),
    },
    "collection": {
        "images": (Optional(TEXT), "a folder of pictures"),
        "texts": (Optional(TEXT), "a file or folder of documents"),
        "features": (Several(TEXT), "vectors of the items, for searching by example"),
        "runs": (Several(TEXT), "rankings that pools are drawn from"),
        "topics": (Optional(TEXT), "what is looked for"),
        "index": (Optional(TEXT), "an index of the texts, for searching by words"),
    },
    "judging": {
        "grades": (Several(WholeNumber(least=0, most=9)), "the grades that assessors choose from, 0 to 9"),
        "relevant": (WholeNumber(least=0, most=9), "the lowest grade that counts as relevant"),
        "per_item": (COUNT, "how many assessors judge each item"),
        "double": (SHARE, "share of the items that two assessors judge, where per_item is 1"),
        "repeat": (SHARE, "share of an assessor's items that come back, to see whether the answer is the same"),
        "swap": (
            SHARE,
            "share of two lists side by side that come back with the sides swapped, to see whether the side decides",
        ),
        "single": (FLAG, "all items of a query go to one assessor"),
        "loan_minutes": (
            Number(above=0, most=24 * 60),
            "an item that was shown and not marked goes to others after so long",
        ),
        "seed": (SEED, "of the order in which items are shown"),
    },
}


@dataclass(frozen=True, kw_only=True)
class ProjectFile:
    """What project.toml says. Paths are as written: below the project's folder unless they are absolute."""

    id: str
    database: str | None = None
    images: str | None = None
    texts: str | None = None
    features: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    topics: str | None = None
    index: str | None = None
    grades: tuple[int, ...] = (0, 1, 2)
    relevant: int = 1
    per_item: int = 1
    double: float = 0.1
    repeat: float = 0.02
    swap: float = 0.2
    single: bool = False
    loan_minutes: float = 10
    seed: int = 0

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> ProjectFile:
        """Checked; one `SettingError` with everything that cannot be."""
        rules = {name: rule for table in SETTINGS.values() for name, (rule, _) in table.items()}
        known = {each.name: each.default for each in fields(cls)}
        plain, problems = plain_values(rules, {**known, **values})
        problems += _problems_together(plain)
        if problems:
            raise SettingError.of(problems)
        return cls(**plain)

    @classmethod
    def read(cls, folder: Path) -> ProjectFile:
        path = folder / PROJECT_FILE
        try:
            tables = tomllib.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            advice = f"Make one with: rankscope project new {shlex.quote(str(folder))} --images DIR"
            raise InputError.of(str(folder), [f"is no project: there is no {PROJECT_FILE}"], advice) from None
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise InputError.of(str(path), [f"cannot be read: {error}"]) from None
        values, problems = _flat(tables)
        try:
            found = cls.of(values)
        except SettingError as error:
            raise InputError.of(str(path), [*problems, *error.problems]) from None
        if problems:
            raise InputError.of(str(path), problems)
        return found

    def write(self, folder: Path) -> None:
        values = asdict(self)
        lines = ["# A project of rankscope. Edit it while nothing runs; judgements are in judgements.db.", ""]
        for table, settings in SETTINGS.items():
            lines += [f"[{table}]"]
            for name, (_, meaning) in settings.items():
                written = _toml(values[name])
                lines.append(f"{name} = {written}  # {meaning}" if written else f"# {name} =  # {meaning}")
            lines.append("")
        with atomic(folder / PROJECT_FILE, private=True) as file:
            file.write("\n".join(lines))

    def path(self, folder: Path, written: str) -> Path:
        """Where something that the file names lies; a set of ir_datasets lies nowhere here."""
        if written.startswith(IRDS):
            return Path(written)
        return Path(os.path.normpath(folder / written))


def path_to_write(source: str | Path, folder: Path) -> str:
    """A path as project.toml has it: absolute as it was given, else relative to the project's folder."""
    text = os.fspath(source)
    return text if os.path.isabs(text) or text.startswith(IRDS) else Path(os.path.relpath(text, folder)).as_posix()


def _flat(tables: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    values: dict[str, Any] = {}
    problems: list[str] = []
    for table, rules in SETTINGS.items():
        given = tables.get(table, {})
        if not isinstance(given, Mapping):
            problems.append(f"{table} must be a table: [{table}]")
            continue
        unknown = [name for name in given if name not in rules]
        problems += [
            f"[{table}] has no setting '{name}'{did_you_mean(name, rules)}".removesuffix(".") for name in unknown
        ]
        values |= {name: value for name, value in given.items() if name in rules}
    problems += [
        f"there is no table [{name}]{did_you_mean(name, SETTINGS)}".removesuffix(".")
        for name in tables.keys() - SETTINGS
    ]
    if "id" not in values:
        problems.append("[project] has no id")
        values["id"] = "0" * 16
    return values, problems


def _problems_together(plain: Mapping[str, Any]) -> list[str]:
    """What is wrong only in view of another setting."""
    problems = []
    grades = plain.get("grades")
    if grades is not None and (len(grades) < 2 or list(grades) != sorted(set(grades))):
        problems.append(f"grades={list(grades)}: two or more, each once, ascending")
    elif grades is not None and plain.get("relevant", grades[0]) not in grades[1:]:
        problems.append(f"relevant={plain['relevant']}: must be one of the grades above the lowest, {list(grades[1:])}")
    if "id" in plain and not (len(plain["id"]) == 16 and set(plain["id"]) <= set("0123456789abcdef")):
        problems.append("id: must be 16 hexadecimal digits")
    if plain.get("database"):
        try:
            if mask(check_address(plain["database"])) != plain["database"]:
                problems.append("database: holds a password; put it into PGPASSWORD or a passfile instead")
        except SettingError as error:
            problems.append(f"database: {error}")
    return problems


def _toml(value: object) -> str:
    """A value as TOML writes it; nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_toml, value))}]"
    return _quoted(value) if isinstance(value, str) else repr(value)


def _quoted(text: str) -> str:
    r"""A text between quotes.

    >>> print(_quoted('a "b"\n\x7f'))
    "a \"b\"\u000a\u007f"
    """
    signs = (
        f"\\{sign}" if sign in '"\\' else sign if sign >= " " and sign != "\x7f" else f"\\u{ord(sign):04x}"
        for sign in text
    )
    return f'"{"".join(signs)}"'
