"""A segment: some documents, the columns of each field, and which documents have been deleted since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from rankscope.digests import FileDigest, damaged
from rankscope.engines.text.index.columns import FieldColumns, Numbers
from rankscope.inputs import forks

if TYPE_CHECKING:
    import polars as pl

ID: Final = "id"
AGAIN: Final = "Index the documents again."
Row: TypeAlias = dict[str, str | None]  # a document: its texts by field, with its id


@dataclass(frozen=True, eq=False)
class StoredTable:
    """Documents in a file, which is held against its digest when it is first read."""

    path: Path
    digest: FileDigest

    def check(self) -> None:
        """Refuse a file that does not hold what was written."""
        if FileDigest.of(self.path) != self.digest:
            raise damaged(self.path, AGAIN)

    @cached_property
    def checked(self) -> Path:
        """The file."""
        self.check()
        return self.path


@dataclass(frozen=True, eq=False)
class StoredDocuments:
    """Ids and texts of documents as they were given, in tables or in the files that hold them."""

    parts: tuple[pl.DataFrame | StoredTable, ...]

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
        return part.columns if isinstance(part, pl.DataFrame) else list(pl.read_parquet_schema(part.checked))

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


def _read(part: pl.DataFrame | StoredTable, columns: list[str] | None = None) -> pl.DataFrame:
    import polars as pl

    if isinstance(part, pl.DataFrame):
        return part if columns is None else part.select(columns)
    forks.check()
    return pl.read_parquet(part.checked, columns=columns)


def _bytes(part: pl.DataFrame | StoredTable) -> int:
    return part.digest.size if isinstance(part, StoredTable) else int(part.estimated_size())


def _height(part: pl.DataFrame | StoredTable) -> int:
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
