"""Questionnaires and times as people read them, and as programs do."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rankscope.core.names import cell
from rankscope.core.wording import how_many
from rankscope.reports.tables import as_json, text_table
from rankscope.workbench.usability import LEVEL, STATEMENTS, WORTH, TaskScore, TaskTimes

if TYPE_CHECKING:
    from rankscope.workbench.project import Project


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
