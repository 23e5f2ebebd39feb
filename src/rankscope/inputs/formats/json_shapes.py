"""What JSON and JSON lines share: parsed values of any shape to a table, with what was said of columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rankscope.inputs.checks import Problems
from rankscope.inputs.reading import Reading
from rankscope.inputs.shapes.hits import JsonChoices
from rankscope.inputs.shapes.parsed import table_of
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import Table

SUFFIXES = (".json", ".jsonl", ".ndjson")


def json_choices(source: Source, reading: Reading, value: str) -> JsonChoices:
    """How a file is read: the name of a query that it does not name is its own, without the suffix."""
    return JsonChoices(value, dict(reading.columns), replace(source, part="").stem(SUFFIXES), source.part)


def json_table(data: Any, source: Source, reading: Reading, value: str, problems: Problems) -> Table:
    """The rows of one parsed value."""
    return table_of(data, json_choices(source, reading, value), problems)
