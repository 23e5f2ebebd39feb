"""The first page: how far the judging has come, and one button to go on."""

from __future__ import annotations

from typing import TypedDict

from rankscope.workbench.pages.addresses import Visit, address
from rankscope.workbench.pages.progress import Progress
from rankscope.workbench.people import PROJECT


class QueryLine(TypedDict):
    """One query: by number, as the judge sees it."""

    query: int
    title: str
    example: int | None
    mine: int
    left: int
    done: int | None  # of everybody; None for who sees only their own
    wanted: int | None


class PersonLine(TypedDict):
    """One assessor."""

    name: str
    role: str
    marks: int
    seconds_each: float | None


class HomeView(TypedDict):
    """How far the judging has come."""

    project: str
    items: int
    pool: bool
    marks: int
    left: int
    seconds_left: float | None
    queries: list[QueryLine]
    people: list[PersonLine]


@address("GET", "/", title="Start", template="home.html")
def home(visit: Visit) -> HomeView:
    """How far the judging has come: one's own part of it, and for admins everybody's."""
    progress = visit.bench.keep(Progress)
    lines = progress.by_query(visit.person)
    sees_all = visit.person.role == "admin"
    left, typical = sum(each.left for each in lines), progress.typical_ms(visit.person)
    queries: list[QueryLine] = []
    for each in lines:
        query = visit.project.queries[each.query]
        queries.append(
            {
                "query": visit.bench.query_number(query.id),
                "title": query.text,
                "example": None if query.example is None else visit.bench.number_of(query.example),
                "mine": each.mine,
                "left": each.left,
                "done": each.done if sees_all else None,
                "wanted": each.wanted if sees_all else None,
            }
        )
    return {
        "project": visit.bench.title,
        "items": len(visit.project.items),
        "pool": visit.project.pool is not None,
        "marks": sum(each.mine for each in lines),
        "left": left,
        "seconds_left": None if typical is None else left * typical / 1000,
        "queries": queries,
        "people": _people(visit, progress) if sees_all else [],
    }


def _people(visit: Visit, progress: Progress) -> list[PersonLine]:
    marks = progress.marks_by_person()
    found: list[PersonLine] = []
    for each in visit.project.assessors.values():
        if each.id != PROJECT.id and (each.active or marks.get(each.id)):
            typical = progress.typical_ms(each)
            seconds = None if typical is None else typical / 1000
            found.append(
                {"name": each.name, "role": each.role, "marks": marks.get(each.id, 0), "seconds_each": seconds}
            )
    return found


ADDRESSES = (home,)
