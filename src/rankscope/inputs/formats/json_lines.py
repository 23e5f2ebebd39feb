"""JSON lines: one object a line, with the column names of a table."""

from __future__ import annotations

import json
import re
from typing import Any, TextIO

import numpy as np
import polars as pl

from rankscope.errors import InputError
from rankscope.inputs import texts
from rankscope.inputs.checks import Problems
from rankscope.inputs.formats import json_text
from rankscope.inputs.formats.writing import refuse_infinite, whole_numbers
from rankscope.inputs.nested import ObjectPairs
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import Table, series

name = "jsonl"
suffixes = (".jsonl", ".ndjson")
binary = False
has_parts = False

FLAT = re.compile(json_text.NAME + rb"\s*[^\s{\[]")


def recognises(head: bytes) -> bool:
    """An object whose first value is neither an object nor a list."""
    return FLAT.match(head) is not None


def read_run(source: Source, reading: Reading) -> Run:
    """A run from objects with a query, an item and a score or a rank."""

    def read(problems: Problems) -> Table:
        return _table(source, reading, problems)

    return Run.from_table(source.stem(suffixes), read, source)


def read_qrels(source: Source, reading: Reading) -> Qrels:
    """Judgements from objects with a query, an item and a grade."""
    return Qrels.from_source(source, lambda problems: _table(source, reading, problems))


def _table(source: Source, reading: Reading, problems: Problems) -> Table:
    text = texts.whole(source, reading.encoding, problems).decode()
    numbered = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not numbered and not problems.count:
        problems.add("", "is empty")
    found = [(number, _object(line, number, problems)) for number, line in numbered]
    rows = [(number, row) for number, row in found if row is not None]
    if not rows:
        raise InputError([problems.report()])
    names = dict.fromkeys(key for _, row in rows for key in row)
    frame = pl.DataFrame([series(key, [row.get(key) for _, row in rows]) for key in names])
    return Table(frame, np.array([number for number, _ in rows], dtype=np.int64), "line")


def _object(line: str, number: int, problems: Problems) -> dict[str, Any] | None:
    place = f"line {number}"
    try:
        value = json_text.DECODER.decode(line.strip())
    except json.JSONDecodeError as error:
        problems.add(place, f"is not JSON: {error.msg} (column {error.colno})", "Each line holds one object.", number)
        return None
    except (ValueError, RecursionError) as error:
        problems.add(place, f"is not JSON that can be read: {error}", order=number)
        return None
    if not isinstance(value, ObjectPairs):
        problems.add(place, f"must be an object, got {json_text.kind(value)}", "Each line holds one object.", number)
        return None
    row = dict(value)
    if len(row) < len(value):
        problems.add(place, "has a name twice", "Each line holds one object, each name once.", number)
        return None
    return row


def write_run(run: Run, file: TextIO) -> None:
    """Write objects with query, item and score, in the order given."""
    table = run.table()
    refuse_infinite(table, run.place, "score", "JSON")
    _write(table, file)


def write_qrels(qrels: Qrels, file: TextIO) -> None:
    """Write objects with query, item and grade, in the order given, whole grades without a point."""
    _write(whole_numbers(qrels.table, "grade"), file)


def _write(table: pl.DataFrame, file: TextIO) -> None:
    file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in table.iter_rows(named=True))
