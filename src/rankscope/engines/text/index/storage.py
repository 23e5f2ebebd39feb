"""An index on a disk: a folder for each segment, and `index.json`, which is written last and names what counts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from rankscope.engines.text.index.array_files import FileRecord, checksum_of_array, map_array, write_array
from rankscope.engines.text.index.columns import ARRAYS, FieldColumns, Numbers
from rankscope.engines.text.index.segment import Segment, StoredDocuments
from rankscope.errors import InputError
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
    files: Mapping[str, FileRecord]
    documents: Mapping[str, FileRecord]  # files beside the folder of the segment, in the order of the documents
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
        json.dump({**made_by, **asdict(record)}, file, ensure_ascii=False, indent=1)


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
        return _record_of(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError.of(str(path), [f"is damaged: {error}"], "Index the documents again.") from None


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


def _files_of(found: Any) -> dict[str, FileRecord]:
    return {str(name): FileRecord(int(each["size"]), int(each["checksum"])) for name, each in found.items()}


def write_columns(folder: Path, prefix: str, columns: FieldColumns, records: dict[str, FileRecord]) -> None:
    """The columns of a field as files of a segment."""
    for name in ARRAYS:
        write_array(folder / f"{prefix}.{name}.npy", getattr(columns, name), records)


def open_segment(folder: Path, record: SegmentRecord) -> Segment:
    """A segment whose arrays stay in their files."""
    place = folder / record.name
    try:
        fields = {name: _columns(place, str(each), record) for each, name in enumerate(record.fields)}
        deleted = _mapped(place, record.deleted, record) if record.deleted else np.empty(0, dtype=np.int64)
    except KeyError as error:
        raise InputError.of(str(place), [f"the file {error} is not in {RECORD}"]) from None
    _check(place, record, fields, deleted)
    return Segment(
        count=record.count,
        fields=fields,
        documents=StoredDocuments(tuple(folder / name for name in record.documents)),
        deleted=deleted,
        tier=record.tier,
        name=record.name,
    )


def _columns(place: Path, prefix: str, record: SegmentRecord) -> FieldColumns:
    return FieldColumns(**{name: _mapped(place, f"{prefix}.{name}.npy", record) for name in ARRAYS})


def _mapped(place: Path, name: str, record: SegmentRecord) -> Numbers:
    return map_array(place / name, record.files[name])


def _check(place: Path, record: SegmentRecord, fields: Mapping[str, FieldColumns], deleted: Numbers) -> None:
    """Refuse columns that do not belong together."""
    for name, columns in fields.items():
        terms, postings = len(columns.offsets) - 1, len(columns.docs)
        fits = (
            terms >= 0
            and len(columns.starts) == len(columns.position_starts) == terms + 1
            and postings == len(columns.counts) == int(columns.starts[-1])
            and len(columns.positions) == int(columns.position_starts[-1])
            and len(columns.text) == int(columns.offsets[-1])
            and len(columns.lengths) == record.count
        )
        if not fits:
            raise InputError.of(str(place), [f"the columns of field '{name}' do not fit: the index is damaged"])
    if len(deleted) > record.count or (len(deleted) and not 0 <= int(deleted[-1]) < record.count):
        raise InputError.of(str(place), ["deletes documents that it does not have: the index is damaged"])


def damaged_files(folder: Path, record: IndexRecord) -> list[str]:
    """Files whose bytes are not those that were written."""
    expected = {
        path: file
        for segment in record.segments
        for path, file in (
            *((folder / segment.name / name, file) for name, file in segment.files.items()),
            *((folder / name, file) for name, file in segment.documents.items()),
        )
    }
    return [str(path) for path, file in expected.items() if _found(path) != file]


def _found(path: Path) -> FileRecord | None:
    try:
        return checksum_of_array(path) if path.suffix == ".npy" else FileRecord.of(path)
    except (OSError, InputError):
        return None
