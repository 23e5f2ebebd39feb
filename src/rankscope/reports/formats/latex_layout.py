"""How a table is fitted into a column of a page: its size, headings, line breaks, and panels below each other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.errors import SettingError
from rankscope.reports.formats.latex_columns import LatexColumn

COLUMN = 221.0  # points: the column of a two-column article on A4, narrower than those of ACM (241) and IEEE (252)
PAGE = 452.0  # both columns of the same; ACM has 506, IEEE 516
NARROWEST = 60.0
SEPARATION = {9: 3.5, 8: 2.5, 7: 2.0}  # points on each side of a column, by the font's size
READABLE = 60.0  # points of a column of broken text; less only where nothing else fits
LEAST = 20.0


@dataclass(frozen=True)
class PlacedColumn:
    """A column, and the width that its text is broken to; None where it is not."""

    column: LatexColumn
    wrapped: float | None = None


@dataclass(frozen=True)
class Layout:
    """A table that fits: panels below each other, each with the columns that name its rows."""

    size: int
    stacked: bool  # headings: scope and parameters on lines of their own
    panels: tuple[tuple[PlacedColumn, ...], ...]
    width: float  # of the widest panel, in points

    @property
    def separation(self) -> float:
        """Between columns, on each side, in points."""
        return SEPARATION[self.size]


@dataclass(frozen=True)
class _Try:
    """A way to set the table: the font's size, stacked headings, the least width of broken text, panels."""

    size: int
    stacked: bool
    least: float | None
    panels: int


def width_of_columns(columns: str | float) -> float:
    """Points for one column of a two-column page, for both, or as many as given.

    >>> width_of_columns("1"), width_of_columns("2"), width_of_columns("347pt"), width_of_columns(345)
    (221.0, 452.0, 347.0, 345.0)
    """
    text = str(columns).strip()
    if text in ("1", "2"):
        return COLUMN if text == "1" else PAGE
    try:
        width = float(text.removesuffix("pt"))
    except ValueError:
        width = 0.0
    if not NARROWEST <= width < 10_000:
        raise SettingError(
            f"columns for LaTeX: 1 (one of two), 2 (both) or a width in points such as 347pt, got '{columns}'"
        )
    return width


def fitted(columns: Sequence[LatexColumn], width: float) -> Layout:
    """The first layout that is not wider than `width`: large letters and few panels are preferred."""
    keys = _keys(columns)
    for way in _tries(max(1, len(columns) - keys)):
        layout = _layout(columns, keys, width, way)
        if layout is not None:
            return layout
    raise SettingError(f"this table does not fit into {width:.0f} points: choose a wider column, or fewer measures")


def _keys(columns: Sequence[LatexColumn]) -> int:
    """How many columns name the rows: those up to the last of the first texts."""
    texts = [not each.numeric for each in columns]
    first = texts.index(True) if True in texts else 0
    return next((place for place in range(first, len(texts)) if not texts[place]), len(texts))


def _tries(values: int) -> Iterator[_Try]:
    """The nicest first: few panels before large letters, these before headings on one line."""
    for panels in range(1, values + 1):
        for size, stacked, least in ((9, False, None), (9, True, None), (8, True, None), (8, True, READABLE)):
            yield _Try(size, stacked, least, panels)
    yield _Try(7, True, LEAST, values)


def _layout(columns: Sequence[LatexColumn], keys: int, width: float, way: _Try) -> Layout | None:
    """The table set in one way; None where a panel is too wide."""
    parts = np.array_split(np.arange(keys, len(columns)), way.panels)
    chosen = [[*columns[:keys], *(columns[place] for place in part.tolist())] for part in parts]
    limit = min((_text_limit(panel, width, way) for panel in chosen), default=math.inf)
    if way.least is None or limit >= way.least:
        broken = limit if way.least is not None else math.inf
        panels = tuple(tuple(_placed(each, broken, way) for each in panel) for panel in chosen)
        widest = max(_panel_width(panel, way) for panel in panels)
        if widest <= width:
            return Layout(way.size, way.stacked, panels, widest)
    return None


def _placed(column: LatexColumn, limit: float, way: _Try) -> PlacedColumn:
    wide = not column.numeric and column.width(way.size, way.stacked) > limit
    return PlacedColumn(column, limit if wide else None)


def _panel_width(panel: Sequence[PlacedColumn], way: _Try) -> float:
    widths = [each.column.width(way.size, way.stacked) if each.wrapped is None else each.wrapped for each in panel]
    return sum(widths) + 2 * SEPARATION[way.size] * (len(widths) - 1)


def _text_limit(panel: Sequence[LatexColumn], width: float, way: _Try) -> float:
    """How wide a column of text may be, so that numbers and narrower texts have their room.

    >>> from rankscope.reports.formats.grid import Cell
    >>> names, values = LatexColumn("system", (Cell("x" * 99, number=False),)), LatexColumn("AP", (Cell("0.262"),))
    >>> round(_text_limit([names, values], 221, _Try(8, True, 60.0, 1)), 1)
    200.9
    """
    room = width - 2 * SEPARATION[way.size] * (len(panel) - 1)
    room -= sum(each.width(way.size, way.stacked) for each in panel if each.numeric)
    texts = sorted(each.width(way.size, way.stacked) for each in panel if not each.numeric)
    while texts and texts[0] <= room / len(texts):
        room -= texts.pop(0)
    return room / len(texts) if texts else math.inf
