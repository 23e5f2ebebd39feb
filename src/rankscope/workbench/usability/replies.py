"""Questionnaires that were filled in: one event of kind `survey` each, and what they say together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, get_args

import numpy as np

from rankscope.errors import SettingError
from rankscope.statistics.intervals.mean_intervals import t_intervals
from rankscope.workbench.store.events import Event, MarkEvent
from rankscope.workbench.store.failures import Refused
from rankscope.workbench.usability.sus import STATEMENTS, check_answers, item_contribution, sus_score

Task = Literal["judging", "searching"]
TASKS: tuple[Task, ...] = get_args(Task)  # what somebody did before they were asked
FORM: Final = "sus"
LEVEL: Final = 0.95


@dataclass(frozen=True)
class Reply:
    """What somebody answered after a task."""

    assessor: int
    task: str
    answers: tuple[int, ...]
    at_us: int

    @property
    def score(self) -> float:
        """From 0 to 100."""
        return sus_score(self.answers)


@dataclass(frozen=True)
class TaskScore:
    """The mean score of a task over people, with the t interval of the mean; NaN where one person alone answered."""

    task: str
    replies: tuple[Reply, ...]

    @property
    def mean(self) -> float:
        """Of all people."""
        return float(np.mean([each.score for each in self.replies])) if self.replies else math.nan

    @cached_property
    def interval(self) -> tuple[float, float]:
        """95 % limits of the mean, cut at 0 and 100; NaN for fewer than two people, or where all have one score."""
        if len(self.replies) < 2:
            return math.nan, math.nan
        found = t_intervals(np.array([[each.score] for each in self.replies]), LEVEL)
        low, high = np.clip([found.low[0], found.high[0]], 0.0, 100.0).tolist()
        return low, high

    @property
    def contributions(self) -> list[float]:
        """What each statement adds in the mean, 0 (worst) to 4 (best): where the trouble is."""
        table = [[item_contribution(place, each) for place, each in enumerate(reply.answers)] for reply in self.replies]
        return np.mean(table, axis=0).tolist() if table else [math.nan] * len(STATEMENTS)

    def row(self) -> dict[str, object]:
        """As a line of a table."""
        low, high = self.interval
        return {"task": self.task, "people": len(self.replies), "SUS": self.mean, "from": low, "to": high}


def survey_mark(assessor: int, key: str, task: str, answers: Sequence[int]) -> MarkEvent:
    """A questionnaire on its way to the journal."""
    return MarkEvent(
        assessor=assessor, key=key, kind="survey", detail={"form": FORM, "task": task, "answers": list(answers)}
    )


def check_survey(detail: Mapping[str, Any]) -> None:
    """`Refused` where it is no questionnaire that can be counted."""
    if detail.get("form") != FORM or detail.get("task") not in TASKS:
        raise Refused(f"a questionnaire has the form '{FORM}' and one of the tasks {', '.join(TASKS)}")
    answers = detail.get("answers")
    try:
        check_answers(answers if isinstance(answers, list) else [])
    except SettingError as error:
        raise Refused(str(error)) from None


def replies_of(surveys: Iterable[Event]) -> list[Reply]:
    """The last reply of each person to each task, in the order in which they came."""
    found: dict[tuple[int, str], Reply] = {}
    for event in surveys:
        key = (event.assessor, str(event.details["task"]))
        found.pop(key, None)
        found[key] = Reply(*key, answers=tuple(event.details["answers"]), at_us=event.at_us)
    return list(found.values())


def task_scores(replies: Sequence[Reply]) -> list[TaskScore]:
    """By task, those that somebody answered for."""
    by_task = [TaskScore(task, tuple(each for each in replies if each.task == task)) for task in TASKS]
    return [each for each in by_task if each.replies]
