"""Who else on this machine may read a project: nobody, where the file system keeps permissions (not on Windows).

What signs the sessions lies in a file of its own and not in the journal, so that no copy of a journal and nobody who
reads its database can sign in as somebody else.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from rankscope.errors import SettingError
from rankscope.files import PRIVATE, atomic

KEY: Final = "sessions.key"
KEY_FORM: Final = re.compile(r"[0-9a-f]{64}\n?", re.ASCII)
OTHERS: Final = 0o077
FOLDER: Final = 0o700


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
        _close(path)
    still = [path.name for path in there if _is_open(path)]
    if still:
        what = "the owner of the files, or a file system with permissions, could change that"
        return [f"other users of this machine can open {', '.join(still)} in {folder}: {what}"]
    return [f"other users of this machine could open {folder}: now only its owner can"] if were_open else []


def read_session_key(folder: Path) -> tuple[bytes, list[str]]:
    """What signs the sessions of a project, made anew where others could have read it; and what there is to say."""
    path = folder / KEY
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
    with atomic(folder / KEY, private=True) as file:
        file.write(f"{key.hex()}\n")
    return key


def _is_open(path: Path) -> bool:
    """Whether others may do anything with a file."""
    return os.name != "nt" and bool(path.stat().st_mode & OTHERS)


def _close(path: Path) -> None:
    """To its owner alone; a folder that everybody shares, as /tmp, stays as it is."""
    with suppress(OSError):
        mode = path.stat().st_mode
        if mode & OTHERS and not mode & stat.S_ISVTX:
            path.chmod(FOLDER if stat.S_ISDIR(mode) else PRIVATE)
