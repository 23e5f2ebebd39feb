"""What a runner is: it works on independent parts somewhere, and hands each result over when it is there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, TypeVar

P = TypeVar("P")
R = TypeVar("R")


class Runner(ABC):
    """Subclasses are values. `work` is a function of a module, so that it can be found elsewhere by its name."""

    name: ClassVar[str]
    summary: ClassVar[str]

    @abstractmethod
    def map(self, work: Callable[[Any, P], R], shared: Any, parts: Sequence[P]) -> Iterator[tuple[P, R]]:
        """Each part with `work(shared, part)`, in the order in which they are done; `shared` travels once."""
