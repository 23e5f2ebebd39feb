"""Small problems on which feedback methods are normalised: one worked by hand, one drawn, and one of real digits."""

from __future__ import annotations

from functools import cache

import numpy as np

from rankscope.core.arrays import BoolArray
from rankscope.feedback import Items
from rankscope.feedback.examples.examples import Folds
from rankscope.feedback.study.results import WHO, Results

SMALL = Items.of(np.array([1, 1.2, 1.4, 9, 9.2, 9.4, 3, 4, 5, 5.2, 6, 7])[:, None])
SMALL_TARGET: BoolArray = np.arange(12) < 6
SMALL_FOLDS = Folds.of(np.arange(12) % 2)


def drawn(relevant: int = 30, others: int = 170, apart: float = 2.0, seed: int = 0) -> tuple[Items, BoolArray]:
    """Two clouds in the plane, so far apart; the relevant items are spread over the collection."""
    chance = np.random.default_rng(seed)
    target = chance.permutation(np.arange(relevant + others) < relevant)
    points = chance.normal(size=(relevant + others, 2)) + apart * target[:, None]
    return Items.of(points), target


@cache
def eights() -> tuple[Items, BoolArray]:
    """The digits of scikit-learn, pixels from 0 to 1; the topic is 8."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    return Items.of(digits.data / 16), digits.target == 8


def same_numbers(first: Results, second: Results) -> bool:
    """Whether two results are equal in everything but the time they took."""
    both = [each.frame.drop("seconds") for each in (first, second)]
    return both[0].equals(both[1], null_equal=True) and list(WHO) == both[0].columns[: len(WHO)]
