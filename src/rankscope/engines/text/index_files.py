"""An index on a disk: a folder for each segment with arrays in files, and `index.json`, which is written last and names
what counts.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
import polars as pl

from rankscope.core.digests import CHUNK, DIGEST_KEY, FileDigest, damaged, is_as_signed, signed
from rankscope.core.errors import InputError, Problem
from rankscope.core.files import atomic
from rankscope.engines.text.index_columns import ARRAYS, FieldColumns, Numbers
from rankscope.engines.text.segments import INDEX_AGAIN, Segment, StoredDocuments, StoredTable
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


def write_record(folder: Path, record: IndexRecord) -> None:
    """Make a state of the index the one that counts."""
    made_by = {"format": INDEX_FORMAT, "rankscope": __version__, "polars": pl.__version__}
    with atomic(folder / INDEX_RECORD) as file:
        json.dump(signed({**made_by, **asdict(record)}), file, ensure_ascii=False, indent=1)


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
