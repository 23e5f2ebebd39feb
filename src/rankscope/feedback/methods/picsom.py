"""PicSOM: marks are put on a self-organising map of the collection and spread over it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.method import Method
from rankscope.feedback.methods.nearness import add_nearness
from rankscope.feedback.methods.trained_map import best_units, trained_map

ITEMS_A_UNIT = 4
SIDES = (4, 24)


@dataclass(frozen=True)
class PicSOM(Method):
    """Sum over maps (one for each group of features) of the marks about an item's unit, weighted by a tent.

    Our reading. Positives are worth 1/nP and negatives -1/nN; the mark on unit (a, b) counts max(0, 1 - |a - i|/r)
    max(0, 1 - |b - j|/r) on unit (i, j), r the `spread`. One level of map in place of PicSOM's tree: `side` None has
    about four items a unit, 4 to 24 units a side. Items of one unit, and so of equal scores, stand by nearness to the
    mean of the positives, which counts a thousandth. The map is trained once for a collection.
    """

    side: int | None = None
    spread: float = 2.0
    name: ClassVar[str] = "picsom"
    source: ClassVar[str] = "Laaksonen, Koskela & Oja 2002, PicSOM: self-organizing image retrieval"
    dagger: ClassVar[bool] = True
    least: ClassVar[Mapping[str, float]] = {"side": 1, "spread": 1}

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """Marks on each map, spread, and looked up by the items' units."""
        side = self.side or usual_side(len(items))
        total = np.zeros((len(examples), len(items)))
        for group in items.groups:
            units = mapped_items(items, group, side)
            total += spread_marks(unit_marks(examples, units, side), self.spread).reshape(len(examples), -1)[:, units]
        return add_nearness(total, items, examples)


def usual_side(items: int) -> int:
    """So many units a side that there are about four items a unit, 4 to 24.

    >>> usual_side(1000), usual_side(10)
    (16, 4)
    """
    return int(np.clip(round((items / ITEMS_A_UNIT) ** 0.5), *SIDES))


def mapped_items(items: Items, group: slice, side: int) -> IntArray:
    """The unit of each item on the map of one group of features, made once."""

    def make() -> IntArray:
        rows = items.matrix[:, group]
        return best_units(rows, trained_map(rows, side))

    return items.remember(("map", side, group.start, group.stop), make)


def unit_marks(examples: Examples, units: IntArray, side: int) -> FloatArray:
    """Sessions x side x side: 1/nP for each positive on its unit, -1/nN for each negative."""
    total = np.zeros(len(examples) * side * side)
    for lists, sign in ((examples.positives, 1.0), (examples.negatives, -1.0)):
        worth = sign / np.maximum(lists.lengths, 1)[lists.row]
        total += np.bincount(lists.row * side * side + units[lists["item"]], worth, minlength=total.size)
    return total.reshape(-1, side, side)


def spread_marks(marks: FloatArray, spread: float) -> FloatArray:
    """Each map convolved with a tent that falls to 0 at so many units.

    >>> spread_marks(np.array([[[0.0, 1.0, 0.0]] * 3]), 2)[0, 1].tolist()
    [1.0, 2.0, 1.0]
    """
    place = np.arange(marks.shape[1])
    tent = np.maximum(0.0, 1.0 - np.abs(place[:, None] - place) / spread)
    return tent @ marks @ tent
