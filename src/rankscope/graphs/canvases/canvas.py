"""What a canvas must be able to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from rankscope.graphs.marks import Mark

if TYPE_CHECKING:
    from rankscope.graphs.graph import Graph


class Canvas(Protocol):
    """Receives a graph whose domains are known, then its marks one after the other, from the back to the front."""

    def begin(self, graph: Graph) -> None:
        """Axes, title, legend."""

    def mark(self, mark: Mark) -> None:
        """One mark."""
