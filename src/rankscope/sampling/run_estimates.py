"""All that a judged sample says of runs: query by query, over queries, between runs, and what to judge next."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from rankscope.displayed import Tabular
from rankscope.number_texts import how_many
from rankscope.sampling.frame import Frame
from rankscope.sampling.inspection import Inspection, inspections
from rankscope.sampling.judged_run import FIRST, JudgedRun
from rankscope.sampling.next_strata import JudgingPlan, plan_of_budget, plan_of_shrinkage
from rankscope.sampling.over_queries import Spread
from rankscope.sampling.quantities import EstimateRules, Quantity, QueryValues
from rankscope.sampling.quantities.class_size import ClassSize

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
            EstimatedMean(name, each.name, each.spread, each.reason)
            for run, quantity, name in self._asked()
            for each in quantity.over_queries(run, self.chosen)
        )

    @cached_property
    def by_query(self) -> tuple[QueryEstimate, ...]:
        """Query by query."""
        return tuple(
            QueryEstimate(name, quantity.text, quantity.of_queries(run, self.chosen))
            for run, quantity, name in self._asked()
        )

    @cached_property
    def differences(self) -> tuple[EstimatedMean, ...]:
        """Between all pairs of runs, the second minus the first, where an interval holds."""
        return tuple(
            EstimatedMean(f"{two.name} minus {one.name}", each.name, each.spread, each.reason)
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
