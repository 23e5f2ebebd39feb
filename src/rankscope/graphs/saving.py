"""A graph as bytes in each format, and into a file that appears whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from rankscope.errors import SettingError
from rankscope.files import atomic
from rankscope.graphs.canvases import page, static
from rankscope.graphs.canvases.table import csv_of
from rankscope.graphs.canvases.vega_lite import specification
from rankscope.graphs.graph import Graph
from rankscope.graphs.look import Look

STATIC: dict[str, Callable[[Graph, Look], bytes]] = {"svg": static.svg, "pdf": static.pdf, "png": static.png}
FORMATS = (*STATIC, "html", "json", "csv")


def save(
    graph: Graph, path: str | Path, *, theme: str = "light", width: str | float | None = None, flat: bool = False
) -> None:
    """Render everything first, then write it in one go."""
    data = render_graph(graph, format_of(path), theme=theme, width=width, flat=flat)
    with atomic(path, "wb") as file:
        file.write(data)


def format_of(path: str | Path) -> str:
    """The format that a file's suffix tells.

    >>> format_of("edges.SVG")
    'svg'
    """
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        known = ", ".join(f".{each}" for each in FORMATS)
        raise SettingError(f"a graph is written as {known}, told by the suffix; got {str(path)!r}")
    return suffix


def render_graph(
    graph: Graph, format: str, *, theme: str = "light", width: str | float | None = None, flat: bool = False
) -> bytes:
    """The bytes of a graph in one of `FORMATS`; a page is full wide unless another width is given."""
    if format == "csv":
        return csv_of(graph).encode()
    look = Look.of(theme, width or ("full" if format in ("html", "json") else "column"), graph.ratio)
    if format == "json":
        return (json.dumps(specification(graph, look), indent=1, ensure_ascii=False) + "\n").encode()
    if format == "html":
        return page.html(graph, look).encode()
    if not flat and not flat_for_want_of_matplotlib(graph, format) and graph.z is not None:
        from rankscope.graphs.canvases.matplotlib3d import picture

        return picture(graph, look, format)
    return STATIC[format](graph, look)


def flat_for_want_of_matplotlib(graph: Graph, format: str) -> bool:
    """Whether a surface becomes a heat map because nothing here draws it in three dimensions."""
    from rankscope.graphs.canvases.matplotlib3d import is_installed

    return graph.z is not None and format in STATIC and not is_installed()
