"""The best distractors of each query of a block, with the scores that count and the lots of the items."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import BoolArray, IntArray
from rankscope.engines.nearest.space import Space
from rankscope.ranks.dense import best_first
from rankscope.ranks.from_scores import highest
from rankscope.ranks.lots import lots_of_numbers
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import KEPT_DISTRACTORS

ROOM = 2  # times as many as are wanted are gathered before those that are no longer among the best are dropped


class Best:
    """Gathers what may belong to the best, table by table of items, and in the end keeps the best references."""

    def __init__(self, queries: IntArray, space: Space, level: int = 0, number: int = KEPT_DISTRACTORS) -> None:
        self.queries, self.space, self.level, self.number = queries, space, level, number
        self.least = np.full(queries.size, -np.inf)  # what screens below this is not among the best of a query
        self.found: list[Ragged] = []

    def add(self, scores: NDArray[Any], items: IntArray) -> None:
        """A table of scores of some items, which ascend; -inf stands for what is no distractor."""
        row, column = np.nonzero(self._hopeful(scores))
        score = scores[row, column].astype(np.float64)
        self.found.append(Ragged.from_rows(row, self.queries.size, item=items[column], score=score))
        if sum(part.size for part in self.found) > ROOM * self.number * self.queries.size:
            self.found = [self._still_hopeful()]

    def _hopeful(self, scores: NDArray[Any]) -> BoolArray:
        """What may be among the best, of this table and of those before."""
        if self.space.exact:
            return highest(scores, self.number) & (scores >= self.least[:, None])
        if scores.shape[1] >= self.number:
            at = scores.shape[1] - self.number
            self._raise_least(np.partition(scores, at, axis=1)[:, at])
        return np.asarray((scores >= self.least[:, None]) & (scores > -np.inf))

    def _still_hopeful(self) -> Ragged:
        """The same of all that was gathered."""
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

    def result(self) -> Ragged:
        """The best references of each query with their lots, falling, the earlier of two equals first."""
        best = self.items()
        return Ragged(best.offsets, {"score": best["score"], "lot": lots_of_numbers(best["item"])})

    def items(self) -> Ragged:
        """The same with the items themselves."""
        lists = self._still_hopeful() if len(self.found) > 1 else self._gathered()
        if not self.space.exact:
            lists = lists.sorted_by(lists["item"])
            lists = lists.with_columns(score=self.space.reference(self.queries[lists.row], lists["item"]))
        best = best_first(lists)
        return best.where(best.position <= self.number)
