"""The second stage on a graphics card: a shard, with the queries and their hits next to it, ranked as a collection.

What the shard counts follows from the ranks there: before a hit stand the hits before it, and what is counted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import BoolArray, IntArray
from rankscope.engines.nearest.relevance import SharedRelevance
from rankscope.engines.shards.hits import BlockHits
from rankscope.engines.shards.plan import Shard, ShardPlan
from rankscope.engines.shards.shard_counts import ShardCounts
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.settling import Placed


@dataclass(frozen=True, eq=False)
class BlockAndShard:
    """Queries, their hits and a shard as one collection, in which only the items of the shard are distractors.

    It tells a ranker what a `Relevance` tells it.
    """

    items: IntArray  # their numbers in the whole collection, ascending
    queries: IntArray
    gallery: BoolArray
    _hits: Ragged
    _left_out: Ragged

    @classmethod
    def of(cls, block: BlockHits, shard: Shard) -> BlockAndShard:
        """Numbered anew, in the same order."""
        items = np.unique(np.concatenate([block.queries, block.hits["item"], np.arange(shard.first, shard.stop)]))
        inside = (items >= shard.first) & (items < shard.stop)
        inside[inside] = shard.gallery
        there = block.left_out.where(np.isin(block.left_out["item"], items[inside]))
        hits = block.hits.sorted_by(block.hits["item"])
        return cls(
            items=items,
            queries=np.searchsorted(items, block.queries),
            gallery=inside,
            _hits=Ragged(hits.offsets, {"item": np.searchsorted(items, hits["item"])}),
            _left_out=Ragged(there.offsets, {"item": np.searchsorted(items, there["item"])}),
        )

    def hits(self, queries: IntArray) -> tuple[Ragged, list[SharedRelevance]]:
        """The hits of some queries; who shares them is of no interest here."""
        return self._hits.take(self._rows(queries)), []

    def left_out(self, queries: IntArray) -> Ragged:
        """The same of what is not in their collections."""
        return self._left_out.take(self._rows(queries))

    def _rows(self, queries: IntArray) -> IntArray:
        order = np.argsort(self.queries)
        return order[np.searchsorted(self.queries, queries, sorter=order)]


def count_on_device(plan: ShardPlan, shard: Shard, block: BlockHits) -> ShardCounts:
    """What a shard counts for a block of queries, found by a device that torch knows."""
    from rankscope.engines.nearest.gpu import GpuRanker

    both = BlockAndShard.of(block, shard)
    device = plan.device.removeprefix("torch-")
    ranker = GpuRanker(plan.collection.rows_at(both.items), plan.metric, both, device, plan.keep_scores)
    found = ranker.find(both.queries)
    row, start, size = found.ties
    ties = Ragged.from_rows(row, block.queries.size, start=start, size=size)
    placed = counts_of_ranks(block.hits, found.rank, ties)
    best = None
    if plan.keep_scores:
        row, item, score = found.best
        best = Ragged.from_rows(row, block.queries.size, item=both.items[item], score=score)
    return ShardCounts(before=placed.before, others=placed.others, earlier=placed.earlier, best=best)


def counts_of_ranks(hits: Ragged, rank: IntArray, ties: Ragged) -> Placed:
    """What was counted, from final ranks of hits, best first, and the groups of equal scores that hold a hit.

    >>> hits = Ragged(np.array([0, 2]), {"item": np.array([1, 4]), "score": np.array([.5, .2])})
    >>> ties = Ragged(np.array([0, 1]), {"start": np.array([1]), "size": np.array([2])})
    >>> counts_of_ranks(hits, np.array([2, 4]), ties)
    Placed(before=array([1, 2]), others=array([1, 0]), earlier=array([1, 0]))
    """
    others, earlier = np.zeros((2, hits.size), dtype=np.int64)
    if ties.size:
        wide = int(max(rank.max(), ties["start"].max())) + 1
        first = np.searchsorted(hits.row * wide + rank, ties.row * wide + ties["start"])
        begins = np.ones(hits.size + 1, dtype=np.bool_)
        begins[1:-1] = (hits.row[1:] != hits.row[:-1]) | (hits["score"][1:] != hits["score"][:-1])
        edges = np.flatnonzero(begins)
        mates = edges[np.searchsorted(edges, first, side="right")] - first
        others[first], earlier[first] = ties["size"] - mates, rank[first] - ties["start"]
    return Placed(before=rank - hits.position, others=others, earlier=earlier)
