"""The first page: how far the judging has come, and one button to go on."""

from __future__ import annotations

from itertools import islice
from statistics import median
from typing import TypedDict

from rankscope.workbench.pages.addresses import Visit, address
from rankscope.workbench.pages.item_views import ItemView, item_view
from rankscope.workbench.pages.own_progress import OwnLine, OwnProgress
from rankscope.workbench.pages.questionnaire import own_reply
from rankscope.workbench.progress import AssessorProgress, QueryProgress
from rankscope.workbench.project import Project
from rankscope.workbench.store.events import ANSWERS
from rankscope.workbench.store.rows import Assessor

LAST_MARKS = 200  # that the time of one mark is taken from


class QueryLine(TypedDict):
    """One query: by number, as the judge sees it."""

    query: int
    title: str
    example: ItemView | None
    mine: int
    left: int
    done: int | None  # of everybody; None for who sees only their own
    wanted: int | None


class PersonLine(TypedDict):
    """One assessor."""

    name: str
    role: str
    grades: int
    unsure: int
    skipped: int
    surplus: int
    seconds_each: float | None


class HomeView(TypedDict):
    """How far the judging has come."""

    project: str
    items: int
    pool: bool
    marks: int
    left: int
    seconds_left: float | None
    seconds_left_of_all: float | None  # for admins
    queries: list[QueryLine]
    people: list[PersonLine]
    asks: bool  # whether the questionnaire waits for this person


@address("GET", "/", title="Start", template="home.html")
def home(visit: Visit) -> HomeView:
    """How far the judging has come: one's own part of it, and for admins everybody's."""
    own = visit.bench.keep(OwnProgress).by_query(visit.person)
    whole = visit.project.progress() if visit.person.role == "admin" else None
    left = sum(each.left for each in own)
    typical = typical_ms(visit.project, visit.person)
    places = {each.query: each for each in whole.queries} if whole else {}
    return {
        "project": visit.bench.title,
        "items": len(visit.project.items),
        "pool": visit.project.pool is not None,
        "marks": sum(each.mine for each in own),
        "left": left,
        "seconds_left": None if typical is None else left * typical / 1000,
        "seconds_left_of_all": whole.seconds_left if whole else None,
        "queries": [_query(visit, each, places.get(each.query)) for each in own],
        "people": [_person(visit, each) for each in whole.assessors] if whole else [],
        "asks": own_reply(visit, "judging") is None,
    }


def typical_ms(project: Project, person: Assessor) -> float | None:
    """The median time that somebody looked at an item of late; None where that is not known."""
    with project.lock:
        last = list(islice(project.state.history(person.id), LAST_MARKS))
    times = [each.ms for each in last if each.kind in ANSWERS and each.ms is not None]
    return float(median(times)) if times else None


def _query(visit: Visit, own: OwnLine, whole: QueryProgress | None) -> QueryLine:
    query = visit.project.queries[own.query]
    return {
        "query": visit.bench.query_number(query.id),
        "title": query.text,
        "example": None if query.example is None else item_view(visit.bench, query.example),
        "mine": own.mine,
        "left": own.left,
        "done": None if whole is None else min(whole.judged, whole.places),
        "wanted": None if whole is None else whole.places,
    }


def _person(visit: Visit, found: AssessorProgress) -> PersonLine:
    person = visit.project.assessors[found.assessor]
    return {
        "name": person.name,
        "role": person.role,
        "grades": found.grades,
        "unsure": found.unsure,
        "skipped": found.skipped,
        "surplus": found.surplus,
        "seconds_each": None if found.median_ms is None else found.median_ms / 1000,
    }


ADDRESSES = (home,)
