"""What processes left on a disk that ended before they could clean up, and how to tell that they have ended."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

PART = ".part"
SHAPE = re.compile(r"\..*\.(\d+)\.[0-9a-f]{8}" + re.escape(PART))  # .NAME.PROCESS.XXXXXXXX.part


def hold(file: Any) -> None:
    """Say of an open file that its writer is alive, for as long as it stays open."""
    if os.name != "nt":
        import fcntl

        with suppress(OSError):  # a file system without locks: the number of the process must do
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


@cache
def remove_left_behind(folder: Path) -> None:
    """Remove the unfinished files of processes that are no more; once for each folder that a process writes into.

    A file goes only if no process of this number runs here and nobody, here or on another machine, holds its lock.
    Windows has neither sign, so there they stay.
    """
    if os.name == "nt":
        return
    for path in _unfinished(folder):
        if not runs(int(path.name.split(".")[-3])) and not _is_held(path):
            path.unlink(missing_ok=True)


def runs(process: int) -> bool:
    """Whether a process of this number is there.

    >>> runs(os.getpid())
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
        return [Path(each.path) for each in os.scandir(folder) if SHAPE.fullmatch(each.name)]
    except OSError:
        return []


def _is_held(path: Path) -> bool:
    import fcntl

    try:
        with path.open("rb") as file:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    return False
