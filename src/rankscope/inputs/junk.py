"""Junk: items that are neither relevant nor irrelevant, and leave the list before ranks are counted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading


def read_junk(data: Any, reading: Reading) -> list[tuple[str, str]]:
    """Junk items as (query, item) pairs: from pairs, {query: [item, ...]}, a table, or a file in the judgements' format."""
    if isinstance(data, Mapping):
        return [(str(query), str(item)) for query, items in data.items() for item in items]
    if isinstance(data, str | Path):
        table = Qrels.of(data, reading).table
        return list(table.select("query", "item").iter_rows())
    if isinstance(data, pl.DataFrame):
        return list(data.select("query", "item").iter_rows())
    return [(str(query), str(item)) for query, item in data]
