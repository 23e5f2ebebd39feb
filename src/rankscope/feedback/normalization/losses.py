"""What a wrong decision costs: zero-one or weighted loss, and what decides without knowing anything would lose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.errors import SettingError
from rankscope.measures.fractions import divide
from rankscope.validation import SHARE, Number, check, check_fields


@dataclass(frozen=True)
class Loss:
    """The cost of an item wrongly called relevant, and of one wrongly called irrelevant; zero-one unless weighted.

    >>> str(Loss()), str(Loss.balanced(0.1))
    ('zero-one', 'weighted(false_positive=1, false_negative=9)')
    """

    false_positive: float = 1.0
    false_negative: float = 1.0

    def __post_init__(self) -> None:
        check_fields(self, false_positive=Number(least=0), false_negative=Number(least=0))
        if self.false_positive == self.false_negative == 0:
            raise SettingError("weights of a loss cannot both be 0")

    @classmethod
    def balanced(cls, generality: float) -> Loss:
        """The weighted loss in which both classes matter alike: w_fn / w_fp = (1 - g) / g."""
        generality = check(locals(), generality=SHARE)["generality"]
        return cls(1.0, (1.0 - generality) / generality)

    def __str__(self) -> str:
        if self == Loss():
            return "zero-one"
        return f"weighted(false_positive={self.false_positive:g}, false_negative={self.false_negative:g})"

    def of(self, called: BoolArray, target: BoolArray, tested: BoolArray) -> FloatArray:
        """The mean loss over the tested items of each row; rows x items.

        >>> Loss().of(np.array([[True, True, False]]), np.array([[True, False, True]]), np.array([[True, True, True]]))
        array([0.66666667])
        """
        wrong = self.false_positive * (called & ~target & tested).sum(axis=1)
        missed = self.false_negative * (~called & target & tested).sum(axis=1)
        return divide(wrong + missed, tested.sum(axis=1))

    def at_scopes(self, hits: IntArray, relevant: int, items: int) -> FloatArray:
        """The loss of calling the first s of a list relevant, s = 0, 1, ...; `hits` are the v(s), from v(0) = 0 on."""
        scope = np.arange(hits.size)
        return (self.false_positive * (scope - hits) + self.false_negative * (relevant - hits)) / items

    def all_negative(self, generality: float) -> float:
        """What calling nothing relevant loses: g with zero-one loss."""
        return self.false_negative * generality

    def random(self, generality: float) -> float:
        """What calling c items at random relevant loses: 2 g (1 - g) with zero-one loss.

        >>> round(Loss().random(0.1), 6)
        0.18
        """
        return (self.false_positive + self.false_negative) * generality * (1.0 - generality)
