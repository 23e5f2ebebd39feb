"""A canvas that draws nothing and remembers everything, so that graphs are tested as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankscope.reports.graphs.graph import Mark
from rankscope.reports.graphs.layout import LegendEntry, legend_of

if TYPE_CHECKING:
    from rankscope.reports.graphs.graph import Graph


class RecordingCanvas:
    """What was drawn, in order."""

    def __init__(self) -> None:
        self.marks: list[Mark] = []
        self.graph: Graph | None = None

    def begin(self, graph: Graph) -> None:
        """Remember title and axes."""
        self.graph = graph

    def mark(self, mark: Mark) -> None:
        """Remember a mark."""
        self.marks.append(mark)

    @property
    def roles(self) -> list[str]:
        """The roles of the marks in the order they were drawn."""
        return [mark.role for mark in self.marks]

    @property
    def legend(self) -> tuple[LegendEntry, ...]:
        """What the legend says."""
        return () if self.graph is None else legend_of(self.graph)
