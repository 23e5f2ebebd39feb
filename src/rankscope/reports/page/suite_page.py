"""A suite as one page that opens offline: the verdict, a leaderboard over tasks, ranks on tiles, every task."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rankscope.graphs.suite_tiles import suite_tiles_graph
from rankscope.measures.direction import Side
from rankscope.number_texts import how_many, signed_text
from rankscope.reports.formats.rows import grid_of
from rankscope.reports.page.contents import Section
from rankscope.reports.page.drawn_figures import DrawnFigure, figure_data
from rankscope.reports.page.leaderboard import MARKS, BoardColumn, BoardDifference, BoardRow, Leaderboard
from rankscope.reports.page.pages import DRAWING, Shell, environment, packed
from rankscope.reports.texts.estimates import Estimate
from rankscope.reports.texts.suite import headline, notes_of, sentences, task_rows, winners_sentence
from rankscope.statistics.verdicts.suite import Suite, SuiteEstimate, SuiteSystem, SuiteTask
from rankscope.version import __version__

FILES = ("page.css", "leaderboard.css", *DRAWING[:-1], "leaderboard.js", DRAWING[-1])
CAPTION = "Rank of each system among those that have the task, and its mean there."
MOST_TILES = 60  # systems


def render(suites: Sequence[Suite], title: str = "", warnings: Sequence[str] = ()) -> str:
    """The whole page; the first measure decides."""
    main = suites[0]
    several = len(main.systems) > 1
    shown = suites if several and len(main.systems) <= MOST_TILES else ()
    figures = [_figure(each, number) for number, each in enumerate(shown, 1)]
    return str(
        environment()
        .get_template("suite.html.j2")
        .render(
            title=title,
            suite=main,
            headline=headline(main),
            lines=sentences(main),
            facts=_facts(main),
            board=board_of(suites),
            graphs=figures,
            data={f"data-{each.id}": packed(figure_data(each, ())) for each in figures},
            sections=[Section(f"{each.measure}: task by task", grid_of(task_rows(each), places=3)) for each in suites],
            warnings=warnings,
            shell=Shell.of(*FILES),
            version=__version__,
        )
    )


def _figure(suite: Suite, number: int) -> DrawnFigure:
    """Ranks on tiles, and in words who wins where."""
    graph = suite_tiles_graph(suite).described(conclusion=winners_sentence(suite))
    return DrawnFigure.of(f"tiles-{number}", "suite-tiles", graph, CAPTION)


def _facts(suite: Suite) -> list[str]:
    queries = sum(len(task.table) for task in suite.tasks)
    count, systems = len(suite.tasks), len(suite.systems)
    return [
        f"{count} task{'' if count == 1 else 's'}",
        f"{systems} system{'' if systems == 1 else 's'}, {len(suite.complete)} with every task",
        f"{how_many(queries, 'queries')}",
        f"baseline {suite.baseline}" if suite.baseline and len(suite.complete) > 1 else "",
    ]


def board_of(suites: Sequence[Suite]) -> Leaderboard:
    """Rows by the mean over tasks; then mean ranks, other measures, and a column for each task."""
    main = suites[0]
    base = next((place for place, each in enumerate(main.systems) if each.name == main.baseline), None)
    columns = [
        _overall("m0", main, base, primary=True),
        BoardColumn.of(
            "m1",
            "mean rank",
            [_estimate(each.rank) for each in main.systems],
            lower_is_better=True,
            baseline=base,
            about=f"Mean over tasks of the rank by {main.measure}, among the systems that have every task",
        ),
        *(_overall(f"m{place}", each, base, names=main.systems) for place, each in enumerate(suites[1:], 2)),
        *(_task_column(f"k{place}", task, main, base) for place, task in enumerate(main.tasks)),
    ]
    rows = tuple(_row(place, each, main) for place, each in enumerate(main.systems))
    return Leaderboard(columns=tuple(columns), rows=rows, notes=(*_reading(main), *notes_of(main)))


def _overall(
    key: str, suite: Suite, base: int | None, primary: bool = False, names: Sequence[SuiteSystem] | None = None
) -> BoardColumn:
    """The mean over tasks, of the systems in the order of the first measure."""
    found = [suite.system(each.name) for each in names or suite.systems]
    sides: list[Side] = [_side(each) for each in found]
    return BoardColumn.of(
        key,
        f"mean {suite.measure}",
        [_estimate(each.mean) for each in found],
        sides=() if primary else sides,
        role="primary" if primary else "measure",
        lower_is_better=suite.lower_is_better,
        baseline=base,
        about=f"Mean over {how_many(len(suite.tasks), 'tasks')} of the mean {suite.measure} of each",
    )


def _side(system: SuiteSystem) -> Side:
    return "better" if system.side == "better" else "worse" if system.side == "worse" else ""


def _estimate(found: SuiteEstimate) -> Estimate:
    return Estimate(found.value, found.low, found.high)


def _task_column(key: str, task: SuiteTask, suite: Suite, base: int | None) -> BoardColumn:
    """One task: means with their own intervals, which draw its queries alone, and marks of its own tests."""
    means = [_task_estimate(task, each.name) for each in suite.systems]
    sides: list[Side] = [_task_side(task, each.name, suite.baseline) for each in suite.systems]
    known = base is not None and suite.baseline in task.table.systems
    return BoardColumn.of(
        key,
        task.name,
        means,
        sides=sides,
        role="collection",
        lower_is_better=suite.lower_is_better,
        baseline=base if known else None,
        about=f"{suite.measure} on {how_many(len(task.table), 'queries')} of {task.name}",
    )


def _task_estimate(task: SuiteTask, name: str) -> Estimate:
    if task.main is None or task.compared is None or name not in task.table.systems:
        return Estimate(task.mean(name))
    place = task.main.table.number(task.compared.stands_for(name))
    means = task.main.means
    return Estimate(task.mean(name), float(means.low[place]), float(means.high[place]))


def _task_side(task: SuiteTask, name: str, baseline: str) -> Side:
    if task.compared is None or name == baseline or not {name, baseline} <= set(task.table.systems):
        return ""
    if task.compared.shown_better(name, baseline):
        return "better"
    return "worse" if task.compared.shown_better(baseline, name) else ""


def _row(place: int, system: SuiteSystem, suite: Suite) -> BoardRow:
    return BoardRow(
        number=place,
        place=place + 1,
        system=system.name,
        baseline=system.name == suite.baseline and len(suite.systems) > 1,
        placed=not system.missing,
        difference=_difference(system, suite) if suite.baseline and len(suite.systems) > 1 else None,
    )


def _difference(system: SuiteSystem, suite: Suite) -> BoardDifference:
    found = system.difference
    if system.name == suite.baseline:
        return BoardDifference(0.0, "")
    if math.isnan(found.value):
        return BoardDifference(math.nan, "\u2013")
    there = len(suite.tasks) - len(system.missing)
    part = f" ({there} of {len(suite.tasks)})" if system.missing else ""
    ends = "" if math.isnan(found.low) else f"{signed_text(found.low)} to {signed_text(found.high)}"
    return BoardDifference(found.value, signed_text(found.value) + part, ends, _side(system))


def _reading(suite: Suite) -> list[str]:
    """How the table is read."""
    lines = ["Dot: mean. Bar: 95 % interval. Thin line: the baseline's mean. Bold: best mean."]
    if suite.baseline and len(suite.systems) > 1:
        lines.append(f"{MARKS} than the baseline.")
    if any(each.missing for each in suite.systems):
        lines.append(
            "\u2013: the system lacks the task, or has no number over tasks because it lacks one; its difference from "
            "the baseline is on the tasks that it has, and says on how many."
        )
    return lines
