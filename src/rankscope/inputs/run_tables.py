"""Rankings in tables: the columns of a frame as rows of a run, and the other way round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from rankscope import column_names
from rankscope.arrays import FloatArray
from rankscope.errors import InputError
from rankscope.inputs import tables
from rankscope.inputs.blocks import RunBlock, RunRows
from rankscope.inputs.checks import Problems
from rankscope.inputs.contradiction import LOOKED_AT
from rankscope.inputs.numbers import whole_ranks
from rankscope.inputs.series_ids import SeriesIds, as_series
from rankscope.wording import setting_value


def frame_of(blocks: Sequence[RunBlock]) -> pl.DataFrame:
    """All rows as one table (query, item, score)."""
    columns: dict[str, list[pl.Series]] = {"query": [], "item": [], "score": []}
    for block in blocks:
        columns["query"].append(as_series(block.query))
        columns["item"].append(as_series(block.rows.item))
        columns["score"].append(pl.Series(block.rows.score))
    empty = pl.DataFrame(schema={"query": pl.String, "item": pl.String, "score": pl.Float64})
    return pl.DataFrame({name: pl.concat([empty.get_column(name), *parts]) for name, parts in columns.items()})


def block_of(given: tables.Table, problems: Problems, rank: bool) -> tuple[RunBlock | None, bool, FloatArray | None]:
    """The good rows of a table, None where there are none; whether scores are only an order; ranks of the first rows.

    Ranks are looked at next to scores, whatever they are, where nothing is wrong with any row.
    """
    before = problems.count
    chosen = _chosen(given, problems, rank)
    value = "score" if "score" in chosen.frame.columns else "rank"
    table = tables.check_table(chosen, value, problems)
    ranks = tables.numbers(chosen, "rank", problems) if rank and value != "rank" else None
    if problems.count > before:
        table, ranks = _good_rows(table, value, ranks)
    if table.frame.height == 0:
        return None, False, None
    values = np.array(table.frame.get_column(value).to_numpy(), dtype=np.float64)
    rank_values = values if ranks is None else ranks.to_numpy()
    rows = RunRows(
        item=SeriesIds(table.frame.get_column("item").rechunk()),
        score=values if value == "score" else -values,
        line=table.line,
        rank=whole_ranks(rank_values, table.line, table.word, problems) if rank else None,
        word=table.word,
    )
    query = SeriesIds(table.frame.get_column("query").rechunk())
    seen = None
    if value == "score" and not given.ordered and "rank" in chosen.frame.columns and problems.count == before:
        seen = tables.any_floats(chosen.frame.get_column("rank").head(LOOKED_AT))
    return RunBlock(query, rows), given.ordered or value == "rank", seen


def _good_rows(table: tables.Table, value: str, ranks: pl.Series | None) -> tuple[tables.Table, pl.Series | None]:
    """The rows in which every column holds what it must."""
    number = table.frame.get_column(value)
    good = number.is_not_null() & number.is_not_nan()
    for name in ("query", "item"):
        good &= (table.frame.get_column(name) != "").fill_null(False)
    if ranks is not None:
        good &= ranks.is_not_null() & ranks.is_not_nan()
    good = good.fill_null(False)
    kept = replace(table, frame=table.frame.filter(good), line=table.line[good.to_numpy()])
    return kept, None if ranks is None else ranks.filter(good)


def _chosen(table: tables.Table, problems: Problems, rank: bool) -> tables.Table:
    """Our own columns; where there is no score, a lower rank is a higher score."""
    optional = {"score": column_names.SCORE, "rank": column_names.RANK}
    needed = {"query": column_names.QUERY, "item": column_names.ITEM}
    frame = tables.columns_of(table.frame, needed, problems, optional)
    if "rank" not in frame.columns and "score" not in frame.columns:
        problems.add("", f"no column for the score or the rank; columns: {tables.listed_columns(table.frame)}")
    elif "rank" not in frame.columns and rank:
        problems.add("", f"has no rank column, which {setting_value('ties', 'rank')} needs")
    else:
        return replace(table, frame=frame)
    raise InputError([problems.report()])
