"""A graph as a Vega-Lite dictionary: one description for SVG, PDF, PNG and the interactive page.

Places and ticks come from `layout`, colours from `style`; Vega-Lite only draws. Every layer states both scales in
full, so that no layer can stretch them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

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
)
from rankscope.reports.graphs.layout import (
    FONT,
    SAMPLE,
    Dress,
    LegendRow,
    Look,
    Ticks,
    Word,
    ink_on,
    layout_of,
    shade_colour,
    shorten_text,
    text_width,
)

if TYPE_CHECKING:
    from rankscope.reports.graphs.graph import Graph


VERSION = "v6.1"  # of Vega-Lite: every vl-convert since 1.8 has it
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
THIN = 0.9
HOVER = 90.0
FOCUS, NEAR = "focus", "near"
NO_DATA = {"data": {"values": [{}]}, "mark": {"type": "point", "opacity": 0, "aria": False}}  # a layer of axes alone


def specification(graph: Graph, look: Look, interactive: bool = False) -> dict[str, Any]:
    canvas = VegaLiteCanvas(look, interactive)
    graph.draw(canvas)
    return canvas.specification()


class VegaLiteCanvas:
    """Collects layers; `interactive` adds what a pointer finds: tooltips, and a legend that picks out a series."""

    def __init__(self, look: Look, interactive: bool = False) -> None:
        self.look, self.interactive = look, interactive
        self.layers: list[Layer] = []
        self._told: list[dict[str, Any]] = []

    def begin(self, graph: Graph) -> None:
        self.graph, self.layout = graph, layout_of(graph, self.look)
        self.layers = [self._axes()]

    def mark(self, mark: Mark) -> None:
        draw: Mapping[type[Mark], Callable[[Any], None]] = {
            SurfaceMark: self._surface,
            Tiles: self._tiles,
            Spans: self._spans,
            ShadedRegion: self._between,
            Bars: self._bars,
            Guide: self._guide,
            Stroke: self._stroke,
            Dots: self._dots,
            TextMark: self._label,
        }
        draw[type(mark)](mark)

    def specification(self) -> dict[str, Any]:
        box, theme = self.layout, self.look.theme
        layers = [*self.layers, *self._words(), *self._legend(), *self._finder()]
        result: dict[str, Any] = {
            "$schema": SCHEMA,
            "description": self.graph.summary or self.graph.title,
            "background": theme.paper,
            "autosize": "none",
            "padding": {side: round(getattr(box, side), 1) for side in ("left", "right", "top", "bottom")},
            "width": round(box.width, 1),
            "height": round(box.height, 1),
            "layer": layers,
            "resolve": {"axis": {"x": "independent", "y": "independent"}},
            "config": {"font": FONT, "view": {"stroke": None}, "text": {"font": FONT}},
        }
        right = self.graph.right
        if box.second is not None and right is not None:
            channels = self._channels()
            channels["y"]["axis"] = axis_of(right.axis, box.second, "right", self.look)
            result["layer"].insert(1, {**NO_DATA, "encoding": channels})
        return result

    # axes

    def _channels(self, x: str = "x", y: str = "y") -> dict[str, Any]:
        return {
            "x": {"field": x, "type": "quantitative", "scale": scale_of(self.graph.x), "axis": None},
            "y": {"field": y, "type": "quantitative", "scale": scale_of(self.graph.y), "axis": None},
        }

    def _axes(self) -> Layer:
        channels, box = self._channels(), self.layout
        channels["x"]["axis"] = axis_of(self.graph.x, box.x, "bottom", self.look)
        channels["y"]["axis"] = axis_of(self.graph.y, box.y, "left", self.look)
        return {**NO_DATA, "encoding": channels}

    # marks

    def _dress(self, name: str) -> Dress:
        series = self.graph.series
        return self.look.dress(series.index(name) if name in series else 0)

    def _layer(self, rows: list[dict[str, Any]], mark: dict[str, Any], name: str = "", **channels: Any) -> None:
        layer: Layer = {
            "data": {"values": rows},
            "mark": {"aria": False, **mark},
            "encoding": {**self._channels(), **channels},
        }
        if self.interactive and name:
            layer["transform"] = [{"calculate": script_literal(name), "as": "series"}]
            dim = {"condition": {"param": FOCUS, "value": mark.get("opacity", 1)}, "value": 0.12}
            layer["encoding"]["opacity"] = dim
        self.layers.append(layer)

    def _between(self, mark: ShadedRegion) -> None:
        region = mark.role == "region"
        colour = self.look.theme.shade if region else self._dress(mark.name).colour
        columns = (plain_numbers(each) for each in (mark.x, mark.low, mark.high))
        rows = [dict(zip(("x", "low", "high"), row, strict=True)) for row in zip(*columns, strict=True)]
        rows = [row for row in rows if None not in row.values()]
        style = {"type": "area", "color": colour, "opacity": 1 if region else 0.2, "line": False}
        self._layer(rows, style, "" if region else mark.name, y=self._channels(y="low")["y"], y2={"field": "high"})

    def _bars(self, mark: Bars) -> None:
        rows = [
            {"x": x - mark.thick / 2, "x2": x + mark.thick / 2, "low": mark.base, "high": y}
            for x, y in zip(plain_numbers(mark.x), plain_numbers(mark.y), strict=True)
            if x is not None and y is not None
        ]
        style = {"type": "rect", "color": self._dress(mark.name).colour, "opacity": 0.85, "strokeWidth": 0}
        y, y2 = self._channels(y="low")["y"], {"field": "high"}
        self._layer(rows, style, mark.name, x2={"field": "x2"}, y=y, y2=y2)
        self._tell(mark.name, mark.x, mark.y, mark.facts)

    def _guide(self, mark: Guide) -> None:
        dash = [3, 2] if mark.dashed else [1, 0]
        style = {"type": "line", "color": self.look.theme.faint, "strokeWidth": THIN, "strokeDash": dash}
        self._layer(point_rows(mark.x, mark.y), style, order={"value": 0})

    def _stroke(self, mark: Stroke) -> None:
        dress = self._dress(mark.name)
        dash = [2.0, 3.0] if mark.light else list(dress.dash) or [1, 0]
        style = {
            "type": "line",
            "color": dress.colour,
            "strokeDash": dash,
            "strokeJoin": "round",
            "interpolate": "step-after" if mark.steps else "linear",
            "invalid": "break-paths-show-path-domains",
        }
        for y, width in line_widths(mark):
            rows = point_rows(mark.x, y, gaps=True)
            self._layer(rows, {**style, "strokeWidth": width}, mark.name, order={"value": 0})
        for hollow in (False, True):
            which = np.array([each for each in mark.markers if (each in mark.thin) == hollow], dtype=np.int64)
            if which.size:
                self._symbols(point_rows(mark.x[which], mark.y[which]), dress, mark.name, hollow)
        self._tell(mark.name, mark.x, mark.y, mark.facts)

    def _dots(self, mark: Dots) -> None:
        dress = self._dress(mark.name)
        if mark.edge:
            dress = Dress(dress.colour, dress.dash, "triangle-down")
        self._symbols(point_rows(mark.x, mark.y), dress, mark.name, hollow=mark.role == "open point")
        self._tell(mark.name, mark.x, mark.y, mark.facts)

    def _symbols(self, rows: list[dict[str, Any]], dress: Dress, name: str, hollow: bool) -> None:
        self._layer(rows, symbol(dress, hollow, self.look.theme.paper), name)

    def _spans(self, mark: Spans) -> None:
        columns = (plain_numbers(each) for each in (mark.low, mark.high, mark.y))
        rows = [{"x": low, "x2": high, "y": y} for low, high, y in zip(*columns, strict=True)]
        style = {"type": "rule", "color": self._dress(mark.name).colour, "strokeWidth": LINE}
        self._layer(rows, style, mark.name, x2={"field": "x2"})

    def _tiles(self, mark: Tiles) -> None:
        (left, right), (bottom, top) = self.graph.x.domain or (0.0, 1.0), self.graph.y.domain or (0.0, 1.0)
        wide, high = self.layout.width / (right - left), self.layout.height / (top - bottom)
        rows, words = tile_rows(mark, self.look, wide, high)
        colour = {"field": "colour", "type": "nominal", "scale": None}
        style = {"type": "rect", "stroke": self.look.theme.paper, "strokeWidth": 1.2}
        self._layer(rows, style, x2={"field": "x2"}, y2={"field": "y2"}, fill=colour)
        for size, placed in words:
            text: dict[str, Any] = {"type": "text", "baseline": "middle", "align": "center", "fontSize": round(size, 2)}
            text["yOffset"] = {"expr": "datum.down"}
            self._layer(placed, text, text={"field": "text"}, color={**colour, "field": "ink"})
        self._tell(mark.name, mark.x, mark.y, mark.facts)

    def _label(self, mark: TextMark) -> None:
        style = {"type": "text", "text": mark.name, "align": mark.align, "baseline": "middle", **self._type(small=True)}
        self._layer([{"x": mark.x, "y": mark.y}], style)

    def _surface(self, mark: SurfaceMark) -> None:
        assert self.graph.z is not None
        ink, small = self.look.theme.ink, round(self.look.small, 2)
        legend = {
            "title": self.graph.z.title,
            "orient": "none",
            "legendX": round(self.layout.width + 10, 1),
            "legendY": 0,
            "gradientLength": round(self.layout.height - 24, 1),
            "gradientThickness": 9,
            "titleFontWeight": "normal",
            "titleFontSize": small,
            "labelFontSize": small,
            "titleColor": ink,
            "labelColor": ink,
            "format": ".1f",
        }
        channels: dict[str, Any] = {"x2": {"field": "x2"}, "y2": {"field": "y2"}}
        scale = {"scheme": "cividis", "domain": list(self.graph.z.domain or (0.0, 1.0))}
        channels["color"] = {"field": "z", "type": "quantitative", "legend": legend, "scale": scale}
        if self.interactive:
            channels["tooltip"] = [
                {"field": "middle", "type": "quantitative", "title": self.graph.x.title, "format": ".3~f"},
                {"field": "centre", "type": "quantitative", "title": self.graph.y.title, "format": ".3~f"},
                {"field": "z", "type": "quantitative", "title": self.graph.z.title, "format": ".4~f"},
            ]
        style = {"type": "rect", "strokeWidth": 0.3, "stroke": {"expr": "scale('color', datum.z)"}}
        self._layer(heat_cells(mark), style, **channels)

    # words and legend, at places in pixels

    def _type(self, small: bool = False, title: bool = False) -> dict[str, Any]:
        look = self.look
        size = look.small if small else look.large if title else look.text
        colour = look.theme.words if small else look.theme.ink
        return {"fontSize": round(size, 2), "color": colour, "fontWeight": "bold" if title else "normal", "aria": False}

    def _word(self, word: Word, **style: Any) -> Layer:
        mark = {"type": "text", "text": word.text, "align": word.align, "baseline": "middle"}
        return pixel_layer({**mark, "x": round(word.x, 1), "y": round(word.y, 1), **style})

    def _words(self) -> list[Layer]:
        heading = enumerate(self.layout.heading)
        layers = [self._word(word, **self._type(title=number < self.layout.title_lines)) for number, word in heading]
        return [*layers, *(self._word(word, **self._type(small=True)) for word in self.layout.guides)]

    def _legend(self) -> list[Layer]:
        layers = [layer for row in self.layout.legend for layer in self._sample(row)]
        if not self.layout.legend:
            return layers
        rows = [
            {"series": row.entry.name, "text": row.text, "px": round(row.x + SAMPLE + 4, 1), "py": round(row.y, 1)}
            for row in self.layout.legend
        ]
        mark: dict[str, Any] = {"type": "text", "align": "left", "baseline": "middle"}
        mark |= {name: {"expr": f"datum.{of}"} for name, of in (("x", "px"), ("y", "py"), ("text", "text"))}
        words = pixel_layer({**mark, **self._type()}, rows)
        if self.interactive:
            words["params"] = [{"name": FOCUS, "select": {"type": "point", "fields": ["series"], "on": "click"}}]
            words["mark"]["cursor"] = "pointer"
        return [*layers, words]

    def _sample(self, row: LegendRow) -> list[Layer]:
        """Line, marker and colour of a series as they are in the graph."""
        entry, look = row.entry, self.look
        colour = look.theme.shade if entry.number < 0 else look.dress(entry.number).colour
        y = round(row.y, 1)
        layers: list[Layer] = []
        if entry.swatch:
            box = {"type": "rect", "x": row.x, "x2": row.x + SAMPLE, "y": y - 4, "y2": y + 4, "color": colour}
            faint = {"opacity": 0.2} if entry.line else {"stroke": look.theme.faint, "strokeWidth": 0.4}
            layers.append(pixel_layer({**box, **faint, "aria": False}))
        if entry.line or entry.span:
            dash = list(look.dress(entry.number).dash) if entry.line else []
            rule = {"type": "rule", "color": colour, "strokeWidth": LINE, "strokeDash": dash or [1, 0]}
            ends = {"x": {"value": row.x}, "x2": {"value": row.x + SAMPLE}, "y": {"value": y}}
            layers.append({**pixel_layer({**rule, "aria": False}), "encoding": ends})
        if entry.marker:
            marker = symbol(look.dress(entry.number), entry.hollow, look.theme.paper)
            layers.append(pixel_layer({**marker, "x": row.x + SAMPLE / 2, "y": y}))
        return layers

    # what a pointer finds

    def _tell(self, name: str, x: FloatArray, y: FloatArray, facts: Facts) -> None:
        if not self.interactive or not facts:
            return
        for row, (across, up) in enumerate(zip(plain_numbers(x), plain_numbers(y), strict=True)):
            if across is not None and up is not None:
                told = {key: tooltip_value(values[row]) for key, values in facts.items()}
                places = {self.graph.x.title: tooltip_value(across), self.graph.y.title: tooltip_value(up)}
                tip = {"title": name, **places, **told}
                self._told.append({"x": across, "y": up, "series": name, "tip": tip})

    def _finder(self) -> list[Layer]:
        """Points that cannot be seen until the pointer comes near; what lies over them has the point as its datum."""
        if not self._told:
            return []
        mark = {
            "type": "point",
            "filled": True,
            "size": HOVER,
            "tooltip": {"expr": "datum.tip || datum.datum.tip"},
            "color": self.look.theme.ink,
            "aria": False,
        }
        near = {"name": NEAR, "select": {"type": "point", "on": "pointerover", "nearest": True, "clear": "pointerout"}}
        shown = {"condition": {"param": NEAR, "empty": False, "value": 0.6}, "value": 0}
        encoding = {**self._channels(), "opacity": shown}
        return [{"data": {"values": self._told}, "params": [near], "mark": mark, "encoding": encoding}]


# Scales and axes, as Vega-Lite wants them; places and ticks are those of the layout.


def scale_of(axis: Axis) -> dict[str, Any]:
    """The scale of an axis, in full.

    >>> scale_of(Axis("scope", "s", "log2", domain=(1, 8)))
    {'type': 'log', 'base': 2, 'domain': [1, 8], 'nice': False}
    """
    kind = {"type": "log", "base": 2} if axis.scale == "log2" else {"type": "linear", "zero": False}
    return {**kind, "domain": list(axis.domain or (0.0, 1.0)), "nice": False}


def axis_of(axis: Axis, ticks: Ticks, orient: Literal["bottom", "left", "right"], look: Look) -> dict[str, Any]:
    values, texts = ticks.values, ticks.texts
    order = sorted(range(len(values)), key=lambda i: values[i])  # Vega counts ticks from the lowest
    names = [texts[i].split("\n") if "\n" in texts[i] else texts[i] for i in order]
    which = f"round(datum.index * {max(len(values) - 1, 1)})"
    return {
        "orient": orient,
        "title": axis.title,
        "values": [values[i] for i in order],
        "grid": False,
        "tickCount": len(values),
        "labelLineHeight": round(look.line, 2),
        "labelLimit": 0,
        "labelExpr": f"{script_literal(names)}[{which}]",
        **(centre_labels(names, which, look.line) if orient == "left" else {}),
        "labelOverlap": False,
        "labelFontSize": round(look.small, 2),
        "titleFontSize": round(look.text, 2),
        "titleFontWeight": "normal",
        "labelColor": look.theme.ink,
        "titleColor": look.theme.ink,
        "domainColor": look.theme.ink,
        "tickColor": look.theme.ink,
        "tickSize": 4,
        "labelPadding": 2,
        "titlePadding": 4,
        "domainWidth": 0.8,
        "tickWidth": 0.8,
        "labelFlush": False,
        "labelBound": False,
    }


# Tiles of a matrix as rows of data: rectangles with their colours, and the words that fit into them.

SMALLER_WORDS = 0.84
TILE_AIR = 4.0
Rows = list[dict[str, Any]]


def tile_rows(mark: Tiles, look: Look, wide: float, high: float) -> tuple[Rows, list[tuple[float, Rows]]]:
    """Rectangles, and for each size of letters the words; a tile is `wide` and `high` in pixels.

    The smaller words are left out of all tiles where they do not fit into one of them.
    """
    small = look.small * SMALLER_WORDS
    under = any(mark.below) and high >= 1.9 * look.small
    under = under and all(text_width(each, small) <= wide - TILE_AIR for each in mark.below)
    down = 0.55 * look.small if under else 0.0
    tiles: Rows = []
    words: Rows = []
    below: Rows = []
    columns = (mark.x.tolist(), mark.y.tolist(), mark.shade.tolist(), mark.words, mark.below)
    for x, y, shade, word, lower in zip(*columns, strict=True):
        colour = shade_colour(shade, look.theme)
        ink = ink_on(colour)
        tiles.append({"x": x - 0.5, "x2": x + 0.5, "y": y - 0.5, "y2": y + 0.5, "colour": colour})
        text = shorten_text(word, look.small, wide - TILE_AIR)
        lifted = -down if lower and under else 0.0
        words.append({"x": x, "y": y, "text": text, "ink": ink, "down": round(lifted, 2)})
        if lower and under:
            below.append({"x": x, "y": y, "text": lower, "ink": ink, "down": round(down, 2)})
    return tiles, [(look.small, words), *([(small, below)] if below else [])]


# A surface seen from above: cells of a regular grid, each with the height at its middle.

CELLS = 40


def heat_cells(surface: SurfaceMark) -> list[dict[str, Any]]:
    """One cell for each column of the mesh and each step of y; where the surface does not reach there is none."""
    edges = np.linspace(float(np.nanmin(surface.y)), float(np.nanmax(surface.y)), CELLS + 1)
    middle = (edges[:-1] + edges[1:]) / 2
    column = surface.x[:, 0]
    if column.size == 1:
        sides = np.array([column[0] - 0.5, column[0] + 0.5])
    else:
        between = (column[:-1] + column[1:]) / 2
        sides = np.concatenate([[2 * column[0] - between[0]], between, [2 * column[-1] - between[-1]]])
    cells = []
    for row, (left, right) in enumerate(pairwise(sides)):
        there = np.isfinite(surface.y[row]) & np.isfinite(surface.z[row])
        if not there.any():
            continue
        order = np.argsort(surface.y[row, there], kind="stable")
        y, height = surface.y[row, there][order], surface.z[row, there][order]
        heights = np.interp(middle, y, height, left=np.nan, right=np.nan)
        for low, high, at, z in zip(edges[:-1], edges[1:], middle, heights, strict=True):
            if np.isfinite(z):
                cell = {"x": left, "x2": right, "y": low, "y2": high, "z": z, "middle": column[row], "centre": at}
                cells.append({name: round(float(value), 6) for name, value in cell.items()})
    return cells


# Small pieces of a Vega-Lite specification.

LINE, THIN_LINE, DOT = 1.7, 0.7, 26.0
Layer = dict[str, Any]


def pixel_layer(mark: dict[str, Any], rows: Sequence[dict[str, Any]] = ({},)) -> Layer:
    """A layer whose marks stand at places in pixels."""
    return {"data": {"values": list(rows)}, "mark": mark, "encoding": {}}


def centre_labels(names: Sequence[str | list[str]], which: str, line: float) -> dict[str, Any]:
    """Moves names of several lines up, so that their middle stands at the tick; `which` tells the name of a tick."""
    lines = [len(name) if isinstance(name, list) else 1 for name in names]
    if max(lines, default=1) == 1:
        return {}
    tests = [
        {"test": f"{script_literal(lines)}[{which}] === {count}", "value": round(-(count - 1) * line / 2, 2)}
        for count in range(2, max(lines) + 1)
    ]
    return {"labelOffset": {"condition": tests, "value": 0}}


def symbol(dress: Dress, hollow: bool, paper: str) -> dict[str, Any]:
    """The marker of a series; a hollow one has the colour of the paper inside."""
    return {
        "type": "point",
        "shape": dress.shape,
        "filled": True,
        "size": DOT,
        "stroke": dress.colour,
        "strokeWidth": 1.1,
        "fill": paper if hollow else dress.colour,
        "opacity": 1,
        "aria": False,
    }


def plain_numbers(values: FloatArray) -> list[float | None]:
    """Numbers as JSON has them, to ten digits; None where there is none."""
    return [float(f"{value:.10g}") if math.isfinite(value) else None for value in values.tolist()]


def point_rows(x: FloatArray, y: FloatArray, gaps: bool = False) -> list[dict[str, Any]]:
    """One row per point; without `gaps` only those that exist."""
    rows = [{"x": across, "y": up} for across, up in zip(plain_numbers(x), plain_numbers(y), strict=True)]
    return [row for row in rows if row["x"] is not None and (gaps or row["y"] is not None)]


def line_widths(mark: Stroke) -> Iterator[tuple[FloatArray, float]]:
    """The heights of a line's points and its width: first where it is thick, then the parts to points that are thin."""
    thin = np.zeros(mark.y.size, dtype=np.bool_)
    thin[list(mark.thin)] = True
    beside = thin.copy()
    beside[1:] |= thin[:-1]
    beside[:-1] |= thin[1:]
    for chosen, width in ((~thin, LINE), (beside, THIN_LINE)):
        if chosen.any():
            yield np.where(chosen, mark.y, np.nan), width


def tooltip_value(value: object) -> object:
    """A fact as a tooltip tells it: four digits are enough to point at."""
    if isinstance(value, float | np.floating):
        return f"{float(value):.4g}" if math.isfinite(value) else ""
    return int(value) if isinstance(value, np.integer) else str(value)


def script_literal(value: object) -> str:
    return json.dumps(value, ensure_ascii=True)
