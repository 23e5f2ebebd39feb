"""The best distractors of each query of a block, with the scores that count and the lots of the items."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray, IntArray
from rankscope.engines.nearest.space import Space
from rankscope.ranks.dense import best_first
from rankscope.ranks.from_scores import highest
from rankscope.ranks.lots import lots_of_numbers
from rankscope.ranks.ragged import Ragged
from rankscope.ranks.relevant_ranks import KEPT_DISTRACTORS


class Best:
    """Gathers what may belong to the best, chunk by chunk of items, and in the end keeps the best references."""

    def __init__(self, queries: IntArray, space: Space, number: int = KEPT_DISTRACTORS) -> None:
        self.queries, self.space, self.number = queries, space, number
        self.row: list[IntArray] = []
        self.item: list[IntArray] = []
        self.score: list[FloatArray] = []

    def add_exact(self, scores: FloatArray) -> None:
        """A block of references; -inf stands for what is no distractor."""
        row, item = np.nonzero(highest(scores, self.number))
        self.row.append(row)
        self.item.append(item)
        self.score.append(scores[row, item])

    def add(self, scores: NDArray[Any], first: int, level: int) -> None:
        """A block of screened scores: whatever may be among the best has its reference computed."""
        least = _highest(scores, self.number).min(axis=1)
        row, item = np.nonzero(scores >= self._lowered(least, level)[:, None])
        there = scores[row, item] > -np.inf
        row, item = row[there], item[there] + first
        self.row.append(row)
        self.item.append(item)
        self.score.append(self.space.reference(self.queries[row], item))

    def _lowered(self, least: NDArray[Any], level: int) -> NDArray[Any]:
        """A screened score below this has a reference below those of at least as many others as are kept."""
        known = least > -np.inf
        lowered = np.full(least.size, -np.inf)
        lowered[known] = self.space.lowered(self.queries[known], least[known].astype(np.float64), level)
        return lowered

    def result(self) -> Ragged:
        """The best references of each query, falling, the earlier of two equals first."""
        row, item, score = np.concatenate(self.row), np.concatenate(self.item), np.concatenate(self.score)
        order = np.argsort(row, kind="stable")  # items ascend in each row, as chunks do
        lists = Ragged.from_rows(row[order], self.queries.size, item=item[order], score=score[order])
        best = best_first(lists)
        kept = best.where(best.position <= self.number)
        return Ragged(kept.offsets, {"score": kept["score"], "lot": lots_of_numbers(kept["item"])})


def _highest(scores: NDArray[Any], number: int) -> NDArray[Any]:
    """The highest scores of each row, in no order."""
    if scores.shape[1] <= number:
        return scores
    return np.partition(scores, scores.shape[1] - number, axis=1)[:, -number:]
