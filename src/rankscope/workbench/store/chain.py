"""What shows that a journal is as it was written, to its last acknowledged event.

Each event carries a digest of itself and of the digest before it, so one that was changed, taken out or exchanged is
found, and where. The tables next to the events have a digest each. An end that is gone leaves no break behind: so the
last acknowledged event also stands in a small file of its own.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from rankscope.digests import damaged

LAST: Final = "judgements.last"
_json: Final = json.JSONEncoder(separators=(",", ":"), default=repr).encode  # repr: what only damage can put there


def linked(before: str, row: Sequence[Any]) -> str:
    """The digest of a row behind another one: SHA-256 of the digest before and of the row as a list of JSON.

    >>> linked("", [1, "a"])[:8], linked(linked("", [1, "a"]), [2, "b"])[:8]
    ('20109453', '246d7b8a')
    """
    return hashlib.sha256(f"{before}{_json(row)}".encode()).hexdigest()


def chained(rows: Iterable[Sequence[Any]]) -> str:
    """The digest of the last of some rows, each linked to the one before."""
    digest = ""
    for row in rows:
        digest = linked(digest, row)
    return digest


class JournalEnd(NamedTuple):
    """How far a journal goes: its last event with its digest, and how often the tables next to it were changed."""

    number: int = 0
    digest: str = ""
    changes: int = 0


class LastAcknowledged:
    """The file with the end of a journal that was acknowledged last; written over in place, since it is short."""

    SIZE: Final = 160  # bytes, so that a shorter text leaves nothing of a longer one

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = -1

    def read(self) -> JournalEnd | None:
        """What it says; None where there is none yet."""
        try:
            text = self.path.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError):
            text = "damaged"
        if not text:
            return None
        try:
            number, digest, changes = json.loads(text)
            return JournalEnd(int(number), str(digest), int(changes))
        except (ValueError, TypeError):
            raise damaged(self.path, DELETE_IT) from None

    def write(self, end: JournalEnd) -> None:
        """Say that all up to here was acknowledged.

        It waits for no disk: what was written is there when this process is killed, and after the power went it says
        too little at worst. Where there is no room for it, an earlier end stands.
        """
        with suppress(OSError):
            if self._file < 0:
                self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
            os.lseek(self._file, 0, os.SEEK_SET)
            os.write(self._file, f"{_json(end):<{self.SIZE - 1}}\n".encode())

    def close(self) -> None:
        """To the disk, and close it."""
        if self._file >= 0:
            with suppress(OSError):
                os.fsync(self._file)
            os.close(self._file)
            self._file = -1


DELETE_IT: Final = f"Is an older copy of the journal here on purpose? Then delete {LAST}: what is here counts."
