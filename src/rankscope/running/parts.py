"""Finished parts of long work in a folder, so that interrupted work can continue.

A part's file is named by a digest of everything its result depends on, and appears only when it is whole; what is
damaged or does not fit is made anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Generic, Protocol, TypeVar

from rankscope.files import atomic, made_folder
from rankscope.running.runner import Runner
from rankscope.running.work_folders import working_in

T = TypeVar("T")
P = TypeVar("P", bound="Part")
R = TypeVar("R")


class Form(Protocol[T]):
    """How the result of a part is kept in a file."""

    suffix: str

    def read(self, file: Path) -> T | None:
        """The result in a file; None where there is none that is whole."""

    def write(self, result: T, stream: BinaryIO) -> None:
        """Write a result."""


class Part(Protocol):
    """A piece of work that needs no other piece."""

    @property
    def digest(self) -> str:
        """A name: equal names are equal work."""


@dataclass
class PartsFolder(Generic[T]):
    """The folder of one piece of work; it goes when the work has ended well."""

    path: Path
    form: Form[T]
    reused: int = field(default=0, init=False)

    @contextmanager
    def open(self) -> Iterator[PartsFolder[T]]:
        """Make the folder; it stays for the next time when the block does not end well and parts are finished."""
        with working_in(self.path):
            yield self

    def read(self, digest: str) -> T | None:
        """A finished part, or None where there is none that is whole."""
        return self.form.read(self.path / f"{digest}{self.form.suffix}")

    def write(self, digest: str, result: T) -> None:
        """Keep a finished part."""
        with atomic(made_folder(self.path) / f"{digest}{self.form.suffix}", "wb") as stream:
            self.form.write(result, stream)

    def kept(self, digest: str, make: Callable[[], T], fits: Callable[[T], bool] = lambda _: True) -> T:
        """A part from its file where it fits, or made now and written."""
        found = self.read(digest)
        if found is not None and fits(found):
            self.reused += 1
            return found
        result = make()
        self.write(digest, result)
        return result


def finish_parts(
    work: Callable[[Any, P], R],
    shared: Any,
    parts: Sequence[P],
    runner: Runner,
    folder: PartsFolder[R] | None = None,
    progress: Callable[[float], None] | None = None,
) -> dict[str, R]:
    """The result of each part under its digest: kept from before, or worked on by the runner and kept for later."""
    return {part.digest: result for part, result in finished_parts(work, shared, parts, runner, folder, progress)}


def finished_parts(
    work: Callable[[Any, P], R],
    shared: Any,
    parts: Sequence[P],
    runner: Runner,
    folder: PartsFolder[R] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Iterator[tuple[P, R]]:
    """The same as each is there, for results that are too large to be held together."""
    left, done = [], 0
    for part in parts:
        found = None if folder is None else folder.read(part.digest)
        if folder is None or found is None:
            left.append(part)
            continue
        folder.reused += 1
        done += 1
        yield part, found
    for part, result in runner.map(work, shared, left):
        if folder is not None:
            folder.write(part.digest, result)
        yield part, result
        done += 1
        if progress is not None:
            progress(done / len(parts))
