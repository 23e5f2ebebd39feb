"""All segments of one index or several, read as one: from folders, from memory, or with texts that are mapped."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl

from rankscope.core.catalogue import did_you_mean
from rankscope.core.errors import InputError, SettingError
from rankscope.engines.text.analysers import ANALYSERS, Analyser, KnownTerms
from rankscope.engines.text.index_columns import FieldColumns, Numbers, Vocabulary, build_field, coarse_lengths
from rankscope.engines.text.index_files import open_segment, read_record
from rankscope.engines.text.segments import ID, Row, Segment, StoredDocuments, UsedIds
from rankscope.engines.text.similarities import FieldStatistics, TermStatistics

_NO_TERMS = (np.empty(0, dtype=np.int64),) * 3


@dataclass(frozen=True, eq=False)
class Postings:
    """Where a term stands: documents, ascending, how often in each, and at which positions, one after another."""

    docs: Numbers
    counts: Numbers
    positions: Numbers

    @property
    def owners(self) -> Numbers:
        """The document of each position."""
        return np.repeat(self.docs, self.counts)

    def places(self) -> list[list[int]]:
        ends = np.cumsum(self.counts, dtype=np.int64).tolist()
        return [self.positions[start:end].tolist() for start, end in pairwise([0, *ends])]


class IndexReader:
    """Everything that matching and scoring ask of an index. Deleted documents count until segments are merged."""

    def __init__(
        self,
        segments: Sequence[Segment],
        analysers: Mapping[str, Analyser],
        exact_lengths: bool = False,
        names: Sequence[str] = (),
    ) -> None:
        self.names = tuple(names)  # of the index that each segment is of, where there are several indexes
        self.segments, self.analysers, self.exact_lengths = tuple(segments), dict(analysers), exact_lengths
        self.bases = np.cumsum([0, *(each.count for each in segments)]).tolist()
        self.count: int = self.bases[-1]
        self._fields: dict[str, FieldStatistics] = {}
        self._lengths: dict[str, Numbers] = {}
        self._vocabularies: dict[str, Vocabulary] = {}

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The fields that documents have, in the order in which they came."""
        return tuple(dict.fromkeys(name for segment in self.segments for name in segment.fields))

    @cached_property
    def ids(self) -> pl.Series:
        ids = [segment.documents.ids for segment in self.segments]
        if len(set(self.names)) > 1:  # one that stands in several gets the name of its index in front
            several = zip(ids, self.names, strict=True)
            tables = [each.to_frame(ID).with_columns(index=pl.lit(name)) for each, name in several]
            shared, named = pl.col("index").n_unique().over(ID) > 1, pl.concat_str("index", pl.lit("/"), ID)
            return pl.concat(tables).select(pl.when(shared).then(named).otherwise(ID).alias(ID))[ID].rechunk()
        return pl.concat(ids).rechunk() if ids else pl.Series(ID, [], dtype=pl.String)

    @property
    def live_ids(self) -> pl.Series:
        return self.ids if self.deleted is None else self.ids.filter(~self.deleted)

    def stored(self, number: int) -> dict[str, str | None]:
        """The texts of a document as they were given, with its id."""
        return self.stored_rows([number])[0]

    def stored_rows(self, numbers: Sequence[int]) -> list[dict[str, str | None]]:
        """The same of several documents, in the order asked for; each file is read once."""
        found: dict[int, dict[str, str | None]] = {}
        for base, end, segment in zip(self.bases, self.bases[1:], self.segments, strict=False):
            here = [number for number in numbers if base <= number < end]
            if here:
                found |= dict(zip(here, segment.documents.dicts([number - base for number in here]), strict=True))
        return [found[number] for number in numbers]

    def stored_column(self, field: str) -> pl.Series:
        """The texts of one field of all documents, null where a document has none; of `id` the ids."""
        if field == ID:
            return self.ids
        self.need_field(field)
        return pl.concat([segment.documents.column(field) for segment in self.segments])

    @cached_property
    def deleted(self) -> Numbers | None:
        """Whether each document is deleted; None where none is."""
        if not any(len(segment.deleted) for segment in self.segments):
            return None
        return np.concatenate([~segment.live for segment in self.segments])

    def columns(self, field: str) -> Iterator[tuple[int, FieldColumns]]:
        """The columns of a field in each segment that has it, with the number of the segment's first document.

        `id` is a field too, of one term in each document.
        """
        for base, segment in zip(self.bases, self.segments, strict=False):
            if field == ID:
                yield base, segment.id_columns
            elif field in segment.fields:
                yield base, segment.fields[field]

    def need_field(self, field: str) -> None:
        """Refuse a field that no document has."""
        if field not in self.fields:
            hint, there = did_you_mean(field, self.fields), ", ".join(self.fields) or "none"
            raise SettingError(f"no field '{field}' in this index{hint} There are: {there}")

    def vocabulary(self, field: str) -> Vocabulary:
        """All terms of a field; made when first needed."""
        if field not in self._vocabularies:
            self._vocabularies[field] = Vocabulary.of([columns for _, columns in self.columns(field)])
        return self._vocabularies[field]

    def document_terms(self, field: str, docs: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """The terms of some documents: which of these documents, place in the vocabulary, and count."""
        found = []
        for (base, columns), codes in zip(self.columns(field), self.vocabulary(field).codes, strict=True):
            here = np.flatnonzero((docs >= base) & (docs < base + len(columns.lengths)))
            row, code, count = columns.by_document.rows(docs[here] - base)
            found.append((here[row], codes[code], count))
        row, code, count = (_joined(parts, np.int64) for parts in zip(*found, strict=True)) if found else _NO_TERMS
        return row, code, count

    def field(self, field: str) -> FieldStatistics:
        """N and T of a field."""
        if field not in self._fields:
            columns = [each for _, each in self.columns(field)]
            totals = sum(each.documents for each in columns), sum(each.tokens for each in columns)
            self._fields[field] = FieldStatistics(*totals)
        return self._fields[field]

    def term(self, field: str, term: str) -> TermStatistics:
        """n and F of a term."""
        documents = occurrences = 0
        for _, columns in self.columns(field):
            place = columns.terms.find(term)
            if place >= 0:
                documents += int(columns.starts[place + 1] - columns.starts[place])
                occurrences += int(columns.position_starts[place + 1] - columns.position_starts[place])
        return TermStatistics(documents, occurrences)

    def postings(self, field: str, term: str, positions: bool = False) -> Postings:
        """Where a term stands; its positions only where they are asked for."""
        found = []
        for base, columns in self.columns(field):
            place = columns.terms.find(term)
            if place < 0:
                continue
            begin, end = int(columns.starts[place]), int(columns.starts[place + 1])
            first, last = int(columns.position_starts[place]), int(columns.position_starts[place + 1])
            docs, counts = np.asarray(columns.docs[begin:end]), np.asarray(columns.counts[begin:end])
            places = np.asarray(columns.positions[first:last]) if positions else columns.positions[:0]
            found.append(Postings(docs + np.int32(base) if base else docs, counts, places))
        if len(found) == 1:
            return found[0]
        return Postings(
            _joined([each.docs for each in found], np.int32),
            _joined([each.counts for each in found], np.uint8),
            _joined([each.positions for each in found], np.uint8),
        )

    def lengths(self, field: str) -> Numbers:
        """The length of a field in each document, as similarities see it."""
        if field not in self._lengths:
            whole = np.zeros(self.count, dtype=np.int64)
            for base, columns in self.columns(field):
                whole[base : base + len(columns.lengths)] = columns.lengths
            self._lengths[field] = (whole if self.exact_lengths else coarse_lengths(whole)).astype(np.float32)
        return self._lengths[field]


def _joined(parts: Sequence[Numbers], otherwise: type[np.generic]) -> Numbers:
    return np.concatenate(parts) if parts else np.empty(0, dtype=otherwise)


# Indexes made ready for reading: from blocks of documents in memory, or from one folder or several.

Where = TypeVar("Where", Path, str)


def hold_in_memory(
    blocks: Iterable[pl.DataFrame], analyser: str, analysers: Mapping[str, str], exact_lengths: bool
) -> IndexReader:
    """An index of blocks of documents that lies on no disk."""
    names, ids = dict(analysers), UsedIds()
    known: defaultdict[str, KnownTerms] = defaultdict(KnownTerms)
    segments: list[Segment] = []
    for block in blocks:
        ids.check(block[ID], lambda: segments)
        ids.add(block[ID])
        fields = [column for column in block.columns if column != ID]
        names = {**dict.fromkeys(fields, analyser), **names}
        columns = {
            field: build_field(block[field], ANALYSERS.parse(names[field]), known[names[field]]) for field in fields
        }
        segments.append(
            Segment(
                count=len(block),
                fields=columns,
                documents=StoredDocuments((block,)),
                deleted=np.empty(0, dtype=np.int64),
            )
        )
    parsed = {name: ANALYSERS.parse(text) for name, text in names.items()}
    return IndexReader(segments, parsed, exact_lengths)


def open_together(folders: Sequence[Path]) -> IndexReader:
    """The indexes in some folders, each another one, read as one."""
    records = {folder: read_record(folder) for folder in folders}
    analysers = _one_analyser_each({folder: record.analysers for folder, record in records.items()})
    exact = {record.exact_lengths for record in records.values()}
    _check_lengths(exact)
    opened = [(folder, open_segment(folder, each)) for folder, record in records.items() for each in record.segments]
    parsed = {}
    for name, (text, folder) in analysers.items():
        try:
            parsed[name] = ANALYSERS.parse(text)
        except SettingError as error:
            raise InputError.of(str(folder), [f"was made with an analyser that is not here: {error}"]) from None
    names = [folder.name for folder, _ in opened] if len(records) > 1 else []
    return IndexReader([each for _, each in opened], parsed, exact.pop(), names)


def read_together(readers: Mapping[str, IndexReader]) -> IndexReader:
    """Indexes that are open, by their names, read as one."""
    written = {name: {field: str(each) for field, each in reader.analysers.items()} for name, reader in readers.items()}
    _one_analyser_each(written)
    exact = {reader.exact_lengths for reader in readers.values()}
    _check_lengths(exact)
    segments = [(name, segment) for name, reader in readers.items() for segment in reader.segments]
    analysers = {field: each for reader in readers.values() for field, each in reader.analysers.items()}
    names = [name for name, _ in segments] if len(readers) > 1 else []
    return IndexReader([each for _, each in segments], analysers, exact.pop(), names)


def _check_lengths(exact: set[bool]) -> None:
    if len(exact) > 1:
        raise SettingError("some of these indexes keep exact lengths and others do not: index them alike")


def _one_analyser_each(analysers: Mapping[Where, Mapping[str, str]]) -> dict[str, tuple[str, Where]]:
    """The analyser of each field and who says so; a field that has several is an error."""
    found: dict[str, tuple[str, Where]] = {}
    problems = []
    for place, own in analysers.items():
        for field, analyser in own.items():
            other, where = found.setdefault(field, (analyser, place))
            if other != analyser:
                problems.append(f"field '{field}' is analysed by {other} in {where} and by {analyser} in {place}")
    if problems:
        raise SettingError.of(problems)
    return found


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
        names = dict.fromkeys(name for place in range(len(documents.parts)) for name in documents.names(place))
        return cls(documents.parts, {name: _mapped_column(documents, name) for name in names}, documents.bytes)

    @property
    def bytes(self) -> int:
        """Bytes that the tables took when they were read."""
        return self.size

    @cached_property
    def ids(self) -> pl.Series:
        return self.column(ID)

    def column(self, field: str) -> pl.Series:
        found = self.fields.get(field)
        count = len(self.fields[ID].there)
        return pl.Series(field, [found[place] if found else None for place in range(count)], dtype=pl.String)

    def dicts(self, places: Sequence[int]) -> list[Row]:
        return [{name: column[place] for name, column in self.fields.items()} for place in places]


def _mapped_column(documents: StoredDocuments, name: str) -> MappedColumn:
    lengths, there = [], []
    with tempfile.TemporaryFile() as file:
        for place in range(len(documents.parts)):
            texts = documents.part_column(place, name)
            file.write("".join(texts.fill_null("")).encode())
            lengths.append(texts.str.len_bytes().fill_null(0).to_numpy())
            there.append(texts.is_not_null().to_numpy())
        offsets = np.concatenate([[0], np.cumsum(np.concatenate(lengths), dtype=np.int64)])
        file.flush()
        # The file may be closed, and is gone when its bytes are.
        text = np.memmap(file, dtype=np.uint8, mode="r") if file.tell() else np.empty(0, dtype=np.uint8)
        return MappedColumn(text, offsets, np.concatenate(there))
