"""A frozen pool of a project: its candidates by query, and what of it is to be judged in view of the marks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rankscope.sampling.pools.plan import PoolPlan
from rankscope.sampling.pools.rankings import Lists, lists_of_origins, ranks_of_origin
from rankscope.sampling.pools.sample import Sample, lot
from rankscope.workbench.store.events import Event
from rankscope.workbench.store.rows import PoolDesign, Pooled
from rankscope.workbench.store.state import Pair, State


@dataclass(frozen=True, eq=False)
class ProjectPool:
    """One version of a project's pool."""

    design: PoolDesign
    rows: Sequence[Pooled]

    @cached_property
    def plan(self) -> PoolPlan:
        """The method."""
        return PoolPlan.parse(self.design.method)

    @cached_property
    def by_query(self) -> dict[str, dict[str, Pooled]]:
        """The candidates of each query by their items, in the order of the pool."""
        found: dict[str, dict[str, Pooled]] = {}
        for row in self.rows:
            found.setdefault(row.query, {})[row.item] = row
        return found

    def row(self, pair: Pair) -> Pooled | None:
        """The candidate of a query and an item; None where it is none."""
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
        adaptive = self._adaptive_items(query)
        return len(adaptive & (judged.keys() | lent)) >= budget

    def adaptive_size(self, query: str) -> int:
        """How many items of a query the adaptive parts judge: the budget, or all that they reach."""
        reached = len(self._adaptive_items(query))
        return reached if self.design.budget is None else min(reached, self.design.budget)

    def has_ended(self, query: str, judged: Mapping[str, bool], given_up: Collection[str]) -> bool:
        """Whether the adaptive parts are over: the budget is spent, or everything is judged or was given up on."""
        if self.budget_is_spent(query, judged):
            return True
        return self._adaptive_items(query) <= judged.keys() | set(given_up)

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
        return (row.stratum, None) if stratum is None else (stratum, _share(draw, stratum))

    def _adaptive_items(self, query: str) -> set[str]:
        return set(self._reached(query))

    @cached_property
    def _cache(self) -> dict[str, Any]:
        return {}

    def _reached(self, query: str) -> frozenset[str]:
        key = f"reached\0{query}"
        if key not in self._cache:
            self._cache[key] = frozenset(item for lists in self._lists(query) for items in lists for item in items)
        found: frozenset[str] = self._cache[key]
        return found

    def _lists(self, query: str) -> list[Lists]:
        """The runs of a query as each adaptive part sees them."""
        if query not in self._cache:
            origins = {item: row.origin for item, row in self.by_query.get(query, {}).items()}
            runs = len(self.design.run_names)
            self._cache[query] = [lists_of_origins(origins, runs, part.reach) for part in self.plan.adaptive]
        found: list[Lists] = self._cache[query]
        return found


def stratum_of(row: Pooled, sample: Sample) -> str | None:
    """The band that the best rank of a candidate lies in."""
    best = min(ranks_of_origin(row.origin).values())
    return next((each.stratum for each in sample.bands if each.first <= best <= each.last), None)


def _share(draw: Event, stratum: str) -> float | None:
    size, drawn = draw.details["strata"][stratum]
    return drawn / size if size else None
