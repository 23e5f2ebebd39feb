"""The second stage: how many items of a shard stand before each hit of a block of queries.

What is too close to a hit for quick scores is placed by its reference within the shard, so only counts come back:
24 bytes a hit, and the best distractors where scores are kept. They add up in any order.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.engines.nearest.block import LEAST_ROWS, PROBED, RowsOfBlock, Screening, cells_within
from rankscope.engines.nearest.query_block import QueryBlock
from rankscope.engines.nearest.space import Space
from rankscope.engines.nearest.spaces import space_of
from rankscope.engines.nearest.top import Best
from rankscope.engines.shards.arrays_form import ArraysForm
from rankscope.engines.shards.hits import BlockHits
from rankscope.engines.shards.plan import Shard, ShardPlan
from rankscope.engines.shards.shard_counts import ShardCounts
from rankscope.errors import InputError
from rankscope.names import name_of
from rankscope.ranks.dense import COUNTED_CELLS, count_among
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.settling import Placed, place_close
from rankscope.running.threads import in_threads, thread_count, with_threads

FILE_ADVICE = "Name a work folder that all workers reach."


@dataclass(frozen=True)
class CountPart:
    """A block of queries, whose hits lie in a file, and a shard."""

    digest: str
    block: int
    hits: Path
    shard: int


class ShardBlock(QueryBlock):
    """Queries from anywhere, whose hits are numbers of the whole collection; the items are those of one shard."""

    def __init__(self, space: Space, queries: IntArray, hits: Ragged, left_out: Ragged, shard: Shard) -> None:
        super().__init__(space, queries, hits=hits, left_out=left_out, gallery=shard.gallery)
        self._inside = [_inside(lists, shard) for lists in (hits, left_out)]

    def not_distractors(self) -> Sequence[Ragged]:
        """Those of the shard, by their places in it."""
        return self._inside


def _inside(lists: Ragged, shard: Shard) -> Ragged:
    there = lists.where((lists["item"] >= shard.first) & (lists["item"] < shard.stop))
    return Ragged(there.offsets, {"item": there["item"] - shard.first})


def count_shard(plan: ShardPlan, part: CountPart) -> ShardCounts:
    """What a shard counts for a block of queries."""
    shard, block = plan.shards[part.shard], ArraysForm(BlockHits).read(part.hits)
    if block is None:
        raise InputError.of(name_of(part.hits), ["a worker cannot read it"], FILE_ADVICE)
    if not len(shard):
        return ShardCounts.none(block.queries.size, block.hits.size, plan.keep_scores)
    if plan.device != "cpu":
        from rankscope.engines.shards.on_device import count_on_device

        return count_on_device(plan, shard, block)
    return _at_hand.of(plan, shard).count(block)


@dataclass
class ShardInHand:
    """A shard that is ready for any block of queries, made once; remembers how precise scores must be."""

    shard: Shard
    space: Space
    keep_scores: bool
    cells: int
    level: int = 0
    is_probed: bool = False

    @classmethod
    def of(cls, plan: ShardPlan, shard: Shard) -> ShardInHand:
        """A shard of a plan."""
        space = space_of(plan.metric, shard.rows(plan.collection), plan.values)
        return cls(shard=shard, space=space, keep_scores=plan.keep_scores, cells=cells_within(space, plan.memory))

    def count(self, block: BlockHits) -> ShardCounts:
        """Rows are shared by the threads there are."""
        space = self.space.asking(block.vectors)
        rows = np.arange(block.queries.size)
        if space.levels > 1 and not self.is_probed and rows.size > PROBED**2:
            self._count_rows(space, block, rows[:: rows.size // PROBED], 1)
        self.is_probed = True
        threads = max(1, min(thread_count(), rows.size // LEAST_ROWS)) if space.shared else 1

        def work(some: IntArray) -> ShardCounts:
            with with_threads(1 if threads > 1 else thread_count()):
                return self._count_rows(space, block, some, threads)

        return ShardCounts.join(in_threads(work, np.array_split(rows, threads)))

    def _count_rows(self, space: Space, block: BlockHits, rows: IntArray, sharing: int) -> ShardCounts:
        screening = Screening(space, self.keep_scores, max(1, self.cells // sharing))
        screening.level = self.level
        asked = ShardBlock(space, rows, block.hits.take(rows), block.left_out.take(rows), self.shard)
        work = RowsOfBlock(screening, asked)
        placed = self._count_exactly(work) if space.exact else self._screen(work)
        self.level = max(self.level, screening.level)
        best = None if work.best is None else work.best.items()
        if best is not None:
            best = best.with_columns(item=best["item"] + self.shard.first)
        return ShardCounts(before=placed.before, others=placed.others, earlier=placed.earlier, best=best)

    def _screen(self, work: RowsOfBlock) -> Placed:
        before, close = work.screen()
        placed = place_close(work.block.hits, replace(close, item=close.item + self.shard.first))
        return replace(placed, before=before + placed.before)

    def _count_exactly(self, work: RowsOfBlock) -> Placed:
        """Chunk after chunk of references."""
        block, total = work.block, np.zeros((3, work.block.hits.size), dtype=np.int64)
        work.best = Best(block.queries, block.space) if self.keep_scores else None
        for items in work.ranker.chunks(block.queries):
            scores = np.asarray(block.space.scores(block.queries, items))
            block.clear(scores, work.column(items))
            if work.best is not None:
                work.best.add(scores, np.arange(items.start, items.stop))
            step = max(1, COUNTED_CELLS // scores.shape[1])
            for start in range(0, len(scores), step):
                rows = slice(start, min(start + step, len(scores)))
                there = slice(block.hits.offsets[rows.start], block.hits.offsets[rows.stop])
                total[:, there] += self._place(block.hits.part(rows), scores[rows], items.start)
        return Placed(*total)

    def _place(self, hits: Ragged, scores: FloatArray, first: int) -> IntArray:
        before, close = count_among(hits, scores)
        placed = place_close(hits, replace(close, item=close.item + first + self.shard.first))
        return np.stack([before + placed.before, placed.others, placed.earlier])


class _AtHand(threading.local):
    """The shard that a thread of this process worked on last."""

    def __init__(self) -> None:
        self.name, self.last = ("", -1), None

    name: tuple[str, int]
    last: ShardInHand | None

    def of(self, plan: ShardPlan, shard: Shard) -> ShardInHand:
        """The shard, made where it is another one than the last."""
        if self.last is None or self.name != (plan.digest, shard.number):
            known = (self.last.level, self.last.is_probed) if self.last and self.name[0] == plan.digest else (0, False)
            self.last = None  # two at once might not fit
            self.last = ShardInHand.of(plan, shard)
            self.last.level, self.last.is_probed = known
            self.name = plan.digest, shard.number
        return self.last


_at_hand = _AtHand()
