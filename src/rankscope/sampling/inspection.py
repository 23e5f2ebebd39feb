"""The economic reading of a ranking: how many items to inspect for one more hit (Sebe et al. 2004, section 3)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rankscope.sampling.estimate import EstimatedRange
from rankscope.sampling.judged_run import JudgedRun
from rankscope.sampling.over_queries import SpreadRules, mean_spread
from rankscope.sampling.strata import totals

EDGES = (0, 10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True)
class Inspection:
    """Items to inspect for one more hit, within a band of ranks: for these queries, and for queries like these."""

    run: str
    first: int
    last: int
    these: EstimatedRange
    population: EstimatedRange

    def row(self) -> dict[str, object]:
        """As a row of a table."""
        return {
            "run": self.run,
            "ranks": f"{self.first}-{self.last}",
            "items for one more hit": self.these.value,
            "these: low": self.these.low,
            "these: high": self.these.high,
            "like these: low": self.population.low,
            "like these: high": self.population.high,
        }


def inspections(run: JudgedRun, level: float = 0.95) -> Iterator[Inspection]:
    """Band after band, as far as the run goes: items over estimated hits, both summed over the queries."""
    shown = np.concatenate([run.rank[np.isfinite(run.rank)], run.other_rank])
    longest = shown.max(initial=0.0)
    for above, last in pairwise(EDGES):
        if above >= longest:
            return
        items = float(((shown > above) & (shown <= last)).sum()) / len(run.frame.queries)
        inside = (run.hit_rank > above) & (run.hit_rank <= last)
        found = totals(run.frame.strata, run.hit_stratum, inside.astype(np.float64))
        hits = mean_spread(found.value, found.variance, SpreadRules(level, (0.0, items), (0.0, items)))
        yield Inspection(
            run=run.name,
            first=above + 1,
            last=last,
            these=per_hit(items, hits.these),
            population=per_hit(items, hits.population),
        )


def per_hit(items: float, hits: EstimatedRange) -> EstimatedRange:
    """Items over hits; infinite where there may be no hit at all.

    >>> per_hit(10.0, EstimatedRange(2.0, 0.0, 5.0))
    EstimatedRange(value=5.0, low=2.0, high=inf)
    """
    value, low, high = (_over(items, each) for each in (hits.value, hits.high, hits.low))
    return EstimatedRange(value, low, high)


def _over(items: float, hits: float) -> float:
    return items / hits if hits > 0 else (math.nan if math.isnan(hits) else math.inf)
