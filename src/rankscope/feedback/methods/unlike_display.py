"""A display of items near a wanted score that are unlike each other, without comparing all items with all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.feedback.examples.items import Items

FIRST_LOOK = 256  # items that are compared with the display at first


class UnlikeDisplay:
    """Items chosen one by one, by the least sum of how far an item's score is and how like it is to the chosen ones.

    How like: its largest kernel value with one of them. Of equal sums the first item is chosen. A kernel value is never
    negative, so an item whose score is farther than the least sum cannot be next: items are compared from the nearest
    score on, and twice as many where those do not suffice.
    """

    def __init__(self, items: Items, far: FloatArray, seen: BoolArray, gamma: float) -> None:
        self.items, self.gamma = items, gamma
        unseen = np.flatnonzero(~seen)
        self.order: IntArray = unseen[np.argsort(far[unseen], kind="stable")]
        self.far = far[self.order]
        self.rows: NDArray[Any] = items.moved[:0]  # the features of those that are compared
        self.alike: FloatArray = np.zeros(0)  # how like they are to the chosen ones; infinite for these themselves
        self.chosen: list[int] = []

    def choose(self, count: int) -> list[int]:
        """So many items, or all that are left."""
        while len(self.chosen) < min(count, self.order.size):
            place = self._next_place()
            self.chosen.append(int(self.order[place]))
            new = self._kernel(self.rows, self.order[: len(self.rows)], self.chosen[-1:])
            np.maximum(self.alike, new, out=self.alike)
            self.alike[place] = np.inf
        return self.chosen

    def _next_place(self) -> int:
        """Where in the order the next item is, when enough are compared to know it."""
        while True:
            compared = self.alike.size
            total = self.far[:compared] + self.alike
            least = total.min(initial=np.inf)
            if compared == self.order.size or least < self.far[compared]:
                break
            self._compare_more()
        if not np.isfinite(least):  # nothing is known of the scores
            return int(np.argmax(np.isfinite(self.alike)))
        equal = np.flatnonzero(total == least)
        return int(equal[np.argmin(self.order[equal])])

    def _compare_more(self) -> None:
        """Twice as many items as before."""
        begin, end = self.alike.size, min(self.order.size, max(FIRST_LOOK, 2 * self.alike.size))
        more = self.items.moved[self.order[begin:end]]
        self.rows = np.concatenate([self.rows, more])
        self.alike = np.concatenate([self.alike, self._kernel(more, self.order[begin:end], self.chosen)])

    def _kernel(self, rows: NDArray[Any], numbers: IntArray, points: list[int]) -> FloatArray:
        """The largest kernel value of each row with some of the chosen; 0 where there are none."""
        squares = self.items.squares
        squared = squares[numbers][:, None] + squares[points] - 2 * (rows @ self.items.moved[points].T)
        return np.exp(-self.gamma * np.maximum(squared, 0)).max(axis=1, initial=0.0).astype(np.float64)
