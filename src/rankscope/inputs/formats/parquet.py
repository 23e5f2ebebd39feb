"""Parquet tables with a query, an item and a score, rank or grade column."""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import polars as pl

from rankscope.inputs.checks import Problems
from rankscope.inputs.column_map import ColumnMap, rename_in_tables
from rankscope.inputs.expansion import ExpandedBytes
from rankscope.inputs.formats import columnar, parquet_layout
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.shapes.shape import HOLDS_EITHER, InputShape
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import Table

SHAPES = (
    InputShape(
        name="Parquet",
        holds=HOLDS_EITHER,
        about="A table with a query, an item and a score, rank or grade column, under the names of CSV; fields of "
        "structures are named with dots. Large files are read in parts.",
        examples=(),
        format="parquet",
    ),
)

ROWS_AT_ONCE = 1 << 18


def read_batches(
    source: Source, problems: Problems, rows: tuple[int, int] | None = None, columns: ColumnMap = ()
) -> Iterator[Table]:
    """The rows of a file, or some whole groups of them, in portions; of the columns that a run can have."""
    with open(source.path, "rb") as stored, mmap.mmap(stored.fileno(), 0, access=mmap.ACCESS_READ) as data:
        groups, empty = PARQUET.attempt(problems, partial(_checked_layout, data, source))
    columnar.refuse_reduction(empty, problems)
    table = pl.scan_parquet(source.path, glob=False, hive_partitioning=False).select(
        columnar.run_columns(empty, columns)
    )
    first, end = (0, sum(groups)) if rows is None else (rows[0], sum(rows))
    for start, count in portions(groups, ROWS_AT_ONCE, first, end):
        frame = PARQUET.attempt(problems, partial(_rows, table, start, count))
        source.reached((start + count) / sum(groups))
        yield Table(frame, np.arange(start + 1, start + 1 + count, dtype=np.int64))


def _checked_layout(data: mmap.mmap, source: Source) -> tuple[list[int], pl.DataFrame]:
    """How many rows the groups of a file have, and its columns as a frame without rows."""
    parquet_layout.check(data, ExpandedBytes(len(data), source.max_ratio))
    return parquet_layout.group_rows(data), pl.DataFrame(schema=pl.read_parquet_schema(source.path))


def _rows(table: pl.LazyFrame, start: int, count: int) -> pl.DataFrame:
    frame = table.slice(start, count).collect()
    columnar.check_times(frame)
    return frame


def groups_of(source: Source) -> list[int]:
    """How many rows the groups of a file have; a damaged file is an `InputError`."""
    with open(source.path, "rb") as stored, mmap.mmap(stored.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return PARQUET.attempt(Problems(source.name), partial(parquet_layout.group_rows, data))


def portions(groups: Sequence[int], least: int, first: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Where portions of so many rows at least begin, and how many they have: whole groups, one behind the other.

    Only groups from row `first` on and before row `end`, where given.
    >>> list(portions([5, 5, 20, 1], least=8)), list(portions([5, 5, 20, 1], least=8, first=5, end=30))
    ([(0, 10), (10, 20), (30, 1)], [(5, 25)])
    """
    start, count, row = first, 0, 0
    for rows in groups:
        inside = first <= row and (end is None or row < end)
        row += rows
        count += rows if inside else 0
        if count >= least:
            yield start, count
            start, count = start + count, 0
    if count:
        yield start, count


class ParquetFormat(columnar.ColumnarFormat):
    """Parquet, whose runs are read in portions."""

    def read_run(self, source: Source, reading: Reading, rows: tuple[int, int] | None = None) -> Run:
        """A run from a table with a query, an item and a score or rank column; `rows`: from which on, and how many."""

        def read(problems: Problems) -> Iterator[Table]:
            if source.begins_with(parquet_layout.MAGIC):
                tables = read_batches(source, problems, rows, reading.columns)
            else:
                tables = iter([columnar.read_table(source, self, problems)])
            return rename_in_tables(tables, reading.columns, problems)

        return Run.from_tables(source.stem(self.suffixes), read, source)


PARQUET = ParquetFormat(
    name="parquet",
    about="Parquet tables with a query, an item and a score, rank or grade column",
    title="Parquet",
    suffixes=(".parquet", ".pq"),
    marks=(parquet_layout.MAGIC,),
    check=parquet_layout.check,
    read=lambda _, source: pl.read_parquet(source),
    write=pl.DataFrame.write_parquet,
    shapes=SHAPES,
)
