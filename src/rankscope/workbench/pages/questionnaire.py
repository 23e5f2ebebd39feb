"""How it is to work with: the ten statements of the System Usability Scale, asked after a task or at any time."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Annotated, Final, TypedDict

from rankscope.validation import OneOf, WholeNumber
from rankscope.workbench.pages.addresses import Changed, Visit, address
from rankscope.workbench.project import new_key
from rankscope.workbench.usability.replies import TASKS, Reply, replies_of, survey_mark
from rankscope.workbench.usability.sus import LEAST, MOST, STATEMENTS

ANSWER: Final = WholeNumber(LEAST, MOST)
MEANING: Final = f"how far one agrees, {LEAST} (not at all) to {MOST} (wholly)"
TASK: Final = OneOf(TASKS, exactly=True)


class StatementView(TypedDict):
    """One statement, and what one answered last."""

    number: int
    text: str
    answer: int | None


class QuestionnaireView(TypedDict):
    """The questionnaire of a task; `at_us` is when one answered it last, None where one did not."""

    task: str
    tasks: list[str]
    statements: list[StatementView]
    at_us: int | None


@dataclass(frozen=True)
class QuestionnaireAsked:
    """After which task."""

    task: Annotated[str, TASK, "what one has done"] = "judging"


@dataclass(frozen=True)
class AnswersAsked:
    """An answer to each statement."""

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
    *answers, task = astuple(asked)
    visit.project.save(survey_mark(visit.person.id, new_key(), task, answers))
    return Changed(f"/questionnaire?task={task}")


def own_reply(visit: Visit, task: str) -> Reply | None:
    """What somebody answered last; None where they were not asked, or did not answer."""
    with visit.project.lock:
        own = [event for event in visit.project.state.surveys if event.assessor == visit.person.id]
    return next((each for each in replies_of(own) if each.task == task), None)


ADDRESSES = (questionnaire, answer_questionnaire)
