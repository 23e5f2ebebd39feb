"""A balanced design from classes of unequal size: as many items of each, drawn by chance (Brughi et al. 2014)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import IntArray
from rankscope.errors import SettingError


@dataclass(frozen=True, eq=False)
class BalancedSubset:
    """Numbers of the items chosen: `members` class by class, and `distractors` that belong to none of the classes."""

    classes: tuple[str, ...]
    each: int  # items of every class
    members: IntArray  # classes x each
    distractors: IntArray
    seed: int

    @property
    def queries(self) -> IntArray:
        """The members of all classes, ascending: each of them is a query."""
        return np.sort(self.members.ravel())

    @property
    def items(self) -> IntArray:
        """All items of the smaller collection, ascending."""
        return np.sort(np.concatenate([self.members.ravel(), self.distractors]))

    def rows(self) -> list[dict[str, object]]:
        """One row per class, with its items."""
        return [{"class": label, "items": self.members[row].tolist()} for row, label in enumerate(self.classes)]


def balanced_subset(labels: Sequence[str], classes: int, distractors: int = 0, seed: int = 0) -> BalancedSubset:
    """The `classes` largest classes, drawn without replacement down to the smallest of them, and some distractors.

    `labels`: the class of each item, '' for none. Classes of one size come by name. Distractors are drawn from items
    of other classes and of none, which are irrelevant to all classes chosen.
    >>> made = balanced_subset(["a", "a", "a", "b", "b", "c", "", ""], classes=2, distractors=3)
    >>> made.classes, made.members.shape, made.distractors.tolist()
    (('a', 'b'), (2, 2), [5, 6, 7])
    """
    given = np.asarray(labels, dtype=str)
    names, number, size = np.unique(given, return_inverse=True, return_counts=True)
    order = [int(each) for each in np.argsort(-size, kind="stable") if names[each]]
    if not 1 <= classes <= len(order):
        raise SettingError(f"classes must be from 1 to {len(order)}, as many as there are, got {classes}")
    chosen = order[:classes]
    rest = np.flatnonzero(~np.isin(number, chosen))
    if not 0 <= distractors <= rest.size:
        raise SettingError(
            f"distractors must be from 0 to {rest.size:,}, the items outside the {classes} classes, got {distractors:,}"
        )
    chance = np.random.default_rng(seed)
    each = int(size[chosen[-1]])
    members = np.stack([np.sort(chance.permutation(np.flatnonzero(number == c))[:each]) for c in chosen])
    added = np.sort(chance.permutation(rest)[:distractors])
    return BalancedSubset(
        classes=tuple(str(names[c]) for c in chosen), each=each, members=members, distractors=added, seed=seed
    )
