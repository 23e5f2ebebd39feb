"""Pages of other results, each with its graphs: a suite of tasks, the history of a gate, the ledger of a pipeline."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rankscope.analysis.comparison.estimates import Estimate
from rankscope.analysis.comparison.gate_history import (
    GateHistory,
    builds_sentence,
    chance_note,
    check_sentence,
    check_tile,
    history_headline,
    history_rows,
    history_sentences,
    history_warnings,
)
from rankscope.analysis.comparison.suite import (
    Suite,
    SuiteEstimate,
    SuiteSystem,
    SuiteTask,
    ranks_of_means,
    suite_headline,
    suite_notes,
    suite_sentences,
    task_rows,
    winners_sentence,
)
from rankscope.analysis.curves.curve import Curve, Region
from rankscope.analysis.pipeline.ledger import MEANINGS, Ledger
from rankscope.analysis.statistics.bootstrap import SHORT
from rankscope.core.errors import SettingError
from rankscope.core.rendering import HeadedTable
from rankscope.core.wording import how_many, signed_text
from rankscope.measures.direction import Side
from rankscope.reports.graphs.graph import Axis, Graph
from rankscope.reports.graphs.waterfall import short_name, waterfall
from rankscope.reports.page.first_view import DrawnFigure, figures_data
from rankscope.reports.page.leaderboard import MARKS, BoardColumn, BoardDifference, BoardRow, Leaderboard
from rankscope.reports.page.pages import DRAWING, render_page

# A suite as one page that opens offline: the verdict, a leaderboard over tasks, ranks on tiles, every task.

SUITE_FILES = ("page.css", "leaderboard.css", *DRAWING[:-1], "leaderboard.js", DRAWING[-1])
SUITE_CAPTION = "Rank of each system among those that have the task, and its mean there."
MOST_TILES = 60  # systems


def render_suite(suites: Sequence[Suite], title: str = "", warnings: Sequence[str] = ()) -> str:
    main = suites[0]
    several = len(main.systems) > 1
    shown = suites if several and len(main.systems) <= MOST_TILES else ()
    figures = []
    for number, each in enumerate(shown, 1):
        graph = suite_tiles_graph(each).described(conclusion=winners_sentence(each))
        figures.append(DrawnFigure.of(f"tiles-{number}", "suite-tiles", graph, SUITE_CAPTION))
    facts = [
        how_many(len(main.tasks), "tasks"),
        f"{how_many(len(main.systems), 'systems')}, {len(main.complete)} with every task",
        how_many(sum(len(task.table) for task in main.tasks)),
        f"baseline {main.baseline}" if main.baseline and len(main.complete) > 1 else "",
    ]
    return render_page(
        "suite.html.j2",
        SUITE_FILES,
        figures_data(figures),
        title=title,
        suite=main,
        headline=suite_headline(main),
        lines=suite_sentences(main),
        facts=facts,
        board=suite_board(suites),
        graphs=figures,
        sections=[HeadedTable(f"{each.measure}: task by task", task_rows(each), places=3) for each in suites],
        warnings=warnings,
    )


def suite_board(suites: Sequence[Suite]) -> Leaderboard:
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
    return Leaderboard(columns=tuple(columns), rows=rows, notes=(*_reading(main), *suite_notes(main)))


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
    means, sides = [], []
    for name in (each.name for each in suite.systems):
        side: Side = ""
        if task.compared is not None and name != suite.baseline and {name, suite.baseline} <= set(task.table.systems):
            if task.compared.shown_better(name, suite.baseline):
                side = "better"
            elif task.compared.shown_better(suite.baseline, name):
                side = "worse"
        sides.append(side)
        low = high = math.nan
        if task.main is not None and task.compared is not None and name in task.table.systems:
            place = task.main.table.number(task.compared.stands_for(name))
            low, high = float(task.main.means.low[place]), float(task.main.means.high[place])
        means.append(Estimate(task.mean(name), low, high))
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
    lines = ["Dot: mean. Bar: 95 % interval. Thin line: the baseline's mean. Bold: best mean."]
    if suite.baseline and len(suite.systems) > 1:
        lines.append(f"{MARKS} than the baseline.")
    if any(each.missing for each in suite.systems):
        lines.append(
            "\u2013: the system lacks the task, or has no number over tasks because it lacks one; its difference from "
            "the baseline is on the tasks that it has, and says on how many."
        )
    return lines


# The history of a gate as one page that opens offline: tiles of the last build, every build, graphs with intervals.

HISTORY_FILES = ("page.css", "history.css", *DRAWING)
HISTORY_CAPTION = "The candidate of each build with the interval of its value, and the baseline it was tested against."
MOST_GRAPHS = 25


def render_history(history: GateHistory, title: str = "") -> str:
    drawn = [name for name in history.names if len(history.checks(name)) > 1]
    figures = []
    for number, name in enumerate(drawn[:MOST_GRAPHS], 1):
        graph = build_history_graph(history, name).described(conclusion=check_sentence(history, name))
        figures.append(DrawnFigure.of(f"builds-{number}", "build-history", graph, HISTORY_CAPTION))
    return render_page(
        "history.html.j2",
        HISTORY_FILES,
        figures_data(figures),
        title=title or f"History of a gate: {how_many(len(history.builds), 'builds')}",
        headline=history_headline(history),
        lines=[builds_sentence(history)] if len(drawn) == len(history.names) else history_sentences(history),
        last=history.builds[-1],
        tiles=[check_tile(check) for check in history.builds[-1].checks],
        builds=history.builds,
        graphs=figures,
        left_out=drawn[MOST_GRAPHS:],
        note=chance_note(history),
        table=HeadedTable("Every build", history_rows(history), places=3),
        warnings=history_warnings(history),
    )


# The ledger of a pipeline as one page that opens offline: the sentence, a graph of each quantity, the tables.

LEDGER_FILES = ("page.css", *DRAWING)
LEDGER_CAPTION = "From the value of the first stage to that of the last: what each stage takes, or gives back."


def render_ledger(ledger: Ledger, worst: int = 10) -> str:
    figures = []
    for number, each in enumerate(ledger.statements, 1):
        meaning = f" {each.name} is {MEANINGS[each.name]}." if each.name in MEANINGS else ""
        figures.append(DrawnFigure.of(f"ledger-{number}", "ledger", waterfall(each), LEDGER_CAPTION + meaning))
    headline, *more = ledger.sentences
    return render_page(
        "ledger.html.j2",
        LEDGER_FILES,
        figures_data(figures),
        title=f"Where {ledger.main.name} goes: {' > '.join(ledger.stages)}",
        headline=headline,
        lines=[*more, f"{ledger.basis}."],
        warnings=ledger.notes,
        graphs=figures,
        tables=ledger.tables(worst),
    )


# Which system wins where: the rank of each system in each task, on tiles.

SHADE = 0.85


def suite_tiles_graph(suite: Suite) -> Graph:
    """A tile for each system and task: its rank among the systems of the task, and its mean; none where it lacks it."""
    names = [each.name for each in suite.systems]
    x, y, shade, words, below = [], [], [], [], []
    for column, task in enumerate(suite.tasks, 1):
        own = task.table
        ranks = ranks_of_means(-own.gains.mean(axis=0)[None, :])[0]
        for name, rank in zip(own.systems, ranks.tolist(), strict=True):
            x.append(float(column))
            y.append(float(len(names) - names.index(name)))
            last = max(1, len(own.systems) - 1)
            shade.append(SHADE * (1 - (rank - 1) / last))
            words.append(f"{rank:g}")
            below.append(f"{task.mean(name):.3f}".removeprefix("0"))
    tasks, count = len(suite.tasks), len(names)
    return Graph(
        f"Ranks by {suite.measure} in each task",
        Axis("task", domain=(0.5, tasks + 0.5), ticks=_tile_numbers(tasks), texts=tuple(t.name for t in suite.tasks)),
        Axis("system", domain=(0.5, count + 0.5), ticks=_tile_numbers(count), texts=tuple(names[::-1]), rows=2.2),
        subtitle="rank and mean of each system, the better the stronger its colour; blank: it lacks the task",
        summary=f"Ranks of {how_many(count, 'systems')} in {tasks} tasks.",
    ).tiles(x, y, np.array(shade), words, below)


def _tile_numbers(count: int) -> tuple[float, ...]:
    return tuple(float(each) for each in range(1, count + 1))


# A graph of builds: the value of one check with its interval, build after build, and its baseline.

MOST_BUILD_TICKS = 8
VALUE_AIR = 0.08  # of the range, above and below


def build_history_graph(history: GateHistory, name: str) -> Graph:
    """The value of a check with its 95 % interval over the builds; hollow points failed this check.

    The baseline may change between builds: it is drawn as it was at each.
    """
    found = history.checks(name)
    if len(found) < 2:
        raise SettingError(f"{name}: one build has no history to draw")
    places = np.array([place + 1.0 for place, _ in found])
    checks = [check for _, check in found]
    values, lows, highs, bases = (
        np.array([getattr(check, key) for check in checks]) for key in ("value", "value_low", "value_high", "baseline")
    )
    ticks = _build_ticks(len(history.builds))
    every = np.concatenate([values, lows, highs, bases])
    lowest, highest = float(np.nanmin(every)), float(np.nanmax(every))
    air = VALUE_AIR * (highest - lowest) or 0.01
    bottom = max(0.0, lowest - air) if lowest >= 0 else lowest - air
    top = min(1.0, highest + air) if highest <= 1 else highest + air
    counts = sorted({check.queries for check in checks})
    queries = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    ways = dict.fromkeys(SHORT[each.interval] for each in checks if each.interval)  # where the records say
    kinds = f" ({', '.join(ways)})" if ways else ""
    graph = Graph(
        f"{name} over {how_many(len(found), 'builds')}",
        Axis(
            "build",
            domain=(0.5, len(history.builds) + 0.5),
            ticks=ticks,
            texts=tuple(short_name(history.builds[round(tick) - 1].build, 10) for tick in ticks),
        ),
        Axis(name, domain=(bottom, top)),
        subtitle=f"{queries} queries; band: 95 % intervals of the value{kinds}; hollow points failed this check",
        summary=f"{name} went from {values[0]:.3f} to {values[-1]:.3f} over {how_many(len(found), 'builds')}.",
    )
    series = "candidate"
    graph = graph.curve(Curve(places, bases), "its baseline", markers=0, light=True)
    graph = graph.curve(Curve(places, values), series, markers=0)
    known = np.isfinite(lows)
    if known.any():
        graph = graph.band(Region(places[known], lows[known], highs[known]), series)
    failed = [check.verdict == "fail" for check in checks]
    builds = [history.builds[place] for place, _ in found]
    facts: dict[str, list[object]] = {
        "build": [each.build for each in builds],
        "date": [each.day for each in builds],
        "change": [round(check.change, 4) for check in checks],
        "gate": [check.verdict for check in checks],
    }
    return graph.points(Curve(places, values), series, open=failed, facts=facts)


def _build_ticks(count: int) -> tuple[float, ...]:
    """So many builds that their names have room; the last always.

    >>> _build_ticks(4), _build_ticks(20)
    ((1.0, 2.0, 3.0, 4.0), (2.0, 5.0, 8.0, 11.0, 14.0, 17.0, 20.0))
    """
    step = -(-count // MOST_BUILD_TICKS)
    return tuple(float(each) for each in range(count, 0, -step))[::-1]
