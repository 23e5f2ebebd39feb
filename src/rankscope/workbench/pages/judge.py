"""Judging: what comes next, marks, undo, and one's own history. Nothing here says what anybody should answer."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from itertools import islice
from typing import Annotated, Any, NamedTuple, TypedDict

from rankscope.core.validation import OneOf, Optional, WholeNumber
from rankscope.workbench.judging import LONGEST_COMMENT
from rankscope.workbench.pages.addresses import Changed, Visit, Words, address
from rankscope.workbench.pages.answers import view_of
from rankscope.workbench.pages.bench import Workbench
from rankscope.workbench.pages.blindness import OwnProgress
from rankscope.workbench.pages.items import ItemView, QueryView, item_view, pair_of, query_view, read_tasks, task_of
from rankscope.workbench.project import new_key
from rankscope.workbench.store.events import ANSWERS, LONGEST_KEY, LONGEST_LOOK, Event, MarkEvent, Pair, Refused, State

MOST_TASKS = 24  # items at once
TAB = Words(40)
KEY = Words(LONGEST_KEY, least=1)


class GradeView(TypedDict):
    grade: int
    name: str


class TaskView(TypedDict):
    task: str
    query: int
    item: ItemView


class GuidelineView(TypedDict):
    version: int
    text: str


class JudgeView(TypedDict):
    """What to judge next; `outbox` names where a browser keeps what is not saved yet."""

    grades: list[GradeView]
    guideline: GuidelineView | None
    queries: list[QueryView]
    tasks: list[TaskView]
    marks: int
    left: int
    decided: bool  # the comparison that the pool is judged for is decided, so that nothing more is needed
    outbox: str


class JudgeAsked(NamedTuple):
    tab: Annotated[str, TAB, "a name of the tab that shows the items; without one none is lent"] = ""
    count: Annotated[int, WholeNumber(1, MOST_TASKS), "how many items"] = 12  # type: ignore[assignment]
    hold: Annotated[str, Words(2000), "tasks that the tab shows already, with commas between"] = ""


class MarkAsked(NamedTuple):
    key: Annotated[str, KEY, "a name that nobody else gives to a mark; the same again is the same mark"]
    kind: Annotated[str, OneOf(("grade", "unsure", "skip", "comment"), exactly=True), "what is said"]
    task: Annotated[str, Words(40, least=3), "of which task"]
    grade: Annotated[int | None, Optional(WholeNumber(0, 9)), "how relevant the item is, where a grade is given"] = None
    ms: Annotated[int | None, Optional(WholeNumber(0)), f"how long it was visible; at most {LONGEST_LOOK} count"] = None
    text: Annotated[str, Words(LONGEST_COMMENT), "the comment"] = ""


class UndoAsked(NamedTuple):
    key: Annotated[str, KEY, "a name of this undo, as marks have one"]
    of: Annotated[str | None, Optional(KEY), "the key of a mark of one's own; without it the last that stands"] = None
    tab: Annotated[str, TAB, "the tab that shows the item again"] = ""


class UndoneView(TypedDict):
    """What was taken back: it is to be judged again."""

    kind: str
    grade: int | None
    query: QueryView | None
    task: TaskView | None


class AwayAsked(NamedTuple):
    tab: Annotated[str, Words(40, least=1), "its name"]


@address("GET", "/judge", title="Judge", template="judge.html")
def judge(visit: Visit, asked: JudgeAsked) -> JudgeView:
    """What to judge next, lent to a tab: items and what they are looked at for, and nothing else."""
    pairs: list[Pair] = []
    if asked.tab:  # what the tab shows already and may go on showing, then more
        project, person = visit.project, visit.person.id
        held = project.hold(person, read_tasks(visit.bench, asked.hold, MOST_TASKS), asked.tab)
        more = [loan.pair for loan in project.next_items(person, asked.count, tab=asked.tab)]
        pairs = list(dict.fromkeys([*held, *more]))[: max(asked.count, len(held))]
    marks, left = visit.bench.keep(OwnProgress).totals(visit.person)
    guidelines = visit.project.guidelines
    # A name for what one person's browser keeps of one project: nobody else's marks are sent in their name.
    about = str(visit.person.id).encode()
    outbox = hashlib.blake2b(about, digest_size=8, key=visit.project.secret[:64], person=b"outbox").hexdigest()
    return {
        "grades": grade_views(visit.bench),
        "guideline": view_of(guidelines[-1], GuidelineView) if guidelines else None,
        "queries": [query_view(visit.bench, each) for each in dict.fromkeys(query for query, _ in pairs)],
        "tasks": [task_view(visit.bench, pair) for pair in pairs],
        "marks": marks,
        "left": left,
        "decided": visit.project.is_decided,
        "outbox": outbox,
    }


@address("POST", "/judge/marks")
async def mark(visit: Visit, asked: MarkAsked) -> None:
    """Say something of an item; the answer comes when it is on the disk."""
    query, item = pair_of(visit.bench, asked.task)
    if visit.project.pool is None or visit.project.pool.row((query, item)) is None:
        raise Refused(f"task {asked.task} is not in the pool that is judged now")
    kind: Any = asked.kind
    said = MarkEvent(
        assessor=visit.person.id,
        key=asked.key,
        kind=kind,
        query=query,
        item=item,
        grade=asked.grade,
        ms=asked.ms,
        detail={"text": asked.text} if asked.kind == "comment" else None,
    )
    await visit.save(said)


@address("POST", "/judge/undo")
async def undo(visit: Visit, asked: UndoAsked) -> UndoneView:
    """Take back a mark, and have its item back; again and again goes further back."""
    of = None if asked.of is None else visit.project.state.known(visit.person.id, asked.of)
    if asked.of is not None and of is None:
        raise Refused("there is no mark of yours with this key, so there is nothing to undo")
    number = None if of is None else of.id
    event = await visit.save(MarkEvent(assessor=visit.person.id, key=asked.key, kind="undo", of=number))
    undone = visit.project.state.events[(event.of or 0) - 1]
    pair = (undone.query or "", undone.item or "")
    inside = visit.project.pool is not None and visit.project.pool.row(pair) is not None
    if inside and asked.tab:
        visit.project.hold(visit.person.id, [pair], asked.tab)
    return {
        "kind": undone.kind,
        "grade": undone.grade,
        "query": query_view(visit.bench, pair[0]) if inside else None,
        "task": task_view(visit.bench, pair) if inside else None,
    }


@address("POST", "/judge/away")
def away(visit: Visit, asked: AwayAsked) -> None:
    """The tab was closed: what it shows goes to others."""
    visit.project.release(visit.person.id, asked.tab)


def grade_views(bench: Workbench) -> list[GradeView]:
    file = bench.project.file
    return [{"grade": each, "name": grade_name(each, file.grades, file.relevant)} for each in file.grades]


def grade_name(grade: int, grades: Iterable[int], relevant: int) -> str:
    """What a grade means in words.

    >>> [grade_name(each, (0, 1, 2, 3), 1) for each in (0, 1, 2, 3)]
    ['not relevant', 'relevant', 'more relevant', 'most relevant']
    """
    upper = [each for each in grades if each >= relevant]
    if grade < relevant:
        return "not relevant"
    if grade == upper[0]:
        return "relevant"
    return "most relevant" if grade == upper[-1] else "more relevant"


def task_view(bench: Workbench, pair: Pair) -> TaskView:
    return {"task": task_of(bench, pair), "query": bench.query_number(pair[0]), "item": item_view(bench, pair[1])}


# One's own history: everything said, the last first, to be taken back or said again.

HISTORY_PAGE = 50


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
    page: int
    more: bool
    lines: list[HistoryLine]


class HistoryAsked(NamedTuple):
    page: Annotated[int, WholeNumber(1, 1_000_000), "the page, from 1"] = 1


class TakeBackAsked(NamedTuple):
    event: Annotated[int, WholeNumber(1), "the number of an event of one's own"]


@address("GET", "/history", title="History", template="history.html")
def history(visit: Visit, asked: HistoryAsked) -> HistoryView:
    """Everything that one said and did not take back, the last first."""
    start = (asked.page - 1) * HISTORY_PAGE
    with visit.project.lock:
        events = list(islice(visit.project.state.history(visit.person.id), start, start + HISTORY_PAGE + 1))
        standing = {each.id for each in events if _stands(visit.project.state, each)}
    lines = [_line(visit, each, each.id in standing) for each in events[:HISTORY_PAGE]]
    return {"page": asked.page, "more": len(events) > HISTORY_PAGE, "lines": lines}


@address("POST", "/history/undo")
def take_back(visit: Visit, asked: TakeBackAsked) -> Changed:
    """Take back something that one said."""
    visit.project.undo(visit.person.id, asked.event, key=new_key())
    return Changed("/history")


def _stands(state: State, event: Event) -> bool:
    pair = (event.query or "", event.item or "")
    said = (state.answer(event.assessor, pair), state.repeats.get(pair, {}).get(event.assessor))
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
    if event.kind == "grade" and event.grade is not None:
        file = visit.project.file
        return f"{event.grade}, {grade_name(event.grade, file.grades, file.relevant)}"
    if event.kind == "adjudicate":
        return f"decided: {event.grade}"
    return {"skip": "skipped", "prefer": "compared two lists"}.get(event.kind, event.kind)
