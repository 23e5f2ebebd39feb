"""JSON that is one value, of any of the shapes in `inputs.shapes`; {query: {item: number}} is written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TextIO

from rankscope.inputs.checks import Problems
from rankscope.inputs.formats import json_shapes, json_text
from rankscope.inputs.formats.format import FileFormat
from rankscope.inputs.formats.writing import refuse_duplicates, refuse_infinite
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.shapes.parsed import SHAPES
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import Table

SUFFIXES = (".json",)
VALUE = re.compile(rb'\s*(?:\{\s*["}]|\[\s*[\[{\]])')


def recognises(head: bytes) -> bool:
    """An object that is not one of several lines, or a list of objects or lists."""
    return VALUE.match(head) is not None and not json_text.begins_lines(head)


def read_run(source: Source, reading: Reading) -> Run:
    """A run from {query: {item: score}}, {query: [item, ...]}, records, rows or the response of an engine."""

    def read(problems: Problems) -> Iterator[Table]:
        yield _table(source, reading, "score", problems)

    return Run.from_tables(source.stem(SUFFIXES), read, source)


def read_qrels(source: Source, reading: Reading) -> Qrels:
    """Judgements from {query: {item: grade}}, {query: [item, ...]}, records, rows or ratings."""
    return Qrels.from_source(source, lambda problems: _table(source, reading, "grade", problems))


def _table(source: Source, reading: Reading, value: str, problems: Problems) -> Table:
    return json_shapes.json_table(json_text.whole(source, reading.encoding, problems), source, reading, value, problems)


def write_run(run: Run, file: TextIO) -> None:
    """Write {query: {item: score}}."""
    table = run.table()
    refuse_duplicates(table, run.place, "JSON")
    refuse_infinite(table, run.place, "score", "JSON")
    json.dump(run.to_dict(), file, ensure_ascii=False, allow_nan=False)
    file.write("\n")


def write_qrels(qrels: Qrels, file: TextIO) -> None:
    """Write {query: {item: grade}}, whole grades without a point."""
    refuse_duplicates(qrels.table, qrels.name, "JSON")
    json.dump(qrels.to_dict(), file, ensure_ascii=False, allow_nan=False)
    file.write("\n")


JSON = FileFormat(
    name="json",
    about="JSON that is one value, of any of the shapes in `inputs.shapes`; {query: {item: number}} is written",
    suffixes=SUFFIXES,
    recognises=recognises,
    read_run=read_run,
    read_qrels=read_qrels,
    write_run=write_run,
    write_qrels=write_qrels,
    shapes=SHAPES,
    has_parts=True,
)
