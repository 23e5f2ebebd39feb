"""All segments of one index or several, read as one: documents are numbered through, and statistics are summed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from rankscope.catalogue import did_you_mean
from rankscope.engines.text.analysis.analyser import Analyser
from rankscope.engines.text.index.columns import FieldColumns, Numbers
from rankscope.engines.text.index.lengths import coarse_lengths
from rankscope.engines.text.index.segment import ID, Segment
from rankscope.engines.text.index.statistics import FieldStatistics, TermStatistics
from rankscope.errors import SettingError

if TYPE_CHECKING:
    import polars as pl

    from rankscope.engines.text.index.vocabulary import Vocabulary

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
        """The positions in each document."""
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
        """The ids of all documents."""
        import polars as pl

        ids = [segment.documents.ids for segment in self.segments]
        if len(set(self.names)) > 1:
            return _distinguished(ids, self.names).rechunk()
        return pl.concat(ids).rechunk() if ids else pl.Series(ID, [], dtype=pl.String)

    @property
    def live_ids(self) -> pl.Series:
        """The ids of documents that are not deleted."""
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
        import polars as pl

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
        from rankscope.engines.text.index.vocabulary import Vocabulary

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
        found = [
            _postings(base, columns, place, positions)
            for base, columns in self.columns(field)
            if (place := columns.terms.find(term)) >= 0
        ]
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


def _postings(base: int, columns: FieldColumns, place: int, positions: bool) -> Postings:
    begin, end = int(columns.starts[place]), int(columns.starts[place + 1])
    first, last = int(columns.position_starts[place]), int(columns.position_starts[place + 1])
    docs = np.asarray(columns.docs[begin:end])
    return Postings(
        docs + np.int32(base) if base else docs,
        np.asarray(columns.counts[begin:end]),
        np.asarray(columns.positions[first:last]) if positions else columns.positions[:0],
    )


def _joined(parts: Sequence[Numbers], otherwise: type[np.generic]) -> Numbers:
    return np.concatenate(parts) if parts else np.empty(0, dtype=otherwise)


def _distinguished(ids: Sequence[pl.Series], names: Sequence[str]) -> pl.Series:
    """The ids of several indexes; one that stands in several gets the name of its index in front."""
    import polars as pl

    tables = [each.to_frame(ID).with_columns(index=pl.lit(name)) for each, name in zip(ids, names, strict=True)]
    shared = pl.col("index").n_unique().over(ID) > 1
    named = pl.concat_str("index", pl.lit("/"), ID)
    return pl.concat(tables).select(pl.when(shared).then(named).otherwise(ID).alias(ID))[ID]
