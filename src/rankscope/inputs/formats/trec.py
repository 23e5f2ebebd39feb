"""TREC text: `query Q0 item rank score tag` for runs, `query iteration item grade` for judgements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

import numpy as np
import polars as pl

from rankscope.arrays import IntArray
from rankscope.inputs.blocks import RunBlock, as_range, prefetch
from rankscope.inputs.checks import Problems
from rankscope.inputs.fields import LineLayout, LineRows, rows_of
from rankscope.inputs.formats.writing import refuse_ids, whole_numbers
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.sources import Source
from rankscope.inputs.tables import Table, whole_ranks

name = "trec"
suffixes = (".run", ".qrels", ".trec", ".txt", ".res", ".input", ".results")
binary = False
has_parts = False

RUN = LineLayout(
    kind="run",
    fields=("query", "Q0", "item", "rank", "score", "tag"),
    wanted=("query", "item", "score", "tag"),
    numbers=("rank", "score"),
    more_allowed=True,
)
QRELS = LineLayout(
    kind="judgement",
    fields=("query", "iteration", "item", "grade"),
    wanted=("query", "item", "grade"),
    numbers=("grade",),
    more_allowed=False,
)


def recognises(head: bytes) -> bool:
    """Any text with no other format's signature: it is the last one asked."""
    return b"\0" not in head


def read_run(source: Source, reading: Reading) -> Run:
    """A run that is read when its rows are asked for; the rank column is read, and must be a number, only then."""

    def read(run: Run, problems: Problems, rank: bool) -> Iterator[RunBlock]:
        layout = RUN.want("rank") if rank else RUN
        empty = True
        for block in prefetch(_blocks(source, layout, problems, run, reading)):
            empty = False
            yield block
        if empty and not problems.count:
            problems.add("", "is empty", RUN.reads)

    return Run(source.stem(suffixes), read, source)


def _blocks(source: Source, layout: LineLayout, problems: Problems, run: Run, reading: Reading) -> Iterator[RunBlock]:
    for rows in rows_of(source, layout, problems, reading):
        run.tag = str(rows.table.item(-1, "tag"))
        yield RunBlock(
            query=rows.table.get_column("query"),
            item=rows.table.get_column("item"),
            score=rows.table.get_column("score").to_numpy(),
            line=as_range(rows.line),
            rank=_ranks(rows, problems) if "rank" in layout.wanted else None,
        )


def _ranks(rows: LineRows, problems: Problems) -> IntArray:
    return whole_ranks(rows.table.get_column("rank").to_numpy(), rows.line, "line", problems)


def read_qrels(source: Source, reading: Reading) -> Qrels:
    """Judgements, all at once."""
    problems = Problems(source.name)
    parts = list(rows_of(source, QRELS, problems, reading))
    if not parts and not problems.count:
        problems.add("", "is empty", QRELS.reads)
    for part in parts:
        _refuse_infinite_grades(part, problems)
    problems.raise_if_any()
    table = pl.concat([part.table for part in parts], rechunk=True)
    return Qrels(
        table=table,
        line=np.concatenate([part.line for part in parts]),
        name=source.name,
        digest=source.digest,
        word="line",
    )


def _refuse_infinite_grades(rows: LineRows, problems: Problems) -> None:
    column = rows.table.get_column("grade")
    Table(rows.table, rows.line, "line").complain(
        np.isinf(column.to_numpy()), problems, {"grade": column}, "a finite number"
    )


def write_run(run: Run, file: TextIO) -> None:
    """Write `query Q0 item rank score tag`, queries in byte order, best item first; equal scores keep their order.

    The score is written with all its digits, so that reading it back gives the same number.
    """
    table = run.table()
    _refuse_ids(table, run.place)
    rank = pl.col("score").rank("ordinal", descending=True).over("query").alias("rank")
    tag = "_".join((run.tag or run.name).replace("\0", " ").split()) or "run"
    file.writelines(
        f"{query} Q0 {item} {rank} {score!r} {tag}\n"
        for query, item, score, rank in table.with_columns(rank).sort("query", "rank").iter_rows()
    )


def write_qrels(qrels: Qrels, file: TextIO) -> None:
    """Write `query 0 item grade`, in the order given, whole grades without a point."""
    _refuse_ids(qrels.table, qrels.name)
    table = whole_numbers(qrels.table, "grade")
    file.writelines(f"{query} 0 {item} {grade!r}\n" for query, item, grade in table.iter_rows())


def _refuse_ids(table: pl.DataFrame, place: str) -> None:
    """A blank in an id would make two fields of it, a # before a query a comment."""
    refuse_ids(table, place, {"holds a blank": r"[ \t\n\v\f\r]", "holds a NUL": r"\x00"}, "TREC text")
    comments = {"begins with #, as a comment does": "^#", "begins with a byte order mark": "^\ufeff"}
    refuse_ids(table.select("query"), place, comments, "TREC text")
