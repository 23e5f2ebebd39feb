"""A block of queries: its hits with the scores that count, limits around them, and the best distractors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.engines.nearest.relevance import Asked, SharedRelevance
from rankscope.engines.nearest.space import Space
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import KEPT_DISTRACTORS
from rankscope.ranks.score_tables import best_first, highest
from rankscope.ranks.screening import Close, float32_limits, moved_on

# What is known of a block of queries before any other item is looked at: hits with the scores that count, limits.

DENSE_PAIRS = 2048  # groups with at least so many pairs have their references made feature by feature


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
            if (group.stop - group.start) * group.members.size >= DENSE_PAIRS:
                small[group.start : group.stop] = False
                there = slice(self.hits.offsets[group.start], self.hits.offsets[group.stop])
                # Of hits of queries that share them, from a table of all pairs.
                table = self.space.reference_table(self.queries[group.start : group.stop], group.members)
                column = np.searchsorted(group.members, self.hits["item"][there])
                scores[there] = table[self.hits.row[there] - group.start, column]
        chosen = small[self.hits.row]
        row, item = self.hits.row[chosen], self.hits["item"][chosen]
        scores[chosen] = self.space.reference(self.queries[row], item)
        return scores

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


# The best distractors of each query of a block, with the scores that count and the lots of the items.

BEST_ROOM = 2  # times as many as are wanted are gathered before those that are no longer among the best are dropped


class Best:
    """Gathers what may belong to the best, table by table of items, and in the end keeps the best references."""

    def __init__(self, queries: IntArray, space: Space, level: int = 0, number: int = KEPT_DISTRACTORS) -> None:
        self.queries, self.space, self.level, self.number = queries, space, level, number
        self.least = np.full(queries.size, -np.inf)  # what screens below this is not among the best of a query
        self.found: list[Ragged] = []

    def add(self, scores: NDArray[Any], items: IntArray) -> None:
        """A table of scores of some items, which ascend; -inf stands for what is no distractor."""
        if self.space.exact:
            hopeful = highest(scores, self.number) & (scores >= self.least[:, None])
        else:
            if scores.shape[1] >= self.number:
                at = scores.shape[1] - self.number
                self._raise_least(np.partition(scores, at, axis=1)[:, at])
            hopeful = (scores >= self.least[:, None]) & (scores > -np.inf)
        row, column = np.nonzero(hopeful)
        score = scores[row, column].astype(np.float64)
        self.found.append(Ragged.from_rows(row, self.queries.size, item=items[column], score=score))
        if sum(part.size for part in self.found) > BEST_ROOM * self.number * self.queries.size:
            self.found = [self._still_hopeful()]

    def _still_hopeful(self) -> Ragged:
        """What may be among the best, of all that was gathered."""
        best = best_first(self._gathered())
        last = best.position == self.number
        least = np.full(self.queries.size, -np.inf)
        least[best.row[last]] = best["score"][last]
        self._raise_least(least)
        return best.where(best.position <= self.number if self.space.exact else best["score"] >= self.least[best.row])

    def _raise_least(self, least: NDArray[Any]) -> None:
        """As many others as are kept screen at least so high, and have higher references than what is far below."""
        known = least > -np.inf
        reached = least[known].astype(np.float64)
        lowered = reached if self.space.exact else self.space.lowered(self.queries[known], reached, self.level)
        self.least[known] = np.maximum(self.least[known], lowered)

    def _gathered(self) -> Ragged:
        """Query by query, items ascending."""
        row, item, score = (
            np.concatenate(column)
            for column in zip(*((part.row, part["item"], part["score"]) for part in self.found), strict=True)
        )
        order = np.lexsort((item, row))
        return Ragged.from_rows(row[order], self.queries.size, item=item[order], score=score[order])

    def items(self) -> Ragged:
        """The best of each query with their references, falling, the earlier of two equals first."""
        lists = self._still_hopeful() if len(self.found) > 1 else self._gathered()
        if not self.space.exact:
            lists = lists.sorted_by(lists["item"])
            lists = lists.with_columns(score=self.space.reference(self.queries[lists.row], lists["item"]))
        best = best_first(lists)
        return best.where(best.position <= self.number)
