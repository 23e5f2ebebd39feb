"""A graph as bytes in each format (SVG, PDF, PNG, a page, JSON, CSV), and into a file whole or not at all."""

from __future__ import annotations

import csv
import html as markup
import io
import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from html import unescape
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rankscope.core.errors import RankscopeError, SettingError
from rankscope.core.files import atomic
from rankscope.core.names import cell, one_line
from rankscope.reports.graphs.graph import Graph
from rankscope.reports.graphs.layout import text_width
from rankscope.reports.graphs.marks import (
    Bars,
    Dots,
    Facts,
    Guide,
    Mark,
    ShadedRegion,
    Spans,
    Stroke,
    SurfaceMark,
    Tiles,
)
from rankscope.reports.graphs.style import FONT, Look
from rankscope.reports.graphs.vega_lite import VERSION, specification

# Pictures by vl-convert: no browser, and print size as the look says (96 CSS pixels to the inch).

TO_POINTS = 72 / 96
TRIES = 16
PDF_FONT = re.compile(rb"\n(\d+) 0 obj\n<<\n  /Type /Font\n  /Subtype /Type0")
PDF_RESOURCES = re.compile(rb"(?: +/[a-z]+\d+ \d+ 0 R\n){2,}")
DENSITY = 300  # dots per inch of PNG


def svg_bytes(graph: Graph, look: Look) -> bytes:
    """Scalable, with text as text."""
    return fit_text(_plain_svg(graph, look)).encode()


def _plain_svg(graph: Graph, look: Look) -> str:
    return str(converter().vegalite_to_svg(specification(graph, look), vl_version=VERSION))


def pdf_bytes(graph: Graph, look: Look) -> bytes:
    """For print, fonts inside; a PDF counts in points, 72 to the inch.

    vl-convert writes fonts in another order each time, by chance; of equal graphs that of their numbers is kept, so
    that they give equal bytes. Two fonts, upright and bold, take two tries on average, of some hundredths of a second.
    """

    def in_points(size: re.Match[str]) -> str:
        return f'{size[1]}="{float(size[2]) * TO_POINTS:g}"'

    sized = re.sub(r'(width|height)="([\d.]+)"', in_points, _plain_svg(graph, look), count=2)
    for _ in range(TRIES):
        document = bytes(converter().svg_to_pdf(sized))
        numbers = [int(number) for number in PDF_FONT.findall(document)]
        if numbers == sorted(numbers):
            break
    return PDF_RESOURCES.sub(lambda found: b"".join(sorted(found[0].splitlines(True))), document)


def png_bytes(graph: Graph, look: Look) -> bytes:
    """Dots, 300 to the inch."""
    result = converter().vegalite_to_png(specification(graph, look), vl_version=VERSION, scale=TO_POINTS, ppi=DENSITY)
    return bytes(result)


def converter() -> Any:
    """vl-convert, loaded when the first picture is made."""
    import vl_convert

    return vl_convert


# A graph as bytes in each format, and into a file that appears whole or not at all.

STATIC: dict[str, Callable[[Graph, Look], bytes]] = {"svg": svg_bytes, "pdf": pdf_bytes, "png": png_bytes}
FORMATS = (*STATIC, "html", "json", "csv")


def save_graph(
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
        return graph_csv(graph).encode()
    look = Look.of(theme, width or ("full" if format in ("html", "json") else "column"), graph.ratio)
    if format == "json":
        return (json.dumps(specification(graph, look), indent=1, ensure_ascii=False) + "\n").encode()
    if format == "html":
        return graph_page(graph, look).encode()
    if not flat and not flat_for_want_of_matplotlib(graph, format) and graph.z is not None:
        from rankscope.reports.graphs.matplotlib3d import picture

        return picture(graph, look, format)
    return STATIC[format](graph, look)


def flat_for_want_of_matplotlib(graph: Graph, format: str) -> bool:
    """Whether a surface becomes a heat map because nothing here draws it in three dimensions."""
    from rankscope.reports.graphs.matplotlib3d import is_installed

    return graph.z is not None and format in STATIC and not is_installed()


# An interactive page that needs no net: the script of Vega is inside, once.

HINT = "Point at a curve for its numbers; click a name in the legend to pick it out, double-click to see all again."
OPTIONS = {"actions": {"export": True, "source": False, "compiled": False, "editor": False}, "renderer": "svg"}


def graph_page(graph: Graph, look: Look) -> str:
    """The whole page."""
    theme = look.theme
    style = (
        f"body{{margin:2rem;background:{theme.paper};color:{theme.ink};font:14px {FONT}}}"
        f"p{{color:{theme.words};max-width:60em}}#vg-tooltip-element{{font-family:{FONT}}}"
    )
    scripts = "\n".join(f"<script>{each}</script>" for each in (vega_script(), embedding_script(graph, look)))
    body = f'<div id="graph"></div>\n<p>{HINT}</p>\n{scripts}'
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{markup.escape(graph.title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def embedding_script(graph: Graph, look: Look, place: str = "graph") -> str:
    """The script that draws the graph into the element of this id; several graphs share one `script()`."""
    tooltip: dict[str, Any] = {"theme": look.theme.name if look.theme.name == "dark" else "light"}
    spec = _inside_script(specification(graph, look, interactive=True))
    return f"vegaEmbed('#{place}', {spec}, {_inside_script({**OPTIONS, 'tooltip': tooltip})});"


def _inside_script(value: object) -> str:
    """JSON that cannot end the script element it stands in."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")


@cache
def vega_script() -> str:
    """Vega, Vega-Lite and vega-embed in one script, as the installed vl-convert has them.

    vl-convert takes seconds to put it together; afterwards it lies in the user's cache folder under the versions it
    belongs to, so it is the same bytes every time. A folder that cannot be written costs only those seconds.
    """
    stored = cache_folder() / f"vega-{VERSION}-vl-convert-{version('vl-convert-python')}.js"
    try:
        return stored.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        text = _bundled()
    try:
        stored.parent.mkdir(parents=True, exist_ok=True)
        with atomic(stored) as file:
            file.write(text)
    except (OSError, RankscopeError):
        pass
    return text


def _bundled() -> str:
    return str(converter().javascript_bundle(vl_version=VERSION)).replace("</script", "<\\/script")


def cache_folder() -> Path:
    """Where this user's programs keep what can be made again."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "rankscope"


# The data of a graph as one long table: what was drawn, and nothing else.

Cells = dict[str, object]


def graph_csv(graph: Graph) -> str:
    """Columns role, name, x, y, low, high, and one for each fact; the first line says what x and y are."""
    rows = [row for mark in graph.resolved().marks for row in _mark_rows(mark)]
    names = list(dict.fromkeys(name for row in rows for name in row))
    target = io.StringIO()
    third = f"; z: {graph.z.title}" if graph.z is not None else ""
    target.write(f"# {one_line(f'{graph.title}; x: {graph.x.title}; y: {graph.y.title}{third}')}\n")
    writer = csv.DictWriter(target, names or ["role", "name", "x", "y"], restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return target.getvalue()


def _mark_rows(mark: Mark) -> Iterator[Cells]:
    head: Cells = {"role": mark.role, "name": cell(mark.name)}
    if isinstance(mark, Stroke | Dots | Bars | Guide | Tiles):
        facts: Facts = getattr(mark, "facts", {})
        for row, (x, y) in enumerate(zip(mark.x.tolist(), mark.y.tolist(), strict=True)):
            told = {name: _csv_cell(values[row]) for name, values in facts.items() if name not in head}
            yield {**head, "x": _csv_cell(x), "y": _csv_cell(y), **told}
    elif isinstance(mark, ShadedRegion):
        for x, low, high in zip(mark.x.tolist(), mark.low.tolist(), mark.high.tolist(), strict=True):
            yield {**head, "x": _csv_cell(x), "low": _csv_cell(low), "high": _csv_cell(high)}
    elif isinstance(mark, Spans):
        for y, low, high in zip(mark.y.tolist(), mark.low.tolist(), mark.high.tolist(), strict=True):
            yield {**head, "y": _csv_cell(y), "low": _csv_cell(low), "high": _csv_cell(high)}
    elif isinstance(mark, SurfaceMark):
        for x, y, z in zip(mark.x.ravel().tolist(), mark.y.ravel().tolist(), mark.z.ravel().tolist(), strict=True):
            yield {**head, "x": _csv_cell(x), "y": _csv_cell(y), "z": _csv_cell(z)}


def _csv_cell(value: object) -> object:
    if isinstance(value, float):
        return format(value, ".10g") if math.isfinite(value) else ""
    return cell(value)


# Text of pictures as wide as it was laid out: without Arial or its kin the ends of lines would be cut off.

ONE_CHARACTER = 1  # a single sign is where it is put
SVG_TEXT = re.compile(r"<text ([^>]*font-family=\"Arial[^>]*)>(.*?)</text>", re.DOTALL)
SVG_LINE = re.compile(r"<tspan((?:(?!textLength)[^>])*)>([^<]*)</tspan>")
SVG_SIZE = re.compile(r'font-size="([\d.]+)px"')


def fit_text(svg: str) -> str:
    """A picture whose lines of text are as wide in every font as they are in Arial; fitted text stays as it is.

    >>> fit_text('<text font-family="Arial" font-size="10px">of 112 queries</text>')[42:]
    ' textLength="63.37" lengthAdjust="spacingAndGlyphs">of 112 queries</text>'
    """
    return SVG_TEXT.sub(_fitted_text, svg)


def _fitted_text(found: re.Match[str]) -> str:
    given, content = found.groups()
    size, is_bold = SVG_SIZE.search(given), 'font-weight="bold"' in given
    if size is None or "textLength" in given:
        return found[0]
    unit = float(size[1])
    if "<tspan" in content:
        inside = SVG_LINE.sub(
            lambda line: f"<tspan{line[1]}{_text_length(line[2], unit, is_bold)}>{line[2]}</tspan>", content
        )
        return f"<text {given}>{inside}</text>"
    return f"<text {given}{_text_length(content, unit, is_bold)}>{content}</text>"


def _text_length(content: str, size: float, is_bold: bool) -> str:
    text = unescape(content)
    if len(text) <= ONE_CHARACTER:
        return ""
    return f' textLength="{text_width(text, size, is_bold):.2f}" lengthAdjust="spacingAndGlyphs"'
