"""What a running command must not write over: what it reads, what is read-only, and what is plainly something else.

Commands say what they read; in Python nothing is known of it, so there only read-only files are left alone.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from rankscope.errors import SettingError
from rankscope.file_kinds import KINDS, Kind, is_raster, kind_of

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
        found = (identity(0 if path == "-" else path) for each in named for path in (each, each.partition("#")[0]))
        return cls(frozenset(filter(None, found)), folders, force)

    @cached_property
    def pictures(self) -> frozenset[Identity]:
        """All pictures below the folders: they are read too, and nothing else there is."""
        places = (place for folder in self.folders for place in os.walk(folder))
        below = (os.path.join(folder, name) for folder, _, names in places for name in names)
        return frozenset(found for path in below if is_raster(path) and (found := identity(path)))

    def reads(self, path: Path) -> bool:
        """Whether this file is an input, under whatever name."""
        here = identity(path)
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


def identity(path: str | Path | int) -> Identity | None:
    """Which file it is, through links; None where there is no regular file."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None
