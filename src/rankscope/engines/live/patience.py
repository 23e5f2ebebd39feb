"""Asking again: pauses that double, with chance in them, and as long as the engine asks for."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from threading import Event, Lock
from time import monotonic
from typing import TypeVar

from rankscope.engines.live.failure import EngineFailure
from rankscope.engines.live.limits import EngineLimits

T = TypeVar("T")
LONGEST_ASKED = 120.0  # seconds that an engine may ask to wait; longer is left to the user


class Stopped(Exception):  # noqa: N818  (it says what happened)
    """The work is to end."""


class Gate:
    """Where all workers wait when the engine asks for it; `stop` ends every wait."""

    def __init__(self, stop: Event) -> None:
        self._stop, self._lock, self._until = stop, Lock(), 0.0

    def close_for(self, seconds: float) -> None:
        """Nobody asks for so long."""
        with self._lock:
            self._until = max(self._until, monotonic() + seconds)

    def pause(self, seconds: float) -> None:
        """One worker waits."""
        if self._stop.wait(seconds):
            raise Stopped

    def enter(self) -> None:
        """Wait until the gate is open."""
        while True:
            with self._lock:
                left = self._until - monotonic()
            if self._stop.is_set():
                raise Stopped
            if left <= 0:
                return
            self.pause(left)


class Patience:
    """Sends until there is an answer, or until it was sent often enough."""

    def __init__(self, limits: EngineLimits, gate: Gate, chance: Random | None = None) -> None:
        self._limits, self._gate, self._chance = limits, gate, chance or Random()

    def attempt(self, send: Callable[[], T]) -> tuple[T, int]:
        """What it gives, and how often it had to be tried again."""
        for tried in range(self._limits.retries + 1):
            self._gate.enter()
            try:
                return send(), tried
            except EngineFailure as failure:
                if not failure.again or tried == self._limits.retries:
                    raise self._final(failure, tried) from None
                self._wait(failure, tried)
        raise AssertionError("the last attempt returns or raises")

    def _wait(self, failure: EngineFailure, tried: int) -> None:
        """At least as long as the engine asks for, and that goes for all workers."""
        longest = min(self._limits.longest_wait, self._limits.first_wait * 2**tried)
        own = self._chance.uniform(longest / 2, longest)
        if failure.wait is not None:
            if failure.wait > LONGEST_ASKED:
                minutes = failure.wait / 60
                raise EngineFailure(f"{failure.reason}; it asks to wait {minutes:.0f} minutes", for_all=True)
            self._gate.close_for(failure.wait)
        self._gate.pause(own if failure.wait is None else min(own, self._limits.first_wait))

    def _final(self, failure: EngineFailure, tried: int) -> EngineFailure:
        if not tried:
            return failure
        return EngineFailure(
            f"{failure.reason} (asked {tried + 1} times)", again=failure.again, for_all=failure.for_all
        )
