"""Cross-validation folds of one topic: every item is tested once, by what was learnt from the other folds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import BoolArray, IntArray
from rankscope.errors import SettingError
from rankscope.feedback.examples.examples import Examples
from rankscope.validation import SEED, Optional, WholeNumber, check

USUAL = 5


@dataclass(frozen=True, eq=False)
class Folds:
    """The fold in which each item is tested, numbered from 0; `seed` None: items kept their order.

    >>> folds = Folds.of([0, 1, 0, 1])
    >>> folds.count, folds.tested
    (2, array([[ True, False,  True, False],
           [False,  True, False,  True]]))
    """

    fold: IntArray
    count: int
    seed: int | None = None

    @classmethod
    def of(cls, fold: ArrayLike) -> Folds:
        """Folds given explicitly, one number per item; none may be empty."""
        numbers = np.asarray(fold, dtype=np.int64)
        if (
            numbers.ndim != 1
            or numbers.size == 0
            or not np.array_equal(np.unique(numbers), np.arange(numbers.max() + 1))
        ):
            raise SettingError("folds are numbered from 0, one number per item, and none is empty")
        return cls(numbers, int(numbers.max()) + 1)

    def __len__(self) -> int:
        return self.fold.size

    @cached_property
    def tested(self) -> BoolArray:
        """Folds x items: which items each fold tests; it learns from the others."""
        return self.fold[None, :] == np.arange(self.count)[:, None]

    def sizes(self, chosen: BoolArray) -> IntArray:
        """How many of the chosen items each fold tests."""
        return np.bincount(self.fold[chosen], minlength=self.count).astype(np.int64)

    def training(self, target: BoolArray, left_out: BoolArray | None = None) -> Examples:
        """One session per fold: all items it does not test are examples, but for those left out (folds x items)."""
        learnt = ~self.tested if left_out is None else ~(self.tested | left_out)
        positives = [np.flatnonzero(row) for row in learnt & target]
        return Examples.of(positives, [np.flatnonzero(row) for row in learnt & ~target])


def most_folds(target: BoolArray, wanted: int = USUAL) -> int:
    """How many folds a topic can have, at most the wanted: each needs a relevant item, and one that is not.

    >>> most_folds(np.array([True, True, True, False, False, False, False])), most_folds(np.array([True, False]))
    (3, 1)
    """
    relevant = int(target.sum())
    return min(wanted, relevant, target.size - relevant)


def stratified_folds(target: ArrayLike, count: int = USUAL, *, seed: int | None = 0) -> Folds:
    """Folds with equal shares of relevant items, as near as whole numbers allow; `seed` None does not shuffle.

    A topic of c < `count` relevant items gets c folds. One relevant item cannot be learnt and tested: `SettingError`.
    >>> stratified_folds([True, True, False, False, False, True], 3, seed=None).fold
    array([0, 1, 0, 1, 2, 2])
    """
    relevant = checked_target(target)
    wanted, seed = check(locals(), count=WholeNumber(least=2), seed=Optional(SEED)).values()
    count = most_folds(relevant, wanted)
    if count < 2:
        raise SettingError(
            f"a topic of {int(relevant.sum())} relevant among {relevant.size} items has no folds: it takes two that "
            "are relevant and two that are not"
        )
    chance = None if seed is None else np.random.default_rng(seed)
    # the class that comes first has the first turns, the other goes on where it ended: folds differ by one at most
    fold, turn = np.empty(relevant.size, np.int64), 0
    for members in (np.flatnonzero(relevant == relevant[0]), np.flatnonzero(relevant != relevant[0])):
        turns = np.sort((turn + np.arange(members.size)) % count)
        fold[members] = turns if chance is None else chance.permutation(turns)
        turn += members.size
    return Folds(fold, count, seed)


def checked_target(target: ArrayLike) -> BoolArray:
    """Yes or no for each item; anything else is a `SettingError`."""
    given = np.asarray(target)
    if given.ndim != 1 or given.size == 0 or not np.isin(given, (0, 1)).all():
        raise SettingError("a target says of each item whether it is relevant: one True or False per item")
    return given.astype(np.bool_)
