"""Small tables that lie next to judgements and runs: the class of each query, names in pairs such as the team of each
run, values of measures that were made elsewhere, and records of any columns with the line each came from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from rankscope.core import columns
from rankscope.core.columns import FACTORS
from rankscope.core.errors import InputError
from rankscope.core.wording import how_many
from rankscope.inputs import tables
from rankscope.inputs.formats.delimited import read_delimited_table
from rankscope.inputs.problems import KEPT, Problems
from rankscope.inputs.reading import DEFAULT_READING
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import Table, columns_of, text_ids

# The class of each query, from a table or a dictionary.


def read_classes(data: Any) -> dict[str, str]:
    """The class of each query, from {query: class}, a table or a CSV file with a query and a class column."""
    if isinstance(data, Mapping):
        return {str(query): str(label) for query, label in data.items()}
    problems = Problems(Source(str(data)).name if isinstance(data, str | Path) else "classes")
    table = _table_of_classes(data, problems)
    found = tables.columns_of(table.frame, {"query": columns.QUERY, "class": columns.CLASS}, problems, {})
    query, label = text_ids(found.get_column("query")), text_ids(found.get_column("class"))
    missing = (query.is_null() | (query == "").fill_null(True)).to_numpy()
    table.complain(missing, problems, {"query": found.get_column("query")}, "text or a whole number")
    twice = query.filter(query.is_duplicated() & query.is_not_null()).unique().sort()
    for each in twice.head(KEPT).to_list():
        problems.add("", f"query {each} has two classes")
    problems.more(max(0, len(twice) - KEPT))
    problems.raise_if_any()
    return dict(zip(query.to_list(), label.fill_null("").to_list(), strict=True))


def _table_of_classes(data: Any, problems: Problems) -> tables.Table:
    if isinstance(data, str | Path):
        return read_delimited_table(Source(str(data)), problems, expected="query,class")
    from rankscope.inputs import objects

    table = objects.table_of_object(data, "class", problems)
    if table is None:
        raise InputError.of(problems.source, [f"cannot read classes from a {type(data).__name__}"])
    return table


# Names in pairs from a small table with two columns, such as the team of each run.


def read_pairs(path: str | Path, columns: tuple[str, str]) -> dict[str, str]:
    """The second column by the first; a column that is not there, or a name with two partners, is an `InputError`."""
    problems = Problems(Source(str(path)).name)
    table = read_delimited_table(Source(str(path)), problems, expected=",".join(columns), known=frozenset(columns))
    frame = table.frame
    problems.raise_if_any()
    lacking = [name for name in columns if name not in frame.columns]
    if lacking:
        told = f"needs the columns {' and '.join(columns)}, has: {', '.join(frame.columns)}"
        raise InputError.of(problems.source, [told])
    first, second = (frame.get_column(name).cast(str).to_list() for name in columns)
    twice = sorted({name for name in first if len({b for a, b in zip(first, second, strict=True) if a == name}) > 1})
    if twice:
        raise InputError.of(problems.source, [f"{columns[0]} {name} has two of {columns[1]}" for name in twice])
    return dict(zip(first, second, strict=True))


# A table of values made elsewhere: one row each, with its query and whatever else it varies with.

NEEDED_COLUMNS = "query,value and any of system, measure, class, assessor, seed, collection"


def is_table_of_scores(data: Any) -> bool:
    """Whether it is such a table rather than ranks: a frame, or the name of a file of one.

    >>> is_table_of_scores("values.csv"), is_table_of_scores("bm25.ranks.parquet"), is_table_of_scores(None)
    (True, False, False)
    """
    if isinstance(data, str | Path):
        name = str(data).lower()
        return name.endswith((".csv", ".tsv", ".parquet")) and not name.endswith(".ranks.parquet")
    return hasattr(data, "columns")


def read_external_scores(data: Any) -> pl.DataFrame:
    """Columns system, measure and factors as text where they are there, and value as numbers; others stay numbers.

    What `rankscope evaluate --per-query --format csv` writes is such a table. Rows that sum up, of query 'all', are
    left out.
    """
    name = Source(str(data)).name if isinstance(data, str | Path) else "values"
    problems = Problems(name)
    frame = _frame_of_scores(data, problems)
    problems.raise_if_any()
    missing = [each for each in ("query", "value") if each not in frame.columns]
    if missing:
        raise InputError.of(
            name, [f"no column {', '.join(missing)}; it has: {', '.join(frame.columns)}"], f"It needs {NEEDED_COLUMNS}."
        )
    texts = [each for each in ("system", "measure", *FACTORS) if each in frame.columns]
    whole = frame.with_columns(text_ids(frame.get_column(each)).fill_null("").alias(each) for each in texts)
    numbers = whole.with_columns(pl.col("value").cast(pl.String).cast(pl.Float64, strict=False))
    wrong = numbers.filter(pl.col("value").is_null() & frame.get_column("value").is_not_null())
    if len(wrong):
        example = frame.get_column("value").gather([int(numbers.get_column("value").is_null().arg_max() or 0)])[0]
        raise InputError.of(
            name, [f"column value: '{example}' is not a number ({len(wrong):,} of {how_many(len(frame), 'rows')})"]
        )
    return numbers.filter(pl.col("query") != "all").with_columns(pl.col("value").fill_null(float("nan")))


def _frame_of_scores(data: Any, problems: Problems) -> pl.DataFrame:
    if isinstance(data, pl.DataFrame):
        return data
    if not isinstance(data, str | Path):
        return pl.DataFrame({name: list(data[name]) for name in data.columns})
    if str(data).lower().endswith(".parquet"):
        from rankscope.inputs.formats.columnar import PARQUET

        return PARQUET.whole(Source(str(data)), problems)
    known = frozenset({"query", "value", "system", "measure", *FACTORS})
    return read_delimited_table(Source(str(data)), problems, expected=NEEDED_COLUMNS, known=known).frame


# Tables of any columns: CSV or TSV with a header, JSON lines, or Parquet, every row with the line it came from.

PARQUET_BEGIN = b"PAR1"


def read_record_table(path: str | Path, problems: Problems, expected: str) -> Table:
    """The whole table; `expected` are the names of columns, with commas between, that a header must have one of."""
    source = Source.of(path)
    head = source.head()
    if head.startswith(PARQUET_BEGIN):
        from rankscope.inputs.formats.columnar import PARQUET

        return Table.numbered(PARQUET.whole(source, problems))
    if head.lstrip().startswith(b"{"):
        from rankscope.inputs.formats.json_files import whole_json_lines

        return whole_json_lines(source, DEFAULT_READING, problems)
    return read_delimited_table(source, problems, expected=expected, known=frozenset(expected.split(",")))


def text_rows(
    table: Table,
    problems: Problems,
    needed: Mapping[str, Sequence[str]],
    optional: Mapping[str, Sequence[str]] | None = None,
) -> list[tuple[int, dict[str, str]]]:
    """The line and the columns of each row as texts, under our own names; what is empty is an empty text."""
    frame = columns_of(table.frame, needed, problems, optional or {})
    columns = {name: list(map(_cell_text, frame.get_column(name).to_list())) for name in frame.columns}
    rows = zip(*columns.values(), strict=True)
    return [(line, dict(zip(columns, row, strict=True))) for line, row in zip(table.line.tolist(), rows, strict=True)]


def _cell_text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) and value == int(value) else str(value).strip()
