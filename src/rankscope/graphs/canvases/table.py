"""The data of a graph as one long table: what was drawn, and nothing else."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rankscope.graphs.marks import Bars, Dots, Facts, Guide, Mark, ShadedRegion, Spans, Stroke, SurfaceMark, Tiles
from rankscope.names import cell, one_line

if TYPE_CHECKING:
    from rankscope.graphs.graph import Graph

Cells = dict[str, object]


def csv_of(graph: Graph) -> str:
    """Columns role, name, x, y, low, high, and one for each fact; the first line says what x and y are."""
    rows = [row for mark in graph.resolved().marks for row in _rows(mark)]
    names = list(dict.fromkeys(name for row in rows for name in row))
    target = io.StringIO()
    third = f"; z: {graph.z.title}" if graph.z is not None else ""
    target.write(f"# {one_line(f'{graph.title}; x: {graph.x.title}; y: {graph.y.title}{third}')}\n")
    writer = csv.DictWriter(target, names or ["role", "name", "x", "y"], restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return target.getvalue()


def _rows(mark: Mark) -> Iterator[Cells]:
    head: Cells = {"role": mark.role, "name": cell(mark.name)}
    if isinstance(mark, Stroke | Dots | Bars | Guide | Tiles):
        facts: Facts = getattr(mark, "facts", {})
        for row, (x, y) in enumerate(zip(mark.x.tolist(), mark.y.tolist(), strict=True)):
            told = {name: _cell(values[row]) for name, values in facts.items() if name not in head}
            yield {**head, "x": _cell(x), "y": _cell(y), **told}
    elif isinstance(mark, ShadedRegion):
        for x, low, high in zip(mark.x.tolist(), mark.low.tolist(), mark.high.tolist(), strict=True):
            yield {**head, "x": _cell(x), "low": _cell(low), "high": _cell(high)}
    elif isinstance(mark, Spans):
        for y, low, high in zip(mark.y.tolist(), mark.low.tolist(), mark.high.tolist(), strict=True):
            yield {**head, "y": _cell(y), "low": _cell(low), "high": _cell(high)}
    elif isinstance(mark, SurfaceMark):
        for x, y, z in zip(mark.x.ravel().tolist(), mark.y.ravel().tolist(), mark.z.ravel().tolist(), strict=True):
            yield {**head, "x": _cell(x), "y": _cell(y), "z": _cell(z)}


def _cell(value: object) -> object:
    if isinstance(value, float):
        return format(value, ".10g") if math.isfinite(value) else ""
    return cell(value)
