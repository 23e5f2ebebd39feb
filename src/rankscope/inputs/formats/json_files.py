"""JSON files of runs and judgements: one value of any shape, or JSON lines, an object on each line, with the column
names of a table, or a record or response on each line. Parsed without losing anything and without any exception but
our own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, TextIO

import numpy as np
import polars as pl

from rankscope.core.columns import SCORE, plain_name
from rankscope.core.errors import InputError
from rankscope.inputs import texts
from rankscope.inputs.column_map import RESULTS, rename_in_tables, value_at_path
from rankscope.inputs.formats.json_rows import JsonChoices, ObjectPairs
from rankscope.inputs.formats.json_tables import ALL_JSON_SHAPES, is_record, json_kind, table_of_json
from rankscope.inputs.formats.registry import (
    HOLDS_EITHER,
    HOLDS_JUDGEMENTS,
    Example,
    FileFormat,
    InputShape,
    refuse_duplicates,
    refuse_infinite,
    with_whole_numbers,
)
from rankscope.inputs.problems import Problems
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import Table, check_names, series_of_values

# JSON that is one value, of any of the shapes in `inputs.shapes`; {query: {item: number}} is written.

JSON_SUFFIXES = (".json",)
VALUE_BEGIN = re.compile(rb'\s*(?:\{\s*["}]|\[\s*[\[{\]])')


def read_json_run(source: Source, reading: Reading) -> Run:
    """A run from {query: {item: score}}, {query: [item, ...]}, records, rows or the response of an engine."""

    def read(problems: Problems) -> Iterator[Table]:
        yield _table_of_file(source, reading, "score", problems)

    return Run.from_tables(source.stem(JSON_SUFFIXES), read, source)


def read_json_qrels(source: Source, reading: Reading) -> Qrels:
    """Judgements from {query: {item: grade}}, {query: [item, ...]}, records, rows or ratings."""
    return Qrels.from_source(source, lambda problems: _table_of_file(source, reading, "grade", problems))


def _table_of_file(source: Source, reading: Reading, value: str, problems: Problems) -> Table:
    data = whole_json(source, reading.encoding, problems)
    return table_of_json(data, json_choices(source, reading, value), problems)


def write_json_run(run: Run, file: TextIO) -> None:
    table = run.table()
    refuse_duplicates(table, run.place, "JSON")
    refuse_infinite(table, run.place, "score", "JSON")
    json.dump(run.to_dict(), file, ensure_ascii=False, allow_nan=False)
    file.write("\n")


def write_json_qrels(qrels: Qrels, file: TextIO) -> None:
    """Write {query: {item: grade}}, whole grades without a point."""
    refuse_duplicates(qrels.table, qrels.name, "JSON")
    json.dump(qrels.to_dict(), file, ensure_ascii=False, allow_nan=False)
    file.write("\n")


JSON = FileFormat(
    name="json",
    about="JSON that is one value, of any of the shapes in `inputs.shapes`; {query: {item: number}} is written",
    suffixes=JSON_SUFFIXES,
    # An object that is not one of several lines, or a list of objects or lists.
    recognises=lambda head: VALUE_BEGIN.match(head) is not None and not begins_lines(head),
    read_run=read_json_run,
    read_qrels=read_json_qrels,
    write_run=write_json_run,
    write_qrels=write_json_qrels,
    shapes=ALL_JSON_SHAPES,
    has_parts=True,
)


JSON_LINES_SUFFIXES = (".jsonl", ".ndjson")
JSON_LINES_SHAPES = (
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


def read_json_lines_run(source: Source, reading: Reading) -> Run:
    """A run from objects with a query, an item and a score or a rank, or from records of any shape."""
    read = partial(_shaped_tables, source, reading, "score")
    return Run.from_tables(source.stem((*JSON_LINES_SUFFIXES, ".json")), read, source)


def read_json_lines_qrels(source: Source, reading: Reading) -> Qrels:
    """Judgements from objects with a query, an item and a grade, or from records of any shape."""
    tables = partial(_shaped_tables, source, reading, "grade")
    return Qrels.from_source(source, lambda problems: _joined_tables(list(tables(problems))))


def whole_json_lines(source: Source, reading: Reading, problems: Problems) -> Table:
    """All rows at once; a name that only some of them have is missing in the others."""
    return _joined_tables(list(_tables_of_lines(source, reading, problems)))


def _shaped_tables(source: Source, reading: Reading, value: str, problems: Problems) -> Iterator[Table]:
    """Rows in portions; records, which are seen by the first, all at once."""
    first = _first_object(source, reading)
    if first is not None and not _is_row(first, source, reading, value):
        yield _table_of_records(source, reading, value, problems)
        return
    yield from rename_in_tables(_tables_of_lines(source, reading, problems), reading.columns, problems)


def _is_row(first: ObjectPairs, source: Source, reading: Reading, value: str) -> bool:
    """Whether an object is the row of a table: no record, and not all that it holds are objects and lists."""
    choices = json_choices(source, reading, value)
    if is_record(first, choices, Problems(source.name)):
        return False
    mapped = any(role != RESULTS and value_at_path(first, path) is not None for role, path in reading.columns)
    return mapped or not first or not all(isinstance(each, list) for _, each in first)


def _first_object(source: Source, reading: Reading) -> ObjectPairs | None:
    """The first line, where it is an object that the beginning of the file holds whole, or the first block."""
    for block in texts.decoded_blocks(source, reading.encoding, Problems(source.name)):
        line = next((line for line in block.decode().split("\n") if line.strip()), "")
        if line:
            return _pairs_of_line(line, 1, Problems(source.name))
    return None


def _table_of_records(source: Source, reading: Reading, value: str, problems: Problems) -> Table:
    lines = texts.whole_utf8(source, reading.encoding, problems).decode().split("\n")
    found = [_pairs_of_line(line, number, problems) for number, line in enumerate(lines, 1) if line.strip()]
    problems.raise_if_any()
    objects = [each for each in found if each is not None]
    choices = json_choices(source, reading, value)
    if len(objects) > 1 and is_record(objects[0], choices, problems):
        return table_of_json(objects, choices, problems)
    together = ObjectPairs(pair for each in objects for pair in each)  # {query: ...} on each line
    return table_of_json(together, choices, problems)


def _joined_tables(parts: list[Table]) -> Table:
    if len(parts) == 1:
        return parts[0]
    names = dict.fromkeys(name for part in parts for name in part.frame.columns)
    columns = []
    for name in names:
        values: list[object] = []
        for frame in (part.frame for part in parts):
            values += frame.get_column(name).to_list() if name in frame.columns else [None] * frame.height
        columns.append(series_of_values(name, values))
    return Table(pl.DataFrame(columns), np.concatenate([part.line for part in parts]), "line")


def _tables_of_lines(source: Source, reading: Reading, problems: Problems) -> Iterator[Table]:
    """The rows in portions. What names they have is known from the first on: a score that comes later is a problem."""
    names: dict[str, None] = {}
    lines, empty = 0, True
    for block in texts.decoded_blocks(source, reading.encoding, problems):
        numbered = [(number, line) for number, line in enumerate(block.decode().split("\n"), lines + 1) if line.strip()]
        lines += block.count(b"\n")
        found = [(number, _row_of_line(line, number, problems)) for number, line in numbered]
        rows = [(number, row) for number, row in found if row is not None]
        empty = empty and not numbered
        if rows:
            _refuse_late_scores(rows, names, problems)
            new = dict.fromkeys(key for _, row in rows for key in row if key not in names)
            check_names(new, problems)
            names |= new
            frame = pl.DataFrame([series_of_values(key, [row.get(key) for _, row in rows]) for key in names])
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


def _row_of_line(line: str, number: int, problems: Problems) -> dict[str, Any] | None:
    """The row in a line; None, and a problem, where it is none."""
    value = _pairs_of_line(line, number, problems)
    if value is None:
        return None
    row = dict(value)
    if len(row) < len(value):
        problems.add(f"line {number}", "has a name twice", "Each line holds one object, each name once.", number)
        return None
    return row


def _pairs_of_line(line: str, number: int, problems: Problems) -> ObjectPairs | None:
    place = f"line {number}"
    try:
        value = DECODER.decode(line.strip())
    except json.JSONDecodeError as error:
        problems.add(place, f"is not JSON: {error.msg} (column {error.colno})", "Each line holds one object.", number)
        return None
    except (ValueError, RecursionError) as error:
        problems.add(place, f"is not JSON that can be read: {error}", order=number)
        return None
    if not isinstance(value, ObjectPairs):
        problems.add(place, f"must be an object, got {json_kind(value)}", "Each line holds one object.", number)
        return None
    return value


def write_json_lines_run(run: Run, file: TextIO) -> None:
    """Write objects with query, item and score, in the order given."""
    table = run.table()
    refuse_infinite(table, run.place, "score", "JSON")
    _write(table, file)


def write_json_lines_qrels(qrels: Qrels, file: TextIO) -> None:
    """Write objects with query, item and grade, in the order given, whole grades without a point."""
    _write(with_whole_numbers(qrels.table, "grade"), file)


def _write(table: pl.DataFrame, file: TextIO) -> None:
    file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in table.iter_rows(named=True))


JSON_LINES = FileFormat(
    name="jsonl",
    about="JSON lines: an object on each line, with the column names of a table, or a record or response on each line",
    suffixes=JSON_LINES_SUFFIXES,
    # An object on each line; of a single line one whose first value is neither an object nor a list.
    recognises=lambda head: begins_lines(head),
    read_run=read_json_lines_run,
    read_qrels=read_json_lines_qrels,
    write_run=write_json_lines_run,
    write_qrels=write_json_lines_qrels,
    shapes=JSON_LINES_SHAPES,
)


# What JSON and JSON lines share: parsed without losing anything and without any exception but our own.

ALL_JSON_SUFFIXES = (".json", ".jsonl", ".ndjson")


def json_choices(source: Source, reading: Reading, value: str) -> JsonChoices:
    """How a file is read: the name of a query that it does not name is its own, without the suffix."""
    return JsonChoices(value, dict(reading.columns), replace(source, part="").stem(ALL_JSON_SUFFIXES), source.part)


FLAT_BEGIN = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*[^\s{\[]')
FIRST_LINE = re.compile(rb"\s*([^\r\n]*)[\r\n]+\s*([^\r\n]?)")
NAME_BEGIN = rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:'
DECODER = json.JSONDecoder(object_pairs_hook=ObjectPairs)


def begins_lines(head: bytes) -> bool:
    """Whether a text begins as JSON lines do: a whole object in the first line and more behind it.

    Of a single line, and of one that is no JSON, the first value decides: an object of lines begins with a plain one.
    >>> begins_lines(b'{"q": 1}'), begins_lines(b'{"q": {"a": 1}}'), begins_lines(b'{"q": {"a": 1}}\\n{"r": {}}')
    (True, False, True)
    >>> begins_lines(b'{\\n "took": 3}'), begins_lines(b'[{"q": 1}]\\n[]')
    (False, False)
    """
    first = FIRST_LINE.match(head)
    if first is None or not first[2]:
        return FLAT_BEGIN.match(head) is not None
    try:
        return isinstance(DECODER.decode(first[1].decode()), ObjectPairs)
    except (ValueError, RecursionError):
        return FLAT_BEGIN.match(head) is not None and first[1].rstrip().endswith(b"}")


def whole_json(source: Source, encoding: str, problems: Problems) -> Any:
    """The one value a file holds, objects as `ObjectPairs`; raises if it is no JSON."""
    text = texts.whole_utf8(source, encoding, problems).decode()
    problems.raise_if_any()
    try:
        if text.strip():
            return DECODER.decode(text)
        problems.add("", "is empty")
    except json.JSONDecodeError as error:
        # A value that ends with its line, and another object behind it: the first line was a long one.
        ends_with_line = "\n" in text[text.rfind("}", 0, error.pos) : error.pos]
        if text[error.pos : error.pos + 1] == "{" == text.lstrip()[0] and ends_with_line:
            return _each_line(text, problems)
        cut_off = ". The file ends here: was it cut off?" if error.pos >= len(text.rstrip()) else ""
        what = f"is not JSON: {error.msg} (column {error.colno}){cut_off}"
        problems.add(f"line {error.lineno}", what, order=error.lineno)
    except (ValueError, RecursionError) as error:
        problems.add("", f"is not JSON that can be read: {error}")
    raise InputError([problems.report()])


def _each_line(text: str, problems: Problems) -> list[Any]:
    """The values of JSON lines; a line that is no JSON is a problem."""
    found: list[Any] = []
    for number, line in enumerate(text.split("\n"), 1):
        try:
            found += [DECODER.decode(line)] if line.strip() else []
        except (ValueError, RecursionError) as error:
            problems.add(f"line {number}", f"is not JSON: {error}", order=number)
    problems.raise_if_any()
    return found
