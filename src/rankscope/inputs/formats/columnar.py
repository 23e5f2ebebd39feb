"""What Parquet and Arrow have in common: a table with named columns, read by polars."""

from __future__ import annotations

import io
from collections.abc import Callable

import polars as pl

from rankscope.errors import InputError
from rankscope.inputs.checks import Problems
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import Table


def read_table(source: Source, read: Callable[[io.BytesIO], pl.DataFrame], format: str, problems: Problems) -> Table:
    """The table in a file; a damaged file is a problem, and so is a saved reduction in place of a table."""
    data = io.BytesIO(source.whole())
    try:
        frame = read(data)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, MemoryError) as error:
        reason = str(error).partition("\n")[0][:200]
        problems.add("", f"cannot be read as {format}: {reason}", "Was it cut off, or damaged on its way?")
        raise InputError([problems.report()]) from None
    if {"query", "judged_rank"} <= set(frame.columns):
        advice = "Give it alone, in place of QRELS and RUN."
        problems.add("", "is a saved reduction (*.ranks.parquet), neither a run nor judgements", advice)
        raise InputError([problems.report()])
    return Table.numbered(frame)
