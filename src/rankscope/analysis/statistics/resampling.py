"""Resampling: queries or classes of queries drawn again, by draws that depend on the seed and the number of units
alone: the curves of two systems ask for the same ones.

The last ones are kept as long as they are not many: drawing them takes longer than working with them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import SettingError

Number = TypeVar("Number", np.float64, np.uint16)
AT_ONCE = 1_000_000  # drawn in one batch: 8 MB of counts


class Resampling(Protocol):
    """What is drawn (queries or classes), how many of it there are, and how often each query comes."""

    @property
    def unit(self) -> str: ...
    @property
    def units(self) -> int: ...

    def times(self, chance: np.random.Generator, resamples: int) -> FloatArray:
        """How often each query (column) is in each resample (row)."""


@dataclass(frozen=True)
class Queries:
    """As many queries as there are, each drawn from all."""

    units: int
    unit: str = "queries"

    def times(self, chance: np.random.Generator, resamples: int) -> FloatArray:
        drawn = chance.integers(0, self.units, (resamples, self.units))
        return _counted(drawn + np.arange(resamples)[:, None] * self.units, resamples, self.units)


@dataclass(frozen=True, eq=False)
class Classes:
    """As many classes as there are, each drawn from all; and in each as many queries as it has, drawn from it."""

    order: IntArray  # queries class by class
    start: IntArray
    size: IntArray
    unit: str = "classes"

    @classmethod
    def of(cls, classes: Sequence[str]) -> Classes:
        number = class_numbers(classes)
        size = np.bincount(number)
        return cls(np.argsort(number, kind="stable"), np.cumsum(size) - size, size.astype(np.int64))

    @property
    def units(self) -> int:
        return self.size.size

    def times(self, chance: np.random.Generator, resamples: int) -> FloatArray:
        drawn = chance.integers(0, self.units, (resamples, self.units))
        lengths = self.size[drawn]
        start, size = (np.repeat(each[drawn].ravel(), lengths.ravel()) for each in (self.start, self.size))
        query = self.order[start + (chance.random(size.size) * size).astype(np.int64)]
        row = np.repeat(np.arange(resamples), lengths.sum(axis=1))
        return _counted(row * self.order.size + query, resamples, self.order.size)


def drawing(queries: int, classes: Sequence[str] | None) -> Resampling:
    """Queries, or their classes where they are given."""
    if classes is None:
        return Queries(queries)
    if len(classes) != queries:
        raise SettingError(f"{queries} queries need as many classes, got {len(classes)}")
    return Classes.of(classes)


def class_numbers(classes: Sequence[str]) -> IntArray:
    """The class of each query as a number from 0; a query of no class ("") depends on nothing but itself.

    >>> class_numbers(["b", "a", "b"]), class_numbers(["", "a", ""])
    (array([1, 0, 1]), array([1, 0, 2]))
    """
    names = sorted({each for each in classes if each})
    place = {name: number for number, name in enumerate(names)}
    alone = itertools.count(len(names))
    return np.array([place[each] if each else next(alone) for each in classes], dtype=np.int64)


def batches(resamples: int, queries: int) -> Iterator[int]:
    """How many resamples are drawn at once, so that memory stays small."""
    step = max(1, AT_ONCE // max(queries, 1))
    for start in range(0, resamples, step):
        yield min(step, resamples - start)


def in_batches(table: NDArray[Number], width: int) -> Iterator[NDArray[Number]]:
    """The rows of a table, so many at once that memory stays small where each takes `width` numbers.

    >>> [len(part) for part in in_batches(np.zeros(5), AT_ONCE // 2)]
    [2, 2, 1]
    """
    start = 0
    for some in batches(len(table), width):
        yield table[start : start + some]
        start += some


def _counted(places: IntArray, resamples: int, queries: int) -> FloatArray:
    return np.bincount(places.ravel(), minlength=resamples * queries).reshape(resamples, queries).astype(np.float64)


KEPT_WEIGHTS = 5_000_000  # numbers: 40 MB
KEPT_TIMES = 20_000_000  # 40 MB: the resamples of up to 10,000 queries
MOST_TIMES = np.iinfo(np.uint16).max  # how often one unit may be drawn where counts are kept


def exponential_weights(units: int, draws: int, seed: int, shape: float) -> tuple[FloatArray, Iterator[FloatArray]]:
    """A gamma weight for each draw, and batches of exponential weights, draws x units.

    >>> gamma, parts = exponential_weights(units=3, draws=4, seed=0, shape=1.0)
    >>> gamma.shape, [part.shape for part in parts]
    ((4,), [(4, 3)])
    """
    if units * draws > KEPT_WEIGHTS:
        chance = np.random.default_rng(seed)
        gamma = chance.standard_gamma(shape, draws)
        return gamma, (chance.standard_exponential((some, units)) for some in batches(draws, units))
    gamma, weights = _kept_weights(units, draws, seed, shape)
    return gamma, in_batches(weights, units)


@lru_cache(maxsize=1)
def _kept_weights(units: int, draws: int, seed: int, shape: float) -> tuple[FloatArray, FloatArray]:
    chance = np.random.default_rng(seed)
    gamma = chance.standard_gamma(shape, draws)
    return gamma, chance.standard_exponential((draws, units))


def resampled_times(units: int, resamples: int, seed: int) -> Iterator[FloatArray]:
    """How often each unit is in each resample, in batches, resamples x units.

    >>> [part.sum(axis=1).tolist() for part in resampled_times(units=3, resamples=2, seed=0)]
    [[3.0, 3.0]]
    """
    if units * resamples > KEPT_TIMES or units > MOST_TIMES:
        chance, draw = np.random.default_rng(seed), Queries(units)
        return (draw.times(chance, some) for some in batches(resamples, units))
    return (part.astype(np.float64) for part in in_batches(_kept_times(units, resamples, seed), units))


@lru_cache(maxsize=2)  # a comparison and graphs of all queries ask for the same, graphs of some for others meanwhile
def _kept_times(units: int, resamples: int, seed: int) -> NDArray[np.uint16]:
    chance, draw = np.random.default_rng(seed), Queries(units)
    return np.concatenate([draw.times(chance, some).astype(np.uint16) for some in batches(resamples, units)])


def runs_of_equal_columns(table: FloatArray) -> tuple[IntArray, IntArray]:
    """The first column of each run of equal neighbours, and the number of the run that each column belongs to.

    A column with NaN is equal to none.
    >>> runs_of_equal_columns(np.array([[1.0, 1.0, 2.0, 1.0], [0.0, 0.0, 0.0, 0.0]]))
    (array([0, 2, 3]), array([0, 0, 1, 2]))
    """
    new = np.ones(table.shape[1], dtype=np.bool_)
    new[1:] = (table[:, 1:] != table[:, :-1]).any(axis=0)
    return np.flatnonzero(new), np.cumsum(new) - 1
