"""Scores of terms that were asked for before, as long as there is room for them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final

from rankscope.engines.text.matching.matches import Matches

ROOM: Final = 256 << 20  # bytes


class MatchCache:
    """The matches of terms by what decides them; those that were not asked for the longest time go first."""

    def __init__(self, room: int = ROOM) -> None:
        self.room, self.used = room, 0
        self._kept: OrderedDict[Hashable, Matches] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Matches]) -> Matches:
        """The matches of a key, made where they are not kept."""
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
            return found
        found = self._kept[key] = make()
        self.used += found.size
        while self.used > self.room and len(self._kept) > 1:
            self.used -= self._kept.popitem(last=False)[1].size
        return found
