"""A graph on a page that needs no script: two pictures, of which the page shows the one for light or for dark."""

from __future__ import annotations

from dataclasses import dataclass

from rankscope.graphs.graph import Graph
from rankscope.graphs.saving import render_graph

WIDTH = 115.0  # mm: readable beside another, and on a telephone


@dataclass(frozen=True, eq=False)
class StillGraph:
    """A graph as two pictures, for light and dark."""

    title: str
    subtitle: str
    summary: str
    light: str
    dark: str

    @classmethod
    def of(cls, graph: Graph) -> StillGraph:
        """Drawn without its heading, which the page says itself."""
        bare = graph.described(title="", subtitle="")
        light, dark = (
            render_graph(bare, "svg", theme=theme, width=WIDTH, flat=True).decode() for theme in ("light", "dark")
        )
        return cls(title=graph.title, subtitle=graph.subtitle, summary=graph.summary, light=light, dark=dark)
