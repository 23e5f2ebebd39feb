"""A suite in words: the best system on the whole, its limits, and which system wins where."""

from __future__ import annotations

import math

from rankscope.analysis.comparison.suite import ENOUGH_TASKS, Suite, SuiteSystem
from rankscope.core.names import visible
from rankscope.core.rendering import text_table
from rankscope.core.wording import decimal_text, how_many, join_words, percent_text, signed_text, span_text
from rankscope.reports.texts.comparison_words import verdict_sentences

NAMED = 4


def suite_headline(suite: Suite) -> str:
    """Who has the best mean over the tasks, as far as anybody has all of them."""
    complete, count = suite.complete, len(suite.tasks)
    if not complete:
        return f"No system has all {how_many(count, 'tasks')}, so there is no mean over them"
    best = complete[0]
    mean = f"{decimal_text(best.mean.value)}{span_text(best.mean.low, best.mean.high)}"
    of = f"of the {how_many(len(complete), 'systems')} that have all {_tasks(count)}"
    if len(complete) == 1:
        return f"{best.name} is the only system with all {_tasks(count)}: its mean {suite.measure} is {mean}"
    return f"{best.name} has the best mean {suite.measure} {of}, {mean}"


def suite_sentences(suite: Suite) -> list[str]:
    """What is shown against the baseline, who wins where, and who lacks a task."""
    return [*_against_baseline(suite), winners_sentence(suite), *_gaps(suite)]


def _tasks(count: int) -> str:
    return "one task" if count == 1 else f"{count} tasks"


def _against_baseline(suite: Suite) -> list[str]:
    others = [each for each in suite.complete if each.name != suite.baseline]
    if not others or len(suite.tasks) < 2:
        return []
    said = [
        f"{_named(found)} {'is' if len(found) == 1 else 'are'} significantly {side} than {suite.baseline}"
        for side in ("better", "worse")
        if (found := [each for each in others if each.side == side])
    ]
    alike = [each for each in others if not each.side]
    if alike:
        said.append(f"{_named(alike)} without a significant difference from {'it' if said else suite.baseline}")
    return [f"On the whole {'; '.join(said)}."]


def _named(found: list[SuiteSystem]) -> str:
    """Systems with their differences, few of them by name."""
    if len(found) > NAMED:
        return f"{how_many(len(found), 'systems')}"
    return join_words([f"{each.name} ({signed_text(each.difference.value)})" for each in found])


def winners_sentence(suite: Suite) -> str:
    """On how many tasks each system has the best mean."""
    winners = sorted((each for each in suite.systems if each.wins), key=lambda each: -len(each.wins))
    said = [f"{each.name} on {len(each.wins)} ({_listed(each.wins)})" for each in winners[:NAMED]]
    shown = sum(len(task.beaten) == len(task.table.systems) - 1 > 0 for task in suite.tasks)
    rest = sum(len(each.wins) for each in winners[NAMED:])
    others = [f"others on {rest}"] if rest else []
    sure = f"on {shown} of {len(suite.tasks)} the winner is significantly better than all others"
    return f"The best mean of a task belongs to {join_words([*said, *others])}; {sure}."


def _listed(names: tuple[str, ...]) -> str:
    return join_words(list(names)) if len(names) <= NAMED else f"{join_words(list(names[: NAMED - 1]))}, ..."


def _gaps(suite: Suite) -> list[str]:
    """Systems without some task, and what may be said of them."""
    said = []
    for each in suite.systems:
        if not each.missing:
            continue
        there = len(suite.tasks) - len(each.missing)
        start = f"{each.name} lacks {join_words(list(each.missing))} and has no mean over tasks and no mean rank"
        if math.isnan(each.difference.value):
            said.append(f"{start}.")
        else:
            less = each.difference
            span = "" if math.isnan(less.low) else f" [{signed_text(less.low)}, {signed_text(less.high)}]"
            change = f"{signed_text(less.value)}{span}"
            said.append(f"{start}; on the {_tasks(there)} that it has it is {change} from {suite.baseline}.")
    return said


def suite_notes(suite: Suite) -> list[str]:
    """How numbers over tasks are made, and what so few tasks cannot show."""
    count = len(suite.tasks)
    tests = suite.compared_with_baseline
    lines = [
        f"Means over tasks: every task counts the same. {percent_text(suite.level)} intervals draw tasks with "
        f"replacement and in each task drawn its queries, {suite.resamples:,} times (seed {suite.seed}), with limits "
        f"as far out as {how_many(count, 'task asks', 'tasks ask')} for. Better and worse: t test of the difference "
        f"over tasks, its error from the same draws, Holm's correction for {tests} "
        f"comparison{'' if tests == 1 else 's'} with the baseline.",
        "Mean rank: among the systems that have every task. Marks in the columns of tasks are of each task by itself, "
        "corrected for all pairs of its systems.",
    ]
    if count < 2:
        lines.append("One task says nothing about other tasks: there are no intervals over tasks.")
    elif count < ENOUGH_TASKS:
        lines.append(
            f"{how_many(count, 'tasks')} are few to tell how tasks differ: intervals over them hold less often "
            "than they say."
        )
    left_out = [f"{task.name} {task.left_out:,}" for task in suite.tasks if task.left_out]
    if left_out:
        lines.append(f"Queries left out because not every system of the task has a value: {', '.join(left_out)}.")
    return lines


def task_rows(suite: Suite) -> list[dict[str, object]]:
    """One row for each task: who wins, and over whom that is shown."""
    rows: list[dict[str, object]] = []
    for task in suite.tasks:
        count, done = len(task.table.systems), task.compared
        said = verdict_sentences(done)[0] if done is not None and len(done.systems) > 1 else "-"
        row: dict[str, object] = {"task": task.name, "queries": len(task.table), "systems": count}
        row |= {"best mean": task.best, "value": task.mean(task.best)}
        row["significantly better than"] = f"{len(task.beaten)} of {count - 1} others" if count > 1 else "alone"
        rows.append(row | {"in words": said})
    return rows


def suite_text(suite: Suite) -> str:
    """For the terminal: the verdict, the systems, the tasks, and how numbers over tasks are made."""
    tasks = [{key: value for key, value in row.items() if key != "in words"} for row in task_rows(suite)]
    parts = [
        f"{suite_headline(suite)}.",
        *suite_sentences(suite),
        "",
        text_table(suite_rows(suite), 3),
        text_table(tasks, 3),
    ]
    return visible("\n".join([*parts, *suite_notes(suite)]) + "\n")


def suite_rows(suite: Suite) -> list[dict[str, object]]:
    """One row for each system, for the terminal."""
    return [
        {
            "system": each.name,
            "mean": each.mean.value,
            "low": each.mean.low,
            "high": each.mean.high,
            "mean rank": each.rank.value,
            f"minus {suite.baseline}": each.difference.value,
            "p (holm)": each.p,
            "side": each.side,
            "wins": len(each.wins),
            "tasks": f"{len(suite.tasks) - len(each.missing)} of {len(suite.tasks)}",
        }
        for each in suite.systems
    ]
