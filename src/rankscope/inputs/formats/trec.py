"""TREC text: `query Q0 item rank score tag` for runs, `query iteration item grade` for judgements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from rankscope.arrays import IntArray
from rankscope.inputs.blocks import RunBlock, RunRows, numbers_of, prefetch
from rankscope.inputs.checks import Problems, shorten_value
from rankscope.inputs.fields import rows_of
from rankscope.inputs.formats.format import FileFormat
from rankscope.inputs.formats.trec_shapes import SHAPES
from rankscope.inputs.formats.trec_writing import write_qrels, write_run
from rankscope.inputs.id_columns import join_columns
from rankscope.inputs.line_layout import LineLayout, LineRows
from rankscope.inputs.numbers import whole_ranks
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.sources import Source

SUFFIXES = (".run", ".qrels", ".trec", ".txt", ".res", ".input", ".results")
RUN = LineLayout(
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
QRELS = LineLayout(
    kind="judgement",
    fields=("query", "iteration", "item", "grade"),
    wanted=("query", "item", "grade"),
    numbers=("grade",),
    more_allowed=False,
    shorter=(("query", "item", "grade"),),
    map_name="map_qrels",
)


def recognises(head: bytes) -> bool:
    """Any text with no other format's signature: it is the last one asked."""
    return b"\0" not in head


def read_run(source: Source, reading: Reading) -> Run:
    """A run that is read when its rows are asked for; the rank column is read, and must be a number, only then."""

    def read(run: Run, problems: Problems, rank: bool) -> Iterator[RunBlock]:
        layout = RUN.want("rank") if rank else replace(RUN, glance="rank")
        empty = True
        for block in prefetch(_blocks(source, layout, problems, run, reading)):
            empty = False
            yield block
        if empty and not problems.count and not run.is_part:
            problems.add("", "is empty", RUN.reads)

    return Run(source.stem(SUFFIXES), read, source)


def _blocks(source: Source, layout: LineLayout, problems: Problems, run: Run, reading: Reading) -> Iterator[RunBlock]:
    for rows in rows_of(source, layout, problems, reading):
        run.tag = rows.last or run.name
        read = RunRows(
            item=rows.texts["item"],
            score=rows.numbers["score"],
            line=rows.line,
            rank=_ranks(rows, problems) if "rank" in layout.wanted else None,
        )
        run.first = run.first.and_these(rows.texts["query"], read.score, rows.glanced)
        yield RunBlock(rows.texts["query"], read)


def _ranks(rows: LineRows, problems: Problems) -> IntArray:
    return whole_ranks(rows.numbers["rank"], rows.line, "line", problems)


def read_qrels(source: Source, reading: Reading) -> Qrels:
    """Judgements, all at once."""
    problems = Problems(source.name)
    parts = list(rows_of(source, QRELS, problems, reading))
    if not parts and not problems.count:
        problems.add("", "is empty", QRELS.reads)
    for part in parts:
        _refuse_infinite_grades(part, problems)
    problems.raise_if_any()
    return Qrels(
        query=join_columns([part.texts["query"] for part in parts]),
        item=join_columns([part.texts["item"] for part in parts]),
        grade=np.concatenate([part.numbers["grade"] for part in parts]),
        line=np.concatenate([numbers_of(part.line) for part in parts]),
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
    suffixes=SUFFIXES,
    recognises=recognises,
    read_run=read_run,
    read_qrels=read_qrels,
    write_run=write_run,
    write_qrels=write_qrels,
    shapes=SHAPES,
)
