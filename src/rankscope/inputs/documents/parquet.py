"""Parquet tables with an id column, and texts in any others."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from functools import partial
from typing import Final

import polars as pl

from rankscope.inputs.checks import Problems
from rankscope.inputs.documents.format import DocumentReader
from rankscope.inputs.documents.record import Record, record_of
from rankscope.inputs.expansion import ExpandedBytes
from rankscope.inputs.formats import columnar, parquet_layout
from rankscope.inputs.formats.parquet import PARQUET
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source

ROWS_AT_ONCE: Final = 10_000


def recognises(head: bytes) -> bool:
    """By its first four bytes."""
    return head.startswith(parquet_layout.MAGIC)


def read(source: Source, name: str, reading: Reading, problems: Problems) -> Iterator[Record]:
    """A document from each row."""
    row = 0
    for frame in frames(source, problems):
        for values in frame.iter_rows(named=True):
            row += 1
            record = record_of(row, values, problems, "row")
            if record is not None:
                yield record


def frames(source: Source, problems: Problems) -> Iterator[pl.DataFrame]:
    """The rows in portions; columns of numbers and of text alone."""
    if not source.begins_with(parquet_layout.MAGIC):  # packed, or standard input
        yield _flat(columnar.read_table(source, PARQUET, problems).frame)
        return
    with open(source.path, "rb") as stored, mmap.mmap(stored.fileno(), 0, access=mmap.ACCESS_READ) as data:
        groups = PARQUET.attempt(problems, partial(_checked_groups, data, source))
    table = pl.scan_parquet(source.path, glob=False, hive_partitioning=False)
    for start, count in _portions(groups):
        yield _flat(PARQUET.attempt(problems, table.slice(start, count).collect))


def _checked_groups(data: mmap.mmap, source: Source) -> list[int]:
    parquet_layout.check(data, ExpandedBytes(len(data), source.max_ratio))
    return parquet_layout.group_rows(data)


def _portions(groups: list[int]) -> Iterator[tuple[int, int]]:
    """Where portions begin and how many rows they have, none across two groups.

    >>> list(_portions([3, 25_000]))
    [(0, 3), (3, 10000), (10003, 10000), (20003, 5000)]
    """
    begin = 0
    for rows in groups:
        for start in range(begin, begin + rows, ROWS_AT_ONCE):
            yield start, min(ROWS_AT_ONCE, begin + rows - start)
        begin += rows


def _flat(frame: pl.DataFrame) -> pl.DataFrame:
    columnar.refuse_reduction(frame, Problems("documents"))
    usable = [name for name, kind in frame.schema.items() if kind == pl.String or kind.is_numeric()]
    texts = [name for name, kind in frame.schema.items() if isinstance(kind, pl.Categorical | pl.Enum)]
    return frame.select(*usable, *(pl.col(name).cast(pl.String) for name in texts))


PARQUET_DOCUMENTS = DocumentReader(
    name="parquet",
    about="Parquet: a table with id, title and text",
    suffixes=(".parquet", ".pq"),
    read=read,
    recognises=recognises,
    word="row",
)
