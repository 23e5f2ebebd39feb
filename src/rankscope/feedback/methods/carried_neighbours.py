"""Nearest-neighbour scores of a block of sessions whose examples only grow: distances to earlier examples are kept.

Two thirds of the work of five rounds would else be done again. The scores are those of the method, up to rounding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import IntArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.kernels import nearest_squared
from rankscope.feedback.examples.scored import Scored, drop_rounding
from rankscope.feedback.methods.block_state import BlockState
from rankscope.ranks.ragged import Ragged

if TYPE_CHECKING:
    from rankscope.feedback.methods.method import Method


class CarriedNeighbours(BlockState):
    """The method in one block, round after round."""

    def __init__(self, method: Method, items: Items, sessions: int) -> None:
        super().__init__(method, items)
        self.near, self.far = (_Nearest(items, sessions) for _ in range(2))

    def scores(self, examples: Examples) -> Scored:
        """As `method.scores`; sessions that lack positives or negatives go by the method's own rule."""
        near, far = self.near.after(examples.positives), self.far.after(examples.negatives)
        lacking = examples.without_positives | examples.without_negatives
        values = np.sqrt(far)
        total = np.sqrt(near)
        total += values
        both = total == 0
        values[both], total[both] = 1, 2
        with np.errstate(invalid="ignore"):
            values /= total
        values = drop_rounding(values.astype(np.float64, copy=False), self.items.single)
        if self.items.copies.size:
            values[:, self.items.copies] = values[:, self.items.first_alike[self.items.copies]]
        flags, failed = [""] * len(examples), [""] * len(examples)
        rows = np.flatnonzero(lacking)
        if rows.size:
            result = self.method.scores(self.items, examples.take(rows))
            values[rows] = result.values
            for row, flag, reason in zip(rows.tolist(), result.flags, result.failed, strict=True):
                flags[row], failed[row] = flag, reason
        return Scored(values, tuple(flags), tuple(failed))


class _Nearest:
    """Squared distances from every item to the nearest example so far; infinite before there is one."""

    def __init__(self, items: Items, sessions: int) -> None:
        self.items = items
        self.least: NDArray[Any] = np.full((sessions, len(items)), np.inf, items.matrix.dtype)
        self.known: IntArray = np.empty(0, np.int64)

    def after(self, lists: Ragged) -> NDArray[Any]:
        """With these examples, of which only the new ones are looked at."""
        key = lists.row * len(self.items) + lists["item"]
        new = lists.where(~np.isin(key, self.known))
        self.known = key
        rows = np.flatnonzero(new.lengths)
        if rows.size:
            found = nearest_squared(self.items, new.take(rows))
            self.least[rows] = np.minimum(self.least[rows], found)
        return self.least
