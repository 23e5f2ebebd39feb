"""A kind of graph: its name on the command line, and the function that makes it from the ranks of some systems."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, ParamSpec

from rankscope.graphs.graph import Graph

P = ParamSpec("P")


@dataclass(frozen=True)
class Choice:
    """One value of an option, in words for a reader; `chosen` is the one that the graph has by itself."""

    value: str | None
    text: str
    chosen: bool = False
    heading: str = ""  # choices of one heading stand together


@dataclass(frozen=True)
class Choices:
    """What a page lets its reader choose among: graphs of one kind that differ in one option."""

    option: str
    label: str
    values: tuple[Choice, ...]


@dataclass(frozen=True)
class Kind(Generic[P]):
    """Call it with systems and options; `options` are what its function takes beside the systems."""

    name: str
    make: Callable[P, Graph]
    choices: Callable[..., Choices | None] = lambda systems: None  # what else a page may show of these systems

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


def kind(
    name: str, choices: Callable[..., Choices | None] = lambda systems: None
) -> Callable[[Callable[P, Graph]], Kind[P]]:
    """Make a kind of graph of a function."""
    return lambda make: Kind(name, make, choices)
