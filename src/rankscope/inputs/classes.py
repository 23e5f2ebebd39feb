"""The class of each query, from a table or a dictionary."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from rankscope import column_names
from rankscope.errors import InputError
from rankscope.inputs import tables
from rankscope.inputs.checks import KEPT, Problems
from rankscope.inputs.series_ids import text_ids
from rankscope.inputs.sources import Source


def read_classes(data: Any) -> dict[str, str]:
    """The class of each query, from {query: class}, a table or a CSV file with a query and a class column."""
    if isinstance(data, Mapping):
        return {str(query): str(label) for query, label in data.items()}
    problems = Problems(Source(str(data)).name if isinstance(data, str | Path) else "classes")
    table = _table_of(data, problems)
    found = tables.columns_of(table.frame, {"query": column_names.QUERY, "class": column_names.CLASS}, problems, {})
    query, label = text_ids(found.get_column("query")), text_ids(found.get_column("class"))
    missing = (query.is_null() | (query == "").fill_null(True)).to_numpy()
    table.complain(missing, problems, {"query": found.get_column("query")}, "text or a whole number")
    _refuse_two_classes(query, problems)
    problems.raise_if_any()
    return dict(zip(query.to_list(), label.fill_null("").to_list(), strict=True))


def _table_of(data: Any, problems: Problems) -> tables.Table:
    if isinstance(data, str | Path):
        from rankscope.inputs.formats.delimited import read_table

        return read_table(Source(str(data)), problems, expected="query,class")
    from rankscope.inputs import objects

    table = objects.table_of(data, "class", problems)
    if table is None:
        raise InputError.of(problems.source, [f"cannot read classes from a {type(data).__name__}"])
    return table


def _refuse_two_classes(query: pl.Series, problems: Problems) -> None:
    twice = query.filter(query.is_duplicated() & query.is_not_null()).unique().sort()
    for each in twice.head(KEPT).to_list():
        problems.add("", f"query {each} has two classes")
    problems.more(max(0, len(twice) - KEPT))
