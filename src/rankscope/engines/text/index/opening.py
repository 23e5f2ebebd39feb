"""Indexes made ready for reading: from blocks of documents in memory, or from one folder or several."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rankscope.engines.text.analysis import ANALYSERS
from rankscope.engines.text.analysis.analyser import Analyser, KnownTerms
from rankscope.engines.text.index.blocks import UsedIds
from rankscope.engines.text.index.building import build_field
from rankscope.engines.text.index.reader import IndexReader
from rankscope.engines.text.index.segment import ID, Segment, StoredDocuments
from rankscope.engines.text.index.storage import IndexRecord, open_segment, read_record
from rankscope.errors import InputError, SettingError

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class OpenedIndex:
    """What is read, and the folders that hold it; none for an index in memory."""

    reader: IndexReader
    folders: tuple[Path, ...] = ()


def hold_in_memory(
    blocks: Iterable[pl.DataFrame], analyser: str, analysers: Mapping[str, str], exact_lengths: bool
) -> OpenedIndex:
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
    return OpenedIndex(IndexReader(segments, parsed, exact_lengths))


def open_together(folders: Sequence[Path]) -> OpenedIndex:
    """The indexes in some folders, read as one."""
    records = {folder: read_record(folder) for folder in dict.fromkeys(folders)}
    analysers = _one_analyser_each(records)
    exact = {record.exact_lengths for record in records.values()}
    if len(exact) > 1:
        raise SettingError("some of these indexes keep exact lengths and others do not: index them alike")
    opened = [(folder, open_segment(folder, each)) for folder, record in records.items() for each in record.segments]
    parsed = {name: _parsed(folder, text) for name, (text, folder) in analysers.items()}
    names = [folder.name for folder, _ in opened] if len(records) > 1 else []
    return OpenedIndex(IndexReader([each for _, each in opened], parsed, exact.pop(), names), tuple(records))


def _one_analyser_each(records: Mapping[Path, IndexRecord]) -> dict[str, tuple[str, Path]]:
    """The analyser of each field and who says so; a field that has several is an error."""
    found: dict[str, tuple[str, Path]] = {}
    problems = []
    for folder, record in records.items():
        for field, analyser in record.analysers.items():
            other, where = found.setdefault(field, (analyser, folder))
            if other != analyser:
                problems.append(f"field '{field}' is analysed by {other} in {where} and by {analyser} in {folder}")
    if problems:
        raise SettingError.of(problems)
    return found


def _parsed(folder: Path, text: str) -> Analyser:
    try:
        return ANALYSERS.parse(text)
    except SettingError as error:
        raise InputError.of(str(folder), [f"was made with an analyser that is not here: {error}"]) from None
