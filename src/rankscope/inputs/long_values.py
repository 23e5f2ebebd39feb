"""A table of values made elsewhere: one row each, with its query and whatever else it varies with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from rankscope.column_names import FACTORS
from rankscope.errors import InputError
from rankscope.inputs.checks import Problems
from rankscope.inputs.series_ids import text_ids
from rankscope.inputs.sources import Source
from rankscope.number_texts import how_many

ASKED = "query,value and any of system, measure, class, assessor, seed, collection"


def is_table_of_values(data: Any) -> bool:
    """Whether it is such a table rather than ranks: a frame, or the name of a file of one.

    >>> is_table_of_values("values.csv"), is_table_of_values("bm25.ranks.parquet"), is_table_of_values(None)
    (True, False, False)
    """
    if isinstance(data, str | Path):
        name = str(data).lower()
        return name.endswith((".csv", ".tsv", ".parquet")) and not name.endswith(".ranks.parquet")
    return hasattr(data, "columns")


def read_long_values(data: Any) -> pl.DataFrame:
    """Columns system, measure and factors as text where they are there, and value as numbers; others stay numbers.

    What `rankscope evaluate --per-query --format csv` writes is such a table. Rows that sum up, of query 'all', are
    left out.
    """
    name = Source(str(data)).name if isinstance(data, str | Path) else "values"
    problems = Problems(name)
    frame = _frame_of(data, problems)
    problems.raise_if_any()
    missing = [each for each in ("query", "value") if each not in frame.columns]
    if missing:
        raise InputError.of(
            name, [f"no column {', '.join(missing)}; it has: {', '.join(frame.columns)}"], f"It needs {ASKED}."
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


def _frame_of(data: Any, problems: Problems) -> pl.DataFrame:
    if isinstance(data, pl.DataFrame):
        return data
    if not isinstance(data, str | Path):
        return pl.DataFrame({name: list(data[name]) for name in data.columns})
    if str(data).lower().endswith(".parquet"):
        from rankscope.inputs.formats.parquet import PARQUET

        return PARQUET.whole(Source(str(data)), problems)
    from rankscope.inputs.formats.delimited import read_table

    known = frozenset({"query", "value", "system", "measure", *FACTORS})
    return read_table(Source(str(data)), problems, expected=ASKED, known=known).frame
