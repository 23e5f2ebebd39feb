"""TREC text: `query Q0 item rank score tag` for runs, `query iteration item grade` for judgements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

import numpy as np
import polars as pl

from rankscope.errors import InputError, Problem
from rankscope.inputs.blocks import Block, prefetched
from rankscope.inputs.checks import KEPT, Problems, shown
from rankscope.inputs.fields import Layout, Rows, rows_of
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.sources import Source

name = "trec"
suffixes = (".run", ".qrels", ".trec", ".txt", ".res", ".input", ".results")
binary = False

RUN = Layout(
    kind="run",
    fields=("query", "Q0", "item", "rank", "score", "tag"),
    wanted=("query", "item", "score", "tag"),
    numbers=("rank", "score"),
    more_allowed=True,
)
QRELS = Layout(
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

    def read(run: Run, problems: Problems, rank: bool) -> Iterator[Block]:
        layout = RUN.want("rank") if rank else RUN
        empty = True
        for block in prefetched(_blocks(source, layout, problems, run, reading)):
            empty = False
            yield block
        if empty and not problems.count:
            problems.add("", "is empty", RUN.reads)

    return Run(source.stem, read, source)


def _blocks(source: Source, layout: Layout, problems: Problems, run: Run, reading: Reading) -> Iterator[Block]:
    for rows in rows_of(source, layout, problems, reading):
        run.tag = str(rows.table.item(-1, "tag"))
        yield Block(
            rows.table.get_column("query").rechunk(),
            rows.table.get_column("item").rechunk(),
            np.array(rows.table.get_column("score").to_numpy()),
            rows.line,
            _whole_ranks(rows, problems) if "rank" in layout.wanted else None,
        )


def _whole_ranks(rows: Rows, problems: Problems) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    ranks = rows.table.get_column("rank").to_numpy()
    broken = np.flatnonzero(ranks != np.floor(ranks))
    for row in broken[:KEPT].tolist():
        line = int(rows.line[row])
        problems.add(f"line {line}", f"rank must be a whole number, got {shown(ranks[row].item())}", order=line)
    problems.more(max(0, broken.size - KEPT))
    return np.where(np.isfinite(ranks), ranks, 0).astype(np.int64)


def read_qrels(source: Source, reading: Reading) -> Qrels:
    """Judgements, all at once."""
    problems = Problems(source.name)
    parts = list(rows_of(source, QRELS, problems, reading))
    if not parts and not problems.count:
        problems.add("", "is empty", QRELS.reads)
    problems.raise_if_any()
    table = pl.concat([part.table for part in parts], rechunk=True)
    return Qrels(table, np.concatenate([part.line for part in parts]), source.name, source.digest, "line")


def write_run(run: Run, file: TextIO) -> None:
    """Write `query Q0 item rank score tag`, best first; equal scores keep the order they were given in.

    The score is written with all its digits, so that reading it back gives the same number.
    """
    table = run.table()
    _refuse_blanks(table, run.place)
    ranked = table.with_columns(
        pl.col("score").rank("ordinal", descending=True).over("query").cast(pl.Int64).alias("rank"),
    ).sort([pl.col("query").rank("dense").over(pl.lit(1)), "rank"], maintain_order=True)
    tag = "_".join((run.tag or run.name).split()) or "run"
    for query, item, score, rank in ranked.iter_rows():
        file.write(f"{query} Q0 {item} {rank} {score!r} {tag}\n")


def write_qrels(qrels: Qrels, file: TextIO) -> None:
    """Write `query 0 item grade`, in the order given."""
    _refuse_blanks(qrels.table, qrels.name)
    for query, item, grade in qrels.table.iter_rows():
        file.write(f"{query} 0 {item} {grade:.17g}\n")


def _refuse_blanks(table: pl.DataFrame, place: str) -> None:
    """An id with a blank in it would be read back as two fields."""
    for name in ("query", "item"):
        column = table.get_column(name)
        broken = column.filter(column.str.contains(r"[ \t\n\v\f\r]") | column.str.starts_with("#")).head(3).to_list()
        if broken:
            problems = [Problem("", f"{name} id {shown(each)} holds a blank or begins with #") for each in broken]
            raise InputError.of(place, problems, "TREC text cannot hold such ids; write CSV, JSON or Parquet instead.")
