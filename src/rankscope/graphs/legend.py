"""What the legend says: one entry for each series and each named region, with all its kinds of marks in one sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankscope.graphs.marks import Bars, Dots, Mark, ShadedRegion, Spans, Stroke

if TYPE_CHECKING:
    from rankscope.graphs.graph import Graph


@dataclass(frozen=True)
class LegendEntry:
    """A series or a region: its name, the note behind it, and what its sample shows."""

    name: str
    note: str
    number: int  # of the series, which decides what it wears; -1 for a region
    line: bool = False
    marker: bool = False
    swatch: bool = False
    span: bool = False  # a line without dashes

    @property
    def text(self) -> str:
        """Name and note as one line."""
        return f"{self.name}: {self.note}" if self.note else self.name


def legend_of(graph: Graph) -> tuple[LegendEntry, ...]:
    """Series in their order, then regions; what has no name is not there."""
    series = [_entry(name, number, graph) for number, name in enumerate(graph.series) if name]
    regions = [mark for mark in graph.marks if isinstance(mark, ShadedRegion) and mark.role == "region" and mark.name]
    return (*series, *(LegendEntry(mark.name, mark.note, -1, swatch=True) for mark in regions))


def _entry(name: str, number: int, graph: Graph) -> LegendEntry:
    marks = [
        mark for mark in graph.marks if mark.name == name and mark.role not in ("guide", "label", "region", "tile")
    ]
    strokes = [mark for mark in marks if isinstance(mark, Stroke)]
    return LegendEntry(
        name=name,
        note=next((note for note in map(_note, marks) if note), ""),
        number=number,
        line=bool(strokes),
        marker=any(stroke.markers for stroke in strokes) or any(isinstance(mark, Dots) for mark in marks),
        swatch=any(isinstance(mark, Bars | ShadedRegion) for mark in marks),
        span=any(isinstance(mark, Spans) for mark in marks),
    )


def _note(mark: Mark) -> str:
    return str(getattr(mark, "note", ""))
