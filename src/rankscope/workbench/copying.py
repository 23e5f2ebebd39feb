"""Copies of a journal's file that are whole and their owner's alone, made while others read and write."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from rankscope.errors import SettingError
from rankscope.file_guard import check_target
from rankscope.files import sibling
from rankscope.left_behind import PART
from rankscope.workbench.private_files import create_private
from rankscope.workbench.store.dialects import Database, SQLite


def copy_database(database: Database, target: Path) -> None:
    """A copy under a name that is new; it appears when it is whole."""
    if not isinstance(database, SQLite):
        raise SettingError(f"{database.shown} is a server's: back it up with its own pg_dump")
    if target.exists():
        raise SettingError(f"{target} is there already: choose another name for the backup")
    check_target(target)
    temporary = sibling(target, f".{os.getpid()}.{secrets.token_hex(4)}{PART}")
    source = SQLite(database.path, readonly=True)
    try:
        source.connect()
        create_private(temporary)
        source.backup(temporary)
        temporary.replace(target)
    finally:
        source.close()
        temporary.unlink(missing_ok=True)
