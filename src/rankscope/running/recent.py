"""Things that were made already, the last ones used, as many as the room allows."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Recent(Generic[T]):
    """Makes each thing once, for as long as there is room for it; what was not asked for longest goes first.

    `size` is the room that a thing takes, in bytes. Threads may share one. A copy in another process begins empty.
    >>> pictures = Recent[bytes](room=10, size=len)
    >>> [pictures.get(key, lambda: b"12345") for key in "abc"][0], list(pictures.kept)
    (b'12345', ['b', 'c'])
    """

    def __init__(self, room: int, size: Callable[[T], int]) -> None:
        self.room, self.size, self.taken = room, size, 0
        self.kept: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.room, self.size)

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """What belongs to a key."""
        with self._lock:
            if key in self.kept:
                self.kept.move_to_end(key)
                return self.kept[key]
        made = make()
        with self._lock:
            if key not in self.kept:
                self.kept[key] = made
                self.taken += self.size(made)
            while self.taken > self.room and self.kept:
                self.taken -= self.size(self.kept.popitem(last=False)[1])
        return made
