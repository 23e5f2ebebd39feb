"""The first stage: the relevant items of a block of queries, with the scores that count.

It needs the features of these items alone, wherever in the collection they lie.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import IntArray
from rankscope.engines.nearest.query_block import QueryBlock
from rankscope.engines.nearest.relevance import Relevance, SharedRelevance, shared_items
from rankscope.engines.nearest.spaces import space_of
from rankscope.engines.shards.arrays_form import Arrays, lists_from_arrays, lists_to_arrays
from rankscope.engines.shards.plan import ShardPlan
from rankscope.ranks.dense import best_first
from rankscope.ranks.ragged import Ragged


@dataclass(frozen=True, eq=False)
class HitsPart:
    """A block of queries, what they share, and what is not in the collection of each."""

    digest: str
    queries: IntArray
    groups: tuple[SharedRelevance, ...]
    left_out: Ragged

    @classmethod
    def of(cls, relevance: Relevance, queries: IntArray, digest: str) -> HitsPart:
        """A block as the whole collection knows it."""
        return cls(
            digest=digest,
            queries=queries,
            groups=tuple(relevance.groups(queries)),
            left_out=relevance.left_out(queries),
        )

    def hits(self, items: int) -> Ragged:
        """The relevant items of each query in its collection, ascending, of a collection of so many."""
        there, out = shared_items(self.groups, self.queries.size), self.left_out
        return there.where(~np.isin(there.row * items + there["item"], out.row * items + out["item"]))


@dataclass(frozen=True, eq=False)
class BlockHits:
    """A block of queries with their features; their hits, best first, by number and reference; and what is left out."""

    queries: IntArray
    vectors: NDArray[Any]
    hits: Ragged
    left_out: Ragged

    def to_arrays(self) -> Arrays:
        """Arrays by name."""
        plain = {"queries": self.queries, "vectors": self.vectors}
        return plain | lists_to_arrays("hits", self.hits) | lists_to_arrays("left_out", self.left_out)

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> BlockHits:
        """The same again."""
        return cls(
            queries=arrays["queries"],
            vectors=arrays["vectors"],
            hits=lists_from_arrays("hits", arrays),
            left_out=lists_from_arrays("left_out", arrays),
        )


def find_hits(plan: ShardPlan, part: HitsPart) -> BlockHits:
    """The hits of a block with their references."""
    hits = part.hits(len(plan.collection))
    needed = np.unique(np.concatenate([part.queries, *(group.members for group in part.groups)]))
    space = space_of(plan.metric, plan.collection.rows_at(needed), plan.values)
    queries, local = (np.searchsorted(needed, each) for each in (part.queries, hits["item"]))
    block = QueryBlock(
        space,
        queries,
        hits=hits.with_columns(item=local),
        left_out=Ragged.empty(queries.size, "item"),
        gallery=np.ones(needed.size, dtype=np.bool_),
        groups=[replace(group, members=np.searchsorted(needed, group.members)) for group in part.groups],
    )
    return BlockHits(
        queries=part.queries,
        vectors=plan.collection.rows_at(part.queries),
        hits=best_first(hits.with_columns(score=block.references())),
        left_out=part.left_out,
    )
