"""The class of each query, from a table or a dictionary."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rankscope.inputs import tables
from rankscope.inputs.checks import Problems
from rankscope.inputs.formats.delimited import read_table
from rankscope.inputs.sources import Source


def read_classes(data: Any) -> dict[str, str]:
    """The class of each query, from {query: class}, a table or a CSV file with a query and a class column."""
    if isinstance(data, Mapping):
        return {str(query): str(label) for query, label in data.items()}
    frame, name = data, "classes"
    if isinstance(data, str | Path):
        source = Source(str(data))
        frame, name = read_table(source), source.name
    problems = Problems(name)
    table = tables.columns_of(frame, {"query": tables.QUERY, "class": tables.CLASS}, problems, {})
    query, label = tables.text_ids(table.get_column("query")), tables.text_ids(table.get_column("class"))
    twice = query.filter(query.is_duplicated()).unique().sort().to_list()
    for each in twice[:5]:
        problems.add("", f"query {each} has two classes")
    problems.raise_if_any()
    return dict(zip(query.to_list(), label.fill_null("").to_list(), strict=True))
