"""Which distractors stay around a class: those nearest to it, a narrow domain, or random ones, a wide domain.

How fast quality falls as a collection grows depends on how similar its items are (Huijsmans and Sebe 2001, 6.1). The
same number of distractors chosen in both ways shows it: one set for all queries of a class, so that the queries of both
rankings have the same relevant items among as many others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.engines.nearest.space import TABLE, Space
from rankscope.notation import Named, NamedCatalogue


@dataclass(frozen=True, eq=False)
class ClassItems:
    """A class by its number, its members that can be found, and all other items that can."""

    number: int
    members: IntArray
    others: IntArray


@dataclass(frozen=True)
class Distractors(Named, ABC):
    """So many distractors of each class."""

    unnamed: ClassVar[tuple[str, ...]] = ("number",)
    least: ClassVar[Mapping[str, float]] = {"number": 1}

    number: int

    @abstractmethod
    def choose(self, space: Space, classes: Sequence[ClassItems]) -> Iterator[IntArray]:
        """The items that stay around each of several classes, ascending."""


@dataclass(frozen=True)
class NearestDistractors(Distractors):
    """Those of least mean distance to the members of the class, the earlier of two equals first: a narrow domain."""

    name: ClassVar[str] = "nearest"

    def choose(self, space: Space, classes: Sequence[ClassItems]) -> Iterator[IntArray]:
        """By the scores as people know them, of which cosine and inner product are similarities."""
        step = max(1, TABLE // len(space))
        for start in range(0, len(classes), step):
            some = classes[start : start + step]
            bounds = space.total_bounds([each.members for each in some])
            for each, (low, high) in zip(some, bounds, strict=True):
                yield highest_totals(space, each, self.number, low[each.others], high[each.others])


@dataclass(frozen=True)
class RandomDistractors(Distractors):
    """Drawn at random for each class; a larger number holds the smaller ones: a domain as wide as the collection."""

    name: ClassVar[str] = "random"
    least: ClassVar[Mapping[str, float]] = {"seed": 0}

    seed: int = 0

    def choose(self, space: Space, classes: Sequence[ClassItems]) -> Iterator[IntArray]:
        """The first ones in an order drawn for each class."""
        for each in classes:
            order = np.random.default_rng([self.seed, each.number]).permutation(each.others)
            yield np.sort(order[: self.number])


DISTRACTORS: NamedCatalogue[Distractors] = NamedCatalogue(
    "choice of distractors", (NearestDistractors, RandomDistractors), "nearest(500)"
)


def parse_distractors(given: str | Distractors) -> Distractors:
    """A choice as people write it, or as it is.

    >>> parse_distractors("nearest(500)"), str(parse_distractors("random(500, seed=3)"))
    (NearestDistractors(number=500), 'random(500,seed=3)')
    """
    return given if isinstance(given, Distractors) else DISTRACTORS.parse(given)


def highest_totals(space: Space, own: ClassItems, number: int, low: FloatArray, high: FloatArray) -> IntArray:
    """The other items whose scores with all members have the highest sums, from bounds of these sums.

    Where the bounds do not decide, it is done by the scores that count, added in the order of the members.
    """
    if number >= own.others.size:
        return own.others
    reached = np.partition(low, -number)[-number]  # so many sums are at least this,
    beyond = np.partition(high, -number - 1)[-number - 1]  # and no more than these many are above this
    sure, doubtful = low > beyond, (low <= beyond) & (high >= reached)
    close = own.others[doubtful]
    step = max(1, TABLE // own.members.size)
    parts = [close[start : start + step] for start in range(0, close.size, step)]
    totals = np.concatenate([np.empty(0), *(_totals(space, own.members, part) for part in parts)])
    best = np.argsort(-totals, kind="stable")[: number - int(np.count_nonzero(sure))]
    return np.sort(np.concatenate([own.others[sure], close[best]]))


def _totals(space: Space, members: IntArray, items: IntArray) -> FloatArray:
    """Sums of the scores that count, member by member whatever items are asked together."""
    table = space.shown(space.reference_table(members, items))
    return np.add.accumulate(table, axis=0)[-1]
