"""JSON lines: one object a line, with the column names of a table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TextIO

import numpy as np
import polars as pl

from rankscope.column_names import SCORE, plain_name
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

    def read(problems: Problems) -> Iterator[Table]:
        return _tables(source, reading, problems)

    return Run.from_tables(source.stem(suffixes), read, source)


def read_qrels(source: Source, reading: Reading) -> Qrels:
    """Judgements from objects with a query, an item and a grade."""
    return Qrels.from_source(source, lambda problems: whole_table(source, reading, problems))


def whole_table(source: Source, reading: Reading, problems: Problems) -> Table:
    """All rows at once; a name that only some of them have is missing in the others."""
    parts = list(_tables(source, reading, problems))
    names = dict.fromkeys(name for part in parts for name in part.frame.columns)
    columns = {name: [value for part in parts for value in _values(part.frame, name)] for name in names}
    frame = pl.DataFrame([series(name, values) for name, values in columns.items()])
    return Table(frame, np.concatenate([part.line for part in parts]), "line")


def _values(frame: pl.DataFrame, name: str) -> list[object]:
    return frame.get_column(name).to_list() if name in frame.columns else [None] * frame.height


def _tables(source: Source, reading: Reading, problems: Problems) -> Iterator[Table]:
    """The rows in portions. What names they have is known from the first on: a score that comes later is a problem."""
    names: dict[str, None] = {}
    lines, empty = 0, True
    for block in texts.decoded_blocks(source, reading.encoding, problems):
        numbered = [(number, line) for number, line in enumerate(block.decode().split("\n"), lines + 1) if line.strip()]
        lines += block.count(b"\n")
        found = [(number, _object(line, number, problems)) for number, line in numbered]
        rows = [(number, row) for number, row in found if row is not None]
        empty = empty and not numbered
        if rows:
            _refuse_late_scores(rows, names, problems)
            names |= dict.fromkeys(key for _, row in rows for key in row)
            frame = pl.DataFrame([series(key, [row.get(key) for _, row in rows]) for key in names])
            yield Table(frame, np.array([number for number, _ in rows], dtype=np.int64), "line")
    if empty and not problems.count:
        problems.add("", "is empty")
    if not names:
        raise InputError([problems.report()])


def _refuse_late_scores(rows: list[tuple[int, dict[str, Any]]], names: dict[str, None], problems: Problems) -> None:
    """Scores that begin behind rows without one: those went by their rank, which cannot be compared with scores."""
    known = {plain_name(name) for name in names}
    if not known or known & set(SCORE):
        return
    for number, row in rows:
        if {plain_name(name) for name in row} & set(SCORE):
            problems.add(f"line {number}", "has a score, the lines before have none", order=number)
            return


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
