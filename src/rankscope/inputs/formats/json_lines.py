"""JSON lines: an object on each line, with the column names of a table, or a record or response on each line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TextIO

import numpy as np
import polars as pl

from rankscope.column_names import SCORE, plain_name
from rankscope.errors import InputError
from rankscope.inputs import texts
from rankscope.inputs.checks import Problems
from rankscope.inputs.column_map import RESULTS, lookup, rename_in_tables
from rankscope.inputs.formats import json_shapes, json_text
from rankscope.inputs.formats.format import FileFormat
from rankscope.inputs.formats.writing import refuse_infinite, whole_numbers
from rankscope.inputs.nested import ObjectPairs
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.shapes.parsed import is_record, kind
from rankscope.inputs.shapes.shape import HOLDS_EITHER, HOLDS_JUDGEMENTS, Example, InputShape
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import Table, check_names, series

SUFFIXES = (".jsonl", ".ndjson")
SHAPES = (
    InputShape(
        name="JSON lines",
        holds=HOLDS_EITHER,
        about="An object on each line, under the names of CSV; or a record or response of any shape that JSON may "
        "have, or {query: ...}.",
        examples=(
            Example(
                "run.jsonl", '{"query": "q1", "item": "a", "score": 2.5}\n{"query": "q1", "item": "b", "score": 1}\n'
            ),
            Example("judged.jsonl", '{"qid": "q1", "docno": "a", "label": 2}\n', HOLDS_JUDGEMENTS),
        ),
        format="jsonl",
    ),
)


def recognises(head: bytes) -> bool:
    """An object on each line; of a single line one whose first value is neither an object nor a list."""
    return json_text.begins_lines(head)


def read_run(source: Source, reading: Reading) -> Run:
    """A run from objects with a query, an item and a score or a rank, or from records of any shape."""

    def read(problems: Problems) -> Iterator[Table]:
        return _shaped_tables(source, reading, "score", problems)

    return Run.from_tables(source.stem((*SUFFIXES, ".json")), read, source)


def read_qrels(source: Source, reading: Reading) -> Qrels:
    """Judgements from objects with a query, an item and a grade, or from records of any shape."""

    def read(problems: Problems) -> Table:
        return _joined(list(_shaped_tables(source, reading, "grade", problems)))

    return Qrels.from_source(source, read)


def whole_table(source: Source, reading: Reading, problems: Problems) -> Table:
    """All rows at once; a name that only some of them have is missing in the others."""
    return _joined(list(_tables(source, reading, problems)))


def _shaped_tables(source: Source, reading: Reading, value: str, problems: Problems) -> Iterator[Table]:
    """Rows in portions; records, which are seen by the first, all at once."""
    first = _first_object(source, reading)
    if first is not None and not _is_row(first, source, reading, value):
        yield _records(source, reading, value, problems)
        return
    yield from rename_in_tables(_tables(source, reading, problems), reading.columns, problems)


def _is_row(first: ObjectPairs, source: Source, reading: Reading, value: str) -> bool:
    """Whether an object is the row of a table: no record, and not all that it holds are objects and lists."""
    choices = json_shapes.json_choices(source, reading, value)
    if is_record(first, choices, Problems(source.name)):
        return False
    mapped = any(role != RESULTS and lookup(first, path) is not None for role, path in reading.columns)
    return mapped or not first or not all(isinstance(each, list) for _, each in first)


def _first_object(source: Source, reading: Reading) -> ObjectPairs | None:
    """The first line, where it is an object that the beginning of the file holds whole, or the first block."""
    for block in texts.decoded_blocks(source, reading.encoding, Problems(source.name)):
        line = next((line for line in block.decode().split("\n") if line.strip()), "")
        if line:
            return _pairs(line, 1, Problems(source.name))
    return None


def _records(source: Source, reading: Reading, value: str, problems: Problems) -> Table:
    lines = texts.whole(source, reading.encoding, problems).decode().split("\n")
    found = [_pairs(line, number, problems) for number, line in enumerate(lines, 1) if line.strip()]
    problems.raise_if_any()
    objects = [each for each in found if each is not None]
    choices = json_shapes.json_choices(source, reading, value)
    if len(objects) > 1 and is_record(objects[0], choices, problems):
        return json_shapes.json_table(objects, source, reading, value, problems)
    together = ObjectPairs(pair for each in objects for pair in each)  # {query: ...} on each line
    return json_shapes.json_table(together, source, reading, value, problems)


def _joined(parts: list[Table]) -> Table:
    if len(parts) == 1:
        return parts[0]
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
            new = dict.fromkeys(key for _, row in rows for key in row if key not in names)
            check_names(new, problems)
            names |= new
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
    """The row in a line; None, and a problem, where it is none."""
    value = _pairs(line, number, problems)
    if value is None:
        return None
    row = dict(value)
    if len(row) < len(value):
        problems.add(f"line {number}", "has a name twice", "Each line holds one object, each name once.", number)
        return None
    return row


def _pairs(line: str, number: int, problems: Problems) -> ObjectPairs | None:
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
        problems.add(place, f"must be an object, got {kind(value)}", "Each line holds one object.", number)
        return None
    return value


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


JSON_LINES = FileFormat(
    name="jsonl",
    about="JSON lines: an object on each line, with the column names of a table, or a record or response on each line",
    suffixes=SUFFIXES,
    recognises=recognises,
    read_run=read_run,
    read_qrels=read_qrels,
    write_run=write_run,
    write_qrels=write_qrels,
    shapes=SHAPES,
)
