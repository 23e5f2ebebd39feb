"""Results that come as rows: a text table for people, JSON for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

Rows = Sequence[dict[str, object]]


def table(rows: Rows, places: int = 4) -> str:
    """Columns aligned, a rule below the header; a dash where there is no number."""
    from rankscope.reports.grid import Cell, Grid, number
    from rankscope.reports.table import text_of

    header = tuple(dict.fromkeys(name for row in rows for name in row))

    def cell(value: object) -> Cell:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return Cell("-" if value is None else str(value), number=value is None)
        return Cell(f"{value:,}" if isinstance(value, int) else number(value, places=places))

    return text_of(Grid(header, tuple(tuple(cell(row.get(name)) for name in header) for row in rows)))


def as_json(whole: dict[str, Any]) -> str:
    """One object; undefined numbers are null."""
    return json.dumps(_clean(whole), indent=2, ensure_ascii=False) + "\n"


def _clean(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _clean(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
