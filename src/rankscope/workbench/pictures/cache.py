"""Small pictures that were made already, the last ones used, as many as the room allows."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

ROOM = 128 << 20  # bytes


class PictureCache:
    """Makes each picture once, for as long as there is room for it.

    >>> cache = PictureCache(room=10)
    >>> [cache.get(key, lambda: b"12345") for key in "abc"][0], list(cache.kept)
    (b'12345', ['b', 'c'])
    """

    def __init__(self, room: int = ROOM) -> None:
        self.room, self.taken = room, 0
        self.kept: OrderedDict[Hashable, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], bytes]) -> bytes:
        """The picture of a key."""
        with self._lock:
            if key in self.kept:
                self.kept.move_to_end(key)
                return self.kept[key]
        made = make()
        with self._lock:
            if key not in self.kept:
                self.kept[key] = made
                self.taken += len(made)
            while self.taken > self.room and self.kept:
                self.taken -= len(self.kept.popitem(last=False)[1])
        return made
