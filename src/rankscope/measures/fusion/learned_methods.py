"""Methods that learn from judged queries how much a place in each system's list is worth."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final, Self

import numpy as np

from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.measures.fusion.candidates import Candidates, Training
from rankscope.measures.fusion.method import FusionMethod, sum_found
from rankscope.measures.fusion.place_methods import ASLAM

LILLIS = "Lillis et al. 2010, Estimating probabilities for effective data fusion (SIGIR)"
Tables = tuple[FloatArray, ...]  # of each system, what its places are worth


@dataclass(frozen=True)
class LearntFusion(FusionMethod):
    """A method whose tables, one a system, come from judged queries."""

    tables: Tables = field(default=(), init=False, repr=False, compare=False)
    learns: ClassVar[bool] = True

    def learn(self, training: Training) -> Self:
        """The method with its tables."""
        if not training.count:
            raise SettingError(f"{self.name} learns from judged queries: there are none to learn from")
        tables = tuple(self.table(training, system) for system in range(training.lists.scores.shape[1]))
        learnt = replace(self)
        object.__setattr__(learnt, "tables", tables)
        return learnt

    @abstractmethod
    def table(self, training: Training, system: int) -> FloatArray:
        """What the places of one system are worth, the first first."""

    def fuse(self, lists: Candidates, weights: FloatArray) -> FloatArray:
        """The sum of what the places of an item are worth."""
        worth = [self.worth(lists, system, table) for system, table in enumerate(self.tables)]
        return sum_found(np.column_stack(worth), lists)

    def worth(self, lists: Candidates, system: int, table: FloatArray) -> FloatArray:
        """What the place of each item in the list of one system is worth."""
        return looked_up(table, lists.places[:, system])


@dataclass(frozen=True)
class PosFuse(LearntFusion):
    """How often the same place was relevant before."""

    name: ClassVar[str] = "posfuse"
    formula: ClassVar[str] = "sum_i P(relevant | system i, rank_i)"
    source: ClassVar[str] = LILLIS

    def table(self, training: Training, system: int) -> FloatArray:
        """The share of relevant items at each place, among the lists that reach it."""
        hits, reach = training.hits_at(system)
        return hits / np.maximum(reach, 1)


@dataclass(frozen=True)
class SlideFuse(PosFuse):
    """As posfuse, smoothed over `w` places to both sides."""

    w: int = 5
    name: ClassVar[str] = "slidefuse"
    formula: ClassVar[str] = "sum_i mean of P(relevant | system i, place) over rank_i - w .. rank_i + w"
    source: ClassVar[str] = "Lillis, Toolan, Collier & Dunnion 2008, Extending probabilistic data fusion (ECIR)"
    least: ClassVar[dict[str, float]] = {"w": 0}
    trials: ClassVar[Mapping[str, Sequence[float]]] = {"w": (1, 2, 3, 5, 7, 10, 15, 20, 30, 50)}

    def worth(self, lists: Candidates, system: int, table: FloatArray) -> FloatArray:
        """The mean over the window, cut off at both ends of the list."""
        places = np.maximum(lists.places[:, system], 0)
        last = np.maximum(lists.lengths[lists.query, system] - 1, 0)
        low, high = np.maximum(places - self.w, 0), np.minimum(places + self.w, last)
        sums = np.concatenate([[0.0], np.cumsum(table)])
        found = sums[np.minimum(high + 1, len(table))] - sums[np.minimum(low, len(table))]
        return np.asarray(found / np.maximum(high - low + 1, 1), dtype=np.float64)


@dataclass(frozen=True)
class MAPFuse(LearntFusion):
    """The average precision of a system, over the rank."""

    name: ClassVar[str] = "mapfuse"
    formula: ClassVar[str] = "sum_i AP_i / rank_i"
    source: ClassVar[str] = LILLIS

    def table(self, training: Training, system: int) -> FloatArray:
        """The average precision alone: places come with the list."""
        return np.array([training.average_precision(system)])

    def worth(self, lists: Candidates, system: int, table: FloatArray) -> FloatArray:
        """It falls with the rank."""
        return table[0] / (np.maximum(lists.places[:, system], 0) + 1.0)


@dataclass(frozen=True)
class BayesFuse(LearntFusion):
    """The log odds that an item of such a place is relevant; items that a system lacks have the least odds."""

    name: ClassVar[str] = "bayesfuse"
    formula: ClassVar[str] = "sum_i ln(p / (1 - p)), p the precision within the places 1-5, 6-10, ... , 501-1000"
    source: ClassVar[str] = ASLAM
    cuts: ClassVar[IntArray] = np.array([0, 5, 10, 15, 20, 30, 100, 200, 500, 1000])
    floor: ClassVar[float] = 0.001
    absent: ClassVar[float] = float(np.log(0.001 / 0.999))

    def table(self, training: Training, system: int) -> FloatArray:
        """The log odds of each place up to the thousandth."""
        hits, _ = training.hits_at(system)
        sums = np.concatenate([[0.0], np.cumsum(hits)])[np.minimum(self.cuts, len(hits))]
        sizes = np.diff(self.cuts)
        precision = np.diff(sums) / sizes / training.count
        wrong = 1 - np.where(precision == 0, self.floor, precision)
        odds = np.log(np.where(precision == 0, self.floor, precision) / np.where(wrong == 0, self.floor, wrong))
        return np.repeat(odds, sizes)

    def fuse(self, lists: Candidates, weights: FloatArray) -> FloatArray:
        """Sums of log odds."""
        worth = [looked_up(table, lists.places[:, system], self.absent) for system, table in enumerate(self.tables)]
        return sum_found(np.column_stack(worth), lists, self.absent)


@dataclass(frozen=True)
class ProbFuse(LearntFusion):
    """How relevant the same part of a list was before; each list is cut into as many segments."""

    segments: int = 25
    name: ClassVar[str] = "probfuse"
    formula: ClassVar[str] = "sum_i P(relevant | system i, segment k) / k"
    source: ClassVar[str] = "Lillis, Toolan, Collier & Dunnion 2006, ProbFuse (SIGIR)"
    least: ClassVar[dict[str, float]] = {"segments": 1}
    trials: ClassVar[Mapping[str, Sequence[float]]] = {"segments": (2, 5, 10, 15, 20, 25, 30, 40, 50, 75, 100)}

    def table(self, training: Training, system: int) -> FloatArray:
        """The mean share of relevant items of each segment; a list that does not reach it has none there."""
        query, places, relevant = training.of_system(system)
        lengths = training.lists.lengths[:, system]
        segment = places // np.maximum(-(-lengths // self.segments), 1)[query]
        cells, cell = np.unique(query * self.segments + segment, return_inverse=True)
        shares = np.bincount(cell, weights=relevant) / np.bincount(cell)
        return np.bincount(cells % self.segments, weights=shares, minlength=self.segments) / training.count

    def worth(self, lists: Candidates, system: int, table: FloatArray) -> FloatArray:
        """It falls with the number of the segment."""
        size = np.maximum(-(-lists.lengths[:, system] // self.segments), 1)[lists.query]
        return looked_up(table / np.arange(1, self.segments + 1), lists.places[:, system] // size)


SEGMENTS: Final = np.array([0, *(10 * 2 ** (k - 1) - 5 for k in range(1, 11))])


@dataclass(frozen=True)
class SegFuse(LearntFusion):
    """How relevant the same part of a list was before, times the score; segments double in size."""

    name: ClassVar[str] = "segfuse"
    formula: ClassVar[str] = "sum_i P(relevant | system i, segment) (s_i + 1), segments 1-5, 6-15, 16-35, ..."
    source: ClassVar[str] = "Shokouhi 2007, Segmentation of search engine results for effective data-fusion (ECIR)"

    def table(self, training: Training, system: int) -> FloatArray:
        """The precision within the segment of each place; a list that is too short has nothing relevant there."""
        hits, _ = training.hits_at(system)
        sums = np.concatenate([[0.0], np.cumsum(hits)])[np.minimum(SEGMENTS, len(hits))]
        return np.repeat(np.diff(sums) / np.diff(SEGMENTS) / training.count, np.diff(SEGMENTS))

    def worth(self, lists: Candidates, system: int, table: FloatArray) -> FloatArray:
        return looked_up(table, lists.places[:, system]) * (lists.scores[:, system] + 1)


def looked_up(table: FloatArray, places: IntArray, beyond: float = 0.0) -> FloatArray:
    """The entries of a table at places; `beyond` its end, and where there is no place.

    >>> looked_up(np.array([0.5, 0.2]), np.array([1, -1, 2, 0])).tolist()
    [0.2, 0.0, 0.0, 0.5]
    """
    inside = (places >= 0) & (places < len(table))
    return np.where(inside, np.append(table, beyond)[np.where(inside, places, len(table))], beyond)
