"""Names of files as text that can be printed and stored, whatever bytes they are made of."""

from __future__ import annotations

import os
from pathlib import Path


def printable(path: str | Path) -> str:
    """A path as text; bytes that are no UTF-8 are written as `\\xff`.

    >>> printable("runs/bm25.run"), printable(os.fsdecode(b"a\\xff.run"))
    ('runs/bm25.run', 'a\\\\xff.run')
    """
    try:
        return os.fsencode(path).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # half of a surrogate pair, which no file system has
        return str(path).encode("utf-8", "backslashreplace").decode()


def name_of(path: str | Path) -> str:
    """The last part of a path, as text."""
    return printable(Path(path).name)
