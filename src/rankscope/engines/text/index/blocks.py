"""Documents in blocks: tables with an `id` and texts in all other columns, checked, and small enough for the memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from rankscope.engines.text.index.columns import Numbers
from rankscope.engines.text.index.segment import ID, Segment
from rankscope.errors import InputError, Problem

if TYPE_CHECKING:
    import polars as pl

Documents: TypeAlias = "pl.DataFrame | Iterable[pl.DataFrame | Mapping[str, object]]"
MOST_DOCUMENTS: Final = 50_000
MOST_BYTES: Final = 24 << 20
GATHERED: Final = 5_000  # single documents that are made a table at a time
SOURCE: Final = "documents"


def blocks_of(documents: Documents) -> Iterator[pl.DataFrame]:
    """Documents in tables of text, each of at most 50,000 rows and about 24 MB.

    >>> [block.shape for block in blocks_of([{"id": 1, "body": "a fox"}, {"id": 2, "title": "none"}])]
    [(2, 3)]
    """
    import polars as pl

    place = size = 0
    waiting: list[pl.DataFrame] = []
    for table in _tables([documents] if isinstance(documents, pl.DataFrame) else documents):
        checked = _checked(table, place)
        place += len(checked)
        for piece in _pieces(checked):
            if waiting and (_rows(waiting) + len(piece) > MOST_DOCUMENTS or size + _bytes(piece) > MOST_BYTES):
                yield pl.concat(waiting, how="diagonal")
                waiting, size = [], 0
            waiting, size = [*waiting, piece], size + _bytes(piece)
    if waiting:
        yield pl.concat(waiting, how="diagonal")


def _rows(tables: Sequence[pl.DataFrame]) -> int:
    return sum(map(len, tables))


def _bytes(table: pl.DataFrame) -> int:
    """How much text a table holds."""
    import polars as pl

    return int(table.select(pl.sum_horizontal(pl.all().str.len_bytes().sum()))[0, 0] or 0)


def _tables(documents: Iterable[pl.DataFrame | Mapping[str, object]]) -> Iterator[pl.DataFrame]:
    """Tables as they come, and single documents gathered into tables."""
    import polars as pl

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
    import polars as pl

    names = dict.fromkeys(name for each in single for name in each)
    return pl.DataFrame({name: [_text(each.get(name)) for each in single] for name in names})


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _checked(table: pl.DataFrame, place: int) -> pl.DataFrame:
    """The table with texts in all columns; documents without an id are an error."""
    import polars as pl

    if ID not in table.columns:
        advice = f"Name the column that holds the ids '{ID}'."
        raise InputError.of(SOURCE, [f"no column '{ID}' among {', '.join(table.columns) or 'none'}"], advice)
    nested = [name for name, kind in table.schema.items() if kind.is_nested() or kind == pl.Object]
    if nested:
        raise InputError.of(SOURCE, [f"column '{name}' holds no texts" for name in nested])
    texts = table.select(pl.all().cast(pl.String))
    lacking = np.flatnonzero(texts[ID].fill_null("").str.strip_chars() == "")
    if len(lacking):
        problems = [Problem(f"document {place + each + 1}", "has no id") for each in lacking[:100]]
        raise InputError.of(SOURCE, problems, total=len(lacking))
    return texts


def _pieces(table: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """A table cut where a block is full."""
    import polars as pl

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
        import polars as pl

        hashes = ids.hash().to_numpy()
        ordered = np.sort(hashes)
        repeated = ordered[1:][ordered[1:] == ordered[:-1]]
        suspects = np.isin(hashes, repeated) if len(repeated) else np.zeros(len(ids), dtype=bool)
        suspects |= self._among(hashes)
        if suspects.any():
            _refuse(earlier(), ids, ids.filter(pl.Series(suspects)))

    def add(self, ids: pl.Series) -> None:
        """Remember more ids."""
        self.hashes = np.sort(np.concatenate([self.hashes, ids.hash().to_numpy()]))

    def _among(self, hashes: Numbers) -> Numbers:
        if not len(self.hashes):
            return np.zeros(len(hashes), dtype=bool)
        places = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        return self.hashes[places] == hashes


def _refuse(earlier: Sequence[Segment], ids: pl.Series, suspects: pl.Series) -> None:
    """An error that names both places of each id; none where only the hashes were equal."""
    import polars as pl

    live = pl.Series(np.concatenate([*(each.live for each in earlier), np.ones(len(ids), dtype=bool)]))
    everywhere = pl.concat([*(each.documents.ids for each in earlier), ids]).to_frame(ID).with_row_index("place")
    rows = everywhere.filter(live & everywhere[ID].is_in(suspects.unique().implode()))
    places = rows.group_by(ID, maintain_order=True).agg("place").filter(pl.col("place").list.len() > 1)
    problems = [
        Problem("", f"document {found[0] + 1} and document {found[1] + 1} have the same id '{name}'")
        for name, found in places.head(100).iter_rows()
    ]
    if problems:
        raise InputError.of(SOURCE, problems, "Give each document an id of its own.", total=len(places))
