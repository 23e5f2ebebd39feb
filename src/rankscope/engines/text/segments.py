"""Documents in blocks, checked as they come, and segments: some documents, the columns of each field, which documents
were deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import polars as pl

from rankscope.core.caching import check_fork
from rankscope.core.digests import FileDigest, damaged
from rankscope.core.errors import InputError, Problem
from rankscope.engines.text.index_columns import FieldColumns, Numbers

# A segment: some documents, the columns of each field, and which documents have been deleted since.

ID: Final = "id"
INDEX_AGAIN: Final = "Index the documents again."
Row: TypeAlias = dict[str, str | None]  # a document: its texts by field, with its id


@dataclass(frozen=True, eq=False)
class StoredTable:
    """Documents in a file, which is held against its digest when it is first read."""

    path: Path
    digest: FileDigest

    def check(self) -> None:
        """Refuse a file that does not hold what was written."""
        if FileDigest.of(self.path) != self.digest:
            raise damaged(self.path, INDEX_AGAIN)

    @cached_property
    def checked(self) -> Path:
        self.check()
        return self.path


@dataclass(frozen=True, eq=False)
class StoredDocuments:
    """Ids and texts of documents as they were given, in tables or in the files that hold them."""

    parts: tuple[pl.DataFrame | StoredTable, ...]

    @cached_property
    def ids(self) -> pl.Series:
        ids = [_read_part(part, [ID])[ID] for part in self.parts]
        return pl.concat(ids) if ids else pl.Series(ID, [], dtype=pl.String)

    @property
    def bytes(self) -> int:
        """Bytes that tables take in memory, or files on the disk."""
        sizes = (part.digest.size if isinstance(part, StoredTable) else part.estimated_size() for part in self.parts)
        return sum(map(int, sizes))

    def names(self, place: int) -> list[str]:
        """The columns of one part, the id among them."""
        part = self.parts[place]
        return part.columns if isinstance(part, pl.DataFrame) else list(pl.read_parquet_schema(part.checked))

    def part_column(self, place: int, field: str) -> pl.Series:
        """The texts of one field in one part, null where a document has none."""
        part = self.parts[place]
        if field in self.names(place):
            return _read_part(part, [field])[field]
        return pl.Series(field, [None] * _part_height(part), dtype=pl.String)

    def column(self, field: str) -> pl.Series:
        return pl.concat([self.part_column(place, field) for place in range(len(self.parts))])

    def dicts(self, places: Sequence[int]) -> list[Row]:
        """Some of the documents, in the order asked for."""
        return self.rows(places).to_dicts()

    def rows(self, places: Sequence[int] | Numbers) -> pl.DataFrame:
        """Some of the documents, in the order asked for; a field that a document does not have is null."""
        wanted = np.asarray(places, dtype=np.int64)
        part = np.searchsorted(self._ends, wanted, side="right")
        begins = np.concatenate([[0], self._ends])
        found = [_read_part(self.parts[each])[wanted[part == each] - begins[each]] for each in np.unique(part)]
        if not found:
            return pl.DataFrame(schema={ID: pl.String})
        order = np.argsort(np.argsort(part, kind="stable"), kind="stable")
        return pl.concat(found, how="diagonal")[order]

    @cached_property
    def _ends(self) -> Numbers:
        return np.cumsum([_part_height(part) for part in self.parts])


def _read_part(part: pl.DataFrame | StoredTable, columns: list[str] | None = None) -> pl.DataFrame:
    if isinstance(part, pl.DataFrame):
        return part if columns is None else part.select(columns)
    check_fork()
    return pl.read_parquet(part.checked, columns=columns)


def _part_height(part: pl.DataFrame | StoredTable) -> int:
    return len(_read_part(part, [ID]))


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
        from rankscope.engines.text.index_columns import columns_of_ids

        return columns_of_ids(self.documents.ids)


Documents: TypeAlias = "pl.DataFrame | Iterable[pl.DataFrame | Mapping[str, object]]"
MOST_DOCUMENTS: Final = 50_000
MOST_BYTES: Final = 24 << 20
GATHERED: Final = 5_000  # single documents that are made a table at a time
DOCUMENTS_SOURCE: Final = "documents"


def blocks_of_documents(documents: Documents) -> Iterator[pl.DataFrame]:
    """Documents in tables of text, each of at most 50,000 rows and about 24 MB.

    >>> [block.shape for block in blocks_of_documents([{"id": 1, "body": "a fox"}, {"id": 2, "title": "none"}])]
    [(2, 3)]
    """
    place = size = 0
    waiting: list[pl.DataFrame] = []
    for table in _tables([documents] if isinstance(documents, pl.DataFrame) else documents):
        checked = _checked_table(table, place)
        place += len(checked)
        for piece in _pieces(checked):
            if waiting and (
                sum(map(len, waiting)) + len(piece) > MOST_DOCUMENTS or size + _text_bytes(piece) > MOST_BYTES
            ):
                yield pl.concat(waiting, how="diagonal")
                waiting, size = [], 0
            waiting, size = [*waiting, piece], size + _text_bytes(piece)
    if waiting:
        yield pl.concat(waiting, how="diagonal")


def _text_bytes(table: pl.DataFrame) -> int:
    """How much text a table holds."""
    return int(table.select(pl.sum_horizontal(pl.all().str.len_bytes().sum()))[0, 0] or 0)


def _tables(documents: Iterable[pl.DataFrame | Mapping[str, object]]) -> Iterator[pl.DataFrame]:
    """Tables as they come, and single documents gathered into tables."""
    single: list[Mapping[str, object]] = []
    for each in documents:
        if isinstance(each, pl.DataFrame):
            yield each
            continue
        single.append(each)
        if len(single) == GATHERED:
            yield _table(single)
            single = []
    if single:
        yield _table(single)


def _table(single: list[Mapping[str, object]]) -> pl.DataFrame:
    names = dict.fromkeys(name for each in single for name in each)
    return pl.DataFrame({name: [_text(each.get(name)) for each in single] for name in names})


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _checked_table(table: pl.DataFrame, place: int) -> pl.DataFrame:
    """The table with texts in all columns; documents without an id are an error."""
    if ID not in table.columns:
        advice = f"Name the column that holds the ids '{ID}'."
        raise InputError.of(DOCUMENTS_SOURCE, [f"no column '{ID}' among {', '.join(table.columns) or 'none'}"], advice)
    nested = [name for name, kind in table.schema.items() if kind.is_nested() or kind == pl.Object]
    if nested:
        raise InputError.of(DOCUMENTS_SOURCE, [f"column '{name}' holds no texts" for name in nested])
    texts = table.select(pl.all().cast(pl.String))
    lacking = np.flatnonzero(texts[ID].fill_null("").str.strip_chars() == "")
    if len(lacking):
        problems = [Problem(f"document {place + each + 1}", "has no id") for each in lacking[:100]]
        raise InputError.of(DOCUMENTS_SOURCE, problems, total=len(lacking))
    return texts


def _pieces(table: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """A table cut where a block is full."""
    if not len(table):
        return
    bytes_of = table.select(pl.sum_horizontal(pl.all().str.len_bytes().fill_null(0)).alias("bytes"))["bytes"].to_numpy()
    ends = np.cumsum(bytes_of, dtype=np.int64)
    start = 0
    while start < len(table):
        room = MOST_BYTES + (int(ends[start - 1]) if start else 0)
        stop = min(max(int(np.searchsorted(ends, room, side="right")), start + 1), start + MOST_DOCUMENTS)
        yield table[start:stop]
        start = stop


class UsedIds:
    """The ids that an index holds, by their hashes alone; a second document of an id is found, and both are named."""

    def __init__(self) -> None:
        self.hashes: Numbers = np.empty(0, dtype=np.uint64)

    def check(self, ids: pl.Series, earlier: Callable[[], Sequence[Segment]]) -> None:
        """Refuse ids that come twice, or that documents of earlier segments have; those are read on suspicion only."""
        hashes = ids.hash().to_numpy()
        ordered = np.sort(hashes)
        repeated = ordered[1:][ordered[1:] == ordered[:-1]]
        suspects = np.isin(hashes, repeated) if len(repeated) else np.zeros(len(ids), dtype=bool)
        if len(self.hashes):
            places = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
            suspects |= self.hashes[places] == hashes
        if suspects.any():
            _refuse_repeated(earlier(), ids, ids.filter(pl.Series(suspects)))

    def add(self, ids: pl.Series) -> None:
        self.hashes = np.sort(np.concatenate([self.hashes, ids.hash().to_numpy()]))


def _refuse_repeated(earlier: Sequence[Segment], ids: pl.Series, suspects: pl.Series) -> None:
    """An error that names both places of each id; none where only the hashes were equal."""
    live = pl.Series(np.concatenate([*(each.live for each in earlier), np.ones(len(ids), dtype=bool)]))
    everywhere = pl.concat([*(each.documents.ids for each in earlier), ids]).to_frame(ID).with_row_index("place")
    rows = everywhere.filter(live & everywhere[ID].is_in(suspects.unique().implode()))
    places = rows.group_by(ID, maintain_order=True).agg("place").filter(pl.col("place").list.len() > 1)
    problems = [
        Problem("", f"document {found[0] + 1} and document {found[1] + 1} have the same id '{name}'")
        for name, found in places.head(100).iter_rows()
    ]
    if problems:
        raise InputError.of(DOCUMENTS_SOURCE, problems, "Give each document an id of its own.", total=len(places))
