"""Precision within a scope, from a sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.sampling.judged_run import JudgedRun, cells_by_query
from rankscope.sampling.mid_p import class_size_limits
from rankscope.sampling.over_queries import Bounds
from rankscope.sampling.quantities.quantity import EstimateRules, LinearQuantity, QueryValues


@dataclass(frozen=True)
class SampledPrecision(LinearQuantity):
    """P@k: the relevant items among the first k, over k."""

    scope: int
    possible: ClassVar[Bounds] = (0.0, 1.0)

    @property
    def text(self) -> str:
        """Its name."""
        return f"P@{self.scope}"

    def values(self, run: JudgedRun, chosen: EstimateRules) -> FloatArray:
        """1/k within the scope."""
        return (run.hit_rank <= self.scope) / self.scope

    def certain(self, run: JudgedRun, chosen: EstimateRules) -> tuple[FloatArray, FloatArray]:
        """Without what is not judged within the scope, and with it."""
        size, judged, found = run.cells(self.scope)
        strata = run.frame.strata
        low = strata.by_query(found[0].astype(np.float64))
        left = strata.by_query((size[0] - judged[0]).astype(np.float64))
        if not run.has_cells:
            left = np.minimum(strata.by_query((strata.size - strata.judged).astype(np.float64)), self.scope)
        return low / self.scope, np.minimum(1.0, (low + left) / self.scope)

    def of_queries(self, run: JudgedRun, chosen: EstimateRules) -> QueryValues:
        """Mid-p limits of the hits within the scope."""
        certain_low, certain_high = self.certain(run, chosen)
        value = self.totals(run, chosen).value
        low, high = np.full((2, value.size), np.nan)
        if run.has_cells:
            cells = cells_by_query(run.frame.strata.query, run.cells(self.scope))
            limits = [class_size_limits(inside, chosen.level) for inside, _ in cells]
            low, high = np.array(limits, dtype=np.float64).reshape(-1, 2).T / self.scope
        return QueryValues(value=value, low=low, high=high, certain_low=certain_low, certain_high=certain_high)
