"""TREC text written: what it cannot hold is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from rankscope.inputs.formats.writing import refuse_ids, whole_numbers
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.run import Run

if TYPE_CHECKING:
    import polars as pl


def write_run(run: Run, file: TextIO) -> None:
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
