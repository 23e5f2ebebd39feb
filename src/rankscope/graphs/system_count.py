"""How many systems a kind of graph shows at once, and how a report shares its systems out among graphs of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

from rankscope.errors import SettingError

T = TypeVar("T")
_choosing: ContextVar[bool] = ContextVar("choosing", default=False)


@contextmanager
def reader_chooses() -> Iterator[None]:
    """Inside, what shows several systems may describe any number: a reader chooses which of them are drawn."""
    before = _choosing.set(True)
    try:
        yield
    finally:
        _choosing.reset(before)


@dataclass(frozen=True)
class SystemCount:
    """From `least` to `most` systems; below `worth` of them a report leaves the graph out.

    >>> str(ONE), str(TWO), str(SEVERAL)
    ('one system', 'two systems', '1 to 12 systems')
    """

    least: int = 1
    most: int = 12
    worth: int = 1

    def __str__(self) -> str:
        if self.least == self.most:
            return {1: "one system", 2: "two systems"}.get(self.most, f"{self.most} systems")
        return f"{self.least} to {self.most} systems"

    def check(self, count: int, what: str) -> None:
        """Refuse another number of systems; `what` is the graph in words.

        >>> ONE.check(2, "the score distribution")
        Traceback (most recent call last):
        rankscope.errors.SettingError: the score distribution shows one system, got 2
        >>> with reader_chooses():
        ...     SEVERAL.check(100, "the precision-recall graph")
        """
        most = max(count, self.most) if self == SEVERAL and _choosing.get() else self.most
        if not self.least <= count <= most:
            raise SettingError(f"{what} shows {self}, got {count}")

    def shares(self, systems: Sequence[T]) -> list[list[T]]:
        """The systems of each graph of a report: one by one, the first against each other one, or all on one graph.

        Too few systems for a graph are a share all the same: the graph itself says what it lacks.
        >>> ONE.shares("abc"), TWO.shares("abc"), SEVERAL.shares("abc"), SystemCount(2, 60, worth=3).shares("ab")
        ([['a'], ['b'], ['c']], [['a', 'b'], ['a', 'c']], [['a', 'b', 'c']], [])
        """
        if self.most == 1:
            return [[each] for each in systems]
        if self.least == self.most == 2:
            return [[systems[0], other] for other in systems[1:]] or [list(systems)]
        return [] if self.least <= len(systems) < self.worth else [list(systems)]


def left_out_words(names: Sequence[str]) -> list[str]:
    """What a subtitle says of systems that a graph of the best leaves out: all their names.

    >>> left_out_words(["mars", "random"]), left_out_words([])
    (['not drawn: mars, random'], [])
    """
    return [f"not drawn: {', '.join(names)}"] if names else []


ONE = SystemCount(1, 1)
TWO = SystemCount(2, 2)
SEVERAL = SystemCount()
