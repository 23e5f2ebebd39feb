"""Arrow tables: IPC files (Feather) and IPC streams; files are written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import polars as pl

from rankscope.inputs.checks import Problems
from rankscope.inputs.formats import arrow_layout, columnar
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.shapes.shape import HOLDS_EITHER, InputShape
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import Table

name = "arrow"
suffixes = (".arrow", ".feather", ".ipc")
binary = True
has_parts = False
shapes = (
    InputShape(
        name="Arrow",
        holds=HOLDS_EITHER,
        about="A table as in Parquet: IPC files (Feather) and IPC streams.",
        examples=(),
        format="arrow",
    ),
)


def _read(data: Any, source: Any) -> pl.DataFrame:
    if data[: len(arrow_layout.MARK)] == arrow_layout.MARK:
        return pl.read_ipc_stream(source)
    return pl.read_ipc(source)


LAYOUT = columnar.ColumnarFormat("Arrow", arrow_layout.check, _read)


def recognises(head: bytes) -> bool:
    """By its first bytes: a file's name, or the mark before each message of a stream."""
    return head.startswith((arrow_layout.MAGIC, arrow_layout.MARK))


def read_run(source: Source, reading: Reading) -> Run:
    """A run from a table with a query, an item and a score or rank column."""

    def read(problems: Problems) -> Iterator[Table]:
        yield columnar.mapped_table(source, LAYOUT, reading, problems)

    return Run.from_tables(source.stem(suffixes), read, source)


def read_qrels(source: Source, reading: Reading) -> Qrels:
    """Judgements from a table with a query, an item and a grade column."""
    return Qrels.from_source(source, lambda problems: columnar.mapped_table(source, LAYOUT, reading, problems))


def write_run(run: Run, file: BinaryIO) -> None:
    """Write query, item, score in the order given."""
    run.table().write_ipc(file)


def write_qrels(qrels: Qrels, file: BinaryIO) -> None:
    """Write query, item, grade in the order given."""
    qrels.table.write_ipc(file)
