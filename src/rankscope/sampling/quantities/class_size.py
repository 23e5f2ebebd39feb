"""How many items are relevant, and which share of the collection that is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.errors import SettingError
from rankscope.sampling.judged_run import JudgedRun
from rankscope.sampling.mid_p import Cell, class_size_limits
from rankscope.sampling.over_queries import Bounds
from rankscope.sampling.quantities.quantity import EstimateRules, LinearQuantity, OverQueries, QueryValues
from rankscope.wording import setting_usage


@dataclass(frozen=True)
class ClassSize(LinearQuantity):
    """c, the number of relevant items of the frame; the same for every run."""

    @property
    def text(self) -> str:
        """As trec_eval calls it."""
        return "num_rel"

    def values(self, run: JudgedRun, chosen: EstimateRules) -> FloatArray:
        """One each."""
        return np.ones(run.hit_rank.size)

    def certain(self, run: JudgedRun, chosen: EstimateRules) -> tuple[FloatArray, FloatArray]:
        """What is judged relevant, and with it all that was not judged."""
        strata, found = run.frame.strata, run.frame.found
        most = found + strata.size - strata.judged
        return strata.by_query(found.astype(np.float64)), strata.by_query(most.astype(np.float64))

    def of_queries(self, run: JudgedRun, chosen: EstimateRules) -> QueryValues:
        """Mid-p limits."""
        limits = [class_size_limits(cells, chosen.level) for cells in _cells(run)]
        low, high = np.array(limits, dtype=np.float64).reshape(-1, 2).T
        certain_low, certain_high = self.certain(run, chosen)
        value = self.totals(run, chosen).value
        return QueryValues(value=value, low=low, high=high, certain_low=certain_low, certain_high=certain_high)

    def difference(self, run: JudgedRun, other: JudgedRun, chosen: EstimateRules) -> Iterator[OverQueries]:
        """Two runs share it."""
        yield from ()


@dataclass(frozen=True)
class SampledGenerality(ClassSize):
    """g = c/d, in a collection of d items."""

    possible: ClassVar[Bounds] = (0.0, 1.0)

    @property
    def text(self) -> str:
        """Its name."""
        return "generality"

    def values(self, run: JudgedRun, chosen: EstimateRules) -> FloatArray:
        """1/d each."""
        return np.full(run.hit_rank.size, 1.0 / self._size(chosen))

    def certain(self, run: JudgedRun, chosen: EstimateRules) -> tuple[FloatArray, FloatArray]:
        """As for the class size."""
        low, high = super().certain(run, chosen)
        return low / self._size(chosen), high / self._size(chosen)

    def of_queries(self, run: JudgedRun, chosen: EstimateRules) -> QueryValues:
        """As for the class size."""
        size, found = self._size(chosen), ClassSize().of_queries(run, chosen)
        return QueryValues(**{name: array / size for name, array in vars(found).items()})

    def _size(self, chosen: EstimateRules) -> int:
        if chosen.collection is None:
            raise SettingError(f"generality needs the size of the collection: {setting_usage('collection_size', 'D')}")
        return chosen.collection


def _cells(run: JudgedRun) -> list[list[Cell]]:
    """The strata of each query."""
    strata = run.frame.strata
    cells: list[list[Cell]] = [[] for _ in run.frame.queries]
    rows = zip(
        strata.query.tolist(), strata.size.tolist(), strata.judged.tolist(), run.frame.found.tolist(), strict=True
    )
    for query, *cell in rows:
        cells[query].append((cell[0], cell[1], cell[2]))
    return cells
