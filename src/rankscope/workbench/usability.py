"""How people get on with the work: the System Usability Scale with its answers, times of tasks, and reports of both."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, get_args

import numpy as np

from rankscope.analysis.statistics.mean_intervals import t_intervals
from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError
from rankscope.core.names import cell
from rankscope.core.rendering import as_json, text_table
from rankscope.core.wording import how_many
from rankscope.workbench.browsing.sessions import SessionLog
from rankscope.workbench.store.events import ANSWERS, LONGEST_LOOK, Event, MarkEvent, Refused

if TYPE_CHECKING:
    from rankscope.workbench.project import Project


# Questionnaires that were filled in: one event of kind `survey` each, and what they say together.

Task = Literal["judging", "searching"]
TASKS: tuple[Task, ...] = get_args(Task)  # what somebody did before they were asked
SUS_FORM: Final = "sus"
LEVEL: Final = 0.95


@dataclass(frozen=True)
class Reply:
    assessor: int
    task: str
    answers: tuple[int, ...]
    at_us: int

    @property
    def score(self) -> float:
        return sus_score(self.answers)


@dataclass(frozen=True)
class TaskScore:
    """The mean score of a task over people, with the t interval of the mean; NaN where one person alone answered."""

    task: str
    replies: tuple[Reply, ...]

    @property
    def mean(self) -> float:
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
        low, high = self.interval
        return {"task": self.task, "people": len(self.replies), "SUS": self.mean, "from": low, "to": high}


def survey_mark(assessor: int, key: str, task: str, answers: Sequence[int]) -> MarkEvent:
    return MarkEvent(
        assessor=assessor, key=key, kind="survey", detail={"form": SUS_FORM, "task": task, "answers": list(answers)}
    )


def check_survey(detail: Mapping[str, Any]) -> None:
    """`Refused` where it is no questionnaire that can be counted."""
    if detail.get("form") != SUS_FORM or detail.get("task") not in TASKS:
        raise Refused(f"a questionnaire has the form '{SUS_FORM}' and one of the tasks {', '.join(TASKS)}")
    answers = detail.get("answers")
    try:
        check_answers(answers if isinstance(answers, list) else [])
    except SettingError as error:
        raise Refused(str(error)) from None


def task_scores(surveys: Iterable[Event]) -> list[TaskScore]:
    replies = replies_of(surveys)
    by_task = [TaskScore(task, tuple(each for each in replies if each.task == task)) for task in TASKS]
    return [each for each in by_task if each.replies]


def replies_of(surveys: Iterable[Event]) -> list[Reply]:
    """The last reply of each person to each task, in the order in which they came."""
    found: dict[tuple[int, str], Reply] = {}
    for event in surveys:
        key = (event.assessor, str(event.details["task"]))
        found.pop(key, None)
        found[key] = Reply(*key, answers=tuple(event.details["answers"]), at_us=event.at_us)
    return list(found.values())


# The System Usability Scale: ten statements, each agreed with from 1 to 5, as one number from 0 to 100.

STATEMENTS: Final = (
    "I think that I would like to use this system frequently.",
    "I found the system unnecessarily complex.",
    "I thought the system was easy to use.",
    "I think that I would need the support of a technical person to be able to use this system.",
    "I found the various functions in this system were well integrated.",
    "I thought there was too much inconsistency in this system.",
    "I would imagine that most people would learn to use this system very quickly.",
    "I found the system very cumbersome to use.",
    "I felt very confident using the system.",
    "I needed to learn a lot of things before I could get going with this system.",
)
LEAST, MOST = 1, 5  # strongly disagree, strongly agree
WORTH: Final = 2.5  # of one step of one statement


def sus_score(answers: Sequence[int]) -> float:
    """0 to 100, more is better: praise counts from 1 up, blame from 5 down.

    >>> sus_score([5, 4, 2, 1, 2, 3, 2, 4, 5, 2])  # the example of Brooke 1996
    55.0
    """
    check_answers(answers)
    return WORTH * sum(item_contribution(place, answer) for place, answer in enumerate(answers))


def item_contribution(place: int, answer: int) -> int:
    """What one answer adds, 0 to 4; statements are counted from 0, and those at odd places blame.

    >>> item_contribution(0, 5), item_contribution(1, 5)
    (4, 0)
    """
    return MOST - answer if place % 2 else answer - LEAST


def check_answers(answers: Sequence[int]) -> None:
    """A `SettingError` where these are not ten whole numbers from 1 to 5."""
    whole = [type(each) is int and LEAST <= each <= MOST for each in answers]
    if len(whole) != len(STATEMENTS) or not all(whole):
        raise SettingError(
            f"the questionnaire has {len(STATEMENTS)} answers from {LEAST} to {MOST}, got {list(answers)!r}: where "
            "somebody cannot answer, they choose the middle, 3"
        )


# How long judgements and searches took, from what the journal holds.

Key = TypeVar("Key", bound=Hashable)
SHORTEST = 0.001  # seconds; a logarithm is taken of times


@dataclass(frozen=True, eq=False)
class Times:
    """Seconds of the judgements of a person, of a query, or of all."""

    name: str
    seconds: FloatArray

    @property
    def median(self) -> float:
        return float(np.median(self.seconds)) if self.seconds.size else math.nan

    @property
    def total(self) -> float:
        return float(self.seconds.sum())

    def row(self) -> dict[str, object]:
        quarter, three = np.quantile(self.seconds, (0.25, 0.75)).tolist() if self.seconds.size else (math.nan,) * 2
        return {
            "name": self.name,
            "judgements": self.seconds.size,
            "median s": self.median,
            "quarter s": quarter,
            "three quarters s": three,
            "total min": self.total / 60,
        }


@dataclass(frozen=True)
class SearchTime:
    session: int
    assessor: int
    rounds: int
    relevant: int  # examples at the end, the one it began with not counted
    seconds: float

    def row(self) -> dict[str, object]:
        return {"rounds": self.rounds, "relevant": self.relevant, "min": self.seconds / 60}


@dataclass(frozen=True, eq=False)
class TaskTimes:
    people: dict[int, Times]
    queries: dict[str, Times]
    whole: Times
    searches: tuple[SearchTime, ...]
    longest: int  # how many looks were cut at five minutes
    untimed: int  # judgements without a time, as labels from a file

    @cached_property
    def typical(self) -> tuple[float, float, float]:
        """The median judgement of a typical person, and its 95 % limits.

        The geometric mean of the people's medians, with the t interval of the logarithms: times are skewed. NaN limits
        for fewer than two people.
        """
        medians = [max(each.median, SHORTEST) for each in self.people.values()]
        if not medians:
            return (math.nan,) * 3
        found = t_intervals(np.log(medians)[:, None])
        limits = np.exp([found.mean[0], found.low[0], found.high[0]]).tolist()
        return limits[0], limits[1], limits[2]


def task_times(events: Sequence[Event]) -> TaskTimes:
    """Of a whole journal. What was taken back or said anew took its time too, and counts."""
    answers = [event for event in events if event.kind in ANSWERS]
    timed = [event for event in answers if event.ms is not None]
    return TaskTimes(
        people={who: _times(str(who), some) for who, some in _by(timed, lambda event: event.assessor).items()},
        queries={name: _times(name, some) for name, some in _by(timed, lambda event: event.query or "").items()},
        whole=_times("all", timed),
        searches=tuple(_searches(events)),
        longest=sum(event.ms == LONGEST_LOOK for event in timed),
        untimed=len(answers) - len(timed),
    )


def _times(name: str, events: Iterable[Event]) -> Times:
    return Times(name, np.array([event.ms or 0 for event in events]) / 1000)


def _by(events: Iterable[Event], key: Callable[[Event], Key]) -> dict[Key, list[Event]]:
    found: dict[Key, list[Event]] = {}
    for event in events:
        found.setdefault(key(event), []).append(event)
    return found


def _searches(events: Sequence[Event]) -> Iterable[SearchTime]:
    log = SessionLog()
    log.read(events)
    steps = [event for event in events if event.kind == "round" and "session" in event.details]
    by_key = _by(steps, lambda event: (event.assessor, event.details["session"]))
    for each in log.sessions:
        own = by_key[each.assessor, each.key]
        yield SearchTime(
            session=each.number,
            assessor=each.assessor,
            rounds=each.last.number,
            relevant=sum(place != each.example for place in each.relevant),
            seconds=(own[-1].at_us - own[0].at_us) / 1e6,
        )


# Questionnaires and times as people read them, and as programs do.

Row = dict[str, object]
PERCENT = f"{100 * LEVEL:.0f} %"


def questionnaire_text(project: Project, names: bool = False) -> str:
    """Scores of the tasks, of each person, and what each statement adds."""
    scores = project.questionnaires()
    if not scores:
        return "Nobody has answered the questionnaire. It is the page /questionnaire of rankscope serve.\n"
    parts = [text_table([each.row() for each in scores], 1), *map(_interval_words, scores)]
    shown = project.shown_names(names)
    for score in scores:
        people: list[Row] = [{"person": shown[each.assessor], "SUS": each.score} for each in score.replies]
        parts += ["", f"after {score.task}, by person", text_table(people, 1).rstrip()]
        parts += ["", f"after {score.task}, by statement: what it adds, 0 (worst) to {4 * WORTH:g} (best)"]
        statements: list[Row] = [
            {"adds": WORTH * value, "statement": f"{number}. {text}"}
            for number, (text, value) in enumerate(zip(STATEMENTS, score.contributions, strict=True), 1)
        ]
        parts += [text_table(statements, 1).rstrip()]
    return "\n".join(part.rstrip("\n") for part in parts) + "\n"


def _interval_words(score: TaskScore) -> str:
    people = len(score.replies)
    if not math.isnan(score.interval[0]):
        words = f"from and to are the {PERCENT} t interval of the mean over {people} people, cut at 0 and 100"
        return f"after {score.task}: {words}."
    why = "two people at least are needed" if people < 2 else f"all {people} people have the same score"
    return f"after {score.task}: no interval, {why}."


def questionnaire_json(project: Project, names: bool = False) -> str:
    """The same as one object, with every answer."""
    shown = project.shown_names(names)
    whole: dict[str, Any] = {"format": "rankscope.questionnaire", "version": 1, "form": "SUS", "level": LEVEL}
    whole["tasks"] = [
        {
            "task": score.task,
            "people": len(score.replies),
            "mean": score.mean,
            "low": score.interval[0],
            "high": score.interval[1],
            "contributions": score.contributions,
            "replies": [
                {"person": shown[each.assessor], "score": each.score, "answers": each.answers, "at_us": each.at_us}
                for each in score.replies
            ],
        }
        for score in project.questionnaires()
    ]
    return as_json(whole)


def questionnaire_csv(project: Project, names: bool = False) -> str:
    """One row for each reply: the person, the task, the score and the ten answers."""
    shown = project.shown_names(names)
    answers = [f"s{number}" for number in range(1, len(STATEMENTS) + 1)]
    rows: list[Row] = [
        {"person": shown[each.assessor], "task": each.task, "score": each.score}
        | dict(zip(answers, each.answers, strict=True))
        for score in project.questionnaires()
        for each in score.replies
    ]
    return _csv(["person", "task", "score", *answers], rows)


def times_text(project: Project, names: bool = False) -> str:
    """People, queries and searches, and what a typical person takes."""
    times = project.task_times()
    if not times.whole.seconds.size and not times.searches:
        return "The journal holds no time of any judgement, and no search.\n"
    parts, shown = [], project.shown_names(names)
    if times.whole.seconds.size:
        people = [each.row() | {"name": shown[who]} for who, each in times.people.items()] + [times.whole.row()]
        queries = [each.row() for each in times.queries.values()]
        parts += ["by person", text_table(people, 1), *_typical_words(times)]
        parts += ["", "by query", text_table(queries, 1)]
    if times.searches:
        searches = [{"session": each.session, "person": shown[each.assessor]} | each.row() for each in times.searches]
        parts += ["", "feedback sessions, from the beginning to the last step", text_table(searches, 1)]
    return "\n".join(part.rstrip("\n") for part in parts).lstrip("\n") + "\n"


def _typical_words(times: TaskTimes) -> list[str]:
    typical, low, high = times.typical
    limits = "" if math.isnan(low) else f", {PERCENT} limits {low:.1f} to {high:.1f} s"
    lines = [
        f"A typical person takes {typical:.1f} s for a judgement{limits} (geometric mean of the people's medians).",
        "A time is how long the item was visible before the mark; what was taken back or said anew counts too.",
    ]
    if times.longest:
        lines.append(f"{times.longest:,} of them were cut at five minutes, so totals may be too small.")
    if times.untimed:
        lines.append(
            f"{how_many(times.untimed, 'judgement has', 'judgements have')} no time, as labels that came from a file."
        )
    return lines


def times_json(project: Project, names: bool = False) -> str:
    """The same as one object."""
    times = project.task_times()
    typical, low, high = times.typical
    whole: dict[str, Any] = {"format": "rankscope.times", "version": 1, "level": LEVEL}
    whole["judgement"] = {"typical_s": typical, "low_s": low, "high_s": high}
    whole |= {"cut_at_five_minutes": times.longest, "untimed": times.untimed, "rows": _long_rows(project, times, names)}
    return as_json(whole)


def times_csv(project: Project, names: bool = False) -> str:
    """One row for each person, query and search, with the kind of each."""
    columns = ["kind", "name", "judgements", "median_s", "total_s", "rounds", "relevant"]
    return _csv(columns, _long_rows(project, project.task_times(), names))


def _long_rows(project: Project, times: TaskTimes, names: bool) -> list[Row]:
    shown = project.shown_names(names)
    judged = [("person", shown[who], each) for who, each in times.people.items()]
    judged += [("query", name, each) for name, each in times.queries.items()]
    judged += [("all", "all", times.whole)] if times.whole.seconds.size else []
    rows: list[Row] = []
    for kind, name, each in judged:
        known = {"judgements": each.seconds.size, "median_s": each.median, "total_s": round(each.total, 3)}
        rows.append({"kind": kind, "name": name, **known})
    for search in times.searches:
        took = {"total_s": round(search.seconds, 3), "rounds": search.rounds, "relevant": search.relevant}
        rows.append({"kind": "search", "name": shown[search.assessor], **took})
    return rows


def _csv(columns: list[str], rows: Iterable[Mapping[str, object]]) -> str:
    """Text that no spreadsheet takes for a formula."""
    file = io.StringIO()
    writer = csv.DictWriter(file, columns, lineterminator="\n", restval="")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: cell(value) if isinstance(value, str) else value for name, value in row.items()})
    return file.getvalue()


QUESTIONNAIRE = {"text": questionnaire_text, "json": questionnaire_json, "csv": questionnaire_csv}
TIMES = {"text": times_text, "json": times_json, "csv": times_csv}
REPORT_FORMATS = {".txt": "text", ".json": "json", ".csv": "csv"}
