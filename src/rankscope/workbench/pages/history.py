"""One's own history: everything said, the last first, to be taken back or said again."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Annotated, TypedDict

from rankscope.validation import WholeNumber
from rankscope.workbench.pages.addresses import Changed, Visit, address
from rankscope.workbench.pages.item_views import QueryView, query_view
from rankscope.workbench.pages.judge import TaskView, grade_name, task_view
from rankscope.workbench.project import new_key
from rankscope.workbench.store.events import ANSWERS, Event

PAGE = 50


class HistoryLine(TypedDict):
    """Something that was said; `stands` is false where it was said anew later."""

    event: int
    at_us: int
    kind: str
    words: str
    task: TaskView | None
    query: QueryView | None
    comment: str
    stands: bool


class HistoryView(TypedDict):
    """A page of them."""

    page: int
    more: bool
    lines: list[HistoryLine]


@dataclass(frozen=True)
class HistoryAsked:
    """Which page."""

    page: Annotated[int, WholeNumber(1, 1_000_000), "the page, from 1"] = 1


@dataclass(frozen=True)
class TakeBackAsked:
    """What is taken back."""

    event: Annotated[int, WholeNumber(1), "the number of an event of one's own"]


@address("GET", "/history", title="History", template="history.html")
def history(visit: Visit, asked: HistoryAsked) -> HistoryView:
    """Everything that one said and did not take back, the last first."""
    start = (asked.page - 1) * PAGE
    with visit.project.lock:
        events = list(islice(visit.project.state.history(visit.person.id), start, start + PAGE + 1))
        standing = {each.id for each in events if _stands(visit, each)}
    lines = [_line(visit, each, each.id in standing) for each in events[:PAGE]]
    return {"page": asked.page, "more": len(events) > PAGE, "lines": lines}


@address("POST", "/history/undo")
def take_back(visit: Visit, asked: TakeBackAsked) -> Changed:
    """Take back something that one said."""
    visit.project.undo(visit.person.id, asked.event, key=new_key())
    return Changed("/history")


def _stands(visit: Visit, event: Event) -> bool:
    pair = (event.query or "", event.item or "")
    state = visit.project.state
    said = (state.answers.get(pair, {}).get(event.assessor), state.repeats.get(pair, {}).get(event.assessor))
    return event.kind not in ANSWERS or event in said


def _line(visit: Visit, event: Event, stands: bool) -> HistoryLine:
    pair = (event.query or "", event.item or "")
    pool = visit.project.pool
    known = event.query in visit.project.queries
    return {
        "event": event.id,
        "at_us": event.at_us,
        "kind": event.kind,
        "words": _words(visit, event),
        "task": task_view(visit.bench, pair) if pool is not None and pool.row(pair) is not None else None,
        "query": query_view(visit.bench, pair[0]) if known else None,
        "comment": str(event.details.get("text", "")),
        "stands": stands,
    }


def _words(visit: Visit, event: Event) -> str:
    """What was said."""
    if event.kind == "grade" and event.grade is not None:
        file = visit.project.file
        return f"{event.grade}, {grade_name(event.grade, file.grades, file.relevant)}"
    if event.kind == "adjudicate":
        return f"decided: {event.grade}"
    return {"skip": "skipped", "prefer": "compared two lists"}.get(event.kind, event.kind)


ADDRESSES = (history, take_back)
