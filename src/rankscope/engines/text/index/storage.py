"""An index on a disk: a folder for each segment, and `index.json`, which is written last and names what counts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from rankscope.digests import KEY, FileDigest, damaged, is_as_signed, signed
from rankscope.engines.text.index.array_files import digest_of_array, map_array, write_array
from rankscope.engines.text.index.columns import ARRAYS, FieldColumns
from rankscope.engines.text.index.segment import AGAIN, Segment, StoredDocuments, StoredTable
from rankscope.errors import InputError, Problem
from rankscope.files import atomic
from rankscope.version import __version__

FORMAT: Final = 1
RECORD: Final = "index.json"


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
    import polars as pl

    made_by = {"format": FORMAT, "rankscope": __version__, "polars": pl.__version__}
    with atomic(folder / RECORD) as file:
        json.dump(signed({**made_by, **asdict(record)}), file, ensure_ascii=False, indent=1)


def read_record(folder: Path) -> IndexRecord:
    """The state of an index that counts; an `InputError` where none is there, or one that cannot be read."""
    path = folder / RECORD
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
        raise InputError.of(str(path), [f"is damaged: {error}"], AGAIN) from None
    if not is_as_signed(found):
        raise damaged(path, AGAIN)
    return record


def _record_of(found: Any) -> IndexRecord:
    if found["format"] != FORMAT:
        raise ValueError(f"format {found['format']} in place of {FORMAT}")
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


def write_columns(folder: Path, prefix: str, columns: FieldColumns, records: dict[str, FileDigest]) -> None:
    """The columns of a field as files of a segment."""
    for name in ARRAYS:
        write_array(folder / f"{prefix}.{name}.npy", getattr(columns, name), records)


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
            raise InputError.of(str(self.place), [what], AGAIN)


def open_segment(folder: Path, record: SegmentRecord) -> Segment:
    """A segment whose arrays and documents stay in their files, which are checked when they are first used."""
    place = folder / record.name
    try:
        fields, deleted = StoredFields(place, record), np.empty(0, dtype=np.int64)
        if record.deleted:
            deleted = map_array(place / record.deleted, record.files[record.deleted])
            check_file(place / record.deleted, record.files[record.deleted])
    except KeyError as error:
        raise InputError.of(str(place), [f"the file {error} is not in {RECORD}"], AGAIN) from None
    if len(deleted) > record.count or (len(deleted) and not 0 <= int(deleted[-1]) < record.count):
        raise InputError.of(str(place), ["deletes documents that it does not have: the index is damaged"], AGAIN)
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
    """Refuse an array whose bytes are not those that were written."""
    try:
        found = digest_of_array(path)
    except OSError as error:
        raise InputError.of(str(path), [f"cannot be read: {error.strerror}"], AGAIN) from None
    if found != digest:
        raise damaged(path, AGAIN)


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
        raise InputError.of(str(folder), problems, AGAIN)
    return CheckedIndex(files, size, KEY in json.loads((folder / RECORD).read_text(encoding="utf-8")))
