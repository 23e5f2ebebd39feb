"""How far assessors agree, whether it changes systems' order; disagreements one by one, and the last word on them."""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypedDict

from rankscope.analysis.assessors.agreement import SHOWN, Agreed, Agreement, agreement_notes, order_lines
from rankscope.analysis.assessors.order_changes import OrderChange, order_changes
from rankscope.core.digests import stable_random
from rankscope.core.errors import SettingError
from rankscope.core.validation import WholeNumber
from rankscope.workbench.agreement import agreement_of_project, different_grades, disputed_pairs
from rankscope.workbench.pages.addresses import Changed, Visit, Words, address
from rankscope.workbench.pages.answers import view_of
from rankscope.workbench.pages.bench import Workbench
from rankscope.workbench.pages.blindness import open_queries, refuse_judged_query
from rankscope.workbench.pages.items import ItemView, QueryView, item_view, pair_of, query_view, task_of
from rankscope.workbench.pages.judge import KEY, GradeView, GuidelineView, grade_name, grade_views
from rankscope.workbench.project import new_key
from rankscope.workbench.sources import run_names
from rankscope.workbench.store.events import MarkEvent, Pair, Refused


class CoefficientView(TypedDict):
    """A coefficient between its limits over queries; null where it is undefined."""

    name: str
    value: float | None
    low: float | None
    high: float | None


class AgreedView(TypedDict):
    """Some assessors on what they judged in common; `is_thin`: too few pairs to say much."""

    assessors: list[str]
    label: str
    pairs: int
    queries: int
    is_thin: bool
    is_lopsided: bool
    coefficients: list[CoefficientView]


class SaidView(TypedDict):
    name: str
    kind: str
    grades: int
    unsure: int
    skipped: int


class OrderView(TypedDict):
    first: str
    second: str
    pairs: int
    queries: int
    tau: float | None
    swapped: int
    kept: int
    reversed: int
    one_sided: int
    undecided: int
    largest_change: float
    largest_of: str


class AgreementView(TypedDict):
    level: float
    people: list[SaidView]
    two: list[AgreedView]
    together: list[AgreedView]
    two_by_class: list[AgreedView]
    together_by_class: list[AgreedView]
    machines: list[AgreedView]
    again: list[AgreedView]
    disputed: int
    runs: list[str]
    measure: str
    orders: list[OrderView]
    notes: list[str]
    shown: list[str]  # the coefficients that the page has; here are all
    words: list[str]


class AgreementAsked(NamedTuple):
    measure: Annotated[str, Words(200), "a measure: then systems are put in order under each assessor's judgements"] = (
        ""
    )


class Agreements:
    """The agreement of a project as the marks stand, and the orders that were asked for with it."""

    def __init__(self, bench: Workbench) -> None:
        self.project, self.whole = bench.project, agreement_of_project(bench.project)
        self._orders: dict[str, tuple[OrderChange, ...]] = {}

    def orders(self, found: Agreement, measure: str) -> tuple[OrderChange, ...]:
        if measure not in self._orders:
            paths = self.project.sources.runs
            if len(paths) < 2:
                raise SettingError("systems are put in order, and the project names fewer than two runs")
            runs = dict(zip(run_names(paths), map(str, paths), strict=True))
            self._orders[measure] = order_changes(found.marks, runs, measure, rel=self.project.file.relevant)
        return self._orders[measure]


@address("GET", "/agreement", role="adjudicator", title="Agreement", template="agreement.html", statuses=(409,))
def agreement(visit: Visit, asked: AgreementAsked) -> AgreementView:
    """How far assessors agree, by name; with a measure also how the order of systems changes with who judges."""
    kept = visit.bench.keep(Agreements, as_of=visit.project.state.last)
    whole, found = kept.whole, kept.whole.found
    orders = kept.orders(found, asked.measure) if found is not None and asked.measure else ()
    people = [(each, visit.project.assessors[each.assessor]) for each in whole.said]
    with visit.project.lock:
        disputed = len(disputed_pairs(visit.project, visit.person.id))
    return {
        "level": 0.95 if found is None else found.level,
        "people": [view_of(each, SaidView, name=one.name, kind=one.kind) for each, one in people],
        "two": [_agreed_view(each) for each in found.two] if found else [],
        "together": [_agreed_view(found.together)] if found else [],
        "two_by_class": [_agreed_view(each) for each in found.two_by_class] if found else [],
        "together_by_class": [_agreed_view(each) for each in found.together_by_class] if found else [],
        "machines": [_agreed_view(each) for each in whole.machines],
        "again": [_agreed_view(each) for each in whole.again],
        "disputed": disputed,
        "runs": run_names(visit.project.sources.runs),
        "measure": asked.measure,
        "orders": [
            view_of(each, OrderView, largest_change=each.largest.change, largest_of=each.largest.system)
            for each in orders
        ],
        "notes": [line.removeprefix("! ") for line in agreement_notes(found.two)] if found else [],
        "shown": list(SHOWN),
        "words": [line.removeprefix("! ") for line in order_lines(orders)] if orders else [],
    }


def _agreed_view(found: Agreed) -> AgreedView:
    coefficients = [view_of(each, CoefficientView) for each in found.coefficients]
    return view_of(found, AgreedView, assessors=list(found.assessors), coefficients=coefficients)


# Disagreements one by one: the item, the grades that people gave without their names, and the last word.

MOST_PLACES = 1_000_000


class DisputeView(TypedDict):
    """An item that people grade differently: the grades in an order that says nothing, and what they commented."""

    task: str
    query: QueryView
    item: ItemView
    said: list[GradeView]
    comments: list[str]


class AdjudicateView(TypedDict):
    """The disagreement to decide now; `held_back`: those of queries that the adjudicator still judges."""

    grades: list[GradeView]
    guideline: GuidelineView | None
    dispute: DisputeView | None
    place: int
    open: int
    held_back: int
    decided: int
    key: str


class AdjudicateAsked(NamedTuple):
    place: Annotated[int, WholeNumber(1, MOST_PLACES), "the how manyth of those that are open"] = 1


class DecideAsked(NamedTuple):
    task: Annotated[str, Words(40, least=3), "which item of which query"]
    grade: Annotated[int, WholeNumber(0, 9), "the grade that counts from now on"]
    key: Annotated[str, KEY, "a name that nobody else gives to a mark; the same again is the same mark"]


@address("GET", "/adjudicate", role="adjudicator", title="Adjudicate", template="adjudicate.html")
def adjudicate(visit: Visit, asked: AdjudicateAsked) -> AdjudicateView:
    """The next item that people grade differently; who judges a query does not see what others say of it."""
    project = visit.project
    with project.lock:
        every = disputed_pairs(project, visit.person.id)
        judging = open_queries(visit)
        mine = [pair for pair in every if pair[0] not in judging]
        place = min(asked.place, max(1, len(mine)))
        dispute = _dispute(visit, mine[place - 1]) if mine else None
        decided = sum(bool(said) for said in project.state.rulings.values())
    guidelines = project.guidelines
    return {
        "grades": grade_views(visit.bench),
        "guideline": view_of(guidelines[-1], GuidelineView) if guidelines else None,
        "dispute": dispute,
        "place": place,
        "open": len(mine),
        "held_back": len(every) - len(mine),
        "decided": decided,
        "key": new_key(),
    }


def _dispute(visit: Visit, pair: Pair) -> DisputeView:
    file = visit.project.file
    comments = visit.project.state.comments.get(pair, [])
    marks = visit.project.assignment.counted(pair)
    # the order says nothing about who gave which grade
    marks.sort(key=lambda mark: stable_random(file.seed, "grades", *pair, mark.assessor, mark.key))
    grades = [mark.grade or 0 for mark in marks]
    return {
        "task": task_of(visit.bench, pair),
        "query": query_view(visit.bench, pair[0]),
        "item": item_view(visit.bench, pair[1]),
        "said": [{"grade": each, "name": grade_name(each, file.grades, file.relevant)} for each in grades],
        "comments": [str(each.details.get("text", "")) for each in comments],
    }


@address("POST", "/adjudicate", role="adjudicator", statuses=(403,))
async def decide(visit: Visit, asked: DecideAsked) -> Changed:
    """Say what the grade of an item is; every export takes it from then on."""
    query, item = pair_of(visit.bench, asked.task)
    with visit.project.lock:
        refuse_judged_query(visit, query)
        is_new = visit.project.state.known(visit.person.id, asked.key) is None
        if is_new and len(different_grades(visit.project, (query, item))) < 2:
            raise SettingError(f"nobody differs about item '{item}' of query '{query}': there is nothing to decide")
    mark = MarkEvent(
        assessor=visit.person.id, key=asked.key, kind="adjudicate", query=query, item=item, grade=asked.grade
    )
    await visit.save(mark)
    return Changed("/adjudicate")


@address("POST", "/adjudicate/undo", role="adjudicator")
def undo_decision(visit: Visit) -> Changed:
    """Take back one's own last decision; again goes further back."""
    undo_last(visit, "adjudicate", "there is no decision of yours to take back")
    return Changed("/adjudicate")


def undo_last(visit: Visit, kind: str, nothing: str) -> None:
    """Take back the last mark of one kind that somebody made and that stands."""
    with visit.project.lock:
        last = next((each for each in visit.project.state.history(visit.person.id) if each.kind == kind), None)
    if last is None:
        raise Refused(nothing)
    visit.project.undo(visit.person.id, last.id)
