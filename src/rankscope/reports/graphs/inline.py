"""A graph inside a page of ours: SVG that stands there before any script runs, and plain data that the script draws.

vl-convert draws the SVG as it draws files. Here it gets the size and the colours that the page's script gives it, so
that nothing moves when the script takes over: colours are the page's variables, which turn dark with it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np

from rankscope.core.arrays import FloatArray
from rankscope.reports.graphs.graph import (
    Axis,
    Bars,
    Dots,
    Facts,
    Guide,
    Mark,
    ShadedRegion,
    Spans,
    Stroke,
    SurfaceMark,
    TextMark,
    Tiles,
    tick_text,
)
from rankscope.reports.graphs.layout import FULL, GAP, Dress, Look, Theme, Ticks, layout_of, shorten_text
from rankscope.reports.graphs.saving import converter, fit_text
from rankscope.reports.graphs.vega_lite import VERSION, Layer, VegaLiteCanvas, heat_cells, pixel_layer

if TYPE_CHECKING:
    from rankscope.reports.graphs.graph import Graph


# A graph as SVG inside a page: what stands there before any script runs, without one, and on paper.

WIDTH = 480.0  # the least that a column of graphs has on a desk
ABOVE, BELOW = 20.0, 44.0  # together what drawing.js leaves
LOWEST, HIGHEST, LEAST_ROWS, RATIO = 190.0, 430.0, 110.0, 0.56
LETTERS = 12.5
SEAM = 0.5  # pixels by which cells overlap, so that no paper shows between them
STEPS = 24  # of the colours of a surface
STAR = "M0,-1L.3,-.3L1,-.3L.45,.15L.65,.85L0,.4L-.65,.85L-.45,.15L-1,-.3L-.3,-.3Z"
SHAPES = ("circle", "circle", "square", "triangle-up", "diamond", "cross", "triangle-down", STAR)
# tiles are mixed from paper and the first two series: black, red and green tell afterwards how much of which
MIXED = Theme(
    name="page",
    paper="#000000",
    ink="var(--dim)",
    faint="var(--faint)",
    words="var(--dim)",
    shade="var(--region)",
    series=("#ff0000", "#00ff00"),
)
SHARED = ("fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "opacity", "text-anchor", "style")
PLACED = ("d", "transform", "x", "y", "x1", "x2", "y1", "y2", "textLength", "lengthAdjust", "font-size", "fill-opacity")
KEPT = frozenset((*SHARED[:-1], *PLACED))
IDLE = {
    "opacity": "1",
    "text-anchor": "start",
    "stroke-dasharray": "1,0",
    "stroke-width": "0",
    "x2": "0",
    "y2": "0",
    "x1": "0",
    "y1": "0",
}
OFF = 0.15  # pixels that a line may pass next to a point that is left out
LINES = re.compile(r"(?:M[-\d.,e]+(?:L[-\d.,e]+)*Z?)+")
NUMBER = re.compile(r"-?\d*\.\d+(?:e-?\d+)?")
MOVED = re.compile(r"^translate\((-?[\d.e-]+),(-?[\d.e-]+)\)$")
Attributes = dict[str, str]


@dataclass(frozen=True)
class PageLook(Look):
    """The page's own colours: `slots` is what each series wears, by the number of its colour; -1 is grey."""

    slots: tuple[int, ...] = field(default=())

    def dress(self, number: int) -> Dress:
        """As choice.js dresses a slot: the baseline is slot 0, in ink and dashed."""
        slot = self.slots[number] if 0 <= number < len(self.slots) else 1 + number % 7
        if slot < 0:
            return Dress("var(--dim)", (), SHAPES[0])
        return Dress(f"var(--c{slot % 8})", (6, 4) if slot == 0 else (), SHAPES[slot % 8])


def inline_svg(graph: Graph, prefix: str, wear: Mapping[str, int] | None = None) -> str:
    """The SVG element, without title and legend, which the page has next to it; ids in it begin with the prefix."""
    given = wear or {}
    slots = tuple(given.get(name, 1 + number % 7) for number, name in enumerate(graph.series))
    look = PageLook(theme=MIXED, width=WIDTH, ratio=RATIO, text=LETTERS / 0.92, slots=slots)
    canvas = InlineCanvas(look)
    graph.described(title="", subtitle="", summary="").draw(canvas)
    svg = str(converter().vegalite_to_svg(canvas.specification(), vl_version=VERSION))
    root = ElementTree.fromstring(fit_text(svg))
    inside = "".join(_written(each) for each in root if _tag(each) != "rect")
    width, height = (_rounded(root.get(side, "0")) for side in ("width", "height"))
    head = f'<svg class="first" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    whole = f'{head} fill="none" role="img" aria-hidden="true">{inside}</svg>'
    return re.sub(r'(\bid="|url\(#|href="#)', lambda part: f"{part[1]}{prefix}-", whole)


class InlineCanvas(VegaLiteCanvas):
    """Grid lines in place of ticks, as the page draws axes, and surfaces in the page's own tint."""

    def begin(self, graph: Graph) -> None:
        """Compute a layout as high as the script's, with nothing above the plot but names of guides."""
        axis, wanted = graph.y, max(LOWEST, min(HIGHEST, WIDTH * (graph.ratio or RATIO)))
        if axis.rows is not None and axis.domain is not None:
            wanted = max(LEAST_ROWS, (axis.domain[1] - axis.domain[0]) * axis.rows * 17)
        self.look = replace(self.look, ratio=wanted / layout_of(graph, self.look).width)
        box = layout_of(graph, self.look)
        x = box.x
        if x.lines > 1:  # names on the axis in one line
            low, high = graph.x.domain or (0.0, 1.0)
            room = box.width / max(high - low, 1.0) - GAP
            x = Ticks(x.values, tuple(shorten_text(text.replace("\n", " "), self.look.small, room) for text in x.texts))
        self.graph = graph
        self.layout = replace(box, height=wanted, top=ABOVE, bottom=BELOW, x=x, legend=(), heading=(), title_lines=0)
        self.layers = [self._axes()]

    def _axes(self) -> Layer:
        layer = super()._axes()
        for name in ("x", "y"):
            given = layer["encoding"][name]["axis"]
            given |= {"grid": True, "gridColor": "var(--line)", "gridWidth": 1, "domain": False, "ticks": False}
            given |= {"labelPadding": 6, "titleFontSize": LETTERS}
        return layer

    def _surface(self, mark: SurfaceMark) -> None:
        axis = self.graph.z
        assert axis is not None
        low, high = axis.domain or (0.0, 1.0)
        rows: list[dict[str, Any]] = []
        for cell in heat_cells(mark):
            step = round(STEPS * (cell["z"] - low) / ((high - low) or 1.0))
            last = rows[-1] if rows else None
            if last is not None and (last["x"], last["step"], last["y2"]) == (cell["x"], step, cell["y"]):
                last["y2"] = cell["y2"]
            else:
                rows.append({**{name: cell[name] for name in ("x", "x2", "y", "y2")}, "step": step})
        (left, right), (bottom, top) = self.graph.x.domain or (0.0, 1.0), self.graph.y.domain or (0.0, 1.0)
        across, up = SEAM * (right - left) / self.layout.width, SEAM * (top - bottom) / self.layout.height
        rows.sort(key=lambda row: row["step"])
        for row in rows:
            row |= {"x2": row["x2"] + across, "y2": row["y2"] + up, "colour": _heat(row["step"] / STEPS)}
        colour = {"field": "colour", "type": "nominal", "scale": None, "legend": None}
        self._layer(rows, {"type": "rect"}, x2={"field": "x2"}, y2={"field": "y2"}, fill=colour)
        self.layers += self._heat_key(tick_text(low, axis), tick_text(high, axis), axis.title)

    def _heat_key(self, low: str, high: str, title: str) -> list[Layer]:
        box, steps = self.layout, 12
        tall, left = box.height / steps, box.width + 10
        made = []
        for k in range(steps):
            ends = {"y": box.height - (k + 1) * tall, "y2": box.height - k * tall, "color": _heat((k + 0.5) / steps)}
            made.append(pixel_layer({"type": "rect", "x": left, "x2": left + 9, "aria": False, **ends}))
        for text, y, x, align in (
            (high, 7.0, left + 12, "left"),
            (low, box.height - 6, left + 12, "left"),
            (title, -10.0, box.width + box.right - 2, "right"),
        ):
            word = {"type": "text", "text": text, "x": x, "y": y, "align": align, "baseline": "middle"}
            made.append(pixel_layer({**word, **self._type(small=True)}))
        return made


def _heat(share: float) -> str:
    return f"color-mix(in srgb,var(--tint) {round(92 * share)}%,var(--bg))"


# what vl-convert writes, in as few signs as a page needs


def _written(node: ElementTree.Element) -> str:
    tag = _tag(node)
    own = _attributes(node)
    if tag == "g":
        return _group(node, own)
    if tag in ("path", "line", "rect", "text", "tspan"):
        if (tag == "path" and not (own.get("d") and _is_seen(own))) or (tag == "line" and "stroke" not in own):
            return ""
        return _element(tag, own, _text(node))
    return "".join(map(_written, node))


def _group(node: ElementTree.Element, own: Attributes) -> str:
    """A group without what it does not need; what neighbouring marks have in common is said once."""
    parts = []
    if {_tag(each) for each in node} <= {"path", "line", "text"}:
        marked = [(each, _attributes(each)) for each in node]
        seen = [(each, given) for each, given in marked if _tag(each) != "path" or (given.get("d") and _is_seen(given))]
        for shared, members in groupby(seen, key=lambda each: _shared(each[1])):
            inner = [
                _element(_tag(each), {name: value for name, value in given.items() if name not in shared}, _text(each))
                for each, given in members
            ]
            parts.append(f"<g{_listed(shared)}>{''.join(inner)}</g>" if shared else "".join(inner))
    else:
        parts = list(map(_written, node))
    kept = {name: value for name, value in own.items() if name in ("transform", "opacity")}
    inside = "".join(parts)
    return f"<g{_listed(kept)}>{inside}</g>" if inside and kept else inside


def _shared(given: Attributes) -> Attributes:
    return {name: value for name, value in sorted(given.items()) if name in SHARED}


def _attributes(node: ElementTree.Element) -> Attributes:
    tag, found = _tag(node), {}
    for name, value in node.attrib.items():
        if name not in KEPT or IDLE.get(name) == value:
            continue
        if tag == "text" and name == "fill":
            continue
        if name == "font-size":
            size = float(value.removesuffix("px"))
            if abs(size - LETTERS) > 0.5:
                found["style"] = f"font-size:{size:.3g}px"
        elif name == "transform" and value in ("translate(0,0)", "translate(0, 0)"):
            continue
        else:
            value = _thinned(value) if name == "d" else value
            found[name] = _colour(value) if name in ("fill", "stroke") else _rounded(value)
    if tag == "text" and node.get("fill") in ("#000000", "#ffffff"):
        found["class"] = "word"
    if found.get("stroke") and node.get("stroke-width") == "0":
        del found["stroke"]
    return found


def _is_seen(given: Attributes) -> bool:
    return given.get("opacity") != "0" and ("fill" in given or "stroke" in given)


def _colour(value: str) -> str:
    """The page's colour for one of `MIXED`."""
    if not re.fullmatch(r"#[0-9a-f]{6}", value):
        return value
    red, green = int(value[1:3], 16), int(value[3:5], 16)
    share = round(42 * max(red, green) / 255 / FULL)
    name = "tint" if red >= green else "amber"
    return f"color-mix(in srgb,var(--{name}) {share}%,var(--bg))" if share else "var(--bg)"


def _element(tag: str, given: Attributes, content: str) -> str:
    given = dict(given)
    moved = MOVED.match(given.get("transform", ""))
    if moved and tag == "text":
        del given["transform"]
        given = {"x": moved[1], "y": moved[2], **given}
    return f"<{tag}{_listed(given)}>{content}</{tag}>" if content else f"<{tag}{_listed(given)}/>"


def _text(node: ElementTree.Element) -> str:
    return escape(node.text or "", quote=False) + "".join(_written(each) for each in node)


def _listed(given: Mapping[str, str]) -> str:
    return "".join(f' {name}="{escape(value)}"' for name, value in given.items())


def _thinned(path: str) -> str:
    """Lines without the points that an eye would not miss; other paths as they are.

    >>> _thinned("M0,0L1,0.01L2,0L3,5Z"), _thinned("M0,0h5v5h-5Z")
    ('M0,0L2,0L3,5Z', 'M0,0h5v5h-5Z')
    """
    if not LINES.fullmatch(path):
        return path
    return "".join(f"M{'L'.join(_fewer(each.split('L')))}" for each in path.split("M")[1:])


def _fewer(points: list[str]) -> list[str]:
    """Ramer, Douglas and Peucker: a part of a line is straight where no point of it lies off by more than `OFF`."""
    if len(points) < 3:
        return points
    places = np.array([each.rstrip("Z").split(",") for each in points], dtype=np.float64)
    kept, open_parts = {0, len(points) - 1}, [(0, len(points) - 1)]
    while open_parts:
        first, last = open_parts.pop()
        if last - first < 2:
            continue
        along = places[last] - places[first]
        inner = places[first + 1 : last] - places[first]
        length = float(np.hypot(*along))
        off = np.abs(inner[:, 0] * along[1] - inner[:, 1] * along[0]) / length if length else np.hypot(*inner.T)
        most = int(off.argmax())
        if off[most] > OFF:
            middle = first + 1 + most
            kept.add(middle)
            open_parts += [(first, middle), (middle, last)]
    return [points[each] for each in sorted(kept)]


def _rounded(text: str) -> str:
    """Numbers to a tenth of a pixel.

    >>> _rounded("translate(87.90621596725862,15)"), _rounded("M-0.04,2.96L10.000,3")
    ('translate(87.9,15)', 'M0,3L10,3')
    """
    return NUMBER.sub(lambda found: f"{round(float(found[0]), 1) + 0.0:g}", text)


def _tag(node: ElementTree.Element) -> str:
    return node.tag.rpartition("}")[2]


# A graph as plain data that a page draws by itself, at the width it has and in the colours of its systems.

DIGITS = 5  # significant ones: more than an eye or a table of three decimals can show


def page_data(graph: Graph, systems: Mapping[str, int] | None = None) -> dict[str, Any]:
    """Axes and marks as JSON can hold them; `systems` gives the number of the system that a series is of."""
    whole = graph.resolved()
    return {
        "title": graph.title,
        "x": _axis(whole.x),
        "y": _axis(whole.y),
        "marks": [{**_named(mark, systems or {}), **_mark(mark)} for mark in whole.marks],
        **({"z": _axis(whole.z)} if whole.z is not None else {}),
        **({"right": {**_axis(whole.right.axis), "factor": _digits(whole.right.factor)}} if whole.right else {}),
        **({"ratio": _digits(whole.ratio)} if whole.ratio else {}),
    }


def owners_of(names: Iterable[str]) -> dict[str, int]:
    """Under which names the series of a system go.

    >>> owners_of(["bm25", "dense"])["dense is better"]
    1
    """
    return {text: number for number, name in enumerate(names) for text in (name, f"{name} is better")}


def _axis(axis: Axis) -> dict[str, Any]:
    given = {"ticks": list(axis.ticks) if axis.ticks is not None else None, "texts": axis.texts, "rows": axis.rows}
    return {
        "quantity": axis.quantity,
        "title": axis.title,
        "domain": [_digits(end, 9) for end in axis.domain or (0.0, 1.0)],
        **({"log": 1} if axis.scale == "log2" else {}),
        **({"whole": 1} if axis.whole else {}),
        **({"lower": 1} if axis.lower_is_better else {}),
        **{name: value for name, value in given.items() if value is not None},
    }


def _named(mark: Mark, systems: Mapping[str, int]) -> dict[str, Any]:
    own = systems.get(mark.name)
    named = {"role": mark.role, "name": mark.name} if mark.name else {"role": mark.role}
    return named if own is None or mark.role == "guide" else {**named, "system": own}


def _mark(mark: Mark) -> dict[str, Any]:
    if isinstance(mark, Stroke):
        given = {"steps": int(mark.steps), "light": int(mark.light), "markers": mark.markers, "thin": mark.thin}
        return _line(mark.x, mark.y) | _note(mark.note) | _facts(mark.facts) | _filled(given)
    if isinstance(mark, Dots):
        return _line(mark.x, mark.y) | _note(mark.note) | _facts(mark.facts) | _filled({"edge": int(mark.edge)})
    if isinstance(mark, Bars):
        given = {"base": _digits(mark.base), "thick": _digits(mark.thick)}
        return _line(mark.x, mark.y) | _note(mark.note) | _facts(mark.facts) | given
    if isinstance(mark, Guide):
        return _line(mark.x, mark.y) | _filled({"dashed": int(mark.dashed), "at": mark.at}) | {"side": mark.side}
    if isinstance(mark, ShadedRegion):
        return {"x": _numbers(mark.x), "low": _numbers(mark.low), "high": _numbers(mark.high)} | _note(mark.note)
    if isinstance(mark, Spans):
        return {"y": _numbers(mark.y), "low": _numbers(mark.low), "high": _numbers(mark.high)} | _note(mark.note)
    if isinstance(mark, Tiles):
        words = {"shade": _numbers(mark.shade), "words": mark.words, "below": mark.below}
        return _line(mark.x, mark.y) | words | _facts(mark.facts)
    if isinstance(mark, SurfaceMark):
        cells = heat_cells(mark)
        return {"cells": [[_digits(cell[name]) for name in ("x", "x2", "y", "y2", "z")] for cell in cells]}
    assert isinstance(mark, TextMark)
    return {"x": _digits(mark.x), "y": _digits(mark.y), "align": mark.align}


def _line(x: FloatArray, y: FloatArray) -> dict[str, Any]:
    return {"x": _numbers(x), "y": _numbers(y)}


def _note(note: str) -> dict[str, Any]:
    return {"note": note} if note else {}


def _filled(given: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value not in (0, None, ())}


def _facts(facts: Facts) -> dict[str, Any]:
    return {"facts": {name: [_plain(each) for each in values] for name, values in facts.items()}} if facts else {}


def _plain(value: object) -> object:
    if isinstance(value, float):
        return _digits(value)
    return value if isinstance(value, int | str) else str(value)


def _numbers(values: FloatArray) -> list[float | None]:
    return [_digits(value) for value in values.tolist()]


def _digits(value: float, digits: int = DIGITS) -> float | int | None:
    """A number in as few signs as it needs; None where it is none.

    >>> _digits(0.123456789), _digits(3.0), _digits(float("nan"))
    (0.12346, 3, None)
    """
    if not math.isfinite(value):
        return None
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded
