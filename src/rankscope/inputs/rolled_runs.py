"""A run of chunks as a run of documents: a document stands where its best chunk does."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from rankscope.inputs.blocks import RunBlock, RunRows, numbers_of
from rankscope.inputs.checks import Problems, shorten_value
from rankscope.inputs.roll_up import RollUp
from rankscope.inputs.run import Run
from rankscope.inputs.series_ids import SeriesIds, as_series
from rankscope.number_texts import how_many
from rankscope.wording import setting_usage


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
            _refuse_no_chunk(block, alone, roll_up, problems)
            rolled = _best_of_documents(block, document)
            result.notes |= dict.fromkeys(_notes(block, rolled, alone, roll_up))
            yield rolled

    result = Run(run.name, read, run.source, run.tag)
    result.rolled_up, result.chunks, result.ascending = True, run, run.ascending
    return result


def _refuse_no_chunk(block: RunBlock, alone: pl.Series, roll_up: RollUp, problems: Problems) -> None:
    if alone.all() and not set(block.rows.item.to_list()) & set(roll_up.table.values()):
        ids = ", ".join(shorten_value(block.rows.item[row]) for row in range(min(3, len(block))))
        advice = f"Ids of the run: {ids}, ... Give {setting_usage('roll_up')} what fits them."
        problems.add("", f"no item is a chunk of the roll-up {shorten_value(roll_up.name)}", advice)


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
    rank = None if rows.rank is None else _without_gaps(best)
    found = RunRows(
        item=SeriesIds(best.get_column("document").rechunk()),
        score=best.get_column("score").to_numpy().copy(),
        line=numbers_of(rows.line)[kept],
        rank=rank,
        word=rows.word,
        files=rows.files,
    )
    return RunBlock(SeriesIds(best.get_column("query").rechunk()), found)


def _without_gaps(best: pl.DataFrame) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Ranks from 1 on, in the order of the best ranks."""
    ranks = best.select(pl.col("rank").rank("ordinal").over("query").cast(pl.Int64)).to_series()
    return ranks.to_numpy().copy()


def _notes(block: RunBlock, rolled: RunBlock, alone: pl.Series, roll_up: RollUp) -> Iterator[str]:
    chunks = pl.DataFrame({"query": as_series(block.query), "item": as_series(block.rows.item)})
    yield f"{how_many(len(block), 'results')} rolled up to {how_many(len(rolled), 'documents')}: the best chunk counts"
    if twice := chunks.height - chunks.n_unique():
        yield (
            f"{how_many(twice, 'result was', 'results were')} of a chunk that its query lists already: the best counts"
        )
    documents = pl.Series(list(set(roll_up.table.values())), dtype=pl.String)
    if left := int((alone & ~chunks.get_column("item").is_in(documents.implode())).sum()):
        yield f"{left:,} of {how_many(len(block), 'results')} are no chunk of the roll-up: they stand for themselves"
