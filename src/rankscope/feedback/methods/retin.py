"""RETIN: an SVM that asks around a rank which follows the balance of good and bad answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rankscope.arrays import IntArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.scored import Scored, best
from rankscope.feedback.methods.block_state import BlockState
from rankscope.feedback.methods.svm import SVM
from rankscope.feedback.methods.unlike_display import UnlikeDisplay


@dataclass(frozen=True)
class Retin(SVM):
    """Scores as the SVM's; shows items around rank s, each unlike those already chosen for the display.

    Our reading. s starts at `first_rank` and moves by h (hits - misses) after each round, so that good and bad answers
    stay balanced. The next item is the one with the least |f - f(s)| + its largest kernel value with the display.
    """

    h: float = 2.0
    first_rank: int = 20
    name: ClassVar[str] = "retin"
    source: ClassVar[str] = "Gosselin & Cord 2004, RETIN AL: an active learning strategy for image category retrieval"
    dagger: ClassVar[bool] = True
    active: ClassVar[bool] = True
    least: ClassVar[Mapping[str, float]] = {"first_rank": 1}

    def next_rank(self, rank: IntArray, hits: IntArray, misses: IntArray) -> IntArray:
        """s of the next round, not above the top of the list; give it to the examples as `around`."""
        return np.maximum(1, np.rint(rank + self.h * (hits - misses))).astype(np.int64)

    def block_state(self, items: Items, sessions: int, growing: bool) -> BlockState:
        """It keeps the rank of each session."""
        return RanksAsked(self, items, sessions)

    def query(self, items: Items, examples: Examples, scored: Scored, k: int) -> IntArray:
        """Closest to the score at rank s, and unlike the rest of the display."""
        ranks = np.full(len(examples), self.first_rank) if examples.around is None else examples.around
        ranks = np.clip(ranks, 1, len(items))
        rows = np.arange(len(examples))
        at = best(scored.values, int(ranks.max(initial=1)))[rows, ranks - 1]
        far = np.abs(scored.values - scored.values[rows, at][:, None])
        seen = examples.judged(len(items))
        chosen = np.full((len(examples), k), -1, np.int64)
        for row in rows.tolist():
            display = UnlikeDisplay(items, far[row], seen[row], self.width(items)).choose(k)
            chosen[row, : len(display)] = display
        return chosen


class RanksAsked(BlockState):
    """The rank about which each session of a block asks next."""

    def __init__(self, method: Retin, items: Items, sessions: int) -> None:
        super().__init__(method, items)
        self.retin, self.rank = method, np.full(sessions, method.first_rank)

    def complete_examples(self, examples: Examples) -> Examples:
        """The examples with the ranks."""
        return replace(examples, around=self.rank)

    def note_marks(self, hits: IntArray, misses: IntArray) -> None:
        """Follow the balance of good and bad answers."""
        self.rank = self.retin.next_rank(self.rank, hits, misses)
