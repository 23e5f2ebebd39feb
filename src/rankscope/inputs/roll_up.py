"""Chunks and the documents they belong to: a regular expression on ids, or a table of both."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from rankscope.column_names import loose_name
from rankscope.errors import InputError
from rankscope.inputs.checks import Problems
from rankscope.inputs.ids import id_text
from rankscope.inputs.sources import Source

CHUNK = ("chunk", "chunk_id", "node_id", "passage_id", "passage", "pid", "item", "item_id", "id", "_id", "child")
DOCUMENT = ("document", "document_id", "doc", "doc_id", "docid", "docno", "parent", "parent_id", "source")
FORM = "a regular expression with one group, as '^(.*)#\\d+$', or a file with two columns, chunk and document"


@dataclass(frozen=True, eq=False)
class RollUp:
    """Which document a chunk belongs to, by a pattern whose only group is the document's id, or by a table.

    >>> RollUp(pattern=re.compile(r"^(.*)#\\d+$")).document_of("d7#3")
    'd7'
    >>> RollUp(table={"c1": "d7"}).document_of("c2") is None
    True
    """

    pattern: re.Pattern[str] | None = None
    table: Mapping[str, str] = field(default_factory=dict)
    name: str = ""

    def document_of(self, chunk: str) -> str | None:
        """The document's id; None where the id is that of no chunk known."""
        if self.pattern is None:
            return self.table.get(chunk)
        found = self.pattern.search(chunk)
        return (found[1] or None) if found else None

    def documents(self, ids: pl.Series) -> tuple[pl.Series, pl.Series]:
        """The document of each id, the id itself where it is that of no chunk; and which ids those are."""
        known = ids.unique()
        found = [self.document_of(each) for each in known.to_list()]
        frame = pl.DataFrame({"id": known, "document": pl.Series(found, dtype=pl.String)})
        document = pl.DataFrame({"id": ids}).join(frame, on="id", how="left", maintain_order="left")["document"]
        return document.fill_null(ids), document.is_null()


def roll_up_of(given: Any) -> RollUp:
    """From a pattern or its text, a path, a dictionary, a frame; a `ValueError` says what it must be."""
    if isinstance(given, RollUp):
        return given
    if isinstance(given, re.Pattern):
        return _of_pattern(given)
    if isinstance(given, Mapping) and not _has_columns(given):
        return RollUp(table=_pairs(list(given), list(given.values())), name="the dictionary")
    if isinstance(given, Path) or (isinstance(given, str) and os.path.isfile(given)):
        return _of_file(str(given))
    if isinstance(given, str):
        return _of_text(given)
    return _of_frame(given)


def _has_columns(given: Mapping[Any, Any]) -> bool:
    return all(isinstance(each, list | tuple | pl.Series) or hasattr(each, "tolist") for each in given.values())


def _of_text(text: str) -> RollUp:
    try:
        return _of_pattern(re.compile(text))
    except re.error as error:
        raise ValueError(f"is no file that is there, and no regular expression ({error}); it must be {FORM}") from None


def _of_pattern(pattern: re.Pattern[str]) -> RollUp:
    if pattern.groups != 1:
        groups = "no group" if not pattern.groups else f"{pattern.groups} groups"
        missing = "" if "(" in pattern.pattern else "is no file that is there, and as a regular expression "
        raise ValueError(f"{missing}has {groups} where one is needed, the document's id: it must be {FORM}")
    return RollUp(pattern=pattern, name=pattern.pattern)


def _of_file(path: str) -> RollUp:
    from rankscope.inputs.roll_up_files import read_roll_up_frame

    source = Source.of(path)
    problems = Problems(source.name)
    frame = read_roll_up_frame(source, problems)
    problems.raise_if_any()
    return RollUp(table=_of_columns(frame, problems), name=source.name)


def _of_frame(given: Any) -> RollUp:
    from rankscope.inputs.objects import frame_of

    problems = Problems("roll_up")
    frame = frame_of(given, "score", problems)
    if frame is None:
        raise ValueError(f"must be {FORM}, a dictionary or a table, not a {type(given).__name__}")
    return RollUp(table=_of_columns(frame, problems), name="the table")


def _of_columns(frame: pl.DataFrame, problems: Problems) -> dict[str, str]:
    """Chunk and document by their names, or the first and the second of two columns."""
    by_name = {loose_name(name): name for name in reversed(frame.columns)}
    chunk = next((by_name[name] for name in CHUNK if name in by_name), None)
    document = next((by_name[name] for name in DOCUMENT if name in by_name), None)
    if chunk is None or document is None:
        if frame.width != 2:
            have = ", ".join(frame.columns)
            problems.add(
                "", f"needs the columns chunk and document; columns: {have}", "Or exactly two columns, in that order."
            )
            raise InputError([problems.report()])
        chunk, document = frame.columns
    try:
        return _pairs(frame[chunk].to_list(), frame[document].to_list())
    except ValueError as error:
        problems.add("", str(error))
        raise InputError([problems.report()]) from None


def _pairs(chunks: list[Any], documents: list[Any]) -> dict[str, str]:
    """The document of each chunk; a chunk of two documents, and an id that is none, are refused."""
    table: dict[str, str] = {}
    for chunk, document in zip(map(id_text, chunks), map(id_text, documents), strict=True):
        if not chunk or not document:
            raise ValueError("has a chunk or a document without an id")
        if table.setdefault(chunk, document) != document:
            raise ValueError(f"has chunk '{chunk}' in two documents, '{table[chunk]}' and '{document}'")
    if not table:
        raise ValueError("holds no chunks")
    return table
