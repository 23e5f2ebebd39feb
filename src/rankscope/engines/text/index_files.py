"""An index on a disk: a folder for each segment with arrays in files, and `index.json`, which is written last and names
what counts; and its writer: blocks become segments, small segments one larger, and one commit shows it all.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, Self

import numpy as np
import polars as pl

from rankscope.core.digests import CHUNK, DIGEST_KEY, FileDigest, damaged, is_as_signed, signed
from rankscope.core.errors import InputError, Problem, SettingError
from rankscope.core.files import atomic, made_folder, sole_writer
from rankscope.engines.text.analysers import ANALYSERS, KnownTerms
from rankscope.engines.text.index_columns import ARRAYS, FieldColumns, Numbers, TermColumn, build_field
from rankscope.engines.text.segments import (
    ID,
    INDEX_AGAIN,
    MOST_DOCUMENTS,
    Segment,
    StoredDocuments,
    StoredTable,
    UsedIds,
)
from rankscope.version import __version__

INDEX_FORMAT: Final = 1
INDEX_RECORD: Final = "index.json"


@dataclass(frozen=True)
class SegmentRecord:
    """What `index.json` says of a segment."""

    name: str
    count: int
    tier: int
    fields: tuple[str, ...]  # field i has the files i.docs.npy, i.counts.npy, ...
    files: Mapping[str, FileDigest]
    documents: Mapping[str, FileDigest]  # files next to the folder of the segment, in the order of the documents
    deleted: str = ""  # the file that names deleted documents, where there are some


@dataclass(frozen=True)
class IndexRecord:
    """What `index.json` says: segments, the analyser of each field, and how lengths are kept."""

    segments: tuple[SegmentRecord, ...]
    analysers: Mapping[str, str]
    default_analyser: str
    exact_lengths: bool = False
    generation: int = 0


def read_record(folder: Path) -> IndexRecord:
    """The state of an index that counts; an `InputError` where none is there, or one that cannot be read."""
    path = folder / INDEX_RECORD
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError.of(str(folder), ["is no index"], "Make one with: rankscope index DOCS -o INDEX") from None
    except (OSError, ValueError) as error:
        raise InputError.of(str(path), [f"cannot be read: {error}"]) from None
    try:
        found = json.loads(text)
        record = _record_of(found)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError.of(str(path), [f"is damaged: {error}"], INDEX_AGAIN) from None
    if not is_as_signed(found):
        raise damaged(path, INDEX_AGAIN)
    return record


def _record_of(found: Any) -> IndexRecord:
    if found["format"] != INDEX_FORMAT:
        raise ValueError(f"format {found['format']} in place of {INDEX_FORMAT}")
    return IndexRecord(
        segments=tuple(_segment_of(each) for each in found["segments"]),
        analysers={str(name): str(value) for name, value in found["analysers"].items()},
        default_analyser=str(found["default_analyser"]),
        exact_lengths=bool(found["exact_lengths"]),
        generation=int(found["generation"]),
    )


def _segment_of(found: Any) -> SegmentRecord:
    files, documents = _files_of(found["files"]), _files_of(found["documents"])
    name, deleted, count = str(found["name"]), str(found["deleted"]), int(found["count"])
    if any(Path(each).name != each for each in (name, deleted, *files, *documents) if each):
        raise ValueError("a file outside of the index")
    if count < 0:
        raise ValueError(f"a segment of {count} documents")
    return SegmentRecord(
        name=name,
        count=count,
        tier=int(found["tier"]),
        fields=tuple(map(str, found["fields"])),
        files=files,
        documents=documents,
        deleted=deleted,
    )


def _files_of(found: Any) -> dict[str, FileDigest]:
    return {str(name): FileDigest(int(each["size"]), int(each["checksum"])) for name, each in found.items()}


class StoredFields(Mapping[str, FieldColumns]):
    """The columns of a segment's fields; they are held against their digests when a field is first used."""

    def __init__(self, place: Path, record: SegmentRecord) -> None:
        self.place, self.record = place, record
        self._columns = {name: self._mapped(str(number)) for number, name in enumerate(record.fields)}
        self._unchecked = set(record.fields)

    def __getitem__(self, field: str) -> FieldColumns:
        columns = self._columns[field]
        if field in self._unchecked:
            number = self.record.fields.index(field)
            for name in ARRAYS:
                check_file(self.place / f"{number}.{name}.npy", self.record.files[f"{number}.{name}.npy"])
            self._check_fit(field, columns)
            self._unchecked.discard(field)
        return columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def _mapped(self, number: str) -> FieldColumns:
        names = {name: f"{number}.{name}.npy" for name in ARRAYS}
        digests = self.record.files
        return FieldColumns(**{name: map_array(self.place / file, digests[file]) for name, file in names.items()})

    def _check_fit(self, field: str, columns: FieldColumns) -> None:
        """Refuse columns that do not belong together."""
        terms, postings = len(columns.offsets) - 1, len(columns.docs)
        fits = (
            terms >= 0
            and len(columns.starts) == len(columns.position_starts) == terms + 1
            and postings == len(columns.counts) == int(columns.starts[-1])
            and len(columns.positions) == int(columns.position_starts[-1])
            and len(columns.text) == int(columns.offsets[-1])
            and len(columns.lengths) == self.record.count
        )
        if not fits:
            what = f"the columns of field '{field}' do not fit: the index is damaged"
            raise InputError.of(str(self.place), [what], INDEX_AGAIN)


def open_segment(folder: Path, record: SegmentRecord) -> Segment:
    """A segment whose arrays and documents stay in their files, which are checked when they are first used."""
    place = folder / record.name
    try:
        fields, deleted = StoredFields(place, record), np.empty(0, dtype=np.int64)
        if record.deleted:
            deleted = map_array(place / record.deleted, record.files[record.deleted])
            check_file(place / record.deleted, record.files[record.deleted])
    except KeyError as error:
        raise InputError.of(str(place), [f"the file {error} is not in {INDEX_RECORD}"], INDEX_AGAIN) from None
    if len(deleted) > record.count or (len(deleted) and not 0 <= int(deleted[-1]) < record.count):
        raise InputError.of(str(place), ["deletes documents that it does not have: the index is damaged"], INDEX_AGAIN)
    documents = tuple(StoredTable(folder / name, digest) for name, digest in record.documents.items())
    return Segment(
        count=record.count,
        fields=fields,
        documents=StoredDocuments(documents),
        deleted=deleted,
        tier=record.tier,
        name=record.name,
    )


def check_file(path: Path, digest: FileDigest) -> None:
    """Refuse an array whose bytes are not those that `ArrayWriter` wrote."""
    try:
        with path.open("rb") as file:
            header, checksum, size = file.read(ARRAY_HEADER), 0, ARRAY_HEADER
            while piece := file.read(CHUNK):
                checksum, size = zlib.crc32(piece, checksum), size + len(piece)
    except OSError as error:
        raise InputError.of(str(path), [f"cannot be read: {error.strerror}"], INDEX_AGAIN) from None
    if FileDigest(size, _joined_checksum(header, checksum)) != digest:
        raise damaged(path, INDEX_AGAIN)


@dataclass(frozen=True)
class CheckedIndex:
    """How many files of an index hold what was written, their bytes, and whether what names them has a digest too."""

    files: int
    bytes: int
    signed: bool


def check_index(folder: Path) -> CheckedIndex:
    """Read every file of an index; an `InputError` names all that do not hold what was written."""
    record = read_record(folder)
    problems, files, size = [], 0, 0
    for segment in record.segments:
        arrays = {folder / segment.name / name: digest for name, digest in segment.files.items()}
        tables = {folder / name: digest for name, digest in segment.documents.items()}
        for path, digest in (arrays | tables).items():
            files, size = files + 1, size + digest.size
            try:
                check_file(path, digest) if path in arrays else StoredTable(path, digest).check()
            except InputError as error:
                found = [each.what for report in error.reports for each in report.problems]
                problems += [Problem(str(path.relative_to(folder)), what) for what in found]
    if problems:
        raise InputError.of(str(folder), problems, INDEX_AGAIN)
    return CheckedIndex(files, size, DIGEST_KEY in json.loads((folder / INDEX_RECORD).read_text(encoding="utf-8")))


# Arrays in files: written in pieces, with a checksum of what was written; read by mapping, or piece by piece.

ARRAY_HEADER: Final = 128  # bytes, so that it can be written anew when the length is known
ARRAY_SHAPE: Final = re.compile(rb"'descr': '([<|][iu][1248])'.*'shape': \((\d{1,18}),\)")


class ArrayWriter:
    """Writes an array of numbers piece by piece; how many there are is known at the end."""

    def __init__(self, file: BinaryIO, dtype: np.dtype[Any]) -> None:
        self.file, self.dtype, self.length, self.checksum = file, dtype, 0, 0
        file.write(b"\0" * ARRAY_HEADER)

    def write(self, numbers: Numbers) -> None:
        data = np.ascontiguousarray(numbers, dtype=self.dtype).tobytes()
        self.file.write(data)
        self.checksum = zlib.crc32(data, self.checksum)
        self.length += len(numbers)

    def finish(self) -> FileDigest:
        """Write the header, and say what was written."""
        header = _array_header(self.dtype, self.length)
        self.file.seek(0)
        self.file.write(header)
        size = ARRAY_HEADER + self.length * self.dtype.itemsize
        return FileDigest(size, _joined_checksum(header, self.checksum))


class TotalsWriter:
    """Writes counts as running totals, from 0: where each of many things begins, and where one more would begin."""

    def __init__(self, writer: ArrayWriter) -> None:
        self.writer, self.total = writer, 0
        writer.write(np.zeros(1, dtype=np.int64))

    def write(self, counts: Numbers) -> None:
        """Add what these begin after."""
        totals = self.total + np.cumsum(counts, dtype=np.int64)
        self.writer.write(totals)
        self.total = int(totals[-1]) if len(totals) else self.total


@contextmanager
def array_writer(path: Path, dtype: np.dtype[Any], records: dict[str, FileDigest]) -> Iterator[ArrayWriter]:
    """An array to be written in pieces; when the block ends well, its digest stands under its name."""
    with atomic(path, "wb") as file:
        writer = ArrayWriter(file, dtype)
        yield writer
        records[path.name] = writer.finish()


def write_array(path: Path, numbers: Numbers, records: dict[str, FileDigest]) -> None:
    with array_writer(path, numbers.dtype, records) as writer:
        writer.write(numbers)


def map_array(path: Path, record: FileDigest) -> Numbers:
    """An array that stays in its file and is read where it is used; one of another size is an `InputError`."""
    try:
        found = path.stat().st_size
        if found != record.size:
            raise InputError.of(str(path), [f"has {found} bytes in place of {record.size}: the index is damaged"])
        with path.open("rb") as file:
            header = file.read(ARRAY_HEADER)
        match = ARRAY_SHAPE.search(header)
        if match is None or header != _array_header(dtype := np.dtype(match[1].decode()), length := int(match[2])):
            raise InputError.of(str(path), ["holds no whole numbers: the index is damaged"])
        if ARRAY_HEADER + length * dtype.itemsize != record.size:
            raise InputError.of(str(path), [f"does not hold {length} numbers: the index is damaged"])
        return np.memmap(path, dtype, "r", ARRAY_HEADER, (length,)) if length else np.empty(0, dtype)
    except OSError as error:
        raise InputError.of(str(path), [f"cannot be read: {error.strerror}"]) from None


def read_slice(numbers: Numbers, start: int, stop: int) -> Numbers:
    """A part of an array; of one in a file it is read, so that the file does not fill the memory."""
    if not isinstance(numbers, np.memmap) or numbers.filename is None:
        return numbers[start:stop]
    offset = ARRAY_HEADER + start * numbers.itemsize
    return np.fromfile(numbers.filename, dtype=numbers.dtype, count=max(stop - start, 0), offset=offset)


def _array_header(dtype: np.dtype[Any], length: int) -> bytes:
    """The header of numpy's own format, with spaces up to a fixed length."""
    shown = f"{{'descr': '{np.lib.format.dtype_to_descr(dtype)}', 'fortran_order': False, 'shape': ({length},), }}"
    magic = np.lib.format.magic(1, 0)
    room = ARRAY_HEADER - len(magic) - 2
    return magic + room.to_bytes(2, "little") + shown.ljust(room - 1).encode("latin1") + b"\n"


def _joined_checksum(header: bytes, checksum: int) -> int:
    """A checksum of header and data that needs no second look at the data."""
    return zlib.crc32(checksum.to_bytes(4, "little"), zlib.crc32(header))


# Writing an index: blocks become segments, many small segments are merged into a larger one, and one commit shows it
# all.

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
        made_by = {"format": INDEX_FORMAT, "rankscope": __version__, "polars": pl.__version__}
        with atomic(self.folder / INDEX_RECORD) as file:
            json.dump(signed({**made_by, **asdict(self.record)}), file, ensure_ascii=False, indent=1)
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
