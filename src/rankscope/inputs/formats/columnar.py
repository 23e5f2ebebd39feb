"""What Parquet and Arrow have in common: a table with named columns, checked by us and then read by polars."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from threading import Lock
from typing import IO, Any, BinaryIO, TypeVar

import polars as pl

from rankscope.column_names import ITEM, QUERY, RANK, SCORE
from rankscope.errors import InputError
from rankscope.inputs import forks
from rankscope.inputs.checks import Problems
from rankscope.inputs.column_map import ColumnMap, rename_in_tables
from rankscope.inputs.expansion import ExpandedBytes, TooLargeError, advice
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.shapes.shape import InputShape
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import Table, find_column

T = TypeVar("T")
_redirecting = Lock()
DAY = 86_400_000_000  # microseconds
EPOCH = date(1970, 1, 1).toordinal()
FIRST, END = date.min.toordinal() - EPOCH, date.max.toordinal() - EPOCH + 1  # days of Python's calendar
UNITS = {"ms": 1000, "us": 1, "ns": 1 / 1000}  # in microseconds
DAMAGED = "Was it cut off, or damaged on its way?"
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
        """By its first bytes."""
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
        forks.check()
        try:
            with panics_unprinted():
                return read()
        except TooLargeError as error:
            problems.add("", str(error), advice())
        except DAMAGE as error:
            reason = (str(error) or type(error).__name__).partition("\n")[0][:200]
            problems.add("", f"cannot be read as {self.title}: {reason}", DAMAGED)
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


def read_table(source: Source, layout: ColumnarFormat, problems: Problems) -> Table:
    """The table in a file; a damaged file is a problem, and so is a saved reduction in place of a table."""
    frame = layout.whole(source, problems)
    refuse_reduction(frame, problems)
    return Table.numbered(frame)


def mapped_table(source: Source, layout: ColumnarFormat, reading: Reading, problems: Problems) -> Table:
    """The table in a file, with the columns that were named under their roles."""
    table = read_table(source, layout, problems)
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
        return FIRST, END
    if isinstance(kind, pl.Time):
        return 0, DAY * 1000
    unit = UNITS[kind.time_unit]  # type: ignore[attr-defined]
    if isinstance(kind, pl.Datetime):
        return FIRST * DAY / unit, END * DAY / unit
    return timedelta.min.days * DAY / unit, (timedelta.max.days + 1) * DAY / unit
