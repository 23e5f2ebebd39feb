"""All that a judged sample says of runs: query by query, over queries, between runs, and what to judge next.

Which strata to judge more of, so that the interval of the class size shrinks most, is Neyman's allocation: the
variance
is the sum over strata of N^2 s^2 (1/n - 1/N). For so many judgements in all it is least where n is proportional to N
s,
but no less than what is judged already and no more than N. A stratum where nothing relevant was found may still hold
something: half a relevant item is added to each before s is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankscope.analysis.sampling.estimate import EstimatedRange, per_hit
from rankscope.analysis.sampling.frame import Frame, Strata, totals
from rankscope.analysis.sampling.intervals import Spread, SpreadRules, mean_spread
from rankscope.analysis.sampling.judged_run import FIRST, JudgedRun
from rankscope.analysis.sampling.quantities import ClassSize, EstimateRules, Quantity, QueryValues
from rankscope.analysis.statistics.bootstrap import ENOUGH
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.display import Display, Tabular
from rankscope.core.rendering import HeadedTable, Presentation, Rows
from rankscope.core.wording import decimal_text, how_many

if TYPE_CHECKING:
    pass

OUTSIDE = 0.05  # share of the first ranks outside of the frame that is worth a warning
FEW_QUERIES = 10


class EstimatedMean(NamedTuple):
    """One row: whose, what, the estimate with its intervals, and why it has none, where it has none."""

    run: str
    quantity: str
    spread: Spread
    reason: str = ""

    def row(self) -> dict[str, object]:
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

    def records(self) -> Rows:
        return [each.row() for each in self.means]

    def display(self) -> Display:
        return Display.of([sample_line(self), *self.warnings], self.records(), ".warnings")

    def presentation(self, per_query: bool = False) -> Presentation:
        """What was judged of what, then the tables, each below a line that says what it shows."""
        percent = f"{100 * self.chosen.level:.3g} %"
        inspections = [each.row() for each in self.inspections]
        tables = [*_mean_tables(self, percent)]
        if len(self.runs) > 1:
            tables.append(HeadedTable("Differences of runs", [each.row() for each in self.differences]))
        tables += [
            HeadedTable("Items to inspect for one more hit", inspections, places=1),
            HeadedTable("What to judge next", [each.row() for each in self.plan.bands], "\n".join(plan_lines(self))),
        ]
        if per_query:
            tables.append(HeadedTable(f"Each query, intervals of {percent}", self.query_rows()))
        return Presentation([sample_line(self)], tables, notes=self.warnings, apart=True)

    def record(self) -> dict[str, Any]:
        return {
            "format": "rankscope.run_estimates",
            "version": 1,
            "level": self.chosen.level,
            "queries": len(self.frame.queries),
            "judged": int(self.frame.strata.judged.sum()),
            "items": int(self.frame.strata.size.sum()),
            "means": [_mean_json(each) for each in self.means],
            "differences": [_mean_json(each) for each in self.differences],
            "inspection": [
                {"run": each.run, "first": each.first, "last": each.last}
                | {"these": vars(each.these), "population": vars(each.population)}
                for each in self.inspections
            ],
            "plan": {
                "more": self.plan.more,
                "shrinks_to": self.plan.shrinks_to,
                "strata": [vars(each) for each in self.plan.bands],
            },
            "by_query": self.query_rows(),
            "warnings": self.warnings,
        }


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


HALVINGS = 100


@dataclass(frozen=True)
class BandOfStrata:
    """All strata of one name: their items, how many are judged and relevant, and what judging more of them brings."""

    name: str
    items: int
    judged: int
    relevant: int
    variance_share: float  # of the variance of the summed class size
    gain: float  # of one more judgement where it helps most, as a share of the variance
    more: int  # judgements of the plan

    def row(self) -> dict[str, object]:
        return {
            "stratum": self.name,
            "items": self.items,
            "judged": self.judged,
            "relevant": self.relevant,
            "share of variance": self.variance_share,
            "one more takes off": self.gain,
            "judge": self.more,
        }


@dataclass(frozen=True, eq=False)
class JudgingPlan:
    """Judgements to add, and what becomes of the standard error of the summed class size."""

    strata: Strata
    found: IntArray
    target: IntArray  # judged items of each stratum, in the end

    @property
    def more(self) -> int:
        return int((self.target - self.strata.judged).sum())

    @property
    def shrinks_to(self) -> float:
        """The new standard error over the present one."""
        before = _variance(self.strata, self.found, self.strata.judged)
        after = _variance(self.strata, self.found, self.target)
        return float(np.sqrt(after.sum() / before.sum())) if before.sum() > 0 else 1.0

    @cached_property
    def bands(self) -> tuple[BandOfStrata, ...]:
        """By the names of strata, the one that brings most first."""
        strata, spread = self.strata, _weighted_size(self.strata, self.found)
        variance = _variance(strata, self.found, strata.judged)
        whole = float(variance.sum()) or 1.0
        left = strata.judged < strata.size
        gain = np.where(left, spread**2 * (1 / np.maximum(strata.judged, 1) - 1 / (strata.judged + 1.0)), 0.0) / whole
        names = np.array(strata.name)
        rows = []
        for name in dict.fromkeys(strata.name):
            own = names == name
            rows.append(
                BandOfStrata(
                    name=name,
                    items=int(strata.size[own].sum()),
                    judged=int(strata.judged[own].sum()),
                    relevant=int(self.found[own].sum()),
                    variance_share=float(variance[own].sum()) / whole,
                    gain=float(gain[own].max()),
                    more=int((self.target - strata.judged)[own].sum()),
                )
            )
        return tuple(sorted(rows, key=lambda each: -each.gain))

    def by_query(self, most: int = 5) -> list[tuple[int, str, int]]:
        """The strata to judge most of: number of the query, name, judgements."""
        added = self.target - self.strata.judged
        order = np.argsort(-added, kind="stable")[:most]
        return [
            (int(self.strata.query[each]), self.strata.name[each], int(added[each])) for each in order if added[each]
        ]


def plan_of_budget(frame: Frame, budget: int) -> JudgingPlan:
    """How to spend so many judgements more."""
    most = int((frame.strata.size - frame.strata.judged).sum())
    wanted = int(frame.strata.judged.sum()) + min(budget, most)
    factor = _least_factor(frame, lambda target: float(np.floor(target).sum()) > wanted)
    target = np.floor(_allocated(frame, factor * (1.0 - 1e-9)))
    left = wanted - int(target.sum())
    gain = np.where(
        target < frame.strata.size, _weighted_size(frame.strata, frame.found) ** 2 / (target * (target + 1.0)), 0.0
    )
    chosen = np.argsort(-gain, kind="stable")[:left]
    target[chosen[gain[chosen] > 0]] += 1.0
    return _plan(frame, target)


def plan_of_shrinkage(frame: Frame, shrinks_to: float = 0.5) -> JudgingPlan:
    """The fewest judgements that shrink the standard error of the class size to such a part of what it is.

    >>> import polars as pl
    >>> cells = (("a", 90, 4, 18), ("b", 900, 2, 45))
    >>> rows = [("q", f"{band}{number}", band, grade) for band, size, found, judged in cells
    ...     for number in range(size) for grade in [1 if number < found else 0 if number < judged else -1]]
    >>> frame = Frame.of(pl.DataFrame(rows, schema=["query", "item", "stratum", "grade"], orient="row"))
    >>> plan = plan_of_shrinkage(frame)
    >>> [(each.name, each.more) for each in plan.bands], round(plan.shrinks_to, 3)
    ([('b', 121), ('a', 14)], 0.498)
    """
    wanted = shrinks_to**2 * float(_variance(frame.strata, frame.found, frame.strata.judged).sum())
    factor = _least_factor(frame, lambda target: float(_variance(frame.strata, frame.found, target).sum()) <= wanted)
    return _plan(frame, np.ceil(_allocated(frame, factor) - 1e-9))


def _plan(frame: Frame, target: FloatArray) -> JudgingPlan:
    return JudgingPlan(frame.strata, frame.found, np.maximum(target.astype(np.int64), frame.strata.judged))


def _least_factor(frame: Frame, is_enough: Callable[[FloatArray], bool]) -> float:
    """By halving: the least factor of N s that is enough."""
    spread = _weighted_size(frame.strata, frame.found)
    low, high = 0.0, float((frame.strata.size / np.maximum(spread, 1e-12)).max(initial=1.0))
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        low, high = (low, middle) if is_enough(_allocated(frame, middle)) else (middle, high)
    return high


def _allocated(frame: Frame, factor: float) -> FloatArray:
    spread = factor * _weighted_size(frame.strata, frame.found)
    return np.minimum(np.maximum(spread, frame.strata.judged), frame.strata.size)


def _weighted_size(strata: Strata, found: IntArray) -> FloatArray:
    """N s of each stratum, half a relevant item added."""
    share = (found + 0.5) / (strata.judged + 1.0)
    return strata.size.astype(np.float64) * np.sqrt(share * (1.0 - share))


def _variance(strata: Strata, found: IntArray, judged: FloatArray | IntArray) -> FloatArray:
    result: FloatArray = _weighted_size(strata, found) ** 2 * (
        1.0 / np.maximum(judged, 1) - 1.0 / np.maximum(strata.size, 1)
    )
    return np.maximum(result, 0.0)


# What a judged sample says of runs, in words and numbers.

LISTED = 8  # strata named one by one
GRIP = "GRiP, "


def sample_line(done: RunEstimates) -> str:
    """What was judged of what."""
    strata = done.frame.strata
    judged, size, relevant = int(strata.judged.sum()), int(strata.size.sum()), int(done.frame.found.sum())
    return (
        f"{how_many(len(done.frame.queries), 'queries')}: {judged:,} of {how_many(size, 'items')} judged "
        f"({judged / size:.1%}), {relevant:,} of them relevant"
    )


def plan_lines(done: RunEstimates) -> list[str]:
    """How many to judge next, what that brings, and where to begin."""
    plan = done.plan
    if not plan.more:
        return ["Everything is judged: nothing is left to chance."]
    lines = [
        f"{how_many(plan.more, 'more judgements')}, spent as the last column says, make the interval of the class size "
        f"{decimal_text(plan.shrinks_to)} times as wide (for these queries)."
    ]
    first = plan.bands[0]
    if len(plan.bands) > 1:
        lines.append(f"One more judgement helps most in stratum {first.name}.")
    named = [f"{done.frame.queries[query]} ({name}: {more:,})" for query, name, more in plan.by_query(LISTED)]
    return [*lines, f"Begin with these queries: {', '.join(named)}."]


def _mean_json(each: Any) -> dict[str, Any]:
    return {
        "run": each.run,
        "quantity": each.quantity,
        "estimate": each.spread.value,
        "these": vars(each.spread.these),
        "population": vars(each.spread.population),
        "reason": each.reason,
    }


def _mean_tables(done: RunEstimates, percent: str) -> Iterator[HeadedTable]:
    title = f"Over queries, intervals of {percent}: for these queries, and for queries like these"
    plain = [each for each in done.means if not each.quantity.startswith(GRIP)]
    reasons = dict.fromkeys((each.quantity, each.reason) for each in plain if each.reason)
    places = 6 if any("generality" in each.quantity for each in plain) else 4
    kinds = "Limits by Student's t, within what is possible"
    if len(done.frame.queries) < ENOUGH:
        kinds += (
            f"; below {ENOUGH} queries at least as far out as one unseen query at an end of the range may move the mean"
        )
    note = "\n".join([f"{kinds}.", *(f"{name}: {reason}." for name, reason in reasons)])
    yield HeadedTable(title, [each.row() for each in plain], note, places)
    if rows := _grip_rows(done):
        yield HeadedTable(
            "GRiP: precision = recall at scope c over G = log2(d/c), intervals for queries like these", rows
        )


def _grip_rows(done: RunEstimates) -> list[dict[str, object]]:
    """A row for each level of G, each run with the interval for queries like these."""
    rows: dict[str, dict[str, object]] = {}
    for each in done.means:
        if each.quantity.startswith(GRIP):
            name, range_ = each.quantity.removeprefix(GRIP), each.spread.population
            cells = {each.run: range_.value, f"{each.run}: low": range_.low, f"{each.run}: high": range_.high}
            rows.setdefault(name, {"level": name}).update(cells)
    return [*rows.values()]
