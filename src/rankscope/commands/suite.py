"""Several collections at once: a suite read, scored task by task, compared, and shown as a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankscope.commands import defaults
from rankscope.core.display import Display, Tabular
from rankscope.core.errors import SettingError
from rankscope.core.keywords import strict_keywords
from rankscope.core.rendering import Rows
from rankscope.inputs.suite_file import SuiteFile, parse_suite, read_suite

if TYPE_CHECKING:
    from rankscope.analysis.comparison.suite import Suite
    from rankscope.measures.evaluation.scores import Scores
    from rankscope.measures.notation import Asked
    from rankscope.ranks.reduction import Progress


@dataclass(frozen=True, eq=False, repr=False)
class ScoredSuite(Tabular):
    """A suite with the scores of each task; a suite of results for each measure, the first of which decides."""

    title: str
    scores: Mapping[str, Scores]
    suites: tuple[Suite, ...]

    @property
    def main(self) -> Suite:
        """By the measure that decides."""
        return self.suites[0]

    def warnings(self, verbose: bool = False) -> list[str]:
        """What to know of the files, task by task; a line a kind where many systems have it, unless `verbose`."""
        from rankscope.measures.evaluation.warning_kinds import told_lines

        return told_lines(self.scores, verbose)

    def records(self) -> Rows:
        return self.main.records()

    def display(self) -> Display:
        return self.main.display()


@strict_keywords
def suite(
    source: str | Path | Mapping[str, Any],
    measures: Asked | None = None,
    *,
    baseline: str | None = None,
    resamples: int | None = None,
    progress: Progress | None = None,
) -> ScoredSuite:
    """Which system is better on the whole, and which one wins where? Takes a suite in TOML, or what such a file holds.

    `measures` and `baseline` go before those of the file. Intervals draw tasks and queries. A system that lacks a task
    gets no number over tasks.
    """
    asked = read_suite(source) if isinstance(source, str | Path) else parse_suite(source, Path())
    wanted = measures or list(asked.measures) or defaults.SUITE
    scores = {task.name: _scored(asked, number, wanted, progress) for number, task in enumerate(asked.tasks)}
    names = _shared_measures(scores)
    return ScoredSuite(
        title=asked.title,
        scores=scores,
        suites=tuple(_compared(scores, name, baseline or asked.baseline, resamples) for name in names),
    )


def _scored(asked: SuiteFile, number: int, measures: Asked, progress: Progress | None) -> Scores:
    from rankscope.commands.scores import scores_of

    task = asked.tasks[number]
    systems = dict(task.systems)
    if task.qrels is None:
        return scores_of(systems, None, measures, progress=progress, **task.settings)
    return scores_of(task.qrels, systems, measures, progress=progress, **task.settings)


def _shared_measures(scores: Mapping[str, Scores]) -> list[str]:
    """Measures that are means over queries; any other has no mean over tasks."""
    names = [
        column.asked for column in next(iter(scores.values())).systems[0].columns if column.measure.summary == "mean"
    ]
    if not names:
        raise SettingError("a suite needs a measure that is a mean over queries, such as AP")
    wrong = [name for name, each in scores.items() if each.settings.mean != "macro"]
    if wrong:
        raise SettingError(f"a suite compares means over queries: leave the setting mean out ({', '.join(wrong)})")
    return names


def _compared(scores: Mapping[str, Scores], measure: str, baseline: str | None, resamples: int | None) -> Suite:
    from rankscope.analysis.comparison.suite import RESAMPLES, compare_suite
    from rankscope.analysis.statistics.sampling_units import classes_are_targets
    from rankscope.analysis.statistics.score_table import ScoreTable

    return compare_suite(
        {name: ScoreTable.of(each, measure) for name, each in scores.items()},
        baseline=baseline,
        by_unit={name: classes_are_targets(each) for name, each in scores.items()},
        resamples=resamples or RESAMPLES,
        seed=next(iter(scores.values())).settings.seed,
    )


def suite_page(found: ScoredSuite, title: str = "") -> str:
    """The page of a suite."""
    from rankscope.reports.page import result_pages

    return result_pages.render_suite(found.suites, title or found.title, found.warnings(verbose=True))
