"""A graph as plain data that a page draws by itself, at the width it has and in the colours of its systems."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rankscope.arrays import FloatArray
from rankscope.graphs.axis import Axis
from rankscope.graphs.marks import (
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

if TYPE_CHECKING:
    from rankscope.graphs.graph import Graph

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
    """What the mark has next to role and name."""
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
        from rankscope.graphs.canvases.heat import heat_cells

        cells = heat_cells(mark)
        return {"cells": [[_digits(cell[name]) for name in ("x", "x2", "y", "y2", "z")] for cell in cells]}
    assert isinstance(mark, TextMark)
    return {"x": _digits(mark.x), "y": _digits(mark.y), "align": mark.align}


def _line(x: FloatArray, y: FloatArray) -> dict[str, Any]:
    return {"x": _numbers(x), "y": _numbers(y)}


def _note(note: str) -> dict[str, Any]:
    return {"note": note} if note else {}


def _filled(given: dict[str, Any]) -> dict[str, Any]:
    """Only what says something."""
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
