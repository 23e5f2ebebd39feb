"""Random example sets that grow: each larger set holds the smaller ones, so that growth curves are paired."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import BoolArray, FloatArray, IntArray
from rankscope.errors import SettingError
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.folds import checked_target

SIZES = (1, 2, 4, 8, 16)
Sizes: TypeAlias = Sequence[int | tuple[int, int]]  # as many of both, or so many positives and so many negatives


@dataclass(frozen=True, eq=False)
class ExampleSets:
    """Sessions x largest size: positives and negatives in the order in which they are added.

    >>> sets = ExampleSets.drawn([True] * 3 + [False] * 5, repeats=2, largest=(2, 2))
    >>> one, two = sets.of_size(1, 1)[0], sets.of_size(2, 2)[0]
    >>> set(one.examples) < set(two.examples)
    True
    """

    positives: IntArray
    negatives: IntArray
    target: IntArray  # the relevant items, for methods that are controls
    seed: int = 0

    @classmethod
    def drawn(
        cls,
        target: ArrayLike,
        repeats: int,
        largest: tuple[int, int],
        *,
        pool: BoolArray | None = None,
        seed: int = 0,
    ) -> ExampleSets:
        """Sets of one topic, `repeats` for each row of `pool` (rows x items: what may be drawn), or from all items.

        More repeats leave the first ones as they were.
        """
        relevant = checked_target(target)
        if repeats < 1 or min(largest) < 0 or largest[0] < 1:
            raise SettingError(f"at least one set with one positive is needed, got {repeats} sets of {largest}")
        allowed = np.ones((1, relevant.size), np.bool_) if pool is None else np.atleast_2d(pool)
        chance = np.random.default_rng(seed)
        rounds = [chance.random(allowed.shape) for _ in range(repeats)]
        keys = np.stack(rounds, axis=1).reshape(-1, relevant.size)  # the sets of each row of the pool stand together
        open_to = np.repeat(allowed, repeats, axis=0)
        return cls(
            _first(keys, open_to & relevant, largest[0], "relevant items"),
            _first(keys, open_to & ~relevant, largest[1], "items that are not relevant"),
            np.flatnonzero(relevant),
            seed,
        )

    def __len__(self) -> int:
        return len(self.positives)

    def of_size(self, positives: int, negatives: int) -> Examples:
        """The first so many examples of each session."""
        if not (0 < positives <= self.positives.shape[1] and 0 <= negatives <= self.negatives.shape[1]):
            drawn = (self.positives.shape[1], self.negatives.shape[1])
            raise SettingError(f"sets of {positives} and {negatives} were not drawn: the largest have {drawn}")
        wanted, unwanted = list(self.positives[:, :positives]), list(self.negatives[:, :negatives])
        return Examples.of(wanted, unwanted, seeds=self.seed, truth=[self.target] * len(self))

    def chosen(self, items: int, positives: int | None = None, negatives: int | None = None) -> BoolArray:
        """Sessions x items: the examples of the first so many, all unless told."""
        result = np.zeros((len(self), items), np.bool_)
        for drawn, size in ((self.positives, positives), (self.negatives, negatives)):
            np.put_along_axis(result, drawn[:, :size], True, axis=1)
        return result


def pairs(sizes: Sizes) -> tuple[tuple[int, int], ...]:
    """Sizes as pairs of positives and negatives, in growing order.

    >>> pairs([4, 1, (8, 2)])
    ((1, 1), (4, 4), (8, 2))
    """
    both = sorted({(each[0], each[1]) if isinstance(each, tuple) else (int(each), int(each)) for each in sizes})
    if not both or min(each[0] for each in both) < 1 or min(each[1] for each in both) < 0:
        raise SettingError(f"sizes of example sets are at least one positive, and no less than 0 negatives: {sizes}")
    return tuple(both)


def largest_of(both: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The most positives and the most negatives of some sizes."""
    return max(each[0] for each in both), max(each[1] for each in both)


def topic_seed(topic: str, seed: int) -> int:
    """A seed of its own for each topic, whatever other topics there are."""
    return int.from_bytes(hashlib.blake2b(f"{seed}\0{topic}".encode(), digest_size=4).digest(), "big")


def _first(keys: FloatArray, allowed: BoolArray, size: int, what: str) -> IntArray:
    """The items of the `size` smallest keys of each row among those allowed."""
    least = int(allowed.sum(axis=1).min())
    if least < size:
        raise SettingError(f"an example set of {size} {what} cannot be drawn: there are {least}")
    order = np.argsort(np.where(allowed, keys, np.inf), axis=1, kind="stable")
    return order[:, :size].astype(np.int64)
