"""Indexes made ready for reading: from blocks of documents in memory, or from one folder or several."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from rankscope.engines.text.analysis import ANALYSERS
from rankscope.engines.text.analysis.analyser import Analyser, KnownTerms
from rankscope.engines.text.index.blocks import UsedIds
from rankscope.engines.text.index.building import build_field
from rankscope.engines.text.index.reader import IndexReader
from rankscope.engines.text.index.segment import ID, Segment, StoredDocuments
from rankscope.engines.text.index.storage import open_segment, read_record
from rankscope.errors import InputError, SettingError

if TYPE_CHECKING:
    import polars as pl

Where = TypeVar("Where", Path, str)


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
    analysers = _one_analyser_each({folder: record.analysers for folder, record in records.items()})
    exact = {record.exact_lengths for record in records.values()}
    _check_lengths(exact)
    opened = [(folder, open_segment(folder, each)) for folder, record in records.items() for each in record.segments]
    parsed = {name: _parsed(folder, text) for name, (text, folder) in analysers.items()}
    names = [folder.name for folder, _ in opened] if len(records) > 1 else []
    return OpenedIndex(IndexReader([each for _, each in opened], parsed, exact.pop(), names), tuple(records))


def read_together(readers: Mapping[str, IndexReader]) -> OpenedIndex:
    """Indexes that are open, by their names, read as one."""
    _one_analyser_each({name: _written(reader.analysers) for name, reader in readers.items()})
    exact = {reader.exact_lengths for reader in readers.values()}
    _check_lengths(exact)
    segments = [(name, segment) for name, reader in readers.items() for segment in reader.segments]
    analysers = {field: each for reader in readers.values() for field, each in reader.analysers.items()}
    names = [name for name, _ in segments] if len(readers) > 1 else []
    return OpenedIndex(IndexReader([each for _, each in segments], analysers, exact.pop(), names))


def _written(analysers: Mapping[str, Analyser]) -> dict[str, str]:
    return {field: str(each) for field, each in analysers.items()}


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


def _parsed(folder: Path, text: str) -> Analyser:
    try:
        return ANALYSERS.parse(text)
    except SettingError as error:
        raise InputError.of(str(folder), [f"was made with an analyser that is not here: {error}"]) from None
