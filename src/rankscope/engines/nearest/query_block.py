"""What is known of a block of queries before any other item is looked at: hits with the scores that count, limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.engines.nearest.relevance import Asked, SharedRelevance
from rankscope.engines.nearest.space import Space
from rankscope.ranks.counting import float32_limits
from rankscope.ranks.dense import best_first
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.settling import Close, moved_on

DENSE = 2048  # groups with at least so many pairs have their references made feature by feature


class QueryBlock:
    """Queries with their hits, best first, the earlier of two equals first; and what else is no distractor."""

    def __init__(
        self,
        space: Space,
        queries: IntArray,
        *,
        hits: Ragged,
        left_out: Ragged,
        gallery: BoolArray,
        groups: Sequence[SharedRelevance] = (),
    ) -> None:
        self.space, self.queries, self.gallery = space, queries, gallery
        self.hits, self.left_out, self.groups = hits, left_out, groups

    @classmethod
    def of(cls, space: Space, relevance: Asked, queries: IntArray) -> QueryBlock:
        """Some queries among the items of a space."""
        hits, groups = relevance.hits(queries)
        left_out, gallery = relevance.left_out(queries), relevance.gallery
        return cls(space, queries, hits=hits, left_out=left_out, gallery=gallery, groups=groups)

    def sort(self, scores: FloatArray) -> None:
        """Give the hits their scores, and sort them."""
        self.hits = best_first(self.hits.with_columns(score=scores))

    def references(self) -> FloatArray:
        """The references of all hits."""
        scores = np.empty(self.hits.size)
        small = np.ones(len(self.hits), dtype=np.bool_)
        for group in self.groups:
            if (group.stop - group.start) * group.members.size >= DENSE:
                small[group.start : group.stop] = False
                there = slice(self.hits.offsets[group.start], self.hits.offsets[group.stop])
                scores[there] = self._shared_references(group, there)
        chosen = small[self.hits.row]
        row, item = self.hits.row[chosen], self.hits["item"][chosen]
        scores[chosen] = self.space.reference(self.queries[row], item)
        return scores

    def _shared_references(self, group: SharedRelevance, there: slice) -> FloatArray:
        """Of hits of queries that share them, from a table of all pairs."""
        table = self.space.reference_table(self.queries[group.start : group.stop], group.members)
        column = np.searchsorted(group.members, self.hits["item"][there])
        return table[self.hits.row[there] - group.start, column]

    def limits(self, level: int) -> Ragged:
        """Between which screened scores an item is too close to each hit, in float32."""
        low, high = self.space.limits(self.queries[self.hits.row], self.hits["score"], level)
        below, above = float32_limits(low, high)
        return Ragged(self.hits.offsets, {"low": below, "high": above})

    def settle(self, row: IntArray, item: IntArray, place: IntArray) -> Close:
        """Items in doubt with scores that have the order of the references: these, where an estimate is near a hit."""
        score, room = self.space.estimate(self.queries[row], item)
        end = self.hits.offsets[row + 1]
        reached = moved_on(place, end, lambda at, who: self.hits["score"][at] > score[who] + room[who])
        near = np.flatnonzero(reached < end)
        near = near[self.hits["score"][reached[near]] >= score[near] - room[near]]
        score[near] = self.space.reference(self.queries[row[near]], item[near])
        return Close(row=row, item=item, score=score, place=place)

    def not_distractors(self) -> Sequence[Ragged]:
        """Items of the space that are relevant to a query, or not in its collection."""
        return self.hits, self.left_out

    def clear(self, scores: NDArray[Any], column: IntArray) -> None:
        """Take out of a table whatever is no distractor; `column` says where each item stands in it, -1 for nowhere."""
        for lists in self.not_distractors():
            at = column[lists["item"]]
            there = at >= 0
            scores[lists.row[there], at[there]] = -np.inf
        if not self.gallery.all():
            scores[:, column[(column >= 0) & ~self.gallery]] = -np.inf
