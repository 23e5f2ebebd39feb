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
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.core.arrays import FloatArray
from rankscope.core.errors import MissingExtra, RankscopeError, SettingError
from rankscope.core.files import atomic
from rankscope.core.names import cell, one_line
from rankscope.reports.graphs.graph import (
    Bars,
    Dots,
    Facts,
    Graph,
    Guide,
    Mark,
    ShadedRegion,
    Spans,
    Stroke,
    SurfaceMark,
    Tiles,
)
from rankscope.reports.graphs.layout import FONT, Look, text_width, wrap_text
from rankscope.reports.graphs.vega_lite import VERSION, specification

# Pictures by vl-convert: no browser, and print size as the look says (96 CSS pixels to the inch).

TO_POINTS = 72 / 96
TRIES = 16
PDF_FONT = re.compile(rb"\n(\d+) 0 obj\n<<\n  /Type /Font\n  /Subtype /Type0")
PDF_RESOURCES = re.compile(rb"(?: +/[a-z]+\d+ \d+ 0 R\n){2,}")
DENSITY = 300  # dots per inch of PNG


def _plain_svg(graph: Graph, look: Look) -> str:
    return str(converter().vegalite_to_svg(specification(graph, look), vl_version=VERSION))


def pdf_bytes(graph: Graph, look: Look) -> bytes:
    """For print, fonts inside; a PDF counts in points, 72 to the inch.

    vl-convert writes fonts in another order each time, by chance; of equal graphs that of their numbers is kept, so
    that they give equal bytes. Two fonts, upright and bold, take two tries on average, of some hundredths of a second.
    """
    size = re.compile(r'(width|height)="([\d.]+)"')
    sized = size.sub(lambda one: f'{one[1]}="{float(one[2]) * TO_POINTS:g}"', _plain_svg(graph, look), count=2)
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

STATIC: dict[str, Callable[[Graph, Look], bytes]] = {
    "svg": lambda graph, look: fit_text(_plain_svg(graph, look)).encode(),
    "pdf": pdf_bytes,
    "png": png_bytes,
}
FORMATS = (*STATIC, "html", "json", "csv")


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
        return picture(graph, look, format)
    return STATIC[format](graph, look)


def flat_for_want_of_matplotlib(graph: Graph, format: str) -> bool:
    """Whether a surface becomes a heat map because nothing here draws it in three dimensions."""
    return graph.z is not None and format in STATIC and find_spec("matplotlib") is None


# An interactive page that needs no net: the script of Vega is inside, once.

HINT = "Point at a curve for its numbers; click a name in the legend to pick it out, double-click to see all again."
OPTIONS = {"actions": {"export": True, "source": False, "compiled": False, "editor": False}, "renderer": "svg"}


def graph_page(graph: Graph, look: Look) -> str:
    theme = look.theme
    style = (
        f"body{{margin:2rem;background:{theme.paper};color:{theme.ink};font:14px {FONT}}}"
        f"p{{color:{theme.words};max-width:60em}}#vg-tooltip-element{{font-family:{FONT}}}"
    )
    tooltip: dict[str, Any] = {"theme": theme.name if theme.name == "dark" else "light"}
    spec = _inside_script(specification(graph, look, interactive=True))
    draw = f"vegaEmbed('#graph', {spec}, {_inside_script({**OPTIONS, 'tooltip': tooltip})});"
    scripts = "\n".join(f"<script>{each}</script>" for each in (vega_script(), draw))
    body = f'<div id="graph"></div>\n<p>{HINT}</p>\n{scripts}'
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{markup.escape(graph.title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


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


# A surface of precision over generality and recall in three dimensions, by matplotlib: Vega-Lite cannot draw it.
# With it the plane p = r, and in the plane GRiP, where it cuts the surface, and the level of a random order.

INCH = 96.0
DENSITY = 300
ELEVATION, AZIMUTH = 26, -62  # from the side of high recall, down the slope
GREY, THICK = "#4d4d4d", "#d55e00"
SHEET = 12  # steps of the plane between two of its borders
BEHIND, BEFORE, ON_TOP = -1, 5, 10
WORDS = "; grey: the plane p = r; thick: GRiP, where it cuts the surface; dashed: random level"
STRETCH = 1.2  # DejaVu Sans is so much wider than Arial
PLOT, LEADING = 0.83, 1.3  # height of the plot in widths, and of a line of text in its size


class Matplotlib3dCanvas:
    """Draws surfaces; other marks belong to flat graphs and are left out."""

    def __init__(self, look: Look) -> None:
        self.look = look

    def begin(self, graph: Graph) -> None:
        look = self.look
        room = (look.width - 8) / STRETCH
        title = wrap_text(graph.title, look.large, room, bold=True)
        cuts = [_cut(mark) for mark in graph.marks if isinstance(mark, SurfaceMark)]
        words = WORDS if any(each is not None for each in cuts) else ""
        subtitle = wrap_text(f"{graph.subtitle}{words}", look.text, room)
        lines = [(line, look.large, "bold") for line in title] + [(line, look.text, "normal") for line in subtitle]
        plot = look.width * PLOT
        tall = plot + sum(size * LEADING for _, size, _ in lines)
        self.figure = import_module("matplotlib.figure").Figure(
            figsize=(look.width / INCH, tall / INCH), facecolor=look.theme.paper
        )
        place = (0.0, 0.02, 0.93, plot / tall)
        self.axes = self.figure.add_axes(place, projection="3d", facecolor=look.theme.paper)
        self.axes.view_init(ELEVATION, AZIMUTH)
        self.axes.set_box_aspect((1.25, 1.0, 0.8), zoom=min(1.06, 1.4 - 154 / look.width))  # room for the words
        self.axes.computed_zorder = False
        y = 1 - 4 / tall
        for line, size, weight in lines:
            style = {"size": size * 72 / INCH, "weight": weight, "color": look.theme.ink}
            self.figure.text(0.012, y, line, va="top", **style)
            y -= size * LEADING / tall
        self._labels(graph)

    def mark(self, mark: Mark) -> None:
        if not isinstance(mark, SurfaceMark):
            return
        import matplotlib

        colours = matplotlib.colormaps["cividis"](np.nan_to_num(mark.z))
        self.axes.plot_surface(
            mark.x,
            mark.y,
            mark.z,
            facecolors=colours,
            rstride=1,
            cstride=1,
            shade=False,
            linewidth=0.35,
            edgecolor=self.look.theme.ink,
            antialiased=True,
            alpha=0.92,
        )
        cut = _cut(mark)
        if cut is not None:
            self._plane(mark.x[:, 0], cut)

    def _plane(self, index: FloatArray, cut: FloatArray) -> None:
        """The plane p = r, below the surface and above it, with both lines in it."""
        self._sheet(index, np.zeros(index.size), cut, BEHIND)
        self._sheet(index, cut, np.ones(index.size), BEFORE)
        self.axes.plot(index, cut, cut + 0.004, color=THICK, linewidth=1.8, zorder=ON_TOP)
        fine = np.linspace(float(index.min()), float(index.max()), 80)
        level = 2.0**-fine
        self.axes.plot(
            fine, level, level, color=self.look.theme.ink, linewidth=1.0, linestyle=(0, (4, 2)), zorder=ON_TOP
        )

    def _sheet(self, index: FloatArray, start: FloatArray, end: FloatArray, layer: int) -> None:
        """The part of the plane between two recalls at each G, with its border."""
        recall = np.linspace(start, end, num=SHEET)
        x = np.broadcast_to(index, recall.shape)
        style = {"shade": False, "linewidth": 0, "rstride": 1, "cstride": 1, "zorder": layer}
        self.axes.plot_surface(x, recall, recall, color=GREY, alpha=0.25, **style)
        sides: list[Any] = [(slice(None), 0), (-1, slice(1, None)), (slice(None, None, -1), -1)]
        border, along = (np.concatenate([grid[side] for side in sides]) for grid in (recall, x))
        self.axes.plot(along, border, border, color=GREY, linewidth=0.8, zorder=layer)

    def _points(self, small: bool = False) -> float:
        return (self.look.small if small else self.look.text) * 72 / INCH

    def _labels(self, graph: Graph) -> None:
        ink = self.look.theme.ink
        sides = (("x", graph.x, self.axes.xaxis), ("y", graph.y, self.axes.yaxis), ("z", graph.z, self.axes.zaxis))
        for name, axis, side in sides:
            if axis is None:
                continue
            getattr(self.axes, f"set_{name}label")(axis.title, size=self._points(), color=ink, labelpad=-4)
            low, high = axis.domain or (0.0, 1.0)
            getattr(self.axes, f"set_{name}lim")(*((high, low) if name == "y" else (low, high)))
            side.set_pane_color((0.5, 0.5, 0.5, 0.06))
            side._axinfo["grid"].update({"linewidth": 0.3, "color": self.look.theme.faint})
            self.axes.tick_params(name, labelsize=self._points(small=True), colors=ink, pad=-2)


def _cut(mark: SurfaceMark) -> FloatArray | None:
    """Recall = precision at each G, where the mesh has a column of it."""
    same = np.isclose(mark.y, mark.z, rtol=1e-9, atol=1e-12) & (mark.y > 0)
    column = np.flatnonzero(same.all(axis=0))
    return np.asarray(mark.y[:, int(column[-1])]) if column.size else None


def picture(graph: Graph, look: Look, format: str) -> bytes:
    """A graph with a surface as svg, pdf or png; equal graphs give equal bytes."""
    try:
        import matplotlib
    except ImportError:
        raise MissingExtra("matplotlib", "plots") from None
    canvas, target = Matplotlib3dCanvas(look), io.BytesIO()
    plain: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}
    with matplotlib.rc_context({"font.family": "DejaVu Sans", "svg.hashsalt": "rankscope", "pdf.fonttype": 42}):
        graph.draw(canvas)
        canvas.figure.savefig(target, format=format, dpi=DENSITY, metadata=plain[format])
    return target.getvalue()
