"""Tables of any columns: CSV or TSV with a header, JSON lines, or Parquet, every row with the line it came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rankscope.inputs.checks import Problems
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import Table, columns_of

PARQUET_BEGIN = b"PAR1"


def read_record_table(path: str | Path, problems: Problems, expected: str) -> Table:
    """The whole table; `expected` are the names of columns, with commas between, that a header must have one of."""
    source = Source.of(path)
    head = source.head()
    if head.startswith(PARQUET_BEGIN):
        from rankscope.inputs.formats.parquet import PARQUET

        return Table.numbered(PARQUET.whole(source, problems))
    if head.lstrip().startswith(b"{"):
        from rankscope.inputs.formats.json_lines import whole_table
        from rankscope.inputs.reading import Reading

        return whole_table(source, Reading(), problems)
    from rankscope.inputs.formats.delimited import read_table

    return read_table(source, problems, expected=expected, known=frozenset(expected.split(",")))


def text_rows(
    table: Table,
    problems: Problems,
    needed: Mapping[str, Sequence[str]],
    optional: Mapping[str, Sequence[str]] | None = None,
) -> list[tuple[int, dict[str, str]]]:
    """The line and the columns of each row as texts, under our own names; what is empty is an empty text."""
    frame = columns_of(table.frame, needed, problems, optional or {})
    columns = {name: list(map(_text, frame.get_column(name).to_list())) for name in frame.columns}
    rows = zip(*columns.values(), strict=True)
    return [(line, dict(zip(columns, row, strict=True))) for line, row in zip(table.line.tolist(), rows, strict=True)]


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) and value == int(value) else str(value).strip()
