"""What can go wrong between a mark and the disk.

StoreError
├── Refused        the mark itself cannot be: another grade, a foreign undo, a key that was used for another mark
├── NoRoom         the disk is full, or a quota is
└── Unavailable    the database cannot be reached, or is held by another process
"""

from __future__ import annotations

from rankscope.errors import RankscopeError


class StoreError(RankscopeError):
    """A mark was not saved; nothing of it is in the journal."""


class Refused(StoreError):  # noqa: N818  (it says what happened to the mark)
    """The mark itself cannot be: sending it again changes nothing."""


class NoRoom(StoreError):  # noqa: N818  (it says what is missing)
    """The disk is full: the mark can be sent again, with the same key, when there is room."""


class Unavailable(StoreError):  # noqa: N818  (it says what the database is)
    """The database cannot be reached, or is held by another process."""
