"""Judging: who judges what next, what a mark must be before it enters the journal, and how far the judging is."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from math import inf
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

from rankscope.core.digests import stable_random
from rankscope.workbench.pool import ProjectPool, RunsCompared
from rankscope.workbench.preferences import problem_of_preference
from rankscope.workbench.store.events import ANSWERS, RESERVED, Event, MarkEvent, Pair, Refused, State
from rankscope.workbench.store.journal import Rules
from rankscope.workbench.usability import check_survey

if TYPE_CHECKING:
    from rankscope.workbench.project import Project
    from rankscope.workbench.project_folder import ProjectFile
    from rankscope.workbench.store.journal import Journal


# Who judges what next: open places, loans that lapse, an order of its own for each assessor, questions asked twice.

REPEAT_AFTER: Final = 20  # marks of an assessor before one of the items may come back


class Loan(NamedTuple):
    """An item that an assessor has before the eyes; it goes to others when `until` has passed."""

    query: str
    item: str
    tab: str
    until: float

    @property
    def pair(self) -> Pair:
        return self.query, self.item


@dataclass
class Assignment:
    """The places of a pool. Whoever calls it holds the lock of the state."""

    settings: ProjectFile
    state: State
    is_person: Callable[[int], bool] = lambda assessor: True
    clock: Callable[[], float] = time.monotonic
    pool: ProjectPool | None = None
    compared: RunsCompared | None = None  # where the pool is judged only until two runs are decided
    loans: dict[Pair, dict[int, Loan]] = field(default_factory=dict)
    _next_lapse: float = inf  # no loan ends before
    _orders: dict[tuple[int, str, bool], list[str]] = field(default_factory=dict)  # of assessor, query, drawn or not
    _settled: dict[tuple[int, str, bool], int] = field(default_factory=dict)  # how many of each need no second look
    _undone: int = 0
    _old: dict[int, int] = field(default_factory=dict)  # how many events of an assessor were looked at for repeats
    _due: dict[int, list[Pair]] = field(default_factory=dict)
    _judged: dict[str, dict[str, bool]] = field(default_factory=dict)
    _touched: set[str] = field(default_factory=set)  # queries with events since it was asked whether a draw is due

    def use_pool(self, pool: ProjectPool | None) -> None:
        self.pool = pool
        self.compared = RunsCompared.of(pool, self.relevance)
        for each in (self._orders, self._settled, self._judged):
            each.clear()
        self._touched = set() if pool is None else set(pool.by_query)

    def next_items(self, assessor: int, count: int = 1, tab: str = "", query: str | None = None) -> list[Loan]:
        """Up to so many items for an assessor: those that the same tab has already, then others, which it borrows.

        `query`: only items of this one.
        """
        now = self.clock()
        if now >= self._next_lapse:
            lent = [(pair, who, each.until) for pair, loans in self.loans.items() for who, each in loans.items()]
            for pair, who, until in lent:
                if until <= now:
                    self._end_loan(pair, who)
            self._next_lapse = min((until for _, _, until in lent if until > now), default=inf)
        mine = [each[assessor] for each in self.loans.values() if assessor in each and each[assessor].tab == tab]
        held = sorted((each for each in mine if query in (None, each.query)), key=lambda loan: loan.until)[:count]
        for pair in self._offers(assessor, query) if len(held) < count else ():
            held.append(self._lend(pair, assessor, tab, self.clock() + 60 * self.settings.loan_minutes))
            if len(held) == count:
                break
        return held

    def hold(self, assessor: int, pair: Pair, tab: str = "") -> bool:
        """Lend an item that a tab shows already, as after a restart or an undo; False where there is no place for it.

        One that the assessor has answered has its place; one that is on loan to them goes to the tab, for as long as
        before.
        """
        if self.pool is None or self.pool.row(pair) is None:
            return False
        if self.state.answer(assessor, pair) is not None:
            return True
        if self.settings.single and self.owner(pair[0]) not in (None, assessor):
            return False
        now = self.clock()
        mine = self.loans.get(pair, {}).get(assessor)
        if (mine is None or mine.until <= now) and self.open_places(pair, assessor) < 1:
            return False
        until = mine.until if mine is not None and mine.until > now else now + 60 * self.settings.loan_minutes
        self._lend(pair, assessor, tab, until)
        return True

    def release(self, assessor: int, tab: str | None = None) -> None:
        for pair, loans in list(self.loans.items()):
            if assessor in loans and tab in (None, loans[assessor].tab):
                self._end_loan(pair, assessor)

    def applied(self, events: Sequence[Event]) -> None:
        """A loan ends with the answer; what was counted of the query is counted anew."""
        for event in events:
            pair = (event.query or "", event.item or "")
            if event.kind in ANSWERS:
                self._end_loan(pair, event.assessor)
            if pair[0] in self._judged:
                self._count(pair)
            self._touched.add(pair[0])
            if self.compared is not None:
                self.compared.forget(pair[0])

    def counted(self, pair: Pair) -> list[Event]:
        """The grades of an item that fill its places: a machine's labels leave them all to people."""
        return [each for each in self.state.counted(pair) if self.is_person(each.assessor)]

    def places(self, pair: Pair) -> int:
        if self.settings.single:
            return 1
        doubled = stable_random(self.settings.seed, "double", *pair) < self.settings.double
        return max(self.settings.per_item, 2 if doubled else 1)

    def open_places(self, pair: Pair, assessor: int) -> int:
        """How many places an item has left for this assessor: not judged, and not with somebody else."""
        others = sum(each.assessor != assessor for each in self.counted(pair))
        now = self.clock()
        lent = sum(who != assessor and each.until > now for who, each in self.loans.get(pair, {}).items())
        return self.places(pair) - others - lent

    def owner(self, query: str) -> int | None:
        """The one assessor of a query, where each has only one: whoever marked it first, or has an item of it now."""
        assert self.pool is not None
        marks = [each for item in self.pool.by_query.get(query, {}) for each in self.counted((query, item))]
        if marks:
            return min(marks, key=lambda each: each.id).assessor
        now = self.clock()
        loans = [each for pair, each in self.loans.items() if pair[0] == query]
        return next((who for each in loans for who, loan in each.items() if loan.until > now), None)

    def is_surplus(self, mark: MarkEvent) -> bool:
        """Whether an item has all the marks it needs, those that others are about to give included."""
        pair = (mark.query or "", mark.item or "")
        if self.pool is None or self.pool.row(pair) is None:
            return False
        if self.settings.single and self.owner(pair[0]) not in (None, mark.assessor):
            return True
        return self.open_places(pair, mark.assessor) < 1

    def is_repeat(self, mark: MarkEvent) -> bool:
        """Whether an answer is the second one to a question that was asked twice on purpose."""
        pair = (mark.query or "", mark.item or "")
        before = self.state.answer(mark.assessor, pair)
        return before is not None and self._may_return(before)

    def judged(self, query: str) -> dict[str, bool]:
        """Whether each judged item of a query is relevant; where assessors differ, one who says yes is enough."""
        assert self.pool is not None
        if query not in self._judged:
            self._judged[query] = {}
            for item in self.pool.by_query.get(query, {}):
                self._count((query, item))
        return self._judged[query]

    def _count(self, pair: Pair) -> None:
        marks = self.counted(pair)
        if not marks:
            self._judged[pair[0]].pop(pair[1], None)
        elif self.pool is not None and self.pool.row(pair) is not None:
            self._judged[pair[0]][pair[1]] = any((each.grade or 0) >= self.settings.relevant for each in marks)

    @property
    def is_decided(self) -> bool:
        """Whether the two runs that the pool compares are decided, so that nothing more needs to be judged."""
        return self.compared is not None and self.compared.is_decided

    def relevance(self, pair: Pair) -> bool | None:
        """Whether an item is relevant; None as long as places are open.

        An item that people could only skip or were unsure of counts as not relevant until somebody grades it.
        """
        marks = self.counted(pair)
        if not marks:
            return False if self.state.answers.get(pair) else None
        if len(marks) < self.places(pair):
            return None
        return any((each.grade or 0) >= self.settings.relevant for each in marks)

    def draws_due(self) -> list[str]:
        self._touched = {query for query in self._touched if self.draw_is_due(query)}
        return sorted(self._touched)

    def draw_is_due(self, query: str) -> bool:
        """Whether the adaptive part of a pool has ended for a query, and its sample is still to be drawn."""
        if self.pool is None or not self.pool.plan.is_adaptive or self.pool.plan.sample is None:
            return False
        if query not in self.pool.by_query or (self.pool.design.version, query) in self.state.draws:
            return False
        judged = self.judged(query)
        given_up = [
            item for item in self.pool.by_query[query] if item not in judged and self.state.answers.get((query, item))
        ]
        if self.pool.budget_is_spent(query, judged):
            return True
        return self.pool.reached(query) <= judged.keys() | set(given_up)

    def _offers(self, assessor: int, only: str | None) -> Iterator[Pair]:
        """What an assessor may get, the best first: a question again where one is due, then query by query."""
        if self.pool is None or self.is_decided:
            return
        yield from self._returning(assessor, only)
        queries = [only] if only is not None else self._query_order(assessor)
        for query in queries:
            if self.settings.single and self.owner(query) not in (None, assessor):
                continue
            for item in self._fixed(assessor, query):  # what is judged in any case
                if self._is_free((query, item), assessor):
                    yield query, item
            if self.pool.plan.is_adaptive:  # then what the marks so far make worth judging
                yield from self._adaptive_offers(assessor, query)

    def _query_order(self, assessor: int) -> list[str]:
        assert self.pool is not None
        if self.compared is not None:
            return self.compared.order
        key = (assessor, "", False)
        if key not in self._orders:
            seed = self.settings.seed
            self._orders[key] = sorted(self.pool.by_query, key=lambda query: stable_random(seed, assessor, query))
        return self._orders[key]

    def _fixed(self, assessor: int, query: str) -> Iterator[str]:
        """In this assessor's own order, without the beginning that is settled for good."""
        assert self.pool is not None
        if len(self.state.undone) != self._undone:
            self._settled.clear()
            self._undone = len(self.state.undone)
        key = (assessor, query, (self.pool.design.version, query) in self.state.draws)
        if key not in self._orders:
            self._orders[key] = self._own_order(assessor, query, self.pool.certain(query, self.state))
        order, start = self._orders[key], self._settled.get(key, 0)
        while start < len(order):  # over what nothing but an undo could bring back to the assessor
            pair = (query, order[start])
            if self.state.answer(assessor, pair) is None and len(self.counted(pair)) < self.places(pair):
                break
            start += 1
        self._settled[key] = start
        yield from islice(order, start, None)

    def _own_order(self, assessor: int, query: str, items: list[str]) -> list[str]:
        return sorted(items, key=lambda item: stable_random(self.settings.seed, assessor, query, item))

    def _adaptive_offers(self, assessor: int, query: str) -> Iterator[Pair]:
        assert self.pool is not None
        judged = self.judged(query)
        for item in self._own_order(assessor, query, list(judged)):
            if self._is_free((query, item), assessor):  # somebody judged it, and it wants a second opinion
                yield query, item
        if (self.pool.design.version, query) in self.state.draws:
            return
        now = self.clock()
        loans = [(pair[1], each) for pair, each in self.loans.items() if pair[0] == query and pair[1] not in judged]
        lent = {item for item, each in loans if any(loan.until > now for loan in each.values())}
        given_up: set[str] = set()
        while (chosen := self.pool.next_adaptive(query, judged, lent, given_up)) is not None:
            if self.state.answer(assessor, (query, chosen)) is None:
                lent.add(chosen)
                yield query, chosen
            else:
                given_up.add(chosen)

    def _is_free(self, pair: Pair, assessor: int) -> bool:
        if self.state.answer(assessor, pair) is not None or assessor in self.loans.get(pair, {}):
            return False
        return self.open_places(pair, assessor) > 0

    def _returning(self, assessor: int, only: str | None) -> Iterator[Pair]:
        """Items of an assessor that come back, when enough others were marked since."""
        done = self.state.done.get(assessor, [])
        for number in done[self._old.get(assessor, 0) : max(0, len(done) - REPEAT_AFTER)]:
            event = self.state.events[number - 1]
            self._old[assessor] = self._old.get(assessor, 0) + 1
            if event.kind in ANSWERS and self._may_return(event):
                self._due.setdefault(assessor, []).append((event.query or "", event.item or ""))
        answers = [(pair, self.state.answer(assessor, pair)) for pair in self._due.get(assessor, [])]
        due = [pair for pair, now in answers if now is not None and self._may_return(now)]
        self._due[assessor] = due
        yield from (pair for pair in due if only in (None, pair[0]) and assessor not in self.loans.get(pair, {}))

    def _may_return(self, event: Event) -> bool:
        """Whether a grade is one of those that are asked for twice, long enough ago, and not asked for again yet."""
        pair = (event.query or "", event.item or "")
        if event.kind != "grade" or event.assessor in self.state.repeats.get(pair, {}):
            return False
        if self.pool is None or self.pool.row(pair) is None or "import" in event.details:
            return False
        if stable_random(self.settings.seed, "repeat", event.assessor, *pair) >= self.settings.repeat:
            return False
        done = self.state.done[event.assessor]
        return len(done) - bisect_right(done, event.id) >= REPEAT_AFTER

    def _lend(self, pair: Pair, assessor: int, tab: str, until: float) -> Loan:
        loan = self.loans.setdefault(pair, {})[assessor] = Loan(*pair, tab=tab, until=until)
        self._next_lapse = min(self._next_lapse, until)
        return loan

    def _end_loan(self, pair: Pair, assessor: int) -> None:
        loans = self.loans.get(pair, {})
        loans.pop(assessor, None)
        if not loans:
            self.loans.pop(pair, None)


# What a project asks of a mark before it may enter the journal, and what it adds to it.

LONGEST_COMMENT = 2000  # signs


@dataclass(eq=False)
class JudgingRules(Rules):
    """The rules of one project; asked by its writer, mark by mark, in the order of the journal."""

    project: Project

    def complete(self, mark: MarkEvent) -> MarkEvent:
        """With pool and guideline of the day, and flagged where it is one too many or the second of the same."""
        assessor = self.project.assessors.get(mark.assessor)
        if assessor is None:
            raise Refused(f"there is no assessor {mark.assessor} in this project")
        if not assessor.active and not mark.is_copy:
            raise Refused(f"{assessor.name} was taken out of this project, so no mark of theirs is saved any more")
        if mark.kind == "undo":
            return mark
        if mark.kind == "draw":
            return self._draw(mark)
        self._check_about(mark)
        if mark.kind == "survey":
            check_survey(mark.detail or {})
        if mark.at_us is not None and mark.is_copy:
            return mark  # of another journal, whole as it is
        pool = self.project.pool
        pair = (mark.query or "", mark.item or "")
        inside = pool is not None and pool.row(pair) is not None
        version = self.project.guideline_version
        flags = {}
        if mark.kind in ANSWERS and not mark.is_copy:
            flags = {"repeat": True} if self.project.assignment.is_repeat(mark) else {}
            if not flags and self.project.assignment.is_surplus(mark):
                flags = {"surplus": True}
        # nobody gives a mark a flag from outside
        own = {name: value for name, value in (mark.detail or {}).items() if mark.is_copy or name not in RESERVED}
        return replace(
            mark,
            detail={**own, **flags} or None,
            at_us=None,
            pool=mark.pool if mark.pool is not None or not inside or pool is None else pool.design.version,
            guideline=version if mark.guideline is None else mark.guideline,
        )

    def read_again(self, journal: Journal) -> bool:
        return self.project.read_tables(journal)

    def applied(self, events: Sequence[Event]) -> None:
        self.project.assignment.applied(events)

    def _check_about(self, mark: MarkEvent) -> None:
        if mark.query is not None and mark.query not in self.project.queries:
            raise Refused(f"there is no query '{mark.query}' in this project")
        if mark.item is not None and mark.item not in self.project.places:
            raise Refused(f"there is no item '{mark.item}' in this project")
        if mark.kind in {*ANSWERS, "adjudicate"} and (mark.query is None or mark.item is None):
            raise Refused("a mark says of which query and which item it speaks")
        grades = self.project.file.grades
        if mark.kind in ("grade", "adjudicate") and mark.grade not in grades:
            raise Refused(f"{mark.grade} is none of the grades {', '.join(map(str, grades))}")
        if mark.kind != "grade" and mark.kind != "adjudicate" and mark.grade is not None:
            raise Refused(f"'{mark.kind}' has no grade")
        if mark.kind == "comment" and not 0 < len(str((mark.detail or {}).get("text", ""))) <= LONGEST_COMMENT:
            raise Refused(f"a comment has 1 to {LONGEST_COMMENT:,} signs")
        if mark.kind == "prefer" and (wrong := problem_of_preference(mark)):
            raise Refused(wrong)

    def _draw(self, mark: MarkEvent) -> MarkEvent:
        """The sample of a query, from what its adaptive part has left."""
        if mark.is_copy:
            return mark
        pool, query = self.project.pool, mark.query or ""
        if pool is None or not self.project.assignment.draw_is_due(query):
            raise Refused(f"the sample of query '{query}' is not to be drawn now")
        drawn = pool.draw(query, self.project.assignment.judged(query))
        return replace(mark, detail=drawn, pool=pool.design.version)


# How far the judging is: by query, by assessor, and how long the rest will take.


class QueryProgress(NamedTuple):
    """Marks that count and places in all of one query; the places of an adaptive pool without a budget may be fewer.

    Once the comparison that a pool is judged for is decided, no place is open.
    """

    query: str
    judged: int
    places: int


class AssessorProgress(NamedTuple):
    """What one assessor says now: grades, unsure, skipped, surplus, and the median time of looking in milliseconds."""

    assessor: int
    grades: int
    unsure: int
    skipped: int
    surplus: int
    median_ms: float | None


@dataclass(frozen=True)
class Progress:
    queries: tuple[QueryProgress, ...]
    assessors: tuple[AssessorProgress, ...]

    @property
    def open(self) -> int:
        return sum(max(0, each.places - each.judged) for each in self.queries)

    @property
    def seconds_left(self) -> float | None:
        """The median time of looking times the marks that are still to come; None where nobody looked yet."""
        known = [each.median_ms for each in self.assessors if each.median_ms is not None]
        return median(known) * self.open / 1000 if known else None


def query_progress(project: Project, query: str) -> QueryProgress:
    pool, assignment = project.pool, project.assignment
    assert pool is not None
    judged = sum(len(assignment.counted((query, item))) for item in pool.by_query[query])
    places = sum(assignment.places((query, item)) for item in pool.certain(query, project.state))
    is_drawn = (pool.design.version, query) in project.state.draws
    if assignment.is_decided:
        return QueryProgress(query, judged, judged)
    return QueryProgress(query, judged, places if is_drawn else places + pool.adaptive_size(query))


def assessor_progress(project: Project, assessor: int) -> AssessorProgress:
    own = [said[assessor] for said in project.state.answers.values() if assessor in said]
    times = [event.ms for event in own if event.ms is not None]
    grades = [event for event in own if event.kind == "grade"]
    return AssessorProgress(
        assessor=assessor,
        grades=sum(not event.is_surplus for event in grades),
        unsure=sum(event.kind == "unsure" for event in own),
        skipped=sum(event.kind == "skip" for event in own),
        surplus=sum(event.is_surplus for event in grades),
        median_ms=median(times) if times else None,
    )
