"""What a running command must not write over: what it reads, what is read-only, and what is plainly something else.

Commands say what they read; in Python nothing is known of it, so there only read-only files are left alone. What kind
of file stands at a path is recognised by its bytes alone: only kinds that take work to make again have a name here;
everything else (a table of results, a page, notes) is None.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, get_args

from rankscope.core.caching import lazy_pattern
from rankscope.core.columns import ITEM, QUERY, RANK, SCORE
from rankscope.core.errors import SettingError

# What kind of file stands at a path, recognised by its bytes alone, as far as it matters before it is replaced.

Kind = Literal[
    "a picture",
    "features",
    "a run",
    "judgements",
    "a run or judgements",
    "saved ranks",
    "a feedback study",
    "gathered documents",
    "a compressed file",
    "a table that rankscope did not write",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
FOREIGN_TABLE: Kind = "a table that rankscope did not write"
HEAD_BYTES = 1 << 16
FOOTER_BYTES = 1 << 22  # of Parquet: more than any that rankscope writes
LINES_READ = 20
COMPRESSED: re.Pattern[bytes] = lazy_pattern(rb"\x1f\x8b|BZh[1-9]1AY&SY|\xfd7zXZ\0|\x28\xb5\x2f\xfd")
RASTERS: re.Pattern[bytes] = lazy_pattern(
    rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff|GIF8[79]a|II\*\0|MM\0\*|P[1-6][ \n\r\t]|RIFF....WEBP|BM....\0\0\0\0", re.DOTALL
)
DRAWINGS: re.Pattern[bytes] = lazy_pattern(rb"%PDF-|\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<svg\b", re.DOTALL)
ARRAYS: re.Pattern[bytes] = lazy_pattern(rb"\x93NUMPY|PK\x03\x04.{26}[^\0]{1,200}?\.npy", re.DOTALL)
OF_RUNS = {*SCORE, *RANK}
COLUMNS = {*QUERY, *ITEM, *OF_RUNS}
OF_LEDGER = "fate_stage"  # a column that only the items of a ledger have: a result, though it has queries and ranks
NUMBER = rb"-?\.?\d[\d.]*(?:[eE][-+]?\d+)?"
RUN_LINE: re.Pattern[bytes] = lazy_pattern(rb"\S+\s+\S+\s+\S+\s+-?\d+\s+(?:%s|-?inf|nan)\s+\S+" % NUMBER)
QRELS_LINE: re.Pattern[bytes] = lazy_pattern(rb"\S+\s+\S+\s+\S+\s+-?\d+")
NESTED: re.Pattern[bytes] = lazy_pattern(rb'\s*(?:\{\s*"[^"]*"\s*:\s*){2,4}%s\s*[,}]' % NUMBER)
NAME_IN_JSON: re.Pattern[bytes] = lazy_pattern(rb'"([^"]{1,40})"\s*:')


def kind_of(path: str | Path) -> Kind | None:
    """The kind of an existing file; None for kinds that are replaced without a question, and where nothing is."""
    place = Path(path)
    try:
        if not place.is_file():
            return None
        with place.open("rb") as file:
            head = file.read(HEAD_BYTES)
        return _of_container(place, head) or _of_signature(head) or _of_text(head)
    except OSError:
        return None


def is_raster(path: str | Path) -> bool:
    """Whether a file is a picture of the kind that commands read."""
    try:
        with Path(path).open("rb") as file:
            return RASTERS.match(file.read(16)) is not None
    except OSError:
        return False


def _of_signature(head: bytes) -> Kind | None:
    if RASTERS.match(head) or DRAWINGS.match(head):
        return "a picture"
    if ARRAYS.match(head):
        return "features"
    return "a compressed file" if COMPRESSED.match(head) else None


def _of_container(path: Path, head: bytes) -> Kind | None:
    """Of a table in Parquet or Arrow, by the names that stand in its schema."""
    if head.startswith(b"ARROW1"):
        return _of_columns({name for name in COLUMNS if name.encode() in head}) or FOREIGN_TABLE
    if not head.startswith(b"PAR1"):
        return None
    footer = _parquet_footer(path)
    if _stands_in("rankscope.feedback", footer):
        return "a feedback study"
    if _stands_in("rankscope.documents", footer):
        return "gathered documents"
    if _stands_in("rankscope", footer):
        return "saved ranks"
    if _stands_in(OF_LEDGER, footer) or all(_stands_in(name, footer) for name in ("system", "measure", "value")):
        return None
    return _of_columns({name for name in COLUMNS if _stands_in(name, footer)}) or FOREIGN_TABLE


def _stands_in(name: str, footer: bytes) -> bool:
    """Whether Parquet's footer has this text as a whole: the length comes before it."""
    return bytes([len(name)]) + name.encode() in footer


def _parquet_footer(path: Path) -> bytes:
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 8))
        length = min(int.from_bytes(file.read(4), "little"), FOOTER_BYTES)
        file.seek(max(0, size - 8 - length))
        return file.read(length)


def _of_text(head: bytes) -> Kind | None:
    text = head.removeprefix(b"\xef\xbb\xbf")
    if b"\0" in text:
        return None
    if text.lstrip().startswith(b"{"):
        return _of_json(text)
    lines = [line for line in map(bytes.strip, _whole_lines(text)) if line and not line.startswith(b"#")][:LINES_READ]
    if not lines:
        return None
    if all(RUN_LINE.fullmatch(line) for line in lines):
        return "a run"
    if all(QRELS_LINE.fullmatch(line) for line in lines):
        return "judgements"
    return _of_columns({name.strip(b" \"'").decode("utf-8", "replace") for name in re.split(rb"[,;\t]", lines[0])})


def _whole_lines(text: bytes) -> list[bytes]:
    """Lines that are not cut off where the beginning ends."""
    lines = text.splitlines()
    return lines[:-1] if len(text) >= HEAD_BYTES and len(lines) > 1 else lines


def _of_json(text: bytes) -> Kind | None:
    """Nested dictionaries of numbers, or lines with a query and an item."""
    if NESTED.match(text):
        return "a run or judgements"
    first = text.lstrip().splitlines()[0]
    return _of_columns({name.decode("utf-8", "replace") for name in NAME_IN_JSON.findall(first)})


def _of_columns(names: set[str]) -> Kind | None:
    plain = {name.lower() for name in names}
    if OF_LEDGER in plain:
        return None
    if plain.intersection(QUERY) and plain.intersection(ITEM):
        return "a run" if plain & OF_RUNS else "judgements"
    return None


Identity = tuple[int, int]  # device and inode


@dataclass(frozen=True, eq=False)
class Guard:
    """The inputs of one command: files, by what they are and not by their names, and pictures in folders."""

    files: frozenset[Identity] = frozenset()
    folders: tuple[str, ...] = ()
    force: bool = False

    @classmethod
    def of(cls, paths: Iterable[str], force: bool = False) -> Guard:
        """From paths as a user gives them: what is no file is no input; `-` is standard input."""
        named = list(paths)
        folders = tuple(path for path in named if os.path.isdir(path))
        found = (file_identity(0 if path == "-" else path) for each in named for path in (each, each.partition("#")[0]))
        return cls(frozenset(filter(None, found)), folders, force)

    @cached_property
    def pictures(self) -> frozenset[Identity]:
        """All pictures below the folders: they are read too, and nothing else there is."""
        places = (place for folder in self.folders for place in os.walk(folder))
        below = (os.path.join(folder, name) for folder, _, names in places for name in names)
        return frozenset(found for path in below if is_raster(path) and (found := file_identity(path)))

    def reads(self, path: Path) -> bool:
        """Whether this file is an input, under whatever name."""
        here = file_identity(path)
        return here in self.files or (bool(self.folders) and is_raster(path) and here in self.pictures)


_guard: ContextVar[Guard | None] = ContextVar("rankscope_guard", default=None)


@contextmanager
def guarding(guard: Guard) -> Iterator[None]:
    """In this block no file is written over an input of the command."""
    before = _guard.set(guard)
    try:
        yield
    finally:
        _guard.reset(before)


def check_target(path: str | Path, writes: Iterable[Kind | None] = KINDS) -> None:
    """Raise if a file at this path must stay; `writes` are the kinds of file that may come in its place."""
    target = Path(os.path.realpath(path))
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        raise SettingError(f"cannot write {path}: {error.strerror}") from None
    if not stat.S_ISREG(mode):
        return
    guard = _guard.get()
    if guard is not None and guard.reads(target):
        raise SettingError(f"cannot write {path}: this command reads it; give another name")
    if not mode & 0o222:
        raise SettingError(f"cannot write {path}: it is read-only; give another name, or make it writable first")
    there = None if guard is None or guard.force else kind_of(target)
    if there is not None and there not in set(writes):
        raise SettingError(f"cannot write {path}: it is {there}, not an earlier result; --force replaces it")


def file_identity(path: str | Path | int) -> Identity | None:
    """Which file it is, through links; None where there is no regular file."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None
