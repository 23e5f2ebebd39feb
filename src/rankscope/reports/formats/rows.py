"""Results that come as rows: a text table for people, Markdown for a page, JSON for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from rankscope.names import in_json
from rankscope.reports.formats.grid import Cell, Grid, number

Rows = Sequence[dict[str, object]]


def grid_of(rows: Rows, places: int = 4) -> Grid:
    """Rows as a grid; columns in the order in which they first occur."""
    header = tuple(dict.fromkeys(name for row in rows for name in row))
    return Grid(header, tuple(tuple(cell_of(name, row.get(name), places) for name in header) for row in rows))


def table(rows: Rows, places: int = 4) -> str:
    """Columns aligned, a rule below the header; a dash where there is not a number.

    >>> print(table([{"system": "A", "mean": 0.25, "p (Holm)": 0.00001}]), end="")
    system    mean  p (Holm)
    ------  ------  --------
    A       0.2500   <0.0001
    """
    from rankscope.reports.formats.table import text_of

    return text_of(grid_of(rows, places))


def markdown_table(rows: Rows, places: int = 4) -> str:
    """Pipes and dashes."""
    from rankscope.reports.formats import markdown

    return markdown.table_of(grid_of(rows, places))


def p_text(p: float, places: int = 4) -> str:
    """A p-value as it is printed: never as 0.

    >>> p_text(0.00001), p_text(0.0312), p_text(float("nan"))
    ('<0.0001', '0.0312', '-')
    """
    least = 10.0**-places
    return f"<{least:.{places}f}" if p < least else number(p, places=places)


def cell_of(name: str, value: object, places: int = 4) -> Cell:
    """A value under its heading: p-values never as 0, whole numbers with commas, a dash where there is nothing."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Cell("-" if value is None else str(value), number=value is None)
    if isinstance(value, int):
        return Cell(f"{value:,}")
    return Cell(p_text(value, places) if "p" in name.split(" ") else number(value, places=places))


def as_json(whole: dict[str, Any]) -> str:
    """One object; undefined numbers are null."""
    return in_json(json.dumps(_clean(whole), indent=2, ensure_ascii=False)) + "\n"


def _clean(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _clean(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
