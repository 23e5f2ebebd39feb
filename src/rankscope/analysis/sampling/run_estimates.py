"""All that a judged sample says of runs, and how many items to inspect for one more hit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from rankscope.analysis.sampling.allocation import JudgingPlan, plan_of_budget, plan_of_shrinkage
from rankscope.analysis.sampling.estimate import EstimatedRange, per_hit
from rankscope.analysis.sampling.frame import Frame
from rankscope.analysis.sampling.intervals import Spread, SpreadRules, mean_spread
from rankscope.analysis.sampling.judged_run import FIRST, JudgedRun
from rankscope.analysis.sampling.quantities import ClassSize, EstimateRules, Quantity, QueryValues
from rankscope.analysis.sampling.strata import totals
from rankscope.core.display import Tabular
from rankscope.core.wording import how_many

# All that a judged sample says of runs: query by query, over queries, between runs, and what to judge next.

OUTSIDE = 0.05  # share of the first ranks outside of the frame that is worth a warning
FEW_QUERIES = 10


class EstimatedMean(NamedTuple):
    """One row: whose, what, the estimate with its intervals, and why it has none, where it has none."""

    run: str
    quantity: str
    spread: Spread
    reason: str = ""

    def row(self) -> dict[str, object]:
        """As a row of a table."""
        these, population = self.spread.these, self.spread.population
        return {
            "run": self.run,
            "quantity": self.quantity,
            "estimate": self.spread.value,
            "these: low": these.low,
            "these: high": these.high,
            "like these: low": population.low,
            "like these: high": population.high,
        }


class QueryEstimate(NamedTuple):
    """The estimates of one quantity of one run, query by query."""

    run: str
    quantity: str
    values: QueryValues


@dataclass(frozen=True, eq=False, repr=False)
class RunEstimates(Tabular):
    """The frame, the runs next to it, and what is asked of them; everything else is computed when it is wanted."""

    frame: Frame
    runs: tuple[JudgedRun, ...]
    quantities: tuple[Quantity, ...]
    chosen: EstimateRules
    budget: int | None = None

    @cached_property
    def means(self) -> tuple[EstimatedMean, ...]:
        """Over queries; the class size once, for it is of no run."""
        return tuple(
            EstimatedMean(name, *each)
            for run, quantity, name in self._asked()
            for each in quantity.over_queries(run, self.chosen)
        )

    @cached_property
    def by_query(self) -> tuple[QueryEstimate, ...]:
        return tuple(
            QueryEstimate(name, quantity.text, quantity.of_queries(run, self.chosen))
            for run, quantity, name in self._asked()
        )

    @cached_property
    def differences(self) -> tuple[EstimatedMean, ...]:
        """Between all pairs of runs, the second minus the first, where an interval holds."""
        return tuple(
            EstimatedMean(f"{two.name} minus {one.name}", *each)
            for one, two in combinations(self.runs, 2)
            for quantity in self.quantities
            for each in quantity.difference(two, one, self.chosen)
        )

    @cached_property
    def inspections(self) -> tuple[Inspection, ...]:
        """Items to inspect for one more hit."""
        return tuple(each for run in self.runs for each in inspections(run, self.chosen.level))

    @cached_property
    def plan(self) -> JudgingPlan:
        """What to judge next: the given number of judgements, or as many as halve the interval of the class size."""
        return plan_of_shrinkage(self.frame) if self.budget is None else plan_of_budget(self.frame, self.budget)

    def query_rows(self) -> list[dict[str, object]]:
        """One row for each query and quantity."""
        return [
            {
                "query": query,
                "run": each.run,
                "quantity": each.quantity,
                "estimate": float(each.values.value[row]),
                "low": float(each.values.low[row]),
                "high": float(each.values.high[row]),
                "certain low": float(each.values.certain_low[row]),
                "certain high": float(each.values.certain_high[row]),
            }
            for row, query in enumerate(self.frame.queries)
            for each in self.by_query
        ]

    @property
    def warnings(self) -> list[str]:
        """What a reader must know next to the numbers."""
        said = list(self.frame.notes)
        for run in self.runs:
            if run.outside > OUTSIDE:
                said.append(
                    f"{run.outside:.0%} of the first {FIRST} items of {run.name} were never in the pool: they count as "
                    "irrelevant, which may wrong this run"
                )
        if len(self.frame.queries) < FEW_QUERIES:
            said.append(
                f"intervals over {how_many(len(self.frame.queries), 'queries')} rest on few: they were tried with "
                "30 and more"
            )
        return said

    def _asked(self) -> list[tuple[JudgedRun, Quantity, str]]:
        """Which quantity of which run, under which name; what all runs share stands once, under no name."""
        shared = [(self.runs[0], each, "") for each in self.quantities if isinstance(each, ClassSize)]
        own = [
            (run, each, run.name) for run in self.runs for each in self.quantities if not isinstance(each, ClassSize)
        ]
        return [*shared, *own]


# The economic reading of a ranking: how many items to inspect for one more hit (Sebe et al. 2004, section 3).

INSPECTED_BANDS = (0, 10, 20, 50, 100, 200, 500, 1000)


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
    for above, last in pairwise(INSPECTED_BANDS):
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
