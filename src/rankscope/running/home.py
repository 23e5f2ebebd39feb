"""Parts worked on here, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from rankscope.running.cores import one_core_each
from rankscope.running.runner import Runner

P = TypeVar("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Home(Runner):
    """In this process, with a core for each part.

    >>> from operator import mul
    >>> list(Home().map(mul, 10, [1, 2]))
    [(1, 10), (2, 20)]
    """

    name: ClassVar[str] = "home"
    summary: ClassVar[str] = "here, one part after the other"

    def map(self, work: Callable[[Any, P], R], shared: Any, parts: Sequence[P]) -> Iterator[tuple[P, R]]:
        """In the order given."""
        for part in parts:
            with one_core_each():
                result = work(shared, part)
            yield part, result
