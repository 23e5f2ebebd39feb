"""TREC text: `query Q0 item rank score tag` for runs, `query iteration item grade` for judgements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

import numpy as np

from rankscope.arrays import IntArray
from rankscope.inputs.blocks import RunBlock, RunRows, numbers_of, prefetch
from rankscope.inputs.checks import Problems, shorten_value
from rankscope.inputs.fields import rows_of
from rankscope.inputs.id_columns import join_columns
from rankscope.inputs.line_layout import LineLayout, LineRows
from rankscope.inputs.numbers import whole_ranks
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.shapes.shape import HOLDS_JUDGEMENTS, HOLDS_RUN, Example, InputShape
from rankscope.inputs.sources import Source

name = "trec"
suffixes = (".run", ".qrels", ".trec", ".txt", ".res", ".input", ".results")
binary = False
has_parts = False
shapes = (
    InputShape(
        name="TREC run",
        holds=HOLDS_RUN,
        about="`query Q0 item rank score tag`, with blanks or tabs: as trec_eval reads it and Pyserini, Anserini, "
        "PyTerrier (`.res.gz`), ranx, Lucene and Terrier write it. Any text that begins like nothing else is read so.",
        examples=(Example("bm25.run", "q1 Q0 a 1 2.5 bm25\nq1 Q0 b 2 1.0 bm25\n"),),
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

RUN = LineLayout(
    kind="run",
    fields=("query", "Q0", "item", "rank", "score", "tag"),
    wanted=("query", "item", "score"),
    numbers=("rank", "score"),
    more_allowed=True,
    last="tag",
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
        if empty and not problems.count and not run.is_part:
            problems.add("", "is empty", RUN.reads)

    return Run(source.stem(suffixes), read, source)


def _blocks(source: Source, layout: LineLayout, problems: Problems, run: Run, reading: Reading) -> Iterator[RunBlock]:
    for rows in rows_of(source, layout, problems, reading):
        run.tag = rows.last
        read = RunRows(
            item=rows.texts["item"],
            score=rows.numbers["score"],
            line=rows.line,
            rank=_ranks(rows, problems) if "rank" in layout.wanted else None,
        )
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


def write_run(run: Run, file: TextIO) -> None:
    """Write `query Q0 item rank score tag`, queries in byte order, best item first; equal scores keep their order."""
    from rankscope.inputs.formats import trec_writing

    trec_writing.write_run(run, file)


def write_qrels(qrels: Qrels, file: TextIO) -> None:
    """Write `query 0 item grade`, in the order given, whole grades without a point."""
    from rankscope.inputs.formats import trec_writing

    trec_writing.write_qrels(qrels, file)
