"""A segment: some documents, the columns of each field, and which documents have been deleted since."""

from __future__ import annotations

import math
import mmap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

import numpy as np

from rankscope.engines.text.index.columns import FieldColumns, Numbers

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T")
ID: Final = "id"
Row: TypeAlias = dict[str, str | None]  # a document: its texts by field, with its id


@dataclass(frozen=True, eq=False)
class StoredDocuments:
    """Ids and texts of documents as they were given, in tables or in the files that hold them."""

    parts: tuple[pl.DataFrame | Path, ...]

    @cached_property
    def ids(self) -> pl.Series:
        """The ids, in order."""
        import polars as pl

        ids = [_read(part, [ID])[ID] for part in self.parts]
        return pl.concat(ids) if ids else pl.Series(ID, [], dtype=pl.String)

    @property
    def bytes(self) -> int:
        """Bytes that tables take in memory, or files on the disk."""
        return sum(_bytes(part) for part in self.parts)

    def names(self, place: int) -> list[str]:
        """The columns of one part, the id among them."""
        import polars as pl

        part = self.parts[place]
        return (
            part.columns
            if isinstance(part, pl.DataFrame)
            else list(_attempt(part, partial(pl.read_parquet_schema, part)))
        )

    def part_column(self, place: int, field: str) -> pl.Series:
        """The texts of one field in one part, null where a document has none."""
        import polars as pl

        part = self.parts[place]
        if field in self.names(place):
            return _read(part, [field])[field]
        return pl.Series(field, [None] * _height(part), dtype=pl.String)

    def column(self, field: str) -> pl.Series:
        """The texts of one field, null where a document has none."""
        import polars as pl

        return pl.concat([self.part_column(place, field) for place in range(len(self.parts))])

    def dicts(self, places: Sequence[int]) -> list[Row]:
        """Some of the documents, in the order asked for."""
        return self.rows(places).to_dicts()

    def rows(self, places: Sequence[int] | Numbers) -> pl.DataFrame:
        """Some of the documents, in the order asked for; a field that a document does not have is null."""
        import polars as pl

        wanted = np.asarray(places, dtype=np.int64)
        part = np.searchsorted(self._ends, wanted, side="right")
        found = [_read(self.parts[each])[wanted[part == each] - self._begins[each]] for each in np.unique(part)]
        if not found:
            return pl.DataFrame(schema={ID: pl.String})
        order = np.argsort(np.argsort(part, kind="stable"), kind="stable")
        return pl.concat(found, how="diagonal")[order]

    @cached_property
    def _ends(self) -> Numbers:
        return np.cumsum([_height(part) for part in self.parts])

    @property
    def _begins(self) -> Numbers:
        return np.concatenate([[0], self._ends])


def _read(part: pl.DataFrame | Path, columns: list[str] | None = None) -> pl.DataFrame:
    """A table, or that in a file; one that cannot be read is an `InputError`."""
    import polars as pl

    if isinstance(part, pl.DataFrame):
        return part if columns is None else part.select(columns)
    return _attempt(part, partial(pl.read_parquet, part, columns=columns))


def _attempt(part: Path, read: Callable[[], T]) -> T:
    """What comes of reading a file whose layout is sound; a damaged one is an `InputError`."""
    from rankscope.inputs.checks import Problems
    from rankscope.inputs.expansion import ExpandedBytes
    from rankscope.inputs.formats import parquet, parquet_layout

    problems = Problems(str(part))

    def checked() -> T:
        with part.open("rb") as stored, mmap.mmap(stored.fileno(), 0, access=mmap.ACCESS_READ) as data:
            sound = partial(parquet_layout.check, data, ExpandedBytes(len(data), math.inf))
            parquet.LAYOUT.attempt(problems, sound)
        return read()

    return parquet.LAYOUT.attempt(problems, checked)


def _bytes(part: pl.DataFrame | Path) -> int:
    return part.stat().st_size if isinstance(part, Path) else int(part.estimated_size())


def _height(part: pl.DataFrame | Path) -> int:
    return len(_read(part, [ID]))


@dataclass(frozen=True, eq=False)
class Segment:
    """Documents that were indexed together; nothing of it changes but which documents are deleted."""

    count: int
    fields: Mapping[str, FieldColumns]
    documents: StoredDocuments
    deleted: Numbers  # places of deleted documents, ascending
    tier: int = 0
    name: str = ""

    @cached_property
    def live(self) -> Numbers:
        """Whether each document is still there."""
        live = np.ones(self.count, dtype=bool)
        live[self.deleted] = False
        return live

    @cached_property
    def id_columns(self) -> FieldColumns:
        """The ids as a field that can be searched."""
        from rankscope.engines.text.index.id_columns import columns_of_ids

        return columns_of_ids(self.documents.ids)
