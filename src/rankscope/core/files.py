"""Writing files whole or not at all: the one writer of everything that rankscope leaves on a disk.

What a writer left that was killed is found and removed by the next one that writes into the same folder.
"""

from __future__ import annotations

import errno
import io
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, BinaryIO, Final, Literal, TextIO, cast, overload

from rankscope.core.errors import SettingError
from rankscope.core.file_guard import check_target, kind_of

PRIVATE: Final = 0o600  # for the owner alone
LONGEST_KEPT = 180  # bytes of a name, so that no ending takes it beyond the 255 that file systems allow


@overload
def atomic(path: str | Path, mode: Literal["w"] = "w", *, private: bool = False) -> AbstractContextManager[TextIO]: ...
@overload
def atomic(path: str | Path, mode: Literal["wb"], *, private: bool = False) -> AbstractContextManager[BinaryIO]: ...
def atomic(path: str | Path, mode: Literal["w", "wb"] = "w", *, private: bool = False) -> AbstractContextManager[Any]:
    """A file to write in a `with` block; it appears under its name only when the block ends well.

    Until then the bytes lie in a hidden file next to it, which an exception removes; what stood there before stays.
    Text is UTF-8 with `\\n` on every system. A file that was there keeps its permissions, and nobody has more while it
    is written; one that is `private` is its owner's alone. A path that cannot be written is a `SettingError`, and so is
    one that must not be: see `rankscope.file_guard`. Standard output is no file: `-` is refused.
    """
    if str(path) == "-":
        raise SettingError("standard output (-) cannot be written here; name a file")
    target = Path(os.path.realpath(path))
    with _explained(target):
        special = target.exists() and not target.is_file()
    return _directly(target, mode) if special else _renamed(target, mode, private)


def made_folder(path: str | Path, *, private: bool = False) -> Path:
    """A folder to write into, made if it is not there; a `SettingError` where it cannot be had."""
    folder = Path(path)
    with _explained(folder, "cannot write into"):
        folder.mkdir(0o700 if private else 0o777, parents=True, exist_ok=True)
    return folder


class HeldElsewhere(SettingError):  # noqa: N818  (it says what happened)
    """Another process writes here."""


def sole_writer(folder: Path, name: str) -> IO[bytes]:
    """A file of the folder that this process alone holds as long as it is open; `HeldElsewhere` where another does."""
    with _explained(folder, "cannot write into"):
        file = (folder / name).open("ab")
    try:
        _lock(file, wait=False)
    except BlockingIOError:
        file.close()
        raise HeldElsewhere(f"another process writes into {folder}: wait until it has finished") from None
    except OSError:  # a file system without locks
        file.flush()
    return file


def _lock(file: int | IO[Any], *, wait: bool) -> None:
    """Lock an open file, or a folder, until it is closed; on Windows nothing is locked.

    Where another process holds it and we do not `wait`, a BlockingIOError; another OSError where there are no locks.
    """
    with suppress(ImportError):
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def one_after_the_other(path: str | Path) -> Iterator[None]:
    """In this block other processes that want to change a file of the same folder so wait, where there are locks.

    The folder itself is locked, so that nothing is left next to the file.
    """
    folder = os.path.dirname(os.path.realpath(path))
    file = -1
    try:
        with suppress(OSError):  # Windows opens no folder, and some file systems have no locks
            file = os.open(folder, os.O_RDONLY)
            _lock(file, wait=True)
        yield
    finally:
        if file >= 0:
            os.close(file)


def append_line(path: str | Path, line: str) -> None:
    r"""Append a line to a file, whole or not at all; writers of other processes wait for each other.

    The line is one write, flushed to the disk. Where that fails, as on a full disk, the file is cut back to what it
    was. A last line that somebody left without its end is ended first, so that it spoils no other.
    """
    target = Path(os.path.realpath(path))
    with _explained(target):
        file = os.open(target, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        try:
            with suppress(OSError):  # a file system without locks
                _lock(file, wait=True)
            size = os.fstat(file).st_size
            os.lseek(file, max(0, size - 1), os.SEEK_SET)
            lead = b"" if os.read(file, 1) in (b"", b"\n") else b"\n"
            data = lead + line.encode() + b"\n"
            try:
                if os.write(file, data) != len(data):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(file)
            except OSError:
                os.ftruncate(file, size)
                raise
        finally:
            os.close(file)


def sibling(target: Path, ending: str) -> Path:
    """A hidden neighbour of a file, whose name is cut to what file systems allow.

    >>> sibling(Path("out/scores.csv"), ".1234.part").name
    '.scores.csv.1234.part'
    """
    kept = os.fsencode(target.name)[:LONGEST_KEPT].decode(errors="ignore")
    return target.with_name(f".{kept}{ending}")


@contextmanager
def _renamed(target: Path, mode: str, private: bool) -> Iterator[IO[Any]]:
    check_target(target)
    remove_stale_files(target.parent)
    temporary = sibling(target, f".{os.getpid()}.{secrets.token_hex(4)}{PART_SUFFIX}")
    try:
        with _explained(target):
            kept = target.stat().st_mode & 0o7777 if target.exists() and not private else None
            most = PRIVATE if private else 0o666 if kept is None else kept & 0o666 | 0o200
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            file = os.fdopen(os.open(temporary, flags, most), "wb")
        with _written(file, target, mode) as stream:
            hold_while_written(file)
            yield stream
        check_target(target, (kind_of(temporary),))
        with _explained(target):
            if kept is not None:
                temporary.chmod(kept)
            temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def _directly(target: Path, mode: str) -> Iterator[IO[Any]]:
    """A device or a pipe, which cannot be renamed over; a folder is refused."""
    with _explained(target):
        file = target.open("wb")
    with _written(file, target, mode) as stream:
        yield stream


@contextmanager
def _written(file: BinaryIO, target: Path, mode: str) -> Iterator[IO[Any]]:
    """A stream onto a file that explains why it cannot be written, regardless of the writer made of it."""
    recorded = Recorded(file)
    stream: Any = recorded if "b" in mode else io.TextIOWrapper(cast(BinaryIO, recorded), "utf-8", newline="\n")
    try:
        try:
            yield stream
        finally:
            stream.close()
    except Exception:
        if recorded.failure is None:
            raise
        if isinstance(recorded.failure, BrokenPipeError):
            raise recorded.failure from None
        raise SettingError(f"cannot write {target}: {recorded.failure.strerror}") from None


class Recorded(io.BufferedIOBase):
    """A file that remembers the first error of the system while it was written.

    It has no descriptor to hand out, so libraries must write through it and cannot go past it; some of them turn a full
    disk into an error of their own, from which nobody could tell it.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.failure: OSError | None = None

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._file.seekable()

    def write(self, data: Any) -> int:
        with self._recording():
            return self._file.write(data)

    def flush(self) -> None:
        """Hand everything to the system."""
        if not self._file.closed:
            with self._recording():
                self._file.flush()

    def tell(self) -> int:
        """Where the next byte goes."""
        return self._file.tell()

    def seek(self, place: int, whence: int = 0) -> int:
        with self._recording():
            return self._file.seek(place, whence)

    def close(self) -> None:
        """Flush and close, which may fail too."""
        if not self.closed:
            try:
                with self._recording():
                    self._file.close()
            finally:
                super().close()

    @contextmanager
    def _recording(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.failure = self.failure or error
            raise


@contextmanager
def _explained(target: Path, cannot: str = "cannot write") -> Iterator[None]:
    """An error of the system as our own."""
    try:
        yield
    except OSError as error:
        raise SettingError(f"{cannot} {target}: {error.strerror}") from None


# What processes left on a disk that ended before they could clean up, and how to tell that they have ended.

PART_SUFFIX = ".part"
PART_NAME = re.compile(r"\..*\.(\d+)\.[0-9a-f]{8}" + re.escape(PART_SUFFIX))  # .NAME.PROCESS.XXXXXXXX.part


def hold_while_written(file: IO[Any]) -> None:
    """Say of an open file that its writer is alive, for as long as it stays open."""
    with suppress(OSError):  # a file system without locks: the number of the process must do
        _lock(file, wait=False)


@cache
def remove_stale_files(folder: Path) -> None:
    """Remove the unfinished files of processes that are no more; once for each folder that a process writes into.

    A file goes only if no process of this number runs here and nobody, here or on another machine, holds its lock.
    Windows has neither sign, so there they stay.
    """
    if os.name == "nt":
        return
    for path in _unfinished(folder):
        if not is_running(int(path.name.split(".")[-3])) and not _is_held(path):
            path.unlink(missing_ok=True)


def is_running(process: int) -> bool:
    """Whether a process of this number is there.

    >>> is_running(os.getpid())
    True
    """
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _unfinished(folder: Path) -> list[Path]:
    try:
        return [Path(each.path) for each in os.scandir(folder) if PART_NAME.fullmatch(each.name)]
    except OSError:
        return []


def _is_held(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            _lock(file, wait=False)
    except OSError:
        return True
    return False
