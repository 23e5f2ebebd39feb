"""The first page, how far the judging has come; and the questionnaire on how it is to work with the pages."""

from __future__ import annotations

from itertools import islice
from statistics import median
from typing import Annotated, Final, NamedTuple, TypedDict

from rankscope.core.validation import OneOf, WholeNumber
from rankscope.workbench.judging import QueryProgress
from rankscope.workbench.pages.addresses import Changed, Visit, address
from rankscope.workbench.pages.answers import view_of
from rankscope.workbench.pages.blindness import OwnLine, OwnProgress
from rankscope.workbench.pages.items import ItemView, item_view
from rankscope.workbench.project import new_key
from rankscope.workbench.store.events import ANSWERS
from rankscope.workbench.usability import LEAST, MOST, STATEMENTS, TASKS, Reply, replies_of, survey_mark

LAST_MARKS = 200  # that the time of one mark is taken from


class QueryLine(TypedDict):
    query: int
    title: str
    example: ItemView | None
    mine: int
    left: int
    done: int | None  # of everybody; None for who sees only their own
    wanted: int | None


class PersonLine(TypedDict):
    name: str
    role: str
    grades: int
    unsure: int
    skipped: int
    surplus: int
    seconds_each: float | None


class HomeView(TypedDict):
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
    with visit.project.lock:
        last = list(islice(visit.project.state.history(visit.person.id), LAST_MARKS))
    times = [each.ms for each in last if each.kind in ANSWERS and each.ms is not None]
    people = []
    for each in whole.assessors if whole else ():
        person = visit.project.assessors[each.assessor]
        seconds = None if each.median_ms is None else each.median_ms / 1000
        people.append(view_of(each, PersonLine, name=person.name, role=person.role, seconds_each=seconds))
    places = {each.query: each for each in whole.queries} if whole else {}
    return {
        "project": visit.bench.title,
        "items": len(visit.project.items),
        "pool": visit.project.pool is not None,
        "marks": sum(each.mine for each in own),
        "left": left,
        "seconds_left": left * float(median(times)) / 1000 if times else None,
        "seconds_left_of_all": whole.seconds_left if whole else None,
        "queries": [_query_line(visit, each, places.get(each.query)) for each in own],
        "people": people,
        "asks": own_reply(visit, "judging") is None,
    }


def _query_line(visit: Visit, own: OwnLine, whole: QueryProgress | None) -> QueryLine:
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


# How it is to work with: the ten statements of the System Usability Scale, asked after a task or at any time.

ANSWER: Final = WholeNumber(LEAST, MOST)
MEANING: Final = f"how far one agrees, {LEAST} (not at all) to {MOST} (wholly)"
TASK: Final = OneOf(TASKS, exactly=True)


class StatementView(TypedDict):
    number: int
    text: str
    answer: int | None


class QuestionnaireView(TypedDict):
    """The questionnaire of a task; `at_us` is when one answered it last, None where one did not."""

    task: str
    tasks: list[str]
    statements: list[StatementView]
    at_us: int | None


class QuestionnaireAsked(NamedTuple):
    task: Annotated[str, TASK, "what one has done"] = "judging"


class AnswersAsked(NamedTuple):
    s1: Annotated[int, ANSWER, MEANING]
    s2: Annotated[int, ANSWER, MEANING]
    s3: Annotated[int, ANSWER, MEANING]
    s4: Annotated[int, ANSWER, MEANING]
    s5: Annotated[int, ANSWER, MEANING]
    s6: Annotated[int, ANSWER, MEANING]
    s7: Annotated[int, ANSWER, MEANING]
    s8: Annotated[int, ANSWER, MEANING]
    s9: Annotated[int, ANSWER, MEANING]
    s10: Annotated[int, ANSWER, MEANING]
    task: Annotated[str, TASK, "what one has done"] = "judging"


@address("GET", "/questionnaire", template="questionnaire.html")
def questionnaire(visit: Visit, asked: QuestionnaireAsked) -> QuestionnaireView:
    """Ten statements on how it is to work with the pages; only admins have searched with them."""
    reply = own_reply(visit, asked.task)
    answers: tuple[int | None, ...] = reply.answers if reply else (None,) * len(STATEMENTS)
    return {
        "task": asked.task,
        "tasks": list(TASKS) if visit.person.role == "admin" else [asked.task],
        "statements": [
            {"number": number, "text": text, "answer": answer}
            for number, (text, answer) in enumerate(zip(STATEMENTS, answers, strict=True), 1)
        ],
        "at_us": reply.at_us if reply else None,
    }


@address("POST", "/questionnaire")
def answer_questionnaire(visit: Visit, asked: AnswersAsked) -> Changed:
    """Answer it; a second time replaces the first."""
    *answers, _ = asked
    visit.project.save(survey_mark(visit.person.id, new_key(), asked.task, answers))
    return Changed(f"/questionnaire?task={asked.task}")


def own_reply(visit: Visit, task: str) -> Reply | None:
    with visit.project.lock:
        own = [event for event in visit.project.state.surveys if event.assessor == visit.person.id]
    return next((each for each in replies_of(own) if each.task == task), None)
