"""Disagreements one by one: the item, the grades that people gave without their names, and the last word."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Annotated, TypedDict

from rankscope.validation import WholeNumber
from rankscope.workbench.agreeing import check_adjudicable, dispute_of, disputed_pairs
from rankscope.workbench.pages.addresses import Changed, Visit, address
from rankscope.workbench.pages.asked import Words
from rankscope.workbench.pages.blindness import open_queries
from rankscope.workbench.pages.item_views import ItemView, QueryView, item_view, query_view
from rankscope.workbench.pages.judge import KEY, GradeView, GuidelineView, grade_name, grade_views
from rankscope.workbench.pages.tasks import pair_of, task_of
from rankscope.workbench.project import new_key
from rankscope.workbench.service.refusals import Refusal
from rankscope.workbench.store.events import MarkEvent
from rankscope.workbench.store.failures import Refused
from rankscope.workbench.store.state import Pair

MOST = 1_000_000


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


@dataclass(frozen=True)
class AdjudicateAsked:
    """Which of those that are open."""

    place: Annotated[int, WholeNumber(1, MOST), "the how manyth of those that are open"] = 1


@dataclass(frozen=True)
class DecideAsked:
    """The last word on an item."""

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
        "guideline": {"version": guidelines[-1].version, "text": guidelines[-1].text} if guidelines else None,
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
    return {
        "task": task_of(visit.bench, pair),
        "query": query_view(visit.bench, pair[0]),
        "item": item_view(visit.bench, pair[1]),
        "said": [
            {"grade": grade, "name": grade_name(grade, file.grades, file.relevant)}
            for grade in dispute_of(visit.project, pair)
        ],
        "comments": [str(each.details.get("text", "")) for each in comments],
    }


@address("POST", "/adjudicate", role="adjudicator", statuses=(403,))
async def decide(visit: Visit, asked: DecideAsked) -> Changed:
    """Say what the grade of an item is; every export takes it from then on."""
    query, item = pair_of(visit.bench, asked.task)
    with visit.project.lock:
        if query in open_queries(visit):
            raise Refusal(403, "you are judging this query: judge what is left of it first")
        if visit.project.state.known(visit.person.id, asked.key) is None:
            check_adjudicable(visit.project, (query, item))
    mark = MarkEvent(
        assessor=visit.person.id, key=asked.key, kind="adjudicate", query=query, item=item, grade=asked.grade
    )
    await asyncio.wrap_future(visit.project.send(mark))
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


ADDRESSES = (adjudicate, decide, undo_decision)
