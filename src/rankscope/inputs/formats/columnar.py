"""Parquet and Arrow tables with a query, an item and a score, rank or grade column: checked by us, then read by
polars.
"""

from __future__ import annotations

import io
import mmap
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from threading import Lock
from typing import IO, Any, BinaryIO, TypeVar

import numpy as np
import polars as pl

from rankscope.core.caching import check_fork
from rankscope.core.columns import ITEM, QUERY, RANK, SCORE
from rankscope.core.errors import InputError
from rankscope.core.names import name_of
from rankscope.inputs.column_map import ColumnMap, rename_in_tables
from rankscope.inputs.formats import columnar_layouts
from rankscope.inputs.formats.registry import HOLDS_EITHER, InputShape
from rankscope.inputs.problems import Problems
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.sources import MAX_RATIO, ExpandedBytes, Source, TooLargeError, expansion_advice
from rankscope.inputs.tables import Table, find_column

# What Parquet and Arrow have in common: a table with named columns, checked by us and then read by polars.

T = TypeVar("T")
_redirecting = Lock()
DAY = 86_400_000_000  # microseconds
EPOCH = date(1970, 1, 1).toordinal()
FIRST, LAST = date.min.toordinal() - EPOCH, date.max.toordinal() - EPOCH + 1  # days of Python's calendar
UNITS = {"ms": 1000, "us": 1, "ns": 1 / 1000}  # in microseconds
DAMAGED_ADVICE = "Was it cut off, or damaged on its way?"
DAMAGE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, EOFError, ValueError, MemoryError)


@dataclass(frozen=True)
class ColumnarFormat:
    """One of the two formats: its names, how its files begin, and who checks their layout, reads and writes them."""

    name: str
    about: str
    title: str
    suffixes: tuple[str, ...]
    marks: tuple[bytes, ...]
    check: Callable[[Any, ExpandedBytes], None]
    read: Callable[[Any, Any], pl.DataFrame]  # of the bytes, and of where polars is to read them
    write: Callable[[pl.DataFrame, BinaryIO], object]
    shapes: tuple[InputShape, ...] = ()
    binary: bool = True
    has_parts: bool = False

    def recognises(self, head: bytes) -> bool:
        return head.startswith(self.marks)

    def read_run(self, source: Source, reading: Reading) -> Run:
        """A run from a table with a query, an item and a score or rank column."""

        def read(problems: Problems) -> Iterator[Table]:
            yield mapped_table(source, self, reading, problems)

        return Run.from_tables(source.stem(self.suffixes), read, source)

    def read_qrels(self, source: Source, reading: Reading) -> Qrels:
        """Judgements from a table with a query, an item and a grade column."""
        return Qrels.from_source(source, lambda problems: mapped_table(source, self, reading, problems))

    def write_run(self, run: Run, file: BinaryIO) -> None:
        """Write query, item, score in the order given."""
        self.write(run.table(), file)

    def write_qrels(self, qrels: Qrels, file: BinaryIO) -> None:
        """Write query, item, grade in the order given."""
        self.write(qrels.table, file)

    def frame(self, data: Any, source: Any, problems: Problems, max_ratio: float) -> pl.DataFrame:
        """The table in some bytes, which polars reads from `source`; a damaged one is an `InputError`."""

        def read() -> pl.DataFrame:
            self.check(data, ExpandedBytes(len(data), max_ratio))
            frame = self.read(data, source)
            check_times(frame)
            return frame

        return self.attempt(problems, read)

    def whole(self, source: Source, problems: Problems) -> pl.DataFrame:
        """The table in a file."""
        data = source.whole()
        return self.frame(data, io.BytesIO(data), problems, source.max_ratio)

    def attempt(self, problems: Problems, read: Callable[[], T]) -> T:
        """What comes of reading; all that a damaged file makes polars raise is an `InputError`."""
        check_fork()
        try:
            with panics_unprinted():
                return read()
        except TooLargeError as error:
            problems.add("", str(error), expansion_advice())
        except DAMAGE as error:
            reason = (str(error) or type(error).__name__).partition("\n")[0][:200]
            problems.add("", f"cannot be read as {self.title}: {reason}", DAMAGED_ADVICE)
        raise InputError([problems.report()])


@contextmanager
def panics_unprinted() -> Iterator[None]:
    """Polars prints a panic before it raises it: what is printed in a block that ends so is dropped.

    Whatever else comes to standard error meanwhile stands there when the block ends. Where another thread is in such a
    block, this one changes nothing.
    """
    if not _redirecting.acquire(blocking=False):
        yield
        return
    try:
        with tempfile.TemporaryFile() as held, _standard_error_in(held):
            yield
    finally:
        _redirecting.release()


@contextmanager
def _standard_error_in(held: IO[bytes]) -> Iterator[None]:
    try:
        kept = os.dup(2)
    except OSError:  # it is closed
        yield
        return
    os.dup2(held.fileno(), 2)
    panicked = False
    try:
        yield
    except pl.exceptions.PanicException:
        panicked = True
        raise
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        if not panicked and held.seek(0, os.SEEK_END):
            held.seek(0)
            os.write(2, held.read())


def read_columnar_table(source: Source, layout: ColumnarFormat, problems: Problems) -> Table:
    """The table in a file; a damaged file is a problem, and so is a saved reduction in place of a table."""
    frame = layout.whole(source, problems)
    refuse_reduction(frame, problems)
    return Table.numbered(frame)


def mapped_table(source: Source, layout: ColumnarFormat, reading: Reading, problems: Problems) -> Table:
    """The table in a file, with the columns that were named under their roles."""
    table = read_columnar_table(source, layout, problems)
    return next(rename_in_tables([table], reading.columns, problems))


def is_reduction(frame: pl.DataFrame) -> bool:
    """Whether the columns are those of saved ranks.

    >>> is_reduction(pl.DataFrame({"query": ["q"], "judged_rank": [[1, 4]]}))
    True
    """
    return {"query", "judged_rank"} <= set(frame.columns)


def refuse_reduction(frame: pl.DataFrame, problems: Problems) -> None:
    """Raise where the columns are those of saved ranks."""
    if is_reduction(frame):
        problems.add(
            "",
            "is a saved reduction (*.ranks.parquet), neither a run nor judgements",
            "Give it alone, in place of QRELS and RUN.",
        )
        raise InputError([problems.report()])


def run_columns(frame: pl.DataFrame, columns: ColumnMap = ()) -> list[str]:
    """The columns of a frame that a run may be read from; all, where some are missing that it needs, or were named.

    >>> run_columns(pl.DataFrame({"qid": ["q"], "docno": ["a"], "score": [1.0], "text": ["long"]}))
    ['qid', 'docno', 'score']
    """
    found = [find_column(frame, names) for names in (QUERY, ITEM, SCORE, RANK)]
    if columns or None in found[:2] or found[2:] == [None, None]:
        return frame.columns
    return [name for name in found if name is not None]


def check_times(frame: pl.DataFrame) -> None:
    """Raise `ValueError` where a date or a time is beyond the calendar, which ends polars when it is looked at.

    >>> check_times(pl.DataFrame({"day": pl.Series([9_999_999]).cast(pl.Int32).cast(pl.Date)}))
    Traceback (most recent call last):
    ValueError: column 'day' holds dates or times beyond the calendar
    """
    for column in frame.get_columns():
        if column.dtype.is_temporal() and column.null_count() < len(column):
            least, end = _range_of_times(column.dtype)
            stored = column.to_physical()
            if int(stored.min()) < least or int(stored.max()) >= end:  # type: ignore[arg-type]
                raise ValueError(f"column '{column.name}' holds dates or times beyond the calendar")


def _range_of_times(kind: pl.DataType) -> tuple[float, float]:
    """What stored numbers of a type of time may be, from and below."""
    if isinstance(kind, pl.Date):
        return FIRST, LAST
    if isinstance(kind, pl.Time):
        return 0, DAY * 1000
    unit = UNITS[kind.time_unit]  # type: ignore[attr-defined]
    if isinstance(kind, pl.Datetime):
        return FIRST * DAY / unit, LAST * DAY / unit
    return timedelta.min.days * DAY / unit, (timedelta.max.days + 1) * DAY / unit


ROWS_AT_ONCE = 1 << 18


def read_parquet_batches(
    source: Source, problems: Problems, rows: tuple[int, int] | None = None, columns: ColumnMap = ()
) -> Iterator[Table]:
    """The rows of a file, or some whole groups of them, in portions; of the columns that a run can have."""
    groups = checked_groups(source, problems)
    empty = PARQUET.attempt(problems, lambda: pl.DataFrame(schema=pl.read_parquet_schema(source.path)))
    refuse_reduction(empty, problems)
    table = pl.scan_parquet(source.path, glob=False, hive_partitioning=False).select(run_columns(empty, columns))
    first, end = (0, sum(groups)) if rows is None else (rows[0], sum(rows))
    for start, count in group_portions(groups, ROWS_AT_ONCE, first, end):
        frame = PARQUET.attempt(problems, table.slice(start, count).collect)
        PARQUET.attempt(problems, partial(check_times, frame))
        source.reached((start + count) / sum(groups))
        yield Table(frame, np.arange(start + 1, start + 1 + count, dtype=np.int64))


def checked_groups(source: Source, problems: Problems) -> list[int]:
    """How many rows the groups of a file have, once its whole layout is known to be sound."""
    with open(source.path, "rb") as stored, mmap.mmap(stored.fileno(), 0, access=mmap.ACCESS_READ) as data:
        expanded = ExpandedBytes(len(data), source.max_ratio)
        PARQUET.attempt(problems, partial(columnar_layouts.check_parquet, data, expanded))
        return PARQUET.attempt(problems, partial(columnar_layouts.parquet_group_rows, data))


def groups_of(source: Source) -> list[int]:
    """How many rows the groups of a file have; a damaged file is an `InputError`."""
    with open(source.path, "rb") as stored, mmap.mmap(stored.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return PARQUET.attempt(Problems(source.name), partial(columnar_layouts.parquet_group_rows, data))


def group_portions(
    groups: Sequence[int], least: int, first: int = 0, end: int | None = None
) -> Iterator[tuple[int, int]]:
    """Where portions of so many rows at least begin, and how many they have: whole groups, one behind the other.

    Only groups from row `first` on and before row `end`, where given.
    >>> list(group_portions([5, 5, 20, 1], least=8)), list(group_portions([5, 5, 20, 1], least=8, first=5, end=30))
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


class ParquetFormat(ColumnarFormat):
    """Parquet, whose runs are read in portions."""

    def read_run(self, source: Source, reading: Reading, rows: tuple[int, int] | None = None) -> Run:
        """A run from a table with a query, an item and a score or rank column; `rows`: from which on, and how many."""

        def read(problems: Problems) -> Iterator[Table]:
            if source.begins_with(columnar_layouts.PARQUET_MAGIC):
                tables = read_parquet_batches(source, problems, rows, reading.columns)
            else:
                tables = iter([read_columnar_table(source, self, problems)])
            return rename_in_tables(tables, reading.columns, problems)

        return Run.from_tables(source.stem(self.suffixes), read, source)


PARQUET = ParquetFormat(
    name="parquet",
    about="Parquet tables with a query, an item and a score, rank or grade column",
    title="Parquet",
    suffixes=(".parquet", ".pq"),
    marks=(columnar_layouts.PARQUET_MAGIC,),
    check=columnar_layouts.check_parquet,
    read=lambda _, source: pl.read_parquet(source),
    write=pl.DataFrame.write_parquet,
    shapes=(
        InputShape(
            name="Parquet",
            holds=HOLDS_EITHER,
            about="A table with a query, an item and a score, rank or grade column, under the names of CSV; fields of "
            "structures are named with dots. Large files are read in parts.",
            examples=(),
            format="parquet",
        ),
    ),
)


# Arrow tables: IPC files (Feather) and IPC streams; files are written.


def _read_arrow(data: Any, source: Any) -> pl.DataFrame:
    if data[: len(columnar_layouts.ARROW_MARK)] == columnar_layouts.ARROW_MARK:
        return pl.read_ipc_stream(source)
    return pl.read_ipc(source)


ARROW = ColumnarFormat(
    name="arrow",
    about="Arrow tables: IPC files (Feather) and IPC streams; files are written",
    title="Arrow",
    suffixes=(".arrow", ".feather", ".ipc"),
    marks=(columnar_layouts.ARROW_MAGIC, columnar_layouts.ARROW_MARK),  # of a file, of each message of a stream
    check=columnar_layouts.check_arrow,
    read=_read_arrow,
    write=pl.DataFrame.write_ipc,
    shapes=(
        InputShape(
            name="Arrow",
            holds=HOLDS_EITHER,
            about="A table as in Parquet: IPC files (Feather) and IPC streams.",
            examples=(),
            format="arrow",
        ),
    ),
)


# Whole tables from Parquet and Arrow files that may be large: mapped into memory for the check, read by polars.


def read_frame(path: str | Path, format: str = "") -> pl.DataFrame:
    """The table in a file, by its format or else its suffix; a damaged one is an `InputError`."""
    file, problems = Path(path), Problems(name_of(path))
    named = format == PARQUET.name or file.suffix.lower() in PARQUET.suffixes
    layout = PARQUET if named else ARROW
    try:
        with file.open("rb") as stored, mmap.mmap(stored.fileno(), 0, access=mmap.ACCESS_READ) as data:
            source = file if layout is PARQUET else io.BytesIO(data)  # a file of Arrow would be mapped unchecked
            return layout.frame(data, source, problems, MAX_RATIO)
    except (OSError, ValueError) as error:  # no such file, an empty one
        reason = getattr(error, "strerror", None) or "it is empty"
        raise InputError.of(problems.source, [f"cannot be read: {reason}"]) from None
