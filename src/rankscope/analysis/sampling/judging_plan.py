"""Plans of judging: more queries, more assessors, deeper pools or more seeds, and how wide the interval will be.

A plan
of n queries, a assessors and s seeds has the variance V = sum_k t_k / (number of draws of k), from the variance
components of what is judged already. The interval of one system's mean has the width 2 (t sqrt(V) + |b|): t is
Student's with n - 1 degrees of freedom (n minus the number of classes where queries have classes), and b is how far
items that no pool has may still move the mean. That of a difference is as wide as the limits of the tests that decide
are from so many queries, those of skew t with the skewness of the queries at hand. No width is larger than what the
range of the measure leaves, and where so few queries cannot show any difference it is all of that.

How much deeper pools would move a mean: from what each doubling of the depth moved it so far. The runs say how large a
pool of any depth is. Of the depths that are judged, d, d/2 and d/4, the mean is computed with the judgements of each
pool alone. A doubling moved it by m_1 and the next by m_2; with r = |m_2/m_1|, at most .7, all further doublings
together are expected to move it by m_2 r/(1 - r), and after j more doublings r^j of that is left.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import product, takewhile
from typing import TYPE_CHECKING

from rankscope.analysis.statistics.deciding_test import skew_t_width
from rankscope.analysis.statistics.variance_components import CLASS, QUERY, Components
from rankscope.core.arrays import FloatArray
from rankscope.core.display import Display, Tabular
from rankscope.core.errors import SettingError
from rankscope.core.rendering import Rows, as_json, markdown_table, text_table
from rankscope.core.wording import how_many, percent_text, plain_number, setting_usage

if TYPE_CHECKING:
    import polars as pl

    from rankscope.analysis.sampling.pools import Rankings

NOW = "as it is"
MOST = 1_000_000  # of anything
MIXED = "mixed"
FACTOR_OF = {"queries": QUERY, "assessors": "assessor", "seeds": "seed"}
KINDS = {"queries": "more queries", "assessors": "more assessors", "depth": "deeper pools", "seeds": "more seeds"}


@dataclass(frozen=True)
class Costs:
    """What one of each costs, in whatever is counted: hours, money or judgements.

    >>> Costs.parse("query=5,judgement=0.5")
    Costs(query=5.0, judgement=0.5, assessor=0.0, seed=0.0)
    """

    query: float = 0.0
    judgement: float = 1.0
    assessor: float = 0.0
    seed: float = 0.0

    def __post_init__(self) -> None:
        wrong = [each.name for each in fields(self) if not 0 <= getattr(self, each.name) < math.inf]
        if wrong:
            raise SettingError(f"a cost must be a number from 0 on: {', '.join(wrong)}")

    @classmethod
    def parse(cls, text: str) -> Costs:
        """From its notation; what is not named keeps its default."""
        known = [each.name for each in fields(cls)]
        given: dict[str, float] = {}
        for part in filter(None, (each.strip() for each in text.split(","))):
            name, _, value = part.partition("=")
            try:
                given[name.strip()] = float(value)
            except ValueError:
                raise SettingError(f"'{part}': a cost reads NAME=NUMBER, as query=5,judgement=1") from None
        unknown = [name for name in given if name not in known]
        if unknown:
            raise SettingError(f"no cost of {', '.join(unknown)}. There are: {', '.join(known)}")
        return cls(**given)


@dataclass(frozen=True)
class JudgingDesign:
    """How many queries, assessors and seeds, and to which depth pools are judged (0: not known)."""

    queries: int
    assessors: int = 1
    seeds: int = 1
    depth: int = 0

    @property
    def sizes(self) -> dict[str, int]:
        """As variance components count them."""
        return {QUERY: self.queries, "assessor": self.assessors, "seed": self.seeds}

    def __str__(self) -> str:
        depth = f", depth {self.depth:,}" if self.depth else ""
        seeds = f", {self.seeds:,} seeds" if self.seeds > 1 else ""
        people = "1 assessor" if self.assessors == 1 else f"{self.assessors:,} assessors"
        return f"{how_many(self.queries, 'queries')}, {people}{seeds}{depth}"


@dataclass(frozen=True)
class WidthPlan:
    """One plan: what it adds, what that costs beyond what is there, and the width that it promises."""

    name: str
    design: JudgingDesign
    cost: float
    width: float
    narrower: float  # than now
    of_pools: float = 0.0  # the part of the width that items outside of the pools may make

    @property
    def per_cost(self) -> float:
        """How much narrower for each unit of cost; NaN where nothing is spent."""
        return self.narrower / self.cost if self.cost else math.nan

    def row(self) -> dict[str, object]:
        return {
            "plan": self.name,
            "queries": self.design.queries,
            "assessors": self.design.assessors,
            "seeds": self.design.seeds,
            "depth": self.design.depth or None,
            "cost": self.cost,
            "width": self.width,
            "of pools": self.of_pools,
            "narrower": self.narrower,
            "narrower per 1,000": 1_000 * self.per_cost,
        }


@dataclass(frozen=True, eq=False)
class WidthForecast:
    """Widths of designs from the components of a pilot, and what they cost."""

    found: Components
    costs: Costs
    judgements: float  # of a query, by one assessor, at the present depth
    pools: PoolDepths | None = None
    level: float = 0.95
    differences: FloatArray | None = None  # of two systems, a value for each query; None: of one system
    bounds: tuple[float, float] = (-math.inf, math.inf)  # what a value of the measure can be

    @property
    def now(self) -> JudgingDesign:
        sizes = self.found.sizes
        return JudgingDesign(
            queries=sizes[QUERY],
            assessors=sizes.get("assessor", 1),
            seeds=sizes.get("seed", 1),
            depth=self.pools.depth if self.pools else 0,
        )

    def width(self, design: JudgingDesign) -> float:
        """Of the interval that the design will have; NaN where all values are equal, and nothing tells."""
        from scipy.special import stdtrit

        variance = self.found.mean_variance({**self.found.sizes, **design.sizes})
        freedom, tail = self.freedom(design), (1 - self.level) / 2
        if not variance > 0:
            return math.nan
        most = (self.bounds[1] - self.bounds[0]) * (1 if self.differences is None else 2)
        if self.differences is None:
            errors = 2 * float(stdtrit(freedom, 1 - tail))
        elif math.isfinite(most) and 0.5**design.queries > tail:
            return most
        else:
            errors = skew_t_width(self.differences, freedom + 1, tail)
        return min(errors * math.sqrt(variance) + self.of_pools(design), most)

    def of_pools(self, design: JudgingDesign) -> float:
        """The part of the width that comes from items outside of the pools."""
        return 2 * abs(self.pools.shift(design.depth)) if self.pools else 0.0

    def freedom(self, design: JudgingDesign) -> float:
        """Degrees of freedom of t: queries, minus one for each class; so more queries never widen an interval."""
        return max(1.0, float(design.queries - self.found.sizes.get(CLASS, 1)))

    def cost(self, design: JudgingDesign) -> float:
        """Of the whole design, from nothing."""
        size = self.pools.size(design.depth) if self.pools else self.judgements
        return (
            design.queries * self.costs.query
            + design.queries * design.assessors * size * self.costs.judgement
            + design.assessors * self.costs.assessor
            + design.seeds * self.costs.seed
        )

    def plan(self, name: str, design: JudgingDesign) -> WidthPlan:
        """A design next to what is there now."""
        width = self.width(design)
        return WidthPlan(
            name=name,
            design=design,
            cost=self.cost(design) - self.cost(self.now),
            width=width,
            narrower=self.width(self.now) - width,
            of_pools=self.of_pools(design),
        )


@dataclass(frozen=True, eq=False)
class JudgingPlans(Tabular):
    """The plans that a budget allows, the narrowest interval first."""

    forecast: WidthForecast
    budget: float

    @property
    def now(self) -> WidthPlan:
        return self.forecast.plan(NOW, self.forecast.now)

    @cached_property
    def plans(self) -> tuple[WidthPlan, ...]:
        """Each thing alone as far as the budget goes, and the best mixture where it is better than any of them."""
        alone = [plan for name in KINDS if (plan := self._alone(name)) is not None]
        mixed = self._mixed()
        best = min((each.width for each in alone), default=math.inf)
        several = [*alone, *([mixed] if mixed is not None and mixed.width < best * (1 - 1e-9) else [])]
        return tuple(sorted(several, key=lambda each: (each.width, each.cost)))

    @property
    def best(self) -> WidthPlan | None:
        """The plan with the narrowest interval, if any narrows it."""
        return next((each for each in self.plans if each.narrower > 0), None)

    @property
    def best_per_cost(self) -> WidthPlan | None:
        """The plan that narrows most for what it costs; one that costs nothing comes first."""
        useful = [each for each in self.plans if each.narrower > 0]
        return max(useful, key=lambda each: math.inf if not each.cost else each.per_cost, default=None)

    @property
    def too_dear(self) -> tuple[tuple[str, float], ...]:
        """What the budget does not reach: its name, and the cost of the least of it."""
        found = {each.name for each in self.plans}
        missing = [(name, self._least(name)) for name, title in KINDS.items() if title not in found]
        return tuple((KINDS[name], cost) for name, cost in missing if cost is not None and cost > self.budget)

    def rows(self) -> list[dict[str, object]]:
        return [each.row() for each in (self.now, *self.plans)]

    def __repr__(self) -> str:
        lines = [f"{each.name}: {each.design}, width {each.width:.4f}" for each in (self.now, *self.plans)]
        return f"JudgingPlans({self.forecast.found.what}, budget {self.budget:g})\n  " + "\n  ".join(lines[:9])

    def _alone(self, name: str) -> WidthPlan | None:
        steps = _steps(self.forecast, name)
        if steps is None:
            return None
        number = _most_within(lambda more: self._extra(steps(more)), self.budget)
        return self.forecast.plan(KINDS[name], steps(number)) if number else None

    def _least(self, name: str) -> float | None:
        steps = _steps(self.forecast, name)
        return None if steps is None else self._extra(steps(1))

    def _extra(self, design: JudgingDesign) -> float:
        return self.forecast.cost(design) - self.forecast.cost(self.forecast.now)

    def _mixed(self) -> WidthPlan | None:
        """The best of all mixtures: every number of assessors, seeds and depth, and as many queries as are left."""
        plans = []
        for assessors, seeds, depth in product(*map(self._range, ("assessors", "seeds", "depth"))):
            base = replace(self.forecast.now, assessors=assessors, seeds=seeds, depth=depth)
            if self._extra(base) <= self.budget:
                design = replace(base, queries=base.queries + self._queries_beyond(base))
                plans.append(self.forecast.plan(MIXED, design))
        return min(plans, key=lambda each: (each.width, each.cost), default=None)

    def _range(self, name: str) -> list[int]:
        """The values that the budget allows if nothing else is added, at most eight of them."""
        now = int(getattr(self.forecast.now, name))
        steps = _steps(self.forecast, name)
        if steps is None:
            return [now]
        most = min(7, _most_within(lambda more: self._extra(steps(more)), self.budget))
        return [now, *(int(getattr(steps(more), name)) for more in range(1, most + 1))]

    def _queries_beyond(self, base: JudgingDesign) -> int:
        return _most_within(lambda more: self._extra(replace(base, queries=base.queries + more)), self.budget)

    def records(self) -> Rows:
        return [each.row() for each in (self.now, *self.plans)]

    def display(self) -> Display:
        return Display.of([line.removeprefix("! ") for line in plan_sentences(self)], self.records())


Steps = Callable[[int], JudgingDesign]


def _steps(forecast: WidthForecast, name: str) -> Steps | None:
    """Designs with one, two, ... more of one thing; None where the pilot does not say what it brings, or it is free."""
    now, deeper = forecast.now, forecast.pools.deeper if forecast.pools else ()

    def steps(more: int) -> JudgingDesign:
        if name == "depth":
            return replace(now, depth=deeper[min(more, len(deeper)) - 1])
        return replace(now, **{name: int(getattr(now, name)) + more})

    known = bool(deeper) if name == "depth" else forecast.found.sizes.get(FACTOR_OF[name], 1) > 1
    return steps if known and forecast.cost(steps(1)) > forecast.cost(now) else None


def _most_within(cost: Callable[[int], float], budget: float) -> int:
    """The largest number whose cost is within the budget, by doubling and halving; costs never fall.

    >>> _most_within(lambda more: 3.0 * more, 10.0)
    3
    """
    if cost(1) > budget:
        return 0
    high = 1
    while high < MOST and cost(2 * high) <= budget and cost(2 * high) > cost(high):
        high *= 2
    low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if cost(middle) <= budget and cost(middle) > cost(low) else (low, middle)
    return low


JUDGED_SHARE = 0.9  # of a pool: then it counts as judged to this depth
LARGEST_RATIO = 0.7  # chosen on Robust 2003, measured on other collections: docs/performance.md
SHALLOWEST = 5
DOUBLINGS = 3  # beyond what is judged


@dataclass(frozen=True)
class PoolDepths:
    """Pools of doubled depths: their sizes for a query, and what the last two doublings moved the mean by.

    >>> pools = PoolDepths(depth=20, sizes={20: 60.0, 40: 110.0}, moved=(0.04, 0.02))
    >>> pools.shift(20), pools.shift(40), pools.deeper
    (0.02, 0.01, (40,))
    """

    depth: int  # the deepest that is judged
    sizes: Mapping[int, float]
    moved: tuple[float, float]  # by the doubling to half of this depth, and by that to it

    @property
    def ratio(self) -> float:
        """By what a further doubling moves the mean, as a share of the one before."""
        before, last = (abs(each) for each in self.moved)
        return min(LARGEST_RATIO, last / before) if before else 0.0

    @property
    def deeper(self) -> tuple[int, ...]:
        return tuple(each for each in self.sizes if each > self.depth)

    def size(self, depth: int) -> float:
        """Items of a pool, in the mean over queries."""
        return self.sizes[depth]

    def shift(self, depth: int) -> float:
        """How far a mean from pools of this depth is expected to move with all deeper ones."""
        left = self.moved[1] * self.ratio / (1 - self.ratio)
        return float(left * self.ratio ** math.log2(depth / self.depth))


def pool_depths(
    rankings: Rankings, judged: pl.DataFrame, mean_of: Callable[[pl.DataFrame], float], depth: int | None = None
) -> PoolDepths | None:
    """Measured on judgements (query, item, grade) and the runs; `mean_of` gives the mean of what some of them say.

    `depth` that is judged: else the last of 5, 10, 20, ... of whose pool 90 % is judged. None where there are no three.
    """
    pools = _pools(rankings, SHALLOWEST if depth is None else max(1, depth // 4))
    known = [each for each in pools if depth is None or each <= depth]
    if depth is None:
        known = list(takewhile(lambda each: _judged_share(pools[each], judged) >= JUDGED_SHARE, known))
    if len(known) < 3:
        return None
    last = known[-1]
    means = [mean_of(judged.join(pools[each], on=["query", "item"], how="semi")) for each in known[-3:]]
    queries = judged.get_column("query").n_unique()
    sizes = {each: len(pool) / queries for each, pool in pools.items() if last <= each <= last * 2**DOUBLINGS}
    return PoolDepths(last, sizes, (means[1] - means[0], means[2] - means[1]))


def _pools(rankings: Rankings, first: int) -> dict[int, pl.DataFrame]:
    """By depth, doubled from the first as far as the runs go."""
    import polars as pl

    deepest = rankings.rows.get_column("rank").max()
    last = int(deepest) if isinstance(deepest, int) else 0
    depths = [first * 2**power for power in range(20) if first * 2**power <= last]
    whole = rankings.best(last) if depths else pl.DataFrame()
    return {depth: whole.filter(pl.col("rank") <= depth).select("query", "item") for depth in depths}


def _judged_share(pool: pl.DataFrame, judged: pl.DataFrame) -> float:
    import polars as pl

    inside = pool.join(judged.filter(pl.col("grade") >= 0), on=["query", "item"], how="semi")
    return len(inside) / len(pool) if len(pool) else 0.0


# What to judge next, in a table and in words that follow from it.


def plans_text(plans: JudgingPlans, output_format: str = "table") -> str:
    """The plans, the narrowest first, and which is best."""
    if output_format == "json":
        return _plans_json(plans)
    rows: list[dict[str, object]] = [
        each.row() | {"cost": plain_number(each.cost)} for each in (plans.now, *plans.plans)
    ]
    shown = markdown_table(rows) if output_format == "markdown" else text_table(rows)
    lines = [f"{plans.forecast.found.what}, budget {plain_number(plans.budget)}\n", shown]
    lines += ["\n" if output_format == "markdown" else "", *(f"{each}\n" for each in plan_sentences(plans))]
    return "".join(lines)


def plan_sentences(plans: JudgingPlans) -> list[str]:
    """Which plan narrows the interval most, which most for its cost, and what cannot be said."""
    best, cheap = plans.best, plans.best_per_cost
    if best is None or cheap is None:
        nothing = "No plan within this budget narrows the interval."
        if math.isnan(plans.now.width):
            nothing = "All values are equal: nothing tells how wide an interval would be."
        return [nothing, *_missing(plans)]
    width = plans.now.width
    lines = [
        f"{best.name[0].upper()}{best.name[1:]} ({best.design}) narrow{'s' if best.name == 'mixed' else ''} the "
        f"{percent_text(plans.forecast.level)} interval most: from {width:.4f} to {best.width:.4f}, "
        f"{best.narrower / width:.1%} less, for {plain_number(best.cost)}."
    ]
    if cheap is not best:
        lines.append(
            f"For what it costs, {cheap.name} ({cheap.design}) comes first: to {cheap.width:.4f} for "
            f"{plain_number(cheap.cost)}."
        )
    if part := plans.now.of_pools:  # why the width that is there is not that of other commands
        told = f"{part:.4f} of the present width of {width:.4f} is what items outside of the pools may still move"
        pair = f"; compare, which takes the judgements as they are, has {width - part:.4f} for this pair alone"
        lines.append(f"{told}{'' if plans.forecast.differences is None else pair}.")
    return [*lines, *_missing(plans)]


def _missing(plans: JudgingPlans) -> list[str]:
    """What the budget does not reach, and what the data say nothing of."""
    lines = [
        f"! {name}: the least costs {plain_number(cost)}, beyond the budget of {plain_number(plans.budget)}"
        for name, cost in plans.too_dear
    ]
    if plans.forecast.found.sizes.get("assessor", 1) < 2:
        people = setting_usage("assessors", "FILE")
        lines.append(f"! nothing is said of more assessors: let some queries be judged by two ({people} for each)")
    if plans.forecast.pools is None:
        lines.append(
            "! nothing is said of deeper pools: at least the first 20 items of every run must be judged, those that "
            "are not relevant too"
        )
    return lines


def _plans_json(plans: JudgingPlans) -> str:
    return as_json(
        {
            "format": "rankscope.plan",
            "version": 1,
            "of": plans.forecast.found.what,
            "budget": plans.budget,
            "level": plans.forecast.level,
            "costs": vars(plans.forecast.costs),
            "now": plans.now.row(),
            "plans": [each.row() for each in plans.plans],
            "sentences": plan_sentences(plans),
        }
    )
