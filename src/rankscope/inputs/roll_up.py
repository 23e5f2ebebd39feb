"""Chunks and the documents they belong to, by a regular expression on ids or a table of both; runs and judgements of
chunks become those of documents: the best chunk counts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rankscope.core.columns import loose_name
from rankscope.core.errors import InputError
from rankscope.core.wording import how_many, setting_usage
from rankscope.inputs.problems import Problems, shorten_value
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.run_rows import RunBlock, RunRows, line_numbers
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import SeriesIds, as_series
from rankscope.inputs.values import id_text

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
    if isinstance(given, Mapping):
        values = list(given.values())
        if not all(isinstance(each, list | tuple | pl.Series) or hasattr(each, "tolist") for each in values):
            return RollUp(table=_document_of_chunks(list(given), values), name="the dictionary")
    if isinstance(given, Path) or (isinstance(given, str) and os.path.isfile(given)):
        source = Source.of(str(given))
        problems = Problems(source.name)
        frame = read_roll_up_frame(source, problems)
        problems.raise_if_any()
        return RollUp(table=_of_columns(frame, problems), name=source.name)
    if isinstance(given, str):
        try:
            return _of_pattern(re.compile(given))
        except re.error as error:
            what = f"is no file that is there, and no regular expression ({error}); it must be {FORM}"
            raise ValueError(what) from None
    from rankscope.inputs.objects import frame_of_object

    problems = Problems("roll_up")
    table = frame_of_object(given, "score", problems)
    if table is None:
        raise ValueError(f"must be {FORM}, a dictionary or a table, not a {type(given).__name__}")
    return RollUp(table=_of_columns(table, problems), name="the table")


def _of_pattern(pattern: re.Pattern[str]) -> RollUp:
    if pattern.groups != 1:
        groups = "no group" if not pattern.groups else f"{pattern.groups} groups"
        missing = "" if "(" in pattern.pattern else "is no file that is there, and as a regular expression "
        raise ValueError(f"{missing}has {groups} where one is needed, the document's id: it must be {FORM}")
    return RollUp(pattern=pattern, name=pattern.pattern)


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
        return _document_of_chunks(frame[chunk].to_list(), frame[document].to_list())
    except ValueError as error:
        problems.add("", str(error))
        raise InputError([problems.report()]) from None


def _document_of_chunks(chunks: list[Any], documents: list[Any]) -> dict[str, str]:
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


# A run of chunks as a run of documents: a document stands where its best chunk does.


def rolled_run(run: Run, roll_up: RollUp) -> Run:
    """The documents of a run: the highest score and the best rank of a document's chunks are its own.

    An id that belongs to no chunk stands for itself, and is counted; a run without any chunk is a problem. The rows
    are read whole. `notes` of the result say what happened, once it has been read.
    >>> import re
    >>> run = Run.of({"q": {"d1#0": 1.0, "d2#0": 2.0, "d1#4": 3.0}})
    >>> rolled_run(run, RollUp(pattern=re.compile(r"^(.*)#"))).table().rows()
    [('q', 'd1', 3.0), ('q', 'd2', 2.0)]
    """

    def read(result: Run, problems: Problems, rank: bool) -> Iterator[RunBlock]:
        blocks = list(run.blocks(problems, rank))
        result.take_facts(run)
        if blocks:
            block = RunBlock.join(blocks)
            document, alone = roll_up.documents(as_series(block.rows.item))
            if alone.all() and not set(block.rows.item.to_list()) & set(roll_up.table.values()):
                ids = ", ".join(shorten_value(block.rows.item[row]) for row in range(min(3, len(block))))
                advice = f"Ids of the run: {ids}, ... Give {setting_usage('roll_up')} what fits them."
                problems.add("", f"no item is a chunk of the roll-up {shorten_value(roll_up.name)}", advice)
            rolled = _best_of_documents(block, document)
            result.notes |= dict.fromkeys(_notes_of_run(block, rolled, alone, roll_up))
            yield rolled

    result = Run(run.name, read, run.source, run.tag)
    result.rolled_up, result.chunks, result.ascending = True, run, run.ascending
    return result


def _best_of_documents(block: RunBlock, document: pl.Series) -> RunBlock:
    """One row for each document of a query, in the order in which documents first come."""
    rows = block.rows
    frame = pl.DataFrame(
        {
            "query": as_series(block.query),
            "document": document,
            "score": rows.score,
            "row": np.arange(len(rows)),
            "rank": np.zeros(len(rows), np.int64) if rows.rank is None else rows.rank,
        }
    )
    best = frame.group_by("query", "document", maintain_order=True).agg(
        pl.col("row").get(pl.col("score").arg_max()), pl.col("score").max(), pl.col("rank").min()
    )
    kept = best.get_column("row").to_numpy()
    rank = None
    if rows.rank is not None:  # from 1 on without gaps, in the order of the best ranks
        ranks = best.select(pl.col("rank").rank("ordinal").over("query").cast(pl.Int64)).to_series()
        rank = ranks.to_numpy().copy()
    found = RunRows(
        item=SeriesIds(best.get_column("document").rechunk()),
        score=best.get_column("score").to_numpy().copy(),
        line=line_numbers(rows.line)[kept],
        rank=rank,
        word=rows.word,
        files=rows.files,
    )
    return RunBlock(SeriesIds(best.get_column("query").rechunk()), found)


def _notes_of_run(block: RunBlock, rolled: RunBlock, alone: pl.Series, roll_up: RollUp) -> Iterator[str]:
    chunks = pl.DataFrame({"query": as_series(block.query), "item": as_series(block.rows.item)})
    yield f"{how_many(len(block), 'results')} rolled up to {how_many(len(rolled), 'documents')}: the best chunk counts"
    if twice := chunks.height - chunks.n_unique():
        yield (
            f"{how_many(twice, 'result was', 'results were')} of a chunk that its query lists already: the best counts"
        )
    documents = pl.Series(list(set(roll_up.table.values())), dtype=pl.String)
    if left := int((alone & ~chunks.get_column("item").is_in(documents.implode())).sum()):
        yield f"{left:,} of {how_many(len(block), 'results')} are no chunk of the roll-up: they stand for themselves"


# Judgements of chunks as judgements of documents: the highest grade of a document's chunks is its own.


def rolled_qrels(qrels: Qrels, roll_up: RollUp) -> Qrels:
    """Judgements of documents; an id that belongs to no chunk is that of a document, and stays.

    >>> import re
    >>> judged = Qrels.of({"q": {"d1#0": 0, "d1#4": 2, "d2": 1}})
    >>> rolled_qrels(judged, RollUp(pattern=re.compile(r"^(.*)#"))).to_dict()
    {'q': {'d1': 2, 'd2': 1}}
    """
    document, alone = roll_up.documents(as_series(qrels.item))
    if alone.all():
        note = "no judged item is a chunk of the roll-up: they are judgements of documents"
        return _copy_of_qrels(qrels, notes=(*qrels.notes, note), rolled_up=True)
    frame = pl.DataFrame(
        {"query": as_series(qrels.query), "document": document, "grade": qrels.grade, "row": np.arange(len(qrels))}
    )
    best = frame.group_by("query", "document", maintain_order=True).agg(
        pl.col("grade").max(), pl.col("row").get(pl.col("grade").arg_max())
    )
    note = f"{how_many(len(qrels), 'judgements')} rolled up to {best.height:,} of documents: the highest grade counts"
    return _copy_of_qrels(
        qrels,
        query=SeriesIds(best.get_column("query").rechunk()),
        item=SeriesIds(best.get_column("document").rechunk()),
        grade=best.get_column("grade").to_numpy().copy(),
        line=qrels.line[best.get_column("row").to_numpy()],
        notes=(*qrels.notes, note),
        rolled_up=True,
    )


def has_chunks(qrels: Qrels, roll_up: RollUp) -> bool:
    """Whether any judged item is a chunk.

    >>> import re
    >>> has_chunks(Qrels.of({"q": {"d1": 2}}), RollUp(pattern=re.compile(r"^(.*)#")))
    False
    """
    return not bool(roll_up.documents(as_series(qrels.item))[1].all())


def _copy_of_qrels(qrels: Qrels, **changed: object) -> Qrels:
    """The same judgements as columns, some of them changed."""
    whole = Qrels(
        query=qrels.query,
        item=qrels.item,
        grade=qrels.grade,
        line=qrels.line,
        name=qrels.name,
        digest=qrels.digest,
        word=qrels.word,
        notes=qrels.notes,
        files=qrels.files,
    )
    return replace(whole, **changed)  # type: ignore[arg-type]


# Files of chunks and their documents, in any format that tables have, with a header or of two columns without one.


def read_roll_up_frame(source: Source, problems: Problems) -> pl.DataFrame:
    """The table; of {chunk: document} the two columns."""
    from rankscope.inputs.formats.registry import format_of_file

    format = format_of_file(source).name
    if format in ("parquet", "arrow"):
        from rankscope.inputs.formats.columnar import ARROW, PARQUET, read_columnar_table

        return read_columnar_table(source, PARQUET if format == "parquet" else ARROW, problems).frame
    if format in ("json", "jsonl", "mteb"):
        return _frame_of_json(source, format, problems)
    # A table with a header that names a chunk or a document, or else two columns without a header.
    from rankscope.inputs.formats.delimited import read_delimited_table
    from rankscope.inputs.formats.headerless import numbered_tables

    frame = pl.concat([each.frame for each in numbered_tables(source, problems, "utf-8")])
    if not frame.height or not _names_known(frame.row(0)):
        return frame
    known = frozenset(map(str.lower, map(str.strip, frame.row(0))))
    return read_delimited_table(source, Problems(source.name), expected="chunk,document", known=known).frame


def _frame_of_json(source: Source, format: str, problems: Problems) -> pl.DataFrame:
    from rankscope.inputs.formats import json_files
    from rankscope.inputs.formats.json_rows import JsonChoices, fields_of, list_of
    from rankscope.inputs.formats.json_tables import rows_table

    if format == "jsonl":
        frame = json_files.whole_json_lines(source, Reading(), problems).frame
        if frame.width > 1 and _names_known(frame.columns):
            return frame
    data = json_files.whole_json(source, "utf-8", problems)
    fields = fields_of(data)
    if fields is not None and all(isinstance(each, str | int) for each in fields.values()):
        return pl.DataFrame({"chunk": list(fields), "document": [str(each) for each in fields.values()]})
    if fields is None and list_of(data) is not None:
        return rows_table(data, JsonChoices("score"), problems).frame
    problems.add("", "must hold {chunk: document}, or objects with chunk and document")
    raise InputError([problems.report()])


def _names_known(names: list[str] | tuple[str, ...]) -> bool:
    return any(loose_name(str(name).strip('"')) in (*CHUNK, *DOCUMENT) for name in names)
