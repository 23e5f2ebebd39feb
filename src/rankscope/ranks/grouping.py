"""Parts of a run in which every query is whole: block by block as files mostly have them, or all at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rankscope.arrays import BoolArray, IntArray
from rankscope.inputs.blocks import RunBlock, RunRows
from rankscope.inputs.id_columns import Hashes
from rankscope.ranks.matching import ItemKeys
from rankscope.ranks.query_numbers import QueryNumbers


class Scattered(Exception):  # noqa: N818  (a signal between two functions here, no failure)
    """A query came back after another one had begun; `pending` are the rows read so far if no part came out yet."""

    def __init__(self, pending: list[RunBlock] | None) -> None:
        self.pending = pending


@dataclass(frozen=True, eq=False)
class WholeQueries:
    """Rows of whole queries. `segment` is the number of each row's query; a query may have lost all its rows."""

    rows: RunRows
    queries: tuple[str, ...]
    segment: IntArray
    keys: ItemKeys

    @classmethod
    def of(cls, rows: RunRows, queries: tuple[str, ...], segment: IntArray) -> WholeQueries:
        """Rows with the keys of their items."""
        return cls(rows, queries, segment, ItemKeys.of(rows.item, segment))

    @cached_property
    def lengths(self) -> IntArray:
        """How many rows each query has."""
        return np.bincount(self.segment, minlength=len(self.queries)).astype(np.int64)

    def keep(self, chosen: BoolArray) -> WholeQueries:
        """Only some rows; a query without rows stays."""
        return WholeQueries.of(self.rows.take(np.flatnonzero(chosen)), self.queries, self.segment[chosen])


def whole_queries(blocks: Iterable[RunBlock]) -> Iterator[WholeQueries]:
    """Whole queries, as they come, one after the other; raises `Scattered` when a query comes back."""
    seen: set[str] = set()
    held: list[RunBlock] = []  # the last query of which may go on
    for block in blocks:
        if len(block) == 0:
            continue
        goes_on = bool(held) and held[-1].query[-1] == block.query[0]
        cut = _end_of_first(block) if goes_on else 0
        if held and cut < len(block):
            yield _one_after_the_other(RunBlock.join([*held, *_first_rows(block, cut)]), seen, [*held, block])
            held = []
        held.append(block.slice(cut, len(block)) if 0 < cut < len(block) else block)
    if held:
        yield _one_after_the_other(RunBlock.join(held), seen, held)


def _end_of_first(block: RunBlock) -> int:
    """Where the first query of a block ends."""
    starts = block.query.starts()
    return int(starts[1]) if starts.size > 1 else len(block)


def _first_rows(block: RunBlock, count: int) -> list[RunBlock]:
    return [block.slice(0, count)] if count else []


def _one_after_the_other(block: RunBlock, seen: set[str], read: list[RunBlock]) -> WholeQueries:
    starts = block.query.starts()
    queries = tuple(block.query.take(starts).to_list())
    if len(set(queries)) < len(queries) or not seen.isdisjoint(queries):
        raise Scattered(None if seen else read)
    seen.update(queries)
    return WholeQueries.of(block.rows, queries, np.repeat(np.arange(starts.size), np.diff(starts, append=len(block))))


def gather_rows(blocks: Iterable[RunBlock]) -> Iterator[WholeQueries]:
    """All rows as one part, in the order they were given: for lines that are scattered."""
    numbers = QueryNumbers()
    parts: list[RunRows] = []
    segments: list[IntArray] = []
    keys: list[Hashes] = []
    for block in blocks:
        if len(block):
            segments.append(numbers.of(block.query))
            keys.append(ItemKeys.of(block.rows.item, segments[-1]).keys)
            parts.append(replace(block.rows, item=block.rows.item.kept()))
    if parts:
        rows = RunRows.join(parts)
        whole = WholeQueries(rows, numbers.queries, np.concatenate(segments), ItemKeys(rows.item, np.concatenate(keys)))
        for each in (parts, segments, keys):
            each.clear()
        yield whole
