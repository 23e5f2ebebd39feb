"""The items of a collection in an order to look through: by class, at random, from near to far."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.arrays import IntArray
from rankscope.workbench.browsing.best_first import Neighbourhood
from rankscope.workbench.store.rows import Item


def by_class(items: Sequence[Item], class_: str | None = None) -> IntArray:
    """Places, class after class, those without one at the end; or of one class only.

    >>> items = [Item(0, "a", "fox"), Item(1, "b", ""), Item(2, "c", "ant"), Item(3, "d", "fox")]
    >>> by_class(items).tolist(), by_class(items, "fox").tolist()
    ([2, 0, 3, 1], [0, 3])
    """
    if class_ is not None:
        return np.array([each.place for each in items if each.class_ == class_], dtype=np.int64)
    ordered = sorted(items, key=lambda each: (each.class_ == "", each.class_, each.place))
    return np.array([each.place for each in ordered], dtype=np.int64)


def at_random(count: int, seed: int) -> IntArray:
    """Places shuffled: the same for the same seed."""
    return np.random.default_rng(seed).permutation(count)


def from_near_to_far(near: Neighbourhood, place: int) -> IntArray:
    """An item, then all others, the nearest first."""
    return np.concatenate([[place], near.like_item(place, len(near.matrix) - 1).places])


def class_sizes(items: Sequence[Item]) -> dict[str, int]:
    """How many items each class has, by name; items without a class are not counted."""
    found: dict[str, int] = {}
    for each in items:
        if each.class_:
            found[each.class_] = found.get(each.class_, 0) + 1
    return dict(sorted(found.items()))
