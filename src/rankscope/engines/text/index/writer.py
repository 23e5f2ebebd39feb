"""Writing an index: blocks become segments, many small segments become a larger one, and one commit shows it all.

Nothing that stands in `index.json` is ever changed: a process that is killed leaves the index as it was.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

import numpy as np

from rankscope.digests import FileDigest
from rankscope.engines.text.analysis import ANALYSERS
from rankscope.engines.text.analysis.analyser import Analyser, KnownTerms
from rankscope.engines.text.index.array_files import write_array
from rankscope.engines.text.index.blocks import MOST_DOCUMENTS, UsedIds
from rankscope.engines.text.index.building import build_field
from rankscope.engines.text.index.columns import FieldColumns, Numbers
from rankscope.engines.text.index.merging import MergedSegment, merge_field
from rankscope.engines.text.index.segment import ID, Segment
from rankscope.engines.text.index.storage import (
    RECORD,
    IndexRecord,
    SegmentRecord,
    open_segment,
    read_record,
    write_columns,
    write_record,
)
from rankscope.errors import SettingError
from rankscope.files import atomic, made_folder, sole_writer

if TYPE_CHECKING:
    import polars as pl

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
        if (folder / RECORD).exists():
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
        if not (self.folder / RECORD).exists():
            self._remove_empty_folder()
        self._lock.close()

    def add(self, block: pl.DataFrame) -> None:
        """Index one block of documents, and merge segments where there are many small ones."""
        self.ids.check(block[ID], self._opened)
        name, place = self._new_folder()
        files: dict[str, FileDigest] = {}
        fields = tuple(column for column in block.columns if column != ID)
        for number, field in enumerate(fields):
            columns = build_field(block[field], self._analyser_of(field), self._known_of(field))
            write_columns(place, str(number), columns, files)
        self.segments.append(
            SegmentRecord(
                name=name,
                count=len(block),
                tier=0,
                fields=fields,
                files=files,
                documents=self._write_documents(block),
            )
        )
        self.ids.add(block[ID])
        self._merge_full_tiers()

    def delete(self, ids: Iterable[str]) -> int:
        """Delete documents by their ids; how many were there. They leave the statistics when segments are merged."""
        import polars as pl

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
            self.record,
            segments=tuple(self.segments),
            analysers=self.analysers,
            generation=self.record.generation + 1,
        )
        write_record(self.folder, self.record)
        return self.record

    def _remove_empty_folder(self) -> None:
        """No trace of an index that was never committed; what else lies in the folder stays."""
        (self.folder / LOCK).unlink(missing_ok=True)
        if not any(self.folder.iterdir()):
            self.folder.rmdir()

    def _analyser_of(self, field: str) -> Analyser:
        return ANALYSERS.parse(self.analysers.setdefault(field, self.record.default_analyser))

    def _known_of(self, field: str) -> KnownTerms:
        return self.known.setdefault(self.analysers[field], KnownTerms())

    def _opened(self) -> list[Segment]:
        return [open_segment(self.folder, each) for each in self.segments]

    def _remember_ids(self) -> None:
        self.ids = UsedIds()
        for each in self._opened():
            self.ids.add(_live_ids(each))

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

    def _merge_full_tiers(self) -> None:
        tier = 0
        while len(full := [each for each in self.segments if each.tier == tier]) > MOST_OF_A_TIER:
            self._merge(full, tier + 1)
            tier += 1

    def _merge(self, records: Sequence[SegmentRecord], tier: int) -> None:
        """Put one segment in the place of several."""
        segments = [open_segment(self.folder, each) for each in records]
        name, place = self._new_folder()
        files: dict[str, FileDigest] = {}
        fields = tuple(dict.fromkeys(field for each in records for field in each.fields))
        for number, field in enumerate(fields):
            merge_field(_sources(segments, field), place, str(number), files)
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


def _live_ids(segment: Segment) -> pl.Series:
    import polars as pl

    return segment.documents.ids.filter(pl.Series(segment.live))


def _sources(segments: Sequence[Segment], field: str) -> list[MergedSegment]:
    bases = np.cumsum([0, *(int(each.live.sum()) for each in segments)]).tolist()
    return [
        MergedSegment(each.fields.get(field) or empty_columns(each.count), base, each.live)
        for each, base in zip(segments, bases, strict=False)
    ]


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
