"""What is estimated: larger collections, samples, few judgements, one query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankscope.number_texts import how_many, percent_text
from rankscope.reports.displays.display import Display
from rankscope.reports.displays.long_table import LongTable
from rankscope.reports.displays.presentation import Presentation

if TYPE_CHECKING:
    from rankscope.curves.query_effort import SearchEffort
    from rankscope.engines.nearest.label_check import LabelCheck
    from rankscope.forecast.result import Forecast
    from rankscope.reports.formats.rows import Rows
    from rankscope.sampling.estimate import Estimated
    from rankscope.sampling.machine_judge import MachineJudged
    from rankscope.sampling.reuse import Reuse
    from rankscope.sampling.run_estimates import RunEstimates
    from rankscope.sampling.sample_size import SampleSize
    from rankscope.statistics.intervals.homogeneity import Homogeneity


def _forecast(result: Forecast) -> Display:
    from rankscope.reports.texts.forecast import forecast_line, forecast_rows

    table = LongTable.of_rows(forecast_rows(result), 3)
    return Display(forecast_line(result), table, (*result.warnings, *result.reasons), ".warnings and .reasons")


def _homogeneity(result: Homogeneity) -> Display:
    from rankscope.reports.texts.homogeneity import homogeneity_rows, homogeneity_verdict

    return Display(homogeneity_verdict(result), LongTable.of_rows(homogeneity_rows(result), 3))


def _estimated(done: Estimated) -> Display:
    title = (
        f"{how_many(done.hits, 'hit', 'hits')} among the first {done.scope:,} of {how_many(done.collection, 'items')}, "
        f"{done.found:,} relevant among {done.judged:,} drawn below; {percent_text(done.level)} intervals, "
        f"{done.method}"
    )
    return Display(title, LongTable.of_rows(done.rows()))


def _sample_size(size: SampleSize) -> Display:
    return Display(
        f"Judge {size.judged:,} of {how_many(size.collection, 'items')} drawn at random to know {size.relevant:,} "
        "relevant ones "
        f"to {size.error:.3g} of their number at level {size.level:g}; {size.expected_hits:.1f} of those judged will "
        "be relevant"
    )


def _run_estimates(done: RunEstimates) -> Display:
    from rankscope.reports.texts.run_estimates import sample_line

    table = LongTable.of_rows(_mean_rows(done))
    return Display(sample_line(done), table, tuple(done.warnings), ".warnings")


def _mean_rows(done: RunEstimates) -> Rows:
    return [each.row() for each in done.means]


def _machine(done: MachineJudged) -> Display:
    from rankscope.reports.texts.machine_judge import machine_line, machine_lines

    notes = (*machine_lines(done), *done.warnings)
    return Display(machine_line(done), LongTable.of_rows(_machine_rows(done)), notes, ".warnings")


def _machine_rows(done: MachineJudged) -> Rows:
    return [each.row() for each in (*done.rows, *done.differences)]


def _reuse(done: Reuse) -> Display:
    from rankscope.reports.texts.reuse import reuse_lines

    first, *rest = reuse_lines(done)
    notes = tuple(line.removeprefix("! ") for line in rest)
    return Display(first, LongTable.of_rows(_reuse_rows(done)), notes, ".to_markdown()")


def _reuse_rows(done: Reuse) -> Rows:
    return [each.row() for each in done.systems]


def _label_check(done: LabelCheck) -> Display:
    title = (
        f"{how_many(len(done.misses), 'likely miss', 'likely misses')} of the labels, "
        f"{how_many(len(done.strangers), 'member', 'members')} that no other member finds; {done.facts()}"
    )
    return Display(title, LongTable.of_rows(_label_check_rows(done)))


def _label_check_rows(done: LabelCheck) -> Rows:
    from rankscope.reports.texts.label_check import label_check_rows

    return label_check_rows(done)


def _effort(effort: SearchEffort) -> Display:
    from rankscope.reports.texts.effort import headline, notes

    return Display(headline(effort), LongTable.of_rows(_effort_rows(effort)), tuple(notes(effort)))


def _effort_rows(effort: SearchEffort) -> Rows:
    return [each.row() for each in effort.wanted]


FORECAST = Presentation(_forecast, lambda result: result.rows())
HOMOGENEITY = Presentation(_homogeneity)
ESTIMATED = Presentation(_estimated, lambda result: result.rows())
SAMPLE_SIZE = Presentation(_sample_size, lambda result: result.rows())
RUN_ESTIMATES = Presentation(_run_estimates, _mean_rows)
MACHINE_JUDGED = Presentation(_machine, _machine_rows)
REUSE = Presentation(_reuse, _reuse_rows)
LABEL_CHECK = Presentation(_label_check, _label_check_rows)
SEARCH_EFFORT = Presentation(_effort, _effort_rows)
