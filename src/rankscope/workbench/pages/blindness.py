"""What somebody has left to judge, and what they may not look at before: nobody sees beforehand what they are asked."""

from __future__ import annotations

from typing import NamedTuple

from rankscope.workbench.pages.addresses import Visit
from rankscope.workbench.pages.answers import count_of
from rankscope.workbench.pages.bench import Workbench
from rankscope.workbench.pool import ProjectPool
from rankscope.workbench.service.application import Refusal
from rankscope.workbench.store.events import ANSWERS, Assessor, Event


def open_queries(visit: Visit) -> frozenset[str]:
    """The queries that somebody is judging: all that have something left for who has begun with the pool."""
    progress = visit.bench.keep(OwnProgress)
    marks, left = progress.totals(visit.person)
    if not marks or not left:
        return frozenset()
    return frozenset(each.query for each in progress.by_query(visit.person) if each.left)


def is_judging(visit: Visit) -> bool:
    return bool(open_queries(visit))


def refuse_while_judging(visit: Visit, what: str) -> None:
    if is_judging(visit):
        left = visit.bench.keep(OwnProgress).totals(visit.person)[1]
        raise Refusal(403, f"you are judging a pool, and {what} would tell what to answer: {_first(left)}")


def refuse_open_query(visit: Visit, query: str, what: str) -> None:
    if query in open_queries(visit):
        left = next(each.left for each in visit.bench.keep(OwnProgress).by_query(visit.person) if each.query == query)
        raise Refusal(403, f"you are judging this query, and {what} would tell what to answer: {_first(left)}")


def refuse_judged_query(visit: Visit, query: str) -> None:
    with visit.project.lock:
        if query in open_queries(visit):
            raise Refusal(403, "you are judging this query: judge what is left of it first")


def refuse_open_example(visit: Visit, item: str, what: str) -> None:
    """The same for an item that is the example of such a query."""
    for query in open_queries(visit):
        if visit.project.queries[query].example == item:
            refuse_open_query(visit, query, what)


def _first(left: int) -> str:
    return f"{count_of(left, 'item is', 'items are')} left for you; judge them first"


# How far somebody has come with the pool: what they answered, and what is left for them.


class OwnLine(NamedTuple):
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
            is_decided, lines = self.project.assignment.is_decided, []
            for query, wanted in self._wanted.items():
                mine = self._answered.get(person.id, {}).get(query, set())
                left = 0 if is_decided else len(self._open[query] - mine)
                lines.append(OwnLine(query, len(mine & wanted.keys()), left))
            return lines

    def _catch_up(self) -> None:
        state = self.project.state
        if self.project.pool is not self._pool:  # all is counted anew
            pool = self._pool = self.project.pool
            self._seen = 0
            self._answered, self._wanted, self._open = {}, {}, {}
            draw = self.project.assignment.places
            rows = pool.by_query if pool is not None else {}
            self._places = {query: {item: draw((query, item)) for item in items} for query, items in rows.items()}
            for query in rows:
                self._count(query)
        for event in state.events[self._seen :]:
            self._note(event)
        self._seen = len(state.events)

    def _note(self, event: Event) -> None:
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
