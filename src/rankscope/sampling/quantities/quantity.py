"""What is estimated of a run: of each query, over queries, and between two runs."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.sampling.judged_run import JudgedRun
from rankscope.sampling.over_queries import Bounds, Spread, SpreadRules, mean_spread
from rankscope.sampling.rescaled import RESAMPLES
from rankscope.sampling.strata import SampleTotals, totals


@dataclass(frozen=True, eq=False)
class QueryValues:
    """An estimate of each query with its interval, and what is certain; NaN where there is none."""

    value: FloatArray
    low: FloatArray
    high: FloatArray
    certain_low: FloatArray
    certain_high: FloatArray

    @classmethod
    def only(cls, value: FloatArray) -> QueryValues:
        """Estimates without limits."""
        nothing = np.full(value.size, np.nan)
        return cls(value=value, low=nothing, high=nothing, certain_low=nothing, certain_high=nothing)


class EstimateRules(NamedTuple):
    """Level of the intervals, size of the collection where it is known, resamples and their seed."""

    level: float = 0.95
    collection: int | None = None
    resamples: int = RESAMPLES
    seed: int = 0

    def chance(self) -> np.random.Generator:
        """The same resamples for every quantity and every run."""
        return np.random.default_rng(self.seed)


class OverQueries(NamedTuple):
    """One row: what it is, its estimate, and why it has no interval, where it has none."""

    name: str
    spread: Spread
    reason: str = ""


class Quantity(ABC):
    """Something that is estimated; `text` is what it is called."""

    @property
    @abstractmethod
    def text(self) -> str:
        """Its name, as it is asked for."""

    @abstractmethod
    def of_queries(self, run: JudgedRun, chosen: EstimateRules) -> QueryValues:
        """Of each query."""

    @abstractmethod
    def over_queries(self, run: JudgedRun, chosen: EstimateRules) -> Iterator[OverQueries]:
        """Of the mean over queries, or of what takes its place."""

    @abstractmethod
    def difference(self, run: JudgedRun, other: JudgedRun, chosen: EstimateRules) -> Iterator[OverQueries]:
        """Of this run minus another on the same judgements; nothing where no interval would hold."""


class LinearQuantity(Quantity):
    """A sum over relevant items, each with a value of its own that depends on its rank: the mean over queries."""

    first_ranks_decide: ClassVar[bool] = False
    possible: ClassVar[Bounds] = (0.0, math.inf)

    @abstractmethod
    def values(self, run: JudgedRun, chosen: EstimateRules) -> FloatArray:
        """The value of each relevant item drawn, in the order of the frame."""

    @abstractmethod
    def certain(self, run: JudgedRun, chosen: EstimateRules) -> tuple[FloatArray, FloatArray]:
        """The least and the most that each query can have, whatever is relevant of what was not judged."""

    def totals(self, run: JudgedRun, chosen: EstimateRules) -> SampleTotals:
        """Of each query, with the variance by the draw."""
        return totals(run.frame.strata, run.hit_stratum, self.values(run, chosen))

    def over_queries(self, run: JudgedRun, chosen: EstimateRules) -> Iterator[OverQueries]:
        """The mean."""
        low, high = self.certain(run, chosen)
        certain = (float(low.mean()), float(high.mean()))
        found = self.totals(run, chosen)
        rules = SpreadRules(chosen.level, certain, self.possible, self._is_wide(run))
        yield OverQueries(f"mean {self.text}", mean_spread(found.value, found.variance, rules))

    def difference(self, run: JudgedRun, other: JudgedRun, chosen: EstimateRules) -> Iterator[OverQueries]:
        """The mean difference, item by item."""
        apart = self.values(run, chosen) - self.values(other, chosen)
        found = totals(run.frame.strata, run.hit_stratum, apart)
        low, high = self.possible
        rules = SpreadRules(
            chosen.level, possible=(low - high, high - low), is_wide=self._is_wide(run) or self._is_wide(other)
        )
        yield OverQueries(f"mean {self.text}", mean_spread(found.value, found.variance, rules))

    def _is_wide(self, run: JudgedRun) -> bool:
        return self.first_ranks_decide and not run.is_judged_first
