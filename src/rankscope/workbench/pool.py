"""The pool of a project: drawn from its runs and frozen, and what of it is to be judged in view of the marks.

A pool may be judged only until two runs are decided. Then queries come in an order that was fixed beforehand, and
only as many count as are judged in full from its beginning: so neither what is judged sooner nor when somebody looks
can move the result, and looking after every query costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rankscope.analysis.comparison.gate import signed_text
from rankscope.analysis.comparison.sequential import log_capital, log_capitals, lower_limit, still_needed, upper_limit
from rankscope.analysis.sampling.pools import (
    Decide,
    Lists,
    PoolPlan,
    Rankings,
    Sample,
    lists_of_origins,
    lot,
    ranks_of_origin,
)
from rankscope.core.arrays import FloatArray
from rankscope.core.digests import stable_random
from rankscope.core.errors import InputError, RankscopeError, SettingError
from rankscope.core.validation import COUNT, SEED, Optional, check
from rankscope.core.wording import how_many
from rankscope.inputs.problems import raise_all
from rankscope.workbench.sources import read_ranking
from rankscope.workbench.store.events import Pair, PoolDesign, Pooled, State

if TYPE_CHECKING:
    from rankscope.workbench.project import Project


@dataclass(frozen=True, eq=False)
class ProjectPool:
    design: PoolDesign
    rows: Sequence[Pooled]

    @cached_property
    def plan(self) -> PoolPlan:
        return PoolPlan.parse(self.design.method)

    @cached_property
    def by_query(self) -> dict[str, dict[str, Pooled]]:
        found: dict[str, dict[str, Pooled]] = {}
        for row in self.rows:
            found.setdefault(row.query, {})[row.item] = row
        return found

    def row(self, pair: Pair) -> Pooled | None:
        return self.by_query.get(pair[0], {}).get(pair[1])

    def certain(self, query: str, state: State) -> list[str]:
        """What is judged regardless of the marks to come: from the beginning, and what a draw has settled."""
        draw = state.draws.get((self.design.version, query))
        settled = set() if draw is None else {*draw.details["drawn"], *draw.details["taken"]}
        return [item for item, row in self.by_query.get(query, {}).items() if row.drawn or row.place in settled]

    def is_certain(self, pair: Pair, state: State) -> bool:
        """Whether a candidate is judged because the method says so, and not only because somebody judged it anyway."""
        row = self.by_query[pair[0]][pair[1]]
        draw = state.draws.get((self.design.version, pair[0]))
        later = draw is not None and (row.place in draw.details["drawn"] or row.place in draw.details["taken"])
        return bool(row.drawn) or later

    def next_adaptive(
        self, query: str, judged: Mapping[str, bool], lent: Set[str], given_up: Set[str] = frozenset()
    ) -> str | None:
        """What the adaptive parts want to be judged next; None: nothing that is free.

        Items that somebody has now count against the budget; those that the assessor gave up on do not.
        """
        if self.budget_is_spent(query, judged, lent):
            return None
        for number, part in enumerate(self.plan.adaptive):
            found = part.choose(self._lists(query)[number], judged, lent | given_up)
            if found is not None:
                return found
        return None

    def budget_is_spent(self, query: str, judged: Mapping[str, bool], lent: Set[str] = frozenset()) -> bool:
        """Whether as many items are judged, or with somebody now, as the budget of the adaptive parts allows."""
        budget = self.design.budget
        if budget is None:
            return False
        return len(self.reached(query) & (judged.keys() | lent)) >= budget

    def adaptive_size(self, query: str) -> int:
        """How many items of a query the adaptive parts judge: the budget, or all that they reach."""
        reached = len(self.reached(query))
        return reached if self.design.budget is None else min(reached, self.design.budget)

    def draw(self, query: str, judged: Mapping[str, bool]) -> dict[str, Any]:
        """The sample from what is left, by places: what is drawn, what was judged before; N and n of each stratum."""
        sample = self.plan.sample
        assert sample is not None
        left: dict[str, list[Pooled]] = {}
        for item, row in self.by_query[query].items():
            stratum = stratum_of(row, sample)
            if stratum is not None and item not in judged and not row.drawn:
                left.setdefault(stratum, []).append(row)
        drawn: list[int] = []
        sizes: dict[str, list[int]] = {}
        for band in sample.bands:
            rows = sorted(left.get(band.stratum, ()), key=lambda row: lot(self.design.seed, query, row.item))
            sizes[band.stratum] = [len(rows), band.size(len(rows))]
            drawn += [row.place for row in rows[: band.size(len(rows))]]
        taken = [row.place for item, row in self.by_query[query].items() if item in judged]
        return {"drawn": sorted(drawn), "taken": taken, "strata": sizes}

    def probability(self, pair: Pair, state: State) -> tuple[str, float | None]:
        """Stratum and inclusion probability of a candidate; None where the method gives none."""
        row = self.by_query[pair[0]][pair[1]]
        if row.pi is not None:
            return row.stratum, row.pi
        draw = state.draws.get((self.design.version, pair[0]))
        sample = self.plan.sample
        if draw is None or sample is None:
            return row.stratum, None
        if row.place in draw.details["taken"]:
            return row.stratum, 1.0
        stratum = stratum_of(row, sample)
        if stratum is None:
            return row.stratum, None
        size, drawn = draw.details["strata"][stratum]
        return stratum, drawn / size if size else None

    @cached_property
    def _cache(self) -> dict[str, Any]:
        return {}

    def reached(self, query: str) -> frozenset[str]:
        key = f"reached\0{query}"
        if key not in self._cache:
            self._cache[key] = frozenset(item for lists in self._lists(query) for items in lists for item in items)
        return self._cache[key]

    def _lists(self, query: str) -> list[Lists]:
        if query not in self._cache:
            origins = {item: row.origin for item, row in self.by_query.get(query, {}).items()}
            runs = len(self.design.run_names)
            self._cache[query] = [lists_of_origins(origins, runs, part.reach) for part in self.plan.adaptive]
        return self._cache[query]


def stratum_of(row: Pooled, sample: Sample) -> str | None:
    """The band that the best rank of a candidate lies in."""
    best = min(ranks_of_origin(row.origin).values())
    return next((each.stratum for each in sample.bands if each.first <= best <= each.last), None)


def make_pool_rows(project: Project, method: str, budget: int | None, seed: int) -> tuple[PoolPlan, list[Pooled]]:
    check(locals(), budget=Optional(COUNT), seed=SEED)
    plan = PoolPlan.parse(method)
    if budget is not None and not plan.is_adaptive:
        raise SettingError(
            f"'{plan}' takes no budget: it says itself how many items are judged; mtf and bandit take one"
        )
    if not project.sources.runs:
        raise SettingError(f"a pool is drawn from runs, and {project.folder} names none: add them to its project.toml")
    if plan.compares and len(project.sources.runs) < 2:
        raise SettingError(f"'{plan}' decides between the first two runs of a project, and {project.folder} names one")
    tables, errors = [], []
    for path in project.sources.runs:
        try:
            tables.append(read_ranking(path))
        except InputError as error:
            errors.append(error)
        except RankscopeError as error:
            errors.append(InputError.of(str(path), [str(error)]))
    raise_all(errors)
    rankings = Rankings.of_tables(tables, list(project.queries))
    table = plan.candidates(rankings, seed)
    if not table.height:
        raise SettingError("the runs answer none of the project's queries, so there is nothing to judge")
    foreign = [item for item in table.get_column("item").unique(maintain_order=True) if item not in project.places]
    if foreign:
        problems = [f"'{item}' is not in the collection" for item in foreign]
        raise InputError.of("runs", problems, "The runs changed since the project was made.")
    version = len(project.designs) + 1
    return plan, [
        Pooled(version, query, item, stratum, pi, origin, None if drawn is None else int(drawn), place)
        for place, (query, item, stratum, pi, origin, drawn) in enumerate(table.iter_rows())
    ]


# Judging until two runs are decided: which queries count, what they say so far, and when to stop.

DECISION_ALPHA: Final = 0.05  # of both sides together


@dataclass(frozen=True)
class PoolDecision:
    """Two runs by P@k, second minus first, on the queries that count so far."""

    k: int
    first: str
    second: str
    counted: int
    of: int
    change: float
    low: float
    high: float
    sign: int  # 1: the second is better, -1: the first, 0: not yet
    needed: float  # more queries in half of all cases, at the present effect

    @property
    def is_decided(self) -> bool:
        return self.sign != 0

    @property
    def sentence(self) -> str:
        """What is known, for those who may know which run is which."""
        change, low, high = map(signed_text, (self.change, self.low, self.high))
        what = f"P@{self.k} of {self.second} minus {self.first}"
        if not self.counted:
            return f"not yet: {what}: no query is judged in full"
        found = f"{what}: {change} [{low}, {high}] on {self.counted:,} of {how_many(self.of, 'queries')}"
        if self.is_decided:
            return f"decided: {self.second if self.sign > 0 else self.first} is better; {found}"
        more = "more like these never decide" if math.isinf(self.needed) else f"about {self.needed:,.0f} more decide"
        return f"not yet: {found}; at the present effect {more}"


@dataclass
class RunsCompared:
    """The comparison that a pool `decide(k)` is made for; `relevance` says of a pair yes, no, or None: not yet."""

    pool: ProjectPool
    part: Decide
    relevance: Callable[[Pair], bool | None]
    _differences: dict[str, float | None] = field(default_factory=dict)
    _sign: int | None = None

    @classmethod
    def of(cls, pool: ProjectPool | None, relevance: Callable[[Pair], bool | None]) -> RunsCompared | None:
        """The comparison of a pool; None where it has another purpose."""
        parts = [each for each in pool.plan.parts if isinstance(each, Decide)] if pool is not None else []
        return cls(pool, parts[0], relevance) if pool is not None and parts else None

    @cached_property
    def order(self) -> list[str]:
        """The queries in the order in which they count: the same for everybody, whatever is found."""
        return sorted(self.pool.by_query, key=lambda query: stable_random(self.pool.design.seed, "decide", query))

    @property
    def is_decided(self) -> bool:
        """Whether nothing more needs to be judged: asked for at every mark, so limits are left to `decision`."""
        if self._sign is None:
            self._sign = first_crossing(self._changes())[0]
        return self._sign != 0

    def forget(self, query: str) -> None:
        self._differences.pop(query, None)
        self._sign = None

    def difference(self, query: str) -> float | None:
        """P@k of the second run minus that of the first; None while an item that matters is not judged."""
        if query not in self._differences:
            self._differences[query] = self._difference(query)
        return self._differences[query]

    def _difference(self, query: str) -> float | None:
        total = 0
        for item, row in self.pool.by_query[query].items():
            side = self.part.side(row.origin)
            if not side:
                continue
            relevant = self.relevance((query, item))
            if relevant is None:
                return None
            total += side * relevant
        return total / self.part.k

    def _changes(self) -> FloatArray:
        """The differences of the queries that count: all from the beginning of the order that are judged in full."""
        found = takewhile(lambda each: each is not None, map(self.difference, self.order))
        return np.array(list(found), dtype=np.float64)

    def decision(self) -> PoolDecision:
        changes = self._changes()
        first, second, *_ = self.pool.design.run_names
        sign, _ = first_crossing(changes)
        falls = changes.size > 0 and changes.mean() < 0
        return PoolDecision(
            k=self.part.k,
            first=first,
            second=second,
            counted=changes.size,
            of=len(self.order),
            change=float(changes.mean()) if changes.size else math.nan,
            low=lower_limit(changes, DECISION_ALPHA / 2),
            high=upper_limit(changes, DECISION_ALPHA / 2),
            sign=sign,
            needed=0.0 if sign else still_needed(changes if falls else -changes, 0.0, DECISION_ALPHA / 2),
        )


def first_crossing(changes: FloatArray) -> tuple[int, int]:
    """The first look that shows something: 1 for a gain or -1 for a loss, and after how many queries.

    0 where no look does, and after all of them.
    >>> first_crossing(np.full(9, -0.5)), first_crossing(np.full(14, -0.5)), first_crossing(np.full(14, 0.5))
    ((0, 9), (-1, 11), (1, 11))
    """
    sides = [log_capital(log_capitals(each[:, None]).cumsum(axis=0)) for each in (changes, -changes)]
    reached = np.stack(sides) >= math.log(2 / DECISION_ALPHA)
    if not reached.any():
        return 0, changes.size
    look = int(reached.any(axis=0).argmax())
    return (-1 if reached[0, look] else 1), look + 1
