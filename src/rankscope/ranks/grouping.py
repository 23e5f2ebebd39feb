"""Parts of a run in which every query is whole: block by block as files mostly have them, or all at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from rankscope.arrays import BoolArray, IntArray
from rankscope.inputs.blocks import RunBlock
from rankscope.ranks.matching import ItemKeys, Keys


class Scattered(Exception):  # noqa: N818  (a signal between two functions here, no failure)
    """A query came back after another one had begun; `pending` are the rows read so far if no part came out yet."""

    def __init__(self, pending: list[RunBlock] | None) -> None:
        self.pending = pending


@dataclass(frozen=True, eq=False)
class Whole:
    """Rows of whole queries. `segment` is the number of each row's query; a query may have lost all its rows."""

    block: RunBlock
    queries: tuple[str, ...]
    segment: IntArray
    keys: ItemKeys

    @classmethod
    def of(cls, block: RunBlock, queries: tuple[str, ...], segment: IntArray) -> Whole:
        """Rows with the keys of their items."""
        return cls(block, queries, segment, ItemKeys.of(block.item, segment))

    @cached_property
    def lengths(self) -> IntArray:
        """How many rows each query has."""
        return np.bincount(self.segment, minlength=len(self.queries)).astype(np.int64)

    def keep(self, rows: BoolArray) -> Whole:
        """Only some rows; a query without rows stays."""
        return Whole.of(self.block.take(np.flatnonzero(rows)), self.queries, self.segment[rows])


def whole_queries(blocks: Iterable[RunBlock]) -> Iterator[Whole]:
    """Whole queries, as they come, one after the other; raises `Scattered` when a query comes back."""
    seen: set[str] = set()
    waiting: list[RunBlock] = []
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
            ready = [*waiting, *([block.slice(0, cut)] if cut else [])]
            yield _one_after_the_other(RunBlock.join(ready), seen, [*waiting, block])
        waiting = [block.slice(cut, len(block))]
    if waiting:
        yield _one_after_the_other(RunBlock.join(waiting), seen, waiting)


def _one_after_the_other(block: RunBlock, seen: set[str], read: list[RunBlock]) -> Whole:
    starts = _query_starts(block.query)
    queries = tuple(block.query.gather(starts).to_list())
    if len(set(queries)) < len(queries) or not seen.isdisjoint(queries):
        raise Scattered(None if seen else read)
    seen.update(queries)
    return Whole.of(block, queries, np.repeat(np.arange(starts.size), np.diff(starts, append=len(block))))


def _query_starts(query: pl.Series) -> IntArray:
    """Where the column changes, the first row included."""
    changed = (query != query.shift(1)).fill_null(True)
    return np.flatnonzero(changed.to_numpy())


def gather_rows(blocks: Iterable[RunBlock]) -> Iterator[Whole]:
    """All rows as one part, in the order they were given: for lines that are scattered."""
    numbers = _Numbers()
    parts: list[RunBlock] = []
    segments: list[IntArray] = []
    keys: list[Keys] = []
    for block in blocks:
        if len(block):
            segments.append(numbers.of(block.query))
            keys.append(ItemKeys.of(block.item, segments[-1]).keys)
            parts.append(_without_query(block))
    if parts:
        block = RunBlock.join(parts)
        whole = Whole(block, numbers.queries, np.concatenate(segments), ItemKeys(block.item, np.concatenate(keys)))
        for each in (parts, segments, keys):
            each.clear()
        yield whole


class _Numbers:
    """A number for each query, in the order they are first met."""

    def __init__(self) -> None:
        self._known = pl.Series([], dtype=pl.String)

    @property
    def queries(self) -> tuple[str, ...]:
        return tuple(self._known.to_list())

    def of(self, query: pl.Series) -> IntArray:
        """The number of each row's query."""
        number = query.cast(pl.Enum(self._known), strict=False).to_physical()
        if number.null_count():
            self._known = pl.concat([self._known, query.unique(maintain_order=True)]).unique(maintain_order=True)
            number = query.cast(pl.Enum(self._known)).to_physical()
        return number.to_numpy().astype(np.int32)  # half the memory: all rows are kept


def _without_query(block: RunBlock) -> RunBlock:
    """The query column costs most and is known from the numbers; an empty one of the same length stands in."""
    nothing = pl.Series("query", np.zeros(len(block), dtype=np.uint8))
    return RunBlock(
        query=nothing, item=block.item, score=block.score, line=block.line, rank=block.rank, word=block.word
    )
