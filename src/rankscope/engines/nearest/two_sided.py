"""Ranks by a symmetric metric: a tile of scores between two blocks of queries serves the queries of both."""

from __future__ import annotations

from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import IntArray
from rankscope.core.threads import in_threads, with_threads
from rankscope.engines.nearest.blocks import PART_CELLS, BlockRanker, BlockRanks
from rankscope.engines.nearest.query_block import Best, QueryBlock
from rankscope.engines.nearest.relevance import Relevance
from rankscope.engines.nearest.space import Space
from rankscope.ranks.relevant_ranks import KEPT_DISTRACTORS
from rankscope.ranks.score_tables import count_among
from rankscope.ranks.screening import Close, Placed, count_block, place_close, ranks_of_placed

STRIP = 512  # rows of a block's tile with itself that are computed at once, from the diagonal on
HIT_BYTES, KEPT_BYTES = 64, 2 * 24 * KEPT_DISTRACTORS  # of a hit, and of the distractors of a query, until it is ranked
LEAST_BLOCK = 256  # in narrower tiles, counting costs more than is saved
LEAST_WIDTH, LEAST_SCREENED_WIDTH = 16, 96  # features, the same
MOST_EQUALS = 0.25  # items equal to each hit, times hits: more are quicker to rank in whole rows, which are sorted
SAMPLED_QUERIES, SAMPLED_ITEMS = 8, 4096


def pays(space: Space, relevance: Relevance, keep_scores: bool, memory: int) -> bool:
    """Whether tiles for both sides pay: scores that take long and are rarely equal; and what they need fits."""
    queries = relevance.queries
    if not (space.symmetric and relevance.gallery[queries].all()):
        return False
    held = relevance.hit_count * HIT_BYTES + keep_scores * queries.size * KEPT_BYTES
    wide = space.rows.shape[1] >= (LEAST_WIDTH if space.exact else LEAST_SCREENED_WIDTH)
    hits = relevance.hit_count / queries.size
    return wide and 3 * held <= memory and hits * share_of_equals(space, queries) <= MOST_EQUALS


def share_of_equals(space: Space, queries: IntArray) -> float:
    """How often two items have the same score with a query, from a few queries and items.

    >>> from rankscope.engines.nearest.differences import L1
    >>> share_of_equals(L1(np.array([[0], [1], [1], [1]])), np.array([0]))
    0.5
    """
    some = queries[:: -(-queries.size // SAMPLED_QUERIES)]
    items = np.arange(0, len(space), -(-len(space) // SAMPLED_ITEMS))
    ordered = np.sort(space.tile(some, items), axis=1)
    starts = np.ones(ordered.shape, dtype=np.bool_)
    starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    sizes = np.diff(np.append(np.flatnonzero(starts), ordered.size))
    return float((sizes * (sizes - 1)).sum() / (some.size * items.size * max(1, items.size - 1)))


def tile_side(queries: int, cells: int, wanted: int | None) -> int:
    """How many queries a block has, so that a tile has at most so many cells; 0 where that is too few.

    >>> tile_side(20_000, 9_000_000, None), tile_side(20_000, 9_000_000, 1000), tile_side(20_000, 9_000_000, 10)
    (2858, 1000, 0)
    """
    most = isqrt(cells)
    side = wanted or -(-queries // -(-queries // most))
    return side if LEAST_BLOCK <= side <= most else 0


class TwoSidedRanker(BlockRanker):
    """Ranks blocks of queries, which must be asked for in their order."""

    def __init__(self, space: Space, relevance: Relevance, keep_scores: bool, blocks: list[IntArray]) -> None:
        self.space, self.relevance, self.keep_scores, self.blocks = space, relevance, keep_scores, blocks
        self._number = {int(queries[0]): number for number, queries in enumerate(blocks)}
        self._unfinished: dict[int, _Block] = {}
        is_other = relevance.gallery.copy()
        is_other[relevance.queries] = False
        others, side = np.flatnonzero(is_other), max(block.size for block in blocks)
        self._others = [others[start : start + side] for start in range(0, others.size, side)]

    def ranked(self, queries: IntArray) -> BlockRanks:
        """The ranks of a block."""
        number = self._number[int(queries[0])]
        mine = self._block(number)
        mine.add(self._tile_with_itself(queries), queries)
        for other, items in enumerate(self.blocks):
            if other != number and other not in mine.met:
                tile = self.space.tile(mine.queries, items)
                mine.add(tile, items)
                if other > number:
                    theirs = self._block(other)
                    theirs.add(tile.T, mine.queries)
                    theirs.met.add(number)
        for items in self._others:
            mine.add(self.space.tile(queries, items), items)
        return self._unfinished.pop(number).result()

    def _block(self, number: int) -> _Block:
        if number not in self._unfinished:
            self._unfinished[number] = _Block(self.space, self.relevance, self.blocks[number], self.keep_scores)
        return self._unfinished[number]

    def _tile_with_itself(self, queries: IntArray) -> NDArray[Any]:
        tile: NDArray[Any] | None = None
        for start in range(0, queries.size, STRIP):
            strip = self.space.tile(queries[start : start + STRIP], queries[start:])
            if tile is None:
                tile = np.empty((queries.size, queries.size), dtype=strip.dtype)
            tile[start : start + STRIP, start:] = strip
            tile[start:, start : start + STRIP] = strip.T
        assert tile is not None
        return tile


class _Block:
    """What has been counted of a block so far, a few queries by each thread."""

    def __init__(self, space: Space, relevance: Relevance, queries: IntArray, keep_scores: bool) -> None:
        self.queries, self.met = queries, set[int]()
        self.items = len(space)
        self.step = max(1, PART_CELLS // queries.size)
        starts = range(0, queries.size, self.step)

        def open_rows(start: int) -> _Rows:
            with with_threads(1):
                return _Rows(QueryBlock.of(space, relevance, queries[start : start + self.step]), keep_scores)

        self.parts = in_threads(open_rows, starts)

    def add(self, tile: NDArray[Any], items: IntArray) -> None:
        """Count the scores of some items, one row per query."""
        order = np.argsort(items)
        column = np.full(self.items, -1)
        column[items[order]] = np.arange(items.size)

        def add_rows(number: int) -> None:
            with with_threads(1):
                rows = tile[number * self.step : (number + 1) * self.step]
                self.parts[number].add(np.take(rows, order, axis=1), items[order], column)

        in_threads(add_rows, range(len(self.parts)))

    def result(self) -> BlockRanks:
        def rows_result(part: _Rows) -> BlockRanks:
            with with_threads(1):
                return part.result()

        return BlockRanks.join(in_threads(rows_result, self.parts))


class _Rows:
    """What has been counted of a few queries so far."""

    def __init__(self, block: QueryBlock, keep_scores: bool) -> None:
        self.block, self.space = block, block.space
        block.sort(block.references())
        self.limits = None if self.space.exact else block.limits(level=0)
        self.before, self.others, self.earlier = np.zeros((3, block.hits.size), dtype=np.int64)
        self.best = Best(block.queries, self.space) if keep_scores else None

    def add(self, scores: NDArray[Any], items: IntArray, column: IntArray) -> None:
        """Count a table, which may be overwritten."""
        self.block.clear(scores, column)
        if self.best is not None:
            self.best.add(scores, items)
        before, close = self._count(scores, items, column)
        placed = place_close(self.block.hits, close)
        self.before += before + placed.before
        self.others += placed.others
        self.earlier += placed.earlier

    def _count(self, scores: NDArray[Any], items: IntArray, column: IntArray) -> tuple[IntArray, Close]:
        """Items that stand before each hit, and those close to one, with scores in the order of the references."""
        if self.limits is None:
            return self._count_references(scores, items)
        found = count_block(scores, self.limits)
        if found.row.size > self.space.dear[0] * scores.size:
            references = self.space.reference_table(self.block.queries, items)
            self.block.clear(references, column)
            return self._count_references(references, items)
        return found.before, self.block.settle(found.row, items[found.item], found.place)

    def _count_references(self, scores: NDArray[Any], items: IntArray) -> tuple[IntArray, Close]:
        before, close = count_among(self.block.hits, scores)
        return before, Close(row=close.row, item=items[close.item], score=close.score, place=close.place)

    def result(self) -> BlockRanks:
        placed = Placed(before=np.zeros_like(self.before), others=self.others, earlier=self.earlier)
        found = ranks_of_placed(self.block.hits, self.before, placed)
        best, block = None if self.best is None else self.best.items(), self.block
        return BlockRanks.of(block.queries, block.hits, block.left_out, found, best, self.space.shown)
