"""TREC text: `query Q0 item rank score tag` for runs, `query iteration item grade` for judgements; what it cannot hold
is refused when it is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, TextIO

import numpy as np

from rankscope.inputs.formats.registry import (
    HOLDS_JUDGEMENTS,
    HOLDS_RUN,
    Example,
    FileFormat,
    InputShape,
    refuse_ids,
    with_whole_numbers,
)
from rankscope.inputs.id_columns import join_columns
from rankscope.inputs.lines import LineLayout, LineRows, rows_of_lines
from rankscope.inputs.problems import Problems, shorten_value
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.run_rows import RunBlock, RunRows, line_numbers, prefetch
from rankscope.inputs.sources import Source
from rankscope.inputs.values import whole_ranks

if TYPE_CHECKING:
    import polars as pl


def write_trec_run(run: Run, file: TextIO) -> None:
    """Write `query Q0 item rank score tag`, queries in byte order, best item first; equal scores keep their order.

    A run that says its rows are in order is ranked as they stand. The score is written with all its digits, so that
    reading it back gives the same number.
    """
    import polars as pl

    table = run.table()
    _refuse_ids(table, run.place)
    by_row, by_score = pl.int_range(1, pl.len() + 1), pl.col("score").rank("ordinal", descending=True)
    rank = (by_row if run.in_order else by_score).over("query").alias("rank")
    tag = "_".join((run.tag or run.name).replace("\0", " ").split()) or "run"
    file.writelines(
        f"{query} Q0 {item} {rank} {score!r} {tag}\n"
        for query, item, score, rank in table.with_columns(rank).sort("query", "rank").iter_rows()
    )


def write_trec_qrels(qrels: Qrels, file: TextIO) -> None:
    """Write `query 0 item grade`, in the order given, whole grades without a point."""
    _refuse_ids(qrels.table, qrels.name)
    table = with_whole_numbers(qrels.table, "grade")
    file.writelines(f"{query} 0 {item} {grade!r}\n" for query, item, grade in table.iter_rows())


def _refuse_ids(table: pl.DataFrame, place: str) -> None:
    """A blank in an id would make two fields of it, a # before a query a comment."""
    refuse_ids(table, place, {"holds a blank": r"[ \t\n\v\f\r]", "holds a NUL": r"\x00"}, "TREC text")
    comments = {"begins with #, as a comment does": "^#", "begins with a byte order mark": "^\ufeff"}
    refuse_ids(table.select("query"), place, comments, "TREC text")


# The shapes of TREC text, apart: a run in text is read without what pages say of it.

TREC_SHAPES = (
    InputShape(
        name="TREC run",
        holds=HOLDS_RUN,
        about="`query Q0 item rank score tag`, with blanks or tabs: as trec_eval reads it and Pyserini, Anserini, "
        "PyTerrier (`.res.gz`), ranx, Lucene and Terrier write it. Any text that begins like nothing else is read "
        "so. The tag may be missing.",
        examples=(
            Example("bm25.run", "q1 Q0 a 1 2.5 bm25\nq1 Q0 b 2 1.0 bm25\n"),
            Example("untagged.run", "q1 Q0 a 1 2.5\nq1 Q0 b 2 1.0\n"),
        ),
        format="trec",
    ),
    InputShape(
        name="TREC judgements",
        holds=HOLDS_JUDGEMENTS,
        about="`query iteration item grade`, with blanks or tabs: qrels of TREC and of MS MARCO, Quepid's TREC export.",
        examples=(
            Example("qrels.txt", "q1 0 a 2\nq1 0 b 0\n", HOLDS_JUDGEMENTS),
            Example("qrels.dev.tsv", "174249\t0\t8788\t1\n300674\t0\t7067032\t1\n", HOLDS_JUDGEMENTS),
        ),
        format="trec",
    ),
)


TREC_SUFFIXES = (".run", ".qrels", ".trec", ".txt", ".res", ".input", ".results")
RUN_LINE = LineLayout(
    kind="run",
    fields=("query", "Q0", "item", "rank", "score", "tag"),
    wanted=("query", "item", "score"),
    numbers=("rank", "score"),
    more_allowed=True,
    last="tag",
    shorter=(
        ("query", "Q0", "item", "rank", "score"),
        ("query", "Q0", "item", "score", "tag"),
        ("query", "item", "rank", "score", "tag"),
        ("query", "Q0", "item", "rank"),
        ("query", "Q0", "item", "grade"),
        ("query", "Q0", "item", "score"),
        ("query", "item", "rank", "score"),
        ("query", "item", "score", "tag"),
        ("query", "item", "rank"),
        ("query", "item", "score"),
    ),
    map_name="map_runs",
)
QRELS_LINE = LineLayout(
    kind="judgement",
    fields=("query", "iteration", "item", "grade"),
    wanted=("query", "item", "grade"),
    numbers=("grade",),
    more_allowed=False,
    shorter=(("query", "item", "grade"),),
    map_name="map_qrels",
)


def read_trec_run(source: Source, reading: Reading) -> Run:
    """A run that is read when its rows are asked for; the rank column is read, and must be a number, only then."""

    def read(run: Run, problems: Problems, rank: bool) -> Iterator[RunBlock]:
        layout = RUN_LINE.want("rank") if rank else replace(RUN_LINE, glance="rank")
        empty = True
        for block in prefetch(_run_blocks(source, layout, problems, run, reading)):
            empty = False
            yield block
        if empty and not problems.count and not run.is_part:
            problems.add("", "is empty", RUN_LINE.reads)

    return Run(source.stem(TREC_SUFFIXES), read, source)


def _run_blocks(
    source: Source, layout: LineLayout, problems: Problems, run: Run, reading: Reading
) -> Iterator[RunBlock]:
    for rows in rows_of_lines(source, layout, problems, reading):
        run.tag = rows.last or run.name
        read = RunRows(
            item=rows.texts["item"],
            score=rows.numbers["score"],
            line=rows.line,
            rank=whole_ranks(rows.numbers["rank"], rows.line, "line", problems) if "rank" in layout.wanted else None,
        )
        run.first = run.first.and_these(rows.texts["query"], read.score, rows.glanced)
        yield RunBlock(rows.texts["query"], read)


def read_trec_qrels(source: Source, reading: Reading) -> Qrels:
    problems = Problems(source.name)
    parts = list(rows_of_lines(source, QRELS_LINE, problems, reading))
    if not parts and not problems.count:
        problems.add("", "is empty", QRELS_LINE.reads)
    for part in parts:
        _refuse_infinite_grades(part, problems)
    problems.raise_if_any()
    return Qrels(
        query=join_columns([part.texts["query"] for part in parts]),
        item=join_columns([part.texts["item"] for part in parts]),
        grade=np.concatenate([part.numbers["grade"] for part in parts]),
        line=np.concatenate([line_numbers(part.line) for part in parts]),
        name=source.name,
        digest=source.digest,
        word="line",
    )


def _refuse_infinite_grades(rows: LineRows, problems: Problems) -> None:
    grade = rows.numbers["grade"]

    def what(row: int) -> str:
        return f"grade must be a finite number, got {shorten_value(grade[row].item())}"

    problems.add_rows(np.flatnonzero(np.isinf(grade)), rows.line, "line", what)


TREC = FileFormat(
    name="trec",
    about="TREC text: `query Q0 item rank score tag` for runs, `query iteration item grade` for judgements",
    suffixes=TREC_SUFFIXES,
    recognises=lambda head: b"\0" not in head,  # any text with no other format's signature: it is the last one asked
    read_run=read_trec_run,
    read_qrels=read_trec_qrels,
    write_run=write_trec_run,
    write_qrels=write_trec_qrels,
    shapes=TREC_SHAPES,
)
