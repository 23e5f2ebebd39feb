"""Parquet tables with a query, an item and a score, rank or grade column."""

from __future__ import annotations

from typing import BinaryIO

import polars as pl

from rankscope.inputs.checks import Problems
from rankscope.inputs.formats import columnar, parquet_layout
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import Table

name = "parquet"
suffixes = (".parquet", ".pq")
binary = True
has_parts = False

LAYOUT = columnar.ColumnarFormat("Parquet", parquet_layout.check, lambda _, source: pl.read_parquet(source))


def recognises(head: bytes) -> bool:
    """By its first four bytes."""
    return head.startswith(parquet_layout.MAGIC)


def read_run(source: Source, reading: Reading) -> Run:
    """A run from a table with a query, an item and a score or rank column."""

    def read(problems: Problems) -> Table:
        return columnar.read_table(source, LAYOUT, problems)

    return Run.from_table(source.stem(suffixes), read, source)


def read_qrels(source: Source, reading: Reading) -> Qrels:
    """Judgements from a table with a query, an item and a grade column."""
    return Qrels.from_source(source, lambda problems: columnar.read_table(source, LAYOUT, problems))


def write_run(run: Run, file: BinaryIO) -> None:
    """Write query, item, score in the order given."""
    run.table().write_parquet(file)


def write_qrels(qrels: Qrels, file: BinaryIO) -> None:
    """Write query, item, grade in the order given."""
    qrels.table.write_parquet(file)
