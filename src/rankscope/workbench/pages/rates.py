"""How often somebody may change something, and how often somebody may guess a token."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

MOST_KEPT = 10_000  # addresses that are remembered


@dataclass(eq=False)
class Bucket:
    """So many a second, and `burst` at once: each takes one, and they come back with time.

    >>> bucket = Bucket(rate=20, burst=2, clock=lambda: 0.0)
    >>> [bucket.wait("ann"), bucket.wait("ann"), bucket.wait("ann"), bucket.wait("bob")]
    [0.0, 0.0, 0.05, 0.0]
    """

    rate: float
    burst: float
    clock: Callable[[], float] = time.monotonic
    _left: OrderedDict[Hashable, tuple[float, float]] = field(default_factory=OrderedDict)

    def wait(self, who: Hashable) -> float:
        """Take one: 0 where there is one, else the seconds until there is."""
        now = self.clock()
        left, then = self._left.get(who, (self.burst, now))
        left = min(self.burst, left + (now - then) * self.rate)
        enough = left >= 1
        self._left[who] = (left - enough, now)
        self._left.move_to_end(who)
        while len(self._left) > MOST_KEPT:
            self._left.popitem(last=False)
        return 0.0 if enough else (1 - left) / self.rate


@dataclass(eq=False)
class WrongTokens:
    """Counts wrong tokens of each address: `most` within a minute, and the address has to wait.

    >>> wrong = WrongTokens(most=2, clock=lambda: 0.0)
    >>> wrong.add("a"), wrong.wait("a"), wrong.add("a"), wrong.wait("a"), wrong.wait("b")
    (None, 0, None, 60, 0)
    """

    most: int = 5
    seconds: float = 60.0
    clock: Callable[[], float] = time.monotonic
    _times: OrderedDict[str, list[float]] = field(default_factory=OrderedDict)

    def add(self, address: str) -> None:
        """One more."""
        self._times[address] = [*self._recent(address), self.clock()][-self.most :]
        self._times.move_to_end(address)
        while len(self._times) > MOST_KEPT:
            self._times.popitem(last=False)

    def wait(self, address: str) -> int:
        """Seconds until the address may try again; 0: now."""
        recent = self._recent(address)
        return math.ceil(recent[0] + self.seconds - self.clock()) if len(recent) >= self.most else 0

    def _recent(self, address: str) -> list[float]:
        since = self.clock() - self.seconds
        return [each for each in self._times.get(address, []) if each > since]
