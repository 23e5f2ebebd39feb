"""Blocks of rows in which every query is whole: as files mostly have them, or regrouped when lines are scattered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from rankscope.arrays import BoolArray, IntArray
from rankscope.inputs.blocks import Block

ROWS_AT_ONCE = 1 << 20


class Scattered(Exception):  # noqa: N818  (a signal between two functions here, no failure)
    """A query came back after another one had begun."""


@dataclass(frozen=True)
class Grouped:
    """Rows of whole queries, one query after the other; a query may have lost all its rows."""

    block: Block
    queries: tuple[str, ...]
    lengths: IntArray

    @property
    def starts(self) -> IntArray:
        """Where each query begins."""
        return np.cumsum(self.lengths) - self.lengths

    @property
    def segment(self) -> IntArray:
        """The number of the query of each row."""
        return np.repeat(np.arange(len(self.queries)), self.lengths)

    def keep(self, rows: BoolArray) -> Grouped:
        """Only some rows; a query without rows stays."""
        lengths = np.bincount(self.segment[rows], minlength=len(self.queries)).astype(np.int64)
        return Grouped(self.block.take(np.flatnonzero(rows)), self.queries, lengths)


def grouped(blocks: Iterable[Block]) -> Iterator[Grouped]:
    """Whole queries, as they come; raises `Scattered` when a query comes back."""
    seen: set[str] = set()
    waiting: list[Block] = []
    for block in blocks:
        if len(block) == 0:
            continue
        starts = _query_starts(block.query)
        if waiting and waiting[-1].query[-1] == block.query[0]:
            starts = starts[1:]
        if starts.size == 0:
            waiting.append(block)
            continue
        cut = int(starts[-1])
        if cut or waiting:
            yield _whole(Block.join([*waiting, *([block.slice(0, cut)] if cut else [])]), seen)
        waiting = [block.slice(cut, len(block))]
    if waiting:
        yield _whole(Block.join(waiting), seen)


def _whole(block: Block, seen: set[str]) -> Grouped:
    starts = _query_starts(block.query)
    queries = tuple(block.query.gather(starts).to_list())
    if len(set(queries)) < len(queries) or not seen.isdisjoint(queries):
        raise Scattered
    seen.update(queries)
    return Grouped(block, queries, np.diff(starts, append=len(block)))


def _query_starts(query: pl.Series) -> IntArray:
    """Where the column changes, the first row included."""
    changed = (query != query.shift(1)).fill_null(True)
    return np.flatnonzero(changed.to_numpy())


def regrouped(blocks: Iterable[Block]) -> Iterator[Grouped]:
    """Whole queries from scattered lines: all rows gathered, then sorted by query; lines of one keep their order."""
    numbers: dict[str, int] = {}
    parts: list[Block] = []
    codes: list[IntArray] = []
    for block in blocks:
        codes.append(_codes(block.query, numbers))
        parts.append(_without_query(block))
    whole, code = Block.join(parts), np.concatenate(codes)
    parts.clear()
    lengths = np.bincount(code, minlength=len(numbers)).astype(np.int64)
    narrow = code.astype(np.uint16) if len(numbers) <= 1 << 16 else code
    order = np.argsort(narrow, kind="stable")
    queries = np.array(list(numbers), dtype=object)
    ends = np.cumsum(lengths)
    first = 0
    while first < lengths.size:
        begin = int(ends[first] - lengths[first])
        last = max(first + 1, int(np.searchsorted(ends, begin + ROWS_AT_ONCE, side="right")))
        rows = order[begin : int(ends[last - 1])]
        yield Grouped(whole.take(rows), tuple(queries[first:last]), lengths[first:last])
        first = last


def _codes(query: pl.Series, numbers: dict[str, int]) -> IntArray:
    """A number for each row's query, the same in all blocks."""
    distinct = query.unique()
    for each in distinct.to_list():
        numbers.setdefault(each, len(numbers))
    code = pl.Series("code", [numbers[each] for each in distinct.to_list()], dtype=pl.UInt32)
    known = pl.DataFrame({"query": distinct, "code": code})
    joined = pl.DataFrame({"query": query}).join(known, on="query", how="left", maintain_order="left")
    return joined.get_column("code").to_numpy()


def _without_query(block: Block) -> Block:
    """The query column costs most and is known from the codes; an empty one of the same length stands in."""
    nothing = pl.Series("query", np.zeros(len(block), dtype=np.uint8))
    return Block(nothing, block.item, block.score, block.line, block.rank, block.word)
