"""Writing an index: blocks become segments, many small segments are merged into a larger one, and one commit shows it
all.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import numpy as np
import polars as pl

from rankscope.core.digests import FileDigest
from rankscope.core.errors import SettingError
from rankscope.core.files import atomic, made_folder, sole_writer
from rankscope.engines.text.analysers import ANALYSERS, KnownTerms
from rankscope.engines.text.index_columns import ARRAYS, FieldColumns, Numbers, TermColumn, build_field
from rankscope.engines.text.index_files import (
    INDEX_RECORD,
    ArrayWriter,
    IndexRecord,
    SegmentRecord,
    TotalsWriter,
    array_writer,
    open_segment,
    read_record,
    read_slice,
    write_array,
    write_record,
)
from rankscope.engines.text.segments import ID, MOST_DOCUMENTS, Segment, UsedIds

LOCK: Final = ".writer"
SEGMENT, DOCUMENTS = "segment-", "documents-"
MOST_OF_A_TIER: Final = 10  # segments; one more, and all of the tier become one of the next


class IndexWriter:
    """The one writer of an index, in a `with` block; what was added counts when it is committed, all of it at once."""

    def __init__(self, folder: Path, record: IndexRecord) -> None:
        self.folder, self.record, self.before = made_folder(folder), record, record
        self.segments = list(record.segments)
        self.analysers = dict(record.analysers)
        self.known: dict[str, KnownTerms] = {}
        self.ids = UsedIds()
        self._lock = sole_writer(self.folder, LOCK)
        self._remove_uncounted(self.record.segments)

    @classmethod
    def create(cls, folder: Path, analyser: str, analysers: Mapping[str, str], exact_lengths: bool = False) -> Self:
        """A writer of a new index in a folder that has none."""
        if (folder / INDEX_RECORD).exists():
            raise SettingError(f"{folder} holds an index: add to it, or remove it first")
        return cls(folder, IndexRecord((), dict(analysers), analyser, exact_lengths))

    @classmethod
    def append(cls, folder: Path) -> Self:
        """A writer that adds to an index."""
        writer = cls(folder, read_record(folder))
        try:
            writer._remember_ids()
        except BaseException:
            writer._lock.close()
            raise
        return writer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: object, trace: TracebackType | None) -> None:
        readers = self.before.segments  # somebody may still read what counted before; the next writer removes it
        self._remove_uncounted([*readers, *self.record.segments])
        if not (self.folder / INDEX_RECORD).exists():
            # No trace of an index that was never committed; what else lies in the folder stays.
            (self.folder / LOCK).unlink(missing_ok=True)
            if not any(self.folder.iterdir()):
                self.folder.rmdir()
        self._lock.close()

    def add(self, block: pl.DataFrame) -> None:
        """Index one block of documents, and merge segments where there are many small ones."""
        self.ids.check(block[ID], self._opened)
        name, place = self._new_folder()
        files: dict[str, FileDigest] = {}
        fields = tuple(column for column in block.columns if column != ID)
        for number, field in enumerate(fields):
            written = self.analysers.setdefault(field, self.record.default_analyser)
            known = self.known.setdefault(written, KnownTerms())
            columns = build_field(block[field], ANALYSERS.parse(written), known)
            for array in ARRAYS:
                write_array(place / f"{number}.{array}.npy", getattr(columns, array), files)
        self.segments.append(
            SegmentRecord(
                name=name, count=len(block), tier=0, fields=fields, files=files, documents=self._write_documents(block)
            )
        )
        self.ids.add(block[ID])
        tier = 0
        while len(full := [each for each in self.segments if each.tier == tier]) > MOST_OF_A_TIER:
            self._merge(full, tier + 1)
            tier += 1

    def delete(self, ids: Iterable[str]) -> int:
        """Delete documents by their ids; how many were there. They leave the statistics when segments are merged."""
        wanted = pl.Series(list(ids), dtype=pl.String)
        found = 0
        for place, record in enumerate(self.segments):
            segment = open_segment(self.folder, record)
            hit = segment.documents.ids.is_in(wanted.implode()).to_numpy() & segment.live
            if hit.any():
                found += int(hit.sum())
                self.segments[place] = self._without(record, np.flatnonzero(hit | ~segment.live))
        self._remember_ids()
        return found

    def merge(self) -> None:
        """Make one segment of all, without deleted documents."""
        if len(self.segments) > 1 or any(each.deleted for each in self.segments):
            self._merge(self.segments, max(each.tier for each in self.segments))

    def commit(self) -> IndexRecord:
        """Make all that was added and deleted count."""
        self.record = replace(
            self.record, segments=tuple(self.segments), analysers=self.analysers, generation=self.record.generation + 1
        )
        write_record(self.folder, self.record)
        return self.record

    def _opened(self) -> list[Segment]:
        return [open_segment(self.folder, each) for each in self.segments]

    def _remember_ids(self) -> None:
        self.ids = UsedIds()
        for each in self._opened():
            self.ids.add(each.documents.ids.filter(pl.Series(each.live)))

    def _write_documents(self, documents: pl.DataFrame) -> dict[str, FileDigest]:
        path = self.folder / f"{DOCUMENTS}{secrets.token_hex(4)}.parquet"
        with atomic(path, "wb") as file:
            documents.write_parquet(file, compression="zstd", compression_level=1)
        return {path.name: FileDigest.of(path)}

    def _new_folder(self) -> tuple[str, Path]:
        name = f"{SEGMENT}{secrets.token_hex(4)}"
        return name, made_folder(self.folder / name)

    def _without(self, record: SegmentRecord, deleted: Numbers) -> SegmentRecord:
        name = f"deleted-{secrets.token_hex(4)}.npy"
        files = {each: value for each, value in record.files.items() if each != record.deleted}
        write_array(self.folder / record.name / name, deleted.astype(np.int64), files)
        return replace(record, deleted=name, files=files)

    def _merge(self, records: Sequence[SegmentRecord], tier: int) -> None:
        """Put one segment in the place of several."""
        segments = [open_segment(self.folder, each) for each in records]
        name, place = self._new_folder()
        files: dict[str, FileDigest] = {}
        fields = tuple(dict.fromkeys(field for each in records for field in each.fields))
        bases = np.cumsum([0, *(int(each.live.sum()) for each in segments)]).tolist()
        for number, field in enumerate(fields):
            sources = [
                MergedSegment(each.fields.get(field) or empty_columns(each.count), base, each.live)
                for each, base in zip(segments, bases, strict=False)
            ]
            merge_field(sources, place, str(number), files)
        merged = SegmentRecord(
            name=name,
            count=sum(int(each.live.sum()) for each in segments),
            tier=tier,
            fields=fields,
            files=files,
            documents=self._live_documents(records, segments),
        )
        first = self.segments.index(records[0])
        before = [each for each in self.segments[:first] if each not in records]
        self.segments = [*before, merged, *(each for each in self.segments[first:] if each not in records)]
        self._remove_uncounted([*self.before.segments, *self.record.segments, *self.segments])

    def _live_documents(self, records: Sequence[SegmentRecord], segments: Sequence[Segment]) -> dict[str, FileDigest]:
        """The files of stored documents; those of segments with deleted documents are written anew."""
        files: dict[str, FileDigest] = {}
        for record, segment in zip(records, segments, strict=True):
            if not record.deleted:
                files |= record.documents
                continue
            places = np.flatnonzero(segment.live)
            for start in range(0, len(places), MOST_DOCUMENTS):
                files |= self._write_documents(segment.documents.rows(places[start : start + MOST_DOCUMENTS]))
        return files

    def _remove_uncounted(self, counted: Iterable[SegmentRecord]) -> None:
        """What no index counts: of a writer that did not finish, or merged into others before anybody could see it."""
        kept = {name for each in counted for name in (each.name, *each.documents)}
        for path in [*self.folder.glob(f"{SEGMENT}*"), *self.folder.glob(f"{DOCUMENTS}*")]:
            if path.name in kept:
                continue
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def empty_columns(count: int) -> FieldColumns:
    """The columns of a field that none of so many documents has."""
    nothing, zero = np.empty(0, dtype=np.int32), np.zeros(1, dtype=np.int64)
    return FieldColumns(
        text=np.empty(0, dtype=np.uint8),
        offsets=zero,
        starts=zero,
        docs=nothing,
        counts=nothing.astype(np.uint8),
        position_starts=zero,
        positions=nothing.astype(np.uint8),
        lengths=np.zeros(count, dtype=np.int32),
    )


# Several segments made one, a range of terms at a time, so that memory stays flat at any size.

MOST_POSTINGS: Final = 1_000_000  # merged at a time
MOST_TERMS: Final = 100_000
RUNNING_TOTALS: Final = ("offsets", "starts", "position_starts")
TermSpans = tuple[tuple[int, int], ...]  # of each source, from which term to which


@dataclass(frozen=True, eq=False)
class MergedSegment:
    """One segment to be merged: its columns of a field, where its documents begin, and which of them stay."""

    columns: FieldColumns
    base: int
    live: Numbers

    @cached_property
    def numbers(self) -> Numbers:
        """The new number of each document."""
        return (self.base + np.cumsum(self.live) - 1).astype(np.int32)


@dataclass(frozen=True, eq=False)
class TermPostings:
    """Postings of consecutive terms of one source: how many each term has, and those themselves."""

    terms: pl.Series
    postings: Numbers
    occurrences: Numbers
    docs: Numbers
    counts: Numbers
    positions: Numbers


@dataclass(frozen=True, eq=False)
class MergeTarget:
    """Where the merged columns are written."""

    arrays: dict[str, ArrayWriter]
    totals: dict[str, TotalsWriter]

    def write_terms(self, terms: pl.Series, postings: Numbers, occurrences: Numbers) -> None:
        """Terms, and how many postings and occurrences each has."""
        column = TermColumn.of(terms)
        self.arrays["text"].write(column.text)
        self.totals["offsets"].write(np.diff(column.offsets))
        self.totals["starts"].write(postings)
        self.totals["position_starts"].write(occurrences)

    def write_postings(self, docs: Numbers, counts: Numbers, positions: Numbers) -> None:
        self.arrays["docs"].write(docs)
        self.arrays["counts"].write(counts)
        self.arrays["positions"].write(positions)


def merge_field(sources: Sequence[MergedSegment], folder: Path, prefix: str, records: dict[str, FileDigest]) -> None:
    """Write the columns of one field of all sources into files of a folder."""
    with ExitStack() as stack:
        arrays = {}
        for name in ARRAYS:
            widest = max((getattr(each.columns, name).dtype for each in sources), key=lambda kind: kind.itemsize)
            arrays[name] = stack.enter_context(array_writer(folder / f"{prefix}.{name}.npy", widest, records))
        for source in sources:
            arrays["lengths"].write(read_slice(source.columns.lengths, 0, len(source.live))[source.live])
        target = MergeTarget(arrays, {name: TotalsWriter(arrays[name]) for name in RUNNING_TOTALS})
        # Ranges of terms that cover all, in order, each with few postings or of a single term.
        largest = max(sources, key=lambda source: len(source.columns.terms)).columns.terms
        edges = [_places(sources, largest[place]) for place in range(MOST_TERMS, len(largest), MOST_TERMS)]
        edges = [(0,) * len(sources), *edges, tuple(len(source.columns.terms) for source in sources)]
        ranges = (tuple(zip(low, high, strict=True)) for low, high in pairwise(edges))
        for spans in chain.from_iterable(_halves(sources, each) for each in ranges):
            if _postings(sources, spans) > MOST_POSTINGS:
                _copy_one_term(sources, spans, target)
            else:
                _merge_range(sources, spans, target)


def _halves(sources: Sequence[MergedSegment], spans: TermSpans) -> Iterator[TermSpans]:
    """A range, or parts of it that have few postings or a single term."""
    first, last = _ends(sources, spans)
    if first is None:
        return
    if first == last or _postings(sources, spans) <= MOST_POSTINGS:
        yield spans
        return
    low, high = max(spans, key=lambda span: span[1] - span[0])
    widest = sources[spans.index((low, high))].columns.terms
    middle = _places(sources, widest[(low + high) // 2] if high - low > 1 else last or "")
    yield from _halves(sources, tuple((low, each) for (low, _), each in zip(spans, middle, strict=True)))
    yield from _halves(sources, tuple((each, high) for (_, high), each in zip(spans, middle, strict=True)))


def _places(sources: Sequence[MergedSegment], term: str) -> tuple[int, ...]:
    """How many terms of each source stand before a term."""
    return tuple(source.columns.terms.first_from(term.encode()) for source in sources)


def _ends(sources: Sequence[MergedSegment], spans: TermSpans) -> tuple[str | None, str | None]:
    """The first and the last term of a range."""
    there = [(source.columns.terms, *span) for source, span in zip(sources, spans, strict=True) if span[0] < span[1]]
    first = min((terms[low] for terms, low, _ in there), key=str.encode, default=None)
    return first, max((terms[high - 1] for terms, _, high in there), key=str.encode, default=None)


def _postings(sources: Sequence[MergedSegment], spans: TermSpans) -> int:
    starts = [source.columns.starts for source in sources]
    return int(sum(start[high] - start[low] for start, (low, high) in zip(starts, spans, strict=True)))


def _merge_range(sources: Sequence[MergedSegment], spans: TermSpans, target: MergeTarget) -> None:
    """Terms of all sources in one order; of each term the postings of the first source, then of the second."""
    parts = [_read_terms(source, *span) for source, span in zip(sources, spans, strict=True) if span[0] < span[1]]
    terms = pl.concat([part.terms for part in parts]).unique().sort()
    kind = pl.Enum(terms)
    codes = [part.terms.cast(kind).to_physical().to_numpy() for part in parts]
    postings = _totals(codes, [part.postings for part in parts], len(terms))
    occurrences = _totals(codes, [part.occurrences for part in parts], len(terms))
    kept = postings > 0
    target.write_terms(terms.filter(kept), postings[kept], occurrences[kept])
    of_postings = _interleaved(codes, [part.postings for part in parts], postings)
    of_positions = _interleaved(codes, [part.occurrences for part in parts], occurrences)
    target.write_postings(
        _placed([part.docs for part in parts], of_postings),
        _placed([part.counts for part in parts], of_postings),
        _placed([part.positions for part in parts], of_positions),
    )


def _copy_one_term(sources: Sequence[MergedSegment], spans: TermSpans, target: MergeTarget) -> None:
    """A term with very many postings, copied in pieces."""
    postings = occurrences = 0
    term = _ends(sources, spans)[0]
    for source, (low, high) in zip(sources, spans, strict=True):
        for piece in _pieces(source, low) if low < high else ():
            postings, occurrences = postings + len(piece.docs), occurrences + len(piece.positions)
            target.write_postings(piece.docs, piece.counts, piece.positions)
    if postings:
        target.write_terms(pl.Series([term]), np.array([postings]), np.array([occurrences]))


def _pieces(source: MergedSegment, term: int) -> Iterator[TermPostings]:
    columns = source.columns
    place, end = int(columns.starts[term]), int(columns.starts[term + 1])
    position = int(columns.position_starts[term])
    while place < end:
        upto = min(place + MOST_POSTINGS, end)
        occurrences = int(read_slice(columns.counts, place, upto).sum(dtype=np.int64))
        yield _filtered(source, columns.terms.slice(term, term + 1), (place, upto), (position, position + occurrences))
        place, position = upto, position + occurrences


def _read_terms(source: MergedSegment, low: int, high: int) -> TermPostings:
    """The postings of some terms of a source, without those of deleted documents."""
    columns = source.columns
    return _filtered(
        source,
        columns.terms.slice(low, high),
        (int(columns.starts[low]), int(columns.starts[high])),
        (int(columns.position_starts[low]), int(columns.position_starts[high])),
        np.diff(read_slice(columns.starts, low, high + 1)),
    )


def _filtered(
    source: MergedSegment,
    terms: pl.Series,
    place: tuple[int, int],
    position: tuple[int, int],
    sizes: Numbers | None = None,
) -> TermPostings:
    """Postings from place to place; `sizes` says how many each term has, where there are several terms."""
    docs, counts = read_slice(source.columns.docs, *place), read_slice(source.columns.counts, *place)
    positions = read_slice(source.columns.positions, *position)
    owner = np.repeat(np.arange(len(terms)), sizes if sizes is not None else [len(docs)])
    kept = source.live[docs]
    if not kept.all():
        positions = positions[np.repeat(kept, counts)]
        docs, counts, owner = docs[kept], counts[kept], owner[kept]
    return TermPostings(
        terms=terms,
        postings=np.bincount(owner, minlength=len(terms)),
        occurrences=np.bincount(owner, weights=counts, minlength=len(terms)).astype(np.int64),
        docs=source.numbers[docs],
        counts=counts,
        positions=positions,
    )


def _totals(codes: Sequence[Numbers], counts: Sequence[Numbers], size: int) -> Numbers:
    total = np.zeros(size, dtype=np.int64)
    for code, count in zip(codes, counts, strict=True):
        total[code] += count
    return total


def _interleaved(codes: Sequence[Numbers], counts: Sequence[Numbers], totals: Numbers) -> list[Numbers]:
    """For each part, where its entries go when those of one term stand together."""
    free = np.cumsum(totals) - totals
    places = []
    for code, count in zip(codes, counts, strict=True):
        begins = np.cumsum(count) - count
        places.append(np.repeat(free[code] - begins, count) + np.arange(int(count.sum())))
        free[code] += count
    return places


def _placed(values: Sequence[Numbers], places: Sequence[Numbers]) -> Numbers:
    size = sum(map(len, values))
    result = np.empty(size, dtype=max((each.dtype for each in values), key=lambda dtype: dtype.itemsize))
    for value, place in zip(values, places, strict=True):
        result[place] = value
    return result
