"""Files of chunks and their documents, in any format that tables have, with a header or of two columns without one."""

from __future__ import annotations

import polars as pl

from rankscope.column_names import loose_name
from rankscope.errors import InputError
from rankscope.inputs.checks import Problems
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source


def read_roll_up_frame(source: Source, problems: Problems) -> pl.DataFrame:
    """The table; of {chunk: document} the two columns."""
    from rankscope.inputs.formats import of_file

    format = of_file(source).name
    if format in ("parquet", "arrow"):
        from rankscope.inputs.formats import columnar
        from rankscope.inputs.formats.arrow import ARROW
        from rankscope.inputs.formats.parquet import PARQUET

        layout = PARQUET if format == "parquet" else ARROW
        return columnar.read_table(source, layout, problems).frame
    if format in ("json", "jsonl", "mteb"):
        return _of_json(source, format, problems)
    return _of_text(source, problems)


def _of_json(source: Source, format: str, problems: Problems) -> pl.DataFrame:
    from rankscope.inputs.formats import json_lines, json_text
    from rankscope.inputs.shapes.hits import JsonChoices, fields_of, list_of
    from rankscope.inputs.shapes.parsed import rows_table

    if format == "jsonl":
        frame = json_lines.whole_table(source, Reading(), problems).frame
        if frame.width > 1 and _names_known(frame.columns):
            return frame
    data = json_text.whole(source, "utf-8", problems)
    fields = fields_of(data)
    if fields is not None and all(isinstance(each, str | int) for each in fields.values()):
        return pl.DataFrame({"chunk": list(fields), "document": [str(each) for each in fields.values()]})
    if fields is None and list_of(data) is not None:
        return rows_table(data, JsonChoices("score"), problems).frame
    problems.add("", "must hold {chunk: document}, or objects with chunk and document")
    raise InputError([problems.report()])


def _of_text(source: Source, problems: Problems) -> pl.DataFrame:
    """A table with a header that names a chunk or a document, or else two columns without a header."""
    from rankscope.inputs.formats.delimited import read_table
    from rankscope.inputs.formats.headerless import numbered_tables

    frame = pl.concat([each.frame for each in numbered_tables(source, problems, "utf-8")])
    if not frame.height or not _names_known(frame.row(0)):
        return frame
    known = frozenset(map(str.lower, map(str.strip, frame.row(0))))
    return read_table(source, Problems(source.name), expected="chunk,document", known=known).frame


def _names_known(names: list[str] | tuple[str, ...]) -> bool:
    from rankscope.inputs.roll_up import CHUNK, DOCUMENT

    return any(loose_name(str(name).strip('"')) in (*CHUNK, *DOCUMENT) for name in names)
