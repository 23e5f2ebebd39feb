"""Long work in parts that need no other part: who works on them, and how finished parts are kept in a folder.

A part is known by a digest of everything its result depends on, which names its file: where, in how many parts, in
which order and after how many failures parts are worked on changes no byte of the result, and interrupted work can
continue. A file appears only when it is whole; what is damaged or does not fit is made anew.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Generic, Protocol, TypeVar

from rankscope.core.files import atomic, made_folder, remove_stale_files, sibling
from rankscope.core.threads import one_core_each

T = TypeVar("T")
PartType = TypeVar("PartType", bound="Part")
R = TypeVar("R")


class PartForm(Protocol[T]):
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
    form: PartForm[T]
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
    work: Callable[[Any, PartType], R],
    shared: Any,
    parts: Sequence[PartType],
    runner: Runner,
    folder: PartsFolder[R] | None = None,
    progress: Callable[[float], None] | None = None,
) -> dict[str, R]:
    """The result of each part under its digest: kept from before, or worked on by the runner and kept for later."""
    return {part.digest: result for part, result in finished_parts(work, shared, parts, runner, folder, progress)}


def finished_parts(
    work: Callable[[Any, PartType], R],
    shared: Any,
    parts: Sequence[PartType],
    runner: Runner,
    folder: PartsFolder[R] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Iterator[tuple[PartType, R]]:
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


# What a runner is: it works on independent parts somewhere, and hands each result over when it is there.

P = TypeVar("P")


class Runner(ABC):
    """Subclasses are values. `work` is a function of a module, so that it can be found elsewhere by its name."""

    name: ClassVar[str]
    summary: ClassVar[str]

    @abstractmethod
    def map(self, work: Callable[[Any, P], R], shared: Any, parts: Sequence[P]) -> Iterator[tuple[P, R]]:
        """Each part with `work(shared, part)`, in the order in which they are done; `shared` travels once."""


# Parts worked on here, one after the other.


@dataclass(frozen=True)
class Home(Runner):
    """In this process, with a core for each part.

    >>> from operator import mul
    >>> list(Home().map(mul, 10, [1, 2]))
    [(1, 10), (2, 20)]
    """

    name: ClassVar[str] = "home"
    summary: ClassVar[str] = "here, one part after the other"

    def map(self, work: Callable[[Any, P], R], shared: Any, parts: Sequence[P]) -> Iterator[tuple[P, R]]:
        for part in parts:
            with one_core_each():
                result = work(shared, part)
            yield part, result


# Finished parts of long work in a folder next to the result, so that interrupted work can continue.

WORK_SUFFIX = ".work"


def work_folder(result: str | Path, digest: str = "") -> Path:
    """Where the parts of a result lie; `digest` where parts of other inputs or settings must lie elsewhere.

    >>> work_folder("out/clip.ranks.parquet", "0f").name
    '.clip.ranks.parquet.0f.work'
    """
    return sibling(Path(result), f".{digest}{WORK_SUFFIX}" if digest else WORK_SUFFIX)


@contextmanager
def parts_folder(work: str | Path | None, result: str | Path | None) -> Iterator[Path]:
    """Where finished parts lie: in a folder that was named, next to the result, or for this time only."""
    if work is not None or result is not None:
        place = Path(work) if work is not None else work_folder(str(result))
        with working_in(Path(os.path.abspath(place))) as folder:
            yield folder
        return
    with tempfile.TemporaryDirectory(prefix="rankscope-", ignore_cleanup_errors=True) as for_now:
        yield Path(for_now)


@contextmanager
def working_in(folder: Path) -> Iterator[Path]:
    """The folder, made; it goes when the block ends well, or when nothing was finished in it.

    So do those of the neighbourhood that earlier work left empty.
    """
    made_folder(folder)
    for other in folder.parent.glob(f".*{WORK_SUFFIX}"):
        _remove_empty(other)
    try:
        yield made_folder(folder)
    except BaseException:
        _remove_empty(folder)
        raise
    shutil.rmtree(folder, ignore_errors=True)


def _remove_empty(folder: Path) -> None:
    """Remove a folder in which nothing is finished; a process that still works there makes it anew."""
    remove_stale_files(folder)
    with suppress(OSError):
        os.rmdir(folder)
