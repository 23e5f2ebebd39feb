"""A kind of graph: its name on the command line, and the function that makes it from the ranks of some systems."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, ParamSpec

from rankscope.graphs.graph import Graph

P = ParamSpec("P")


@dataclass(frozen=True)
class Kind(Generic[P]):
    """Call it with systems and options; `options` are what its function takes beside the systems."""

    name: str
    make: Callable[P, Graph]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Graph:
        """The graph, not yet drawn."""
        return self.make(*args, **kwargs)

    @property
    def text(self) -> str:
        """What it shows."""
        return inspect.cleandoc(self.make.__doc__ or "")

    @property
    def sentence(self) -> str:
        """The first sentence of it."""
        return " ".join(self.text.split()).partition(". ")[0].rstrip(".") + "."

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the options."""
        return tuple(inspect.signature(self.make).parameters)[1:]


def kind(name: str) -> Callable[[Callable[P, Graph]], Kind[P]]:
    """Make a kind of graph of a function."""
    return lambda make: Kind(name, make)
