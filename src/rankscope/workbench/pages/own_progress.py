"""How far somebody has come with the pool: what they answered, and what is left for them.

Counted from the events that came since the last look, so that fifty people who look all the time cost nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from rankscope.workbench.pages.bench import Workbench
from rankscope.workbench.pooled import ProjectPool
from rankscope.workbench.store.events import ANSWERS, Event
from rankscope.workbench.store.rows import Assessor


class OwnLine(NamedTuple):
    """Items of one query that somebody answered, and that are left for them."""

    query: str
    mine: int
    left: int


class OwnProgress:
    """Which items of the pool still want somebody, and who answered which."""

    def __init__(self, bench: Workbench) -> None:
        self.project = bench.project
        self._pool: ProjectPool | None = None
        self._seen = 0  # events
        self._places: dict[str, dict[str, int]] = {}  # how many assessors each item wants, by query
        self._wanted: dict[str, dict[str, int]] = {}  # the same of those that are to be judged as far as is known now
        self._open: dict[str, set[str]] = {}
        self._answered: dict[int, dict[str, set[str]]] = {}  # items by person and query

    def totals(self, person: Assessor) -> tuple[int, int]:
        """How many items somebody answered, and how many are left for them."""
        lines = self.by_query(person)
        return sum(each.mine for each in lines), sum(each.left for each in lines)

    def by_query(self, person: Assessor) -> list[OwnLine]:
        """The queries of the pool, in its order; nothing is left once the comparison it is judged for is decided."""
        with self.project.lock:
            self._catch_up()
            mine = self._answered.get(person.id, {})
            lines = [self._line(query, mine.get(query, set())) for query in self._wanted]
            return [each._replace(left=0) for each in lines] if self.project.assignment.is_decided else lines

    def _line(self, query: str, mine: set[str]) -> OwnLine:
        return OwnLine(query, len(mine & self._wanted[query].keys()), len(self._open[query] - mine))

    def _catch_up(self) -> None:
        state = self.project.state
        if self.project.pool is not self._pool:
            self._begin()
        for event in state.events[self._seen :]:
            self._note(event)
        self._seen = len(state.events)

    def _begin(self) -> None:
        """With another pool all is counted anew."""
        pool = self._pool = self.project.pool
        self._seen = 0
        self._answered, self._wanted, self._open = {}, {}, {}
        draw = self.project.assignment.places
        rows = pool.by_query if pool is not None else {}
        self._places = {query: {item: draw((query, item)) for item in items} for query, items in rows.items()}
        for query in rows:
            self._count(query)

    def _note(self, event: Event) -> None:
        """One more event: an answer, an undo, or a draw."""
        query, item = event.query or "", event.item or ""
        if self._pool is None or query not in self._places:
            return
        if event.kind in ANSWERS or event.kind == "undo":
            said = self._answered.setdefault(event.assessor, {}).setdefault(query, set())
            if self.project.state.answer(event.assessor, (query, item)) is None:
                said.discard(item)
            else:
                said.add(item)
        if self._pool.plan.is_adaptive:
            self._count(query)
        elif item in self._wanted[query]:
            self._look(query, item)

    def _count(self, query: str) -> None:
        self._wanted[query] = self._wanted_of(query)
        self._open[query] = set()
        for item in self._wanted[query]:
            self._look(query, item)

    def _look(self, query: str, item: str) -> None:
        if len(self.project.assignment.counted((query, item))) < self._wanted[query][item]:
            self._open[query].add(item)
        else:
            self._open[query].discard(item)

    def _wanted_of(self, query: str) -> dict[str, int]:
        """The items that are to be judged as far as marks say so now, and by how many.

        Of an adaptive part those that are judged, and as many more as it may still choose.
        """
        pool, places, state = self._pool, self._places[query], self.project.state
        assert pool is not None
        wanted = dict.fromkeys(pool.certain(query, state))
        if pool.plan.is_adaptive and (pool.design.version, query) not in state.draws:
            judged = self.project.assignment.judged(query)
            wanted |= dict.fromkeys(judged)
            more = max(0, pool.adaptive_size(query) - len(judged))
            wanted |= dict.fromkeys([item for item in places if item not in wanted][:more])
        return {item: places[item] for item in wanted}
