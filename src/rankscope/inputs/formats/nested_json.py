"""JSON of the form {query: {item: number}}; for runs also {query: [item, ...]}, best first."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TextIO

from rankscope.errors import InputError
from rankscope.inputs import nested
from rankscope.inputs.checks import Problems
from rankscope.inputs.formats import json_text
from rankscope.inputs.formats.writing import refuse_duplicates, refuse_infinite
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import Table

name = "json"
suffixes = (".json",)
binary = False
has_parts = False

FLAT = re.compile(json_text.NAME + rb"\s*[^\s{\[]")
VALUE = re.compile(rb'\s*(?:\{\s*["}]|\[\s*[\[{])')


def recognises(head: bytes) -> bool:
    """An object that is not flat, as each line of JSON lines is, or a list of objects or lists."""
    return VALUE.match(head) is not None and FLAT.match(head) is None


def read_run(source: Source, reading: Reading) -> Run:
    """A run from {query: {item: score}} or {query: [item, ...]}."""

    def read(problems: Problems) -> Iterator[Table]:
        yield _table(source, reading, "score", problems)

    return Run.from_tables(source.stem(suffixes), read, source)


def read_qrels(source: Source, reading: Reading) -> Qrels:
    """Judgements from {query: {item: grade}}."""
    return Qrels.from_source(source, lambda problems: _table(source, reading, "grade", problems))


def _table(source: Source, reading: Reading, value: str, problems: Problems) -> Table:
    data = json_text.whole(source, reading.encoding, problems)
    if not isinstance(data, nested.ObjectPairs):
        advice = "A list of objects is read as JSON lines: one object a line, without brackets and commas between them."
        problems.add("", f"must hold {nested.FORMS[value]}, got {json_text.kind(data)}", advice)
        raise InputError([problems.report()])
    return nested.table_of(data, value, problems)


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
