"""Writing files whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, TextIO, overload

from rankscope.errors import SettingError

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@overload
def atomic(path: str | Path, mode: Literal["w"] = "w") -> AbstractContextManager[TextIO]: ...
@overload
def atomic(path: str | Path, mode: Literal["wb"]) -> AbstractContextManager[BinaryIO]: ...
def atomic(path: str | Path, mode: Literal["w", "wb"] = "w") -> AbstractContextManager[Any]:
    """A file to write in a `with` block; it appears under its name only when the block ends well.

    Until then the bytes lie in a hidden file beside it, which an exception removes; what stood there before stays.
    Text is UTF-8 with `\\n` on every system. A path that cannot be written is a `SettingError`. Standard output is no
    file: `-` is refused.
    """
    if str(path) == "-":
        raise SettingError("standard output (-) cannot be written here; name a file")
    target = Path(os.path.realpath(path))
    return _directly(target, mode) if target.exists() and not target.is_file() else _renamed(target, mode)


@contextmanager
def _renamed(target: Path, mode: str) -> Iterator[IO[Any]]:
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.part")
    try:
        with _explained(target):
            file = _opened(temporary, mode.replace("w", "x"))
        with _explained(target, NO_ROOM), file:
            yield file
        with _explained(target):
            if target.exists():
                temporary.chmod(target.stat().st_mode & 0o7777)
            temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def _directly(target: Path, mode: str) -> Iterator[IO[Any]]:
    """A device or a pipe, which cannot be renamed over; a folder is refused."""
    with _explained(target):
        file = _opened(target, mode)
    with _explained(target, NO_ROOM), file:
        yield file


@contextmanager
def _explained(target: Path, only: tuple[int, ...] = ()) -> Iterator[None]:
    """An error of the system as our own; where `only` is given, just those that cannot come from the caller's work."""
    try:
        yield
    except OSError as error:
        if only and error.errno not in only:
            raise
        raise SettingError(f"cannot write {target}: {error.strerror}") from None


def _opened(path: Path, mode: str) -> IO[Any]:
    return path.open(mode) if "b" in mode else path.open(mode, encoding="utf-8", newline="\n")
