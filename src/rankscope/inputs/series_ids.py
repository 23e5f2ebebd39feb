"""Ids that polars holds: as it read them from tables, and whatever a column holds as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from rankscope.arrays import BoolArray, IntArray
from rankscope.inputs.id_columns import BEFORE, Hashes, IdColumn, TextIds, padded
from rankscope.inputs.ids import id_text
from rankscope.inputs.numbers import LARGEST_WHOLE_FLOAT


@dataclass(frozen=True, eq=False)
class SeriesIds(IdColumn):
    """Ids as a column of texts of polars.

    >>> ids = SeriesIds(pl.Series(["d1", "d2", "d2"]))
    >>> ids[1], ids.starts(), ids.take(np.array([2, 0])).to_list()
    ('d2', array([0, 1]), ['d2', 'd1'])
    """

    series: pl.Series

    def __len__(self) -> int:
        return len(self.series)

    def __getitem__(self, row: int) -> str:
        return str(self.series[row])

    def slice(self, start: int, stop: int) -> SeriesIds:
        """Rows from `start` up to `stop`, of the same ids."""
        return SeriesIds(self.series.slice(start, stop - start))

    def take(self, rows: IntArray) -> SeriesIds:
        """Some rows, of the same ids."""
        return SeriesIds(self.series.gather(rows))

    def to_list(self) -> list[str]:
        """The ids as Python texts."""
        return self.series.to_list()

    def hashes(self) -> Hashes:
        """As polars makes them."""
        return self.series.hash(0).to_numpy()

    def starts(self) -> IntArray:
        """The rows that differ from the row before them."""
        changed = (self.series != self.series.shift(1)).fill_null(True)
        return np.flatnonzero(changed.to_numpy())

    def equals(self, other: SeriesIds) -> BoolArray:
        """Whether the ids are the same, row by row."""
        return (self.series == other.series).to_numpy()

    def like(self, ids: TextIds) -> SeriesIds:
        """Ids as polars holds them."""
        return SeriesIds(as_series(ids))

    def as_texts(self) -> TextIds:
        """The ids in a buffer."""
        length = self.series.str.len_bytes().to_numpy().astype(np.int64)
        text = str(self.series.str.join("").item() or "").encode()
        return TextIds(padded(text), BEFORE + np.cumsum(length) - length, length)

    def kept(self) -> SeriesIds:
        """As they are: polars shares what it can."""
        return self

    def joined(self, others: Sequence[SeriesIds]) -> SeriesIds:
        """The ids of all, one column behind the other."""
        return SeriesIds(pl.concat([self.series, *(each.series for each in others)]))

    def order(self, *first: IntArray) -> IntArray:
        """As polars sorts."""
        columns = {str(number): each for number, each in enumerate(first)}
        frame = pl.DataFrame({**columns, "id": self.series}).with_row_index()
        return frame.sort([*columns, "id", "index"]).get_column("index").to_numpy().astype(np.int64)


def as_series(ids: IdColumn) -> pl.Series:
    """Ids as a column of polars."""
    return ids.series if isinstance(ids, SeriesIds) else pl.Series(ids.to_list(), dtype=pl.String)


def text_ids(column: pl.Series) -> pl.Series:
    """Ids as text: 7 becomes '7', and so does 7.0 (pandas makes floats of ints with gaps); null where it can be no id.

    >>> text_ids(pl.Series([7.0, None, 2.5])).to_list()
    ['7', None, None]
    """
    kind = column.dtype
    if kind == pl.String:
        return column
    if kind.is_float():
        exact = ((column.abs() < LARGEST_WHOLE_FLOAT) & (column.floor() == column)).fill_null(False)
        return column.set(~exact, None).cast(pl.Int64).cast(pl.String)
    if kind in (pl.Object, pl.Binary):
        return pl.Series(column.name, [id_text(value) for value in column.to_list()], dtype=pl.String)
    if kind.is_nested() or kind == pl.Boolean:
        return pl.Series(column.name, [None] * len(column), dtype=pl.String)
    try:
        return column.cast(pl.String, strict=False)
    except pl.exceptions.PolarsError:  # a span of time, and whatever else has no text
        return pl.Series(column.name, [None] * len(column), dtype=pl.String)
