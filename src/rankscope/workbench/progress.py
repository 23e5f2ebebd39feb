"""How far the judging is: by query, by assessor, and how long the rest will take."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rankscope.workbench.project import Project


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
    """All of it."""

    queries: tuple[QueryProgress, ...]
    assessors: tuple[AssessorProgress, ...]

    @property
    def open(self) -> int:
        """How many marks are still to come."""
        return sum(max(0, each.places - each.judged) for each in self.queries)

    @property
    def seconds_left(self) -> float | None:
        """The median time of looking times the marks that are still to come; None where nobody looked yet."""
        known = [each.median_ms for each in self.assessors if each.median_ms is not None]
        return median(known) * self.open / 1000 if known else None


def progress_of(project: Project) -> Progress:
    """How far a project is now."""
    with project.lock:
        queries = tuple(_of_query(project, query) for query in (project.pool.by_query if project.pool else ()))
        people = [each.id for each in project.assessors.values() if each.kind == "human"]
        return Progress(queries, tuple(_of_assessor(project, each) for each in people))


def _of_query(project: Project, query: str) -> QueryProgress:
    pool, assignment = project.pool, project.assignment
    assert pool is not None
    judged = sum(len(assignment.counted((query, item))) for item in pool.by_query[query])
    places = sum(assignment.places((query, item)) for item in pool.certain(query, project.state))
    is_drawn = (pool.design.version, query) in project.state.draws
    if assignment.is_decided:
        return QueryProgress(query, judged, judged)
    return QueryProgress(query, judged, places if is_drawn else places + pool.adaptive_size(query))


def _of_assessor(project: Project, assessor: int) -> AssessorProgress:
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
