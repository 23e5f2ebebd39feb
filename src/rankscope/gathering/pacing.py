"""One request a host at a time, with a pause after each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import monotonic, sleep


class Pacer:
    """Waits until a host may be asked again: `pause` seconds after the last answer, or what the host wishes.

    >>> waited = []
    >>> pacer = Pacer(1.0, clock=lambda: 100.0, wait=waited.append)
    >>> for host, wish in [("a", 0), ("b", 0), ("a", 0), ("a", 5)]:
    ...     pacer.wait_for(host, wish)
    ...     pacer.note_answer(host)
    >>> waited
    [1.0, 5.0]
    """

    def __init__(
        self, pause: float, clock: Callable[[], float] = monotonic, wait: Callable[[float], None] = sleep
    ) -> None:
        self._pause, self._clock, self._wait = pause, clock, wait
        self._answered: dict[str, float] = {}

    def wait_for(self, host: str, wish: float = 0.0) -> None:
        """Until the host may be asked."""
        if host in self._answered:
            left = self._answered[host] + max(self._pause, wish) - self._clock()
            if left > 0:
                self._wait(left)

    def note_answer(self, host: str) -> None:
        """The pause of this host begins."""
        self._answered[host] = self._clock()

    def note_all(self, hosts: Iterable[str]) -> None:
        """As if all of them had answered just now: an earlier process may have asked them."""
        for host in hosts:
            self.note_answer(host)
