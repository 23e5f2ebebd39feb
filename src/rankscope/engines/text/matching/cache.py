"""Scores of terms that were asked for before, as long as there is room for them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final

from rankscope.engines.text.matching.matches import Matches

ROOM: Final = 256 << 20  # bytes
ENTRY: Final = 1 << 10  # bytes that one takes next to its arrays, at most


class MatchCache:
    """The matches of terms by what decides them; those that were not asked for the longest time go first.

    Several threads may ask at once.
    """

    def __init__(self, room: int = ROOM) -> None:
        self.room, self.used = room, 0
        self._kept: OrderedDict[Hashable, Matches] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """How many are kept."""
        return len(self._kept)

    def get(self, key: Hashable, make: Callable[[], Matches]) -> Matches:
        """The matches of a key, made where they are not kept."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found
        made = make()
        with self._lock:
            self._keep(key, made)
        return made

    def _keep(self, key: Hashable, made: Matches) -> None:
        if key in self._kept:  # another thread was quicker
            return
        self._kept[key] = made
        self.used += made.size + ENTRY
        while self.used > self.room and len(self._kept) > 1:
            self.used -= self._kept.popitem(last=False)[1].size + ENTRY
