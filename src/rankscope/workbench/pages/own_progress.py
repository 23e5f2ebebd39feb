"""How far somebody has come with the pool: what they answered, and what is left for them."""

from __future__ import annotations

import time
from typing import NamedTuple

from rankscope.workbench.pages.bench import Workbench
from rankscope.workbench.pooled import ProjectPool
from rankscope.workbench.store.rows import Assessor

OLD = 2.0  # seconds that a count may be old


class OwnLine(NamedTuple):
    """Items of one query that somebody answered, and that are left for them."""

    query: str
    mine: int
    left: int


class OwnProgress:
    """Counts; how many assessors each item wants is drawn once for each pool."""

    def __init__(self, bench: Workbench) -> None:
        self.project = bench.project
        self._pool: ProjectPool | None = None
        self._places: dict[str, dict[str, int]] = {}
        self._totals: dict[int, tuple[float, tuple[int, int]]] = {}

    def totals(self, person: Assessor) -> tuple[int, int]:
        """How many items somebody answered, and how many are left; counted again after some seconds."""
        then, found = self._totals.get(person.id, (0.0, (0, 0)))
        if person.id not in self._totals or time.monotonic() - then > OLD:
            lines = self.by_query(person)
            found = sum(each.mine for each in lines), sum(each.left for each in lines)
            self._totals[person.id] = time.monotonic(), found
        return found

    def by_query(self, person: Assessor) -> list[OwnLine]:
        """The queries of the pool; the lock is held for one at a time."""
        pool = self.project.pool
        if pool is None:
            return []
        found = []
        for query in pool.by_query:
            with self.project.lock:
                found.append(self._line(pool, query, person))
        return found

    def _line(self, pool: ProjectPool, query: str, person: Assessor) -> OwnLine:
        state = self.project.state
        mine = left = 0
        for item, places in self._wanted(pool, query).items():
            answered = state.answer(person.id, (query, item)) is not None
            mine += answered
            left += not answered and len(self.project.assignment.counted((query, item))) < places
        return OwnLine(query, mine, left)

    def _wanted(self, pool: ProjectPool, query: str) -> dict[str, int]:
        """The items that are to be judged as far as marks say so now, and by how many.

        Of an adaptive part those that are judged, and as many more as it may still choose.
        """
        places = self._all_places(pool, query)
        wanted = dict.fromkeys(pool.certain(query, self.project.state))
        if pool.plan.is_adaptive and (pool.design.version, query) not in self.project.state.draws:
            judged = self.project.assignment.judged(query)
            wanted |= dict.fromkeys(judged)
            more = max(0, pool.adaptive_size(query) - len(judged))
            wanted |= dict.fromkeys([item for item in places if item not in wanted][:more])
        return {item: places[item] for item in wanted}

    def _all_places(self, pool: ProjectPool, query: str) -> dict[str, int]:
        if self._pool is not pool:
            self._pool, self._places = pool, {}
        if query not in self._places:
            draw = self.project.assignment.places
            self._places[query] = {item: draw((query, item)) for item in pool.by_query[query]}
        return self._places[query]
