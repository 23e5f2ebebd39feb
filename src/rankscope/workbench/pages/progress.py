"""How far the judging of the pool has come: places wanted and filled, by query and by assessor, and the time left."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass

from rankscope.workbench.pages.bench import Workbench
from rankscope.workbench.pooled import ProjectPool
from rankscope.workbench.project import Project
from rankscope.workbench.store.events import ANSWERS
from rankscope.workbench.store.rows import Assessor

OWN_SECONDS = 2.0  # how old one's own count may be
LAST_MARKS = 200  # that the time of one mark is taken from


@dataclass(frozen=True)
class QueryProgress:
    """Places of one query: how many marks it wants, how many count, how many somebody gave, and could still give."""

    query: str
    wanted: int
    done: int
    mine: int
    left: int


class Progress:
    """Counts; the number of assessors that each item wants is drawn once for each pool."""

    def __init__(self, bench: Workbench) -> None:
        self.project: Project = bench.project
        self._pool: ProjectPool | None = None
        self._places: dict[str, dict[str, int]] = {}
        self._own: dict[int, tuple[float, tuple[int, int]]] = {}

    def own(self, person: Assessor) -> tuple[int, int]:
        """How many items somebody answered, and how many are left for them; looked up again after some seconds."""
        then, found = self._own.get(person.id, (0.0, (0, 0)))
        if person.id not in self._own or time.monotonic() - then > OWN_SECONDS:
            lines = self.by_query(person)
            found = sum(each.mine for each in lines), sum(each.left for each in lines)
            self._own[person.id] = time.monotonic(), found
        return found

    def by_query(self, person: Assessor) -> list[QueryProgress]:
        """The queries of the pool, in its order; the lock is held for one query at a time."""
        pool = self.project.pool
        if pool is None:
            return []
        found = []
        for query in pool.by_query:
            with self.project.lock:
                found.append(self._query(pool, query, person))
        return found

    def _query(self, pool: ProjectPool, query: str, person: Assessor) -> QueryProgress:
        state = self.project.state
        wanted = done = mine = left = 0
        for item, places in self._wanted(pool, query).items():
            pair = (query, item)
            counted = len(state.counted(pair))
            answered = state.answer(person.id, pair) is not None
            wanted += places
            done += min(counted, places)
            mine += answered
            left += not answered and counted < places
        return QueryProgress(query=query, wanted=wanted, done=done, mine=mine, left=left)

    def _wanted(self, pool: ProjectPool, query: str) -> dict[str, int]:
        """The items that are to be judged as far as marks say so now, and by how many.

        Of an adaptive part those that are judged, and as many more as the budget still has.
        """
        places = self._all_places(pool, query)
        if not pool.plan.is_adaptive:
            return {item: places[item] for item in pool.fixed(query)}
        state = self.project.state
        certain = dict.fromkeys([*pool.fixed(query), *pool.drawn_later(query, state)])
        judged = self.project.assignment.judged(query)
        certain |= dict.fromkeys(judged)
        if (pool.design.version, query) not in state.draws:
            room = len(places) if pool.design.budget is None else pool.design.budget
            more = [item for item in places if item not in certain][: max(0, room - len(judged))]
            certain |= dict.fromkeys(more)
        return {item: places[item] for item in certain}

    def _all_places(self, pool: ProjectPool, query: str) -> dict[str, int]:
        if self._pool is not pool:
            self._pool, self._places = pool, {}
        if query not in self._places:
            draw = self.project.assignment.places
            self._places[query] = {item: draw((query, item)) for item in pool.by_query[query]}
        return self._places[query]

    def typical_ms(self, person: Assessor) -> float | None:
        """The median time that somebody looked at an item of late; None where that is not known."""
        with self.project.lock:
            numbers = self.project.state.done.get(person.id, [])[-LAST_MARKS:]
            events = [self.project.state.events[number - 1] for number in numbers]
        times = [each.ms for each in events if each.kind in ANSWERS and each.ms is not None]
        return float(statistics.median(times)) if times else None

    def marks_by_person(self) -> dict[int, int]:
        """How many answers of each assessor stand."""
        counts: dict[int, int] = {}
        with self.project.lock:
            for said in self.project.state.answers.values():
                for who in said:
                    counts[who] = counts.get(who, 0) + 1
        return counts
