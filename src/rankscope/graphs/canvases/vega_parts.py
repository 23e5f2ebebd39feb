"""Small pieces of a Vega-Lite specification."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.graphs.look import Dress
from rankscope.graphs.marks import Stroke

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
        {"test": f"{script(lines)}[{which}] === {count}", "value": round(-(count - 1) * line / 2, 2)}
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


def plain(values: FloatArray) -> list[float | None]:
    """Numbers as JSON has them, to ten digits; None where there is none."""
    return [float(f"{value:.10g}") if math.isfinite(value) else None for value in values.tolist()]


def points(x: FloatArray, y: FloatArray, gaps: bool = False) -> list[dict[str, Any]]:
    """One row per point; without `gaps` only those that exist."""
    rows = [{"x": across, "y": up} for across, up in zip(plain(x), plain(y), strict=True)]
    return [row for row in rows if row["x"] is not None and (gaps or row["y"] is not None)]


def widths(mark: Stroke) -> Iterator[tuple[FloatArray, float]]:
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


def script(value: object) -> str:
    """A value as an expression in JavaScript."""
    return json.dumps(value, ensure_ascii=True)
