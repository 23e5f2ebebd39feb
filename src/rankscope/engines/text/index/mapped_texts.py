"""Texts of an index that are read often: unpacked once into temporary files, which are mapped."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from rankscope.engines.text.index.columns import Numbers
from rankscope.engines.text.index.reader import IndexReader
from rankscope.engines.text.index.segment import ID, Row, StoredDocuments

if TYPE_CHECKING:
    import polars as pl


def map_texts(reader: IndexReader) -> IndexReader:
    """The same index, whose texts lie unpacked in temporary files that go when it does.

    The index's own tables of texts are not read any more; they may be merged and removed meanwhile.
    >>> from rankscope.engines.text import Index
    >>> map_texts(Index.build([{"id": "a", "body": "a fox"}]).reader).stored(0)
    {'id': 'a', 'body': 'a fox'}
    """
    segments = [replace(each, documents=MappedDocuments.of(each.documents)) for each in reader.segments]
    return IndexReader(segments, reader.analysers, reader.exact_lengths, reader.names)


@dataclass(frozen=True, eq=False)
class MappedColumn:
    """The texts of one field, one after another: text i goes from offsets[i] to offsets[i + 1], where it is `there`."""

    text: Numbers
    offsets: Numbers
    there: Numbers

    def __getitem__(self, place: int) -> str | None:
        if not self.there[place]:
            return None
        return self._view[self.offsets[place] : self.offsets[place + 1]].tobytes().decode()

    @cached_property
    def _view(self) -> memoryview:
        text: Any = self.text
        return memoryview(text)


@dataclass(frozen=True, eq=False)
class MappedDocuments(StoredDocuments):
    """Documents whose texts are mapped; `size` are the bytes that the index's own tables took."""

    fields: dict[str, MappedColumn]
    size: int

    @classmethod
    def of(cls, documents: StoredDocuments) -> MappedDocuments:
        """From tables, one after another."""
        names = dict.fromkeys(name for place in range(len(documents.parts)) for name in documents.names(place))
        return cls(documents.parts, {name: _column(documents, name) for name in names}, documents.bytes)

    @property
    def bytes(self) -> int:
        """Bytes that the tables took when they were read."""
        return self.size

    @cached_property
    def ids(self) -> pl.Series:
        """The ids, in order."""
        return self.column(ID)

    def column(self, field: str) -> pl.Series:
        """The texts of one field, null where a document has none."""
        import polars as pl

        found = self.fields.get(field)
        count = len(self.fields[ID].there)
        return pl.Series(field, [found[place] if found else None for place in range(count)], dtype=pl.String)

    def dicts(self, places: Sequence[int]) -> list[Row]:
        """Some of the documents, in the order asked for."""
        return [{name: column[place] for name, column in self.fields.items()} for place in places]


def _column(documents: StoredDocuments, name: str) -> MappedColumn:
    lengths, there = [], []
    with tempfile.TemporaryFile() as file:
        for place in range(len(documents.parts)):
            texts = documents.part_column(place, name)
            file.write("".join(texts.fill_null("")).encode())
            lengths.append(texts.str.len_bytes().fill_null(0).to_numpy())
            there.append(texts.is_not_null().to_numpy())
        offsets = np.concatenate([[0], np.cumsum(np.concatenate(lengths), dtype=np.int64)])
        return MappedColumn(_mapped(file), offsets, np.concatenate(there))


def _mapped(file: IO[bytes]) -> Numbers:
    """The bytes of a file; it may be closed, and is gone when they are."""
    file.flush()
    if not file.tell():
        return np.empty(0, dtype=np.uint8)
    return np.memmap(file, dtype=np.uint8, mode="r")
