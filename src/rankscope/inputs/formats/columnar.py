"""What Parquet and Arrow have in common: a table with named columns, checked by us and then read by polars."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl

from rankscope.errors import InputError
from rankscope.inputs import forks
from rankscope.inputs.checks import Problems
from rankscope.inputs.expansion import Expansion, TooLargeError, advice
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import Table

DAMAGED = "Was it cut off, or damaged on its way?"


@dataclass(frozen=True)
class Layout:
    """One of the two formats: its name, who checks its layout, and who reads it."""

    name: str
    check: Callable[[Any, Expansion], None]
    read: Callable[[Any, Any], pl.DataFrame]  # of the bytes, and of where polars is to read them

    def frame(self, data: Any, source: Any, problems: Problems, max_ratio: float) -> pl.DataFrame:
        """The table in some bytes, which polars reads from `source`; a damaged one is an `InputError`."""
        forks.check()
        try:
            self.check(data, Expansion(len(data), max_ratio))
            return self.read(data, source)
        except TooLargeError as error:
            problems.add("", str(error), advice())
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, MemoryError) as error:
            reason = str(error).partition("\n")[0][:200]
            problems.add("", f"cannot be read as {self.name}: {reason}", DAMAGED)
        raise InputError([problems.report()])


def read_table(source: Source, layout: Layout, problems: Problems) -> Table:
    """The table in a file; a damaged file is a problem, and so is a saved reduction in place of a table."""
    data = source.whole()
    frame = layout.frame(data, io.BytesIO(data), problems, source.max_ratio)
    if {"query", "judged_rank"} <= set(frame.columns):
        advice = "Give it alone, in place of QRELS and RUN."
        problems.add("", "is a saved reduction (*.ranks.parquet), neither a run nor judgements", advice)
        raise InputError([problems.report()])
    return Table.numbered(frame)
