"""What is watched, followed and planned: looks at a gate, stages of a pipeline, sources of variance, what to judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankscope.reports.displays.display import Display
from rankscope.reports.displays.long_table import LongTable
from rankscope.reports.displays.presentation import Presentation

if TYPE_CHECKING:
    from rankscope.pipeline.ledger import Ledger
    from rankscope.reports.formats.rows import Rows
    from rankscope.sampling.judging_plan import JudgingPlans
    from rankscope.statistics.components.components import Components
    from rankscope.statistics.sequential.sequential_result import SequentialResult
    from rankscope.statistics.verdicts.stability import LeaderboardStability


def _looks(result: SequentialResult) -> Display:
    from rankscope.reports.texts.sequential import check_grid

    return Display(result.sentence, LongTable.of_grid(check_grid(result)), result.remarks, ".remarks")


def _look_rows(result: SequentialResult) -> Rows:
    plain = ("measure", "first", "second", "change", "low", "high", "units", "decision", "needed")
    return [{name: getattr(each, name) for name in plain} for each in result.checks]


def _looks_markdown(result: SequentialResult) -> str:
    from rankscope.reports.texts.sequential import markdown

    return markdown(result)


def _ledger(ledger: Ledger) -> Display:
    from rankscope.reports.texts.ledger import basis_line

    first, *rest = ledger.sentences
    return Display(first, LongTable.of_rows(_ledger_rows(ledger)), (*rest, basis_line(ledger), *ledger.notes), ".notes")


def _ledger_rows(ledger: Ledger) -> Rows:
    from rankscope.reports.texts.ledger import stage_rows

    return stage_rows(ledger.main)


def _ledger_markdown(ledger: Ledger) -> str:
    from rankscope.reports.texts.ledger import markdown

    return markdown(ledger)


def _ledger_latex(ledger: Ledger) -> str:
    from rankscope.reports.formats.latex_layout import COLUMN
    from rankscope.reports.texts.ledger import latex

    return latex(ledger, COLUMN)


def _components(found: Components) -> Display:
    from rankscope.reports.texts.components import component_row, sentence_of

    table = LongTable.of_rows([component_row(each) for each in found.parts])
    return Display(f"{found.what}: mean {found.mean:.4f}", table, (sentence_of(found), *found.notes), ".notes")


def _component_rows(found: Components) -> Rows:
    plain = ("source", "levels", "variance", "low", "high", "share", "of_mean")
    return [{name: getattr(each, name) for name in plain} for each in found.parts]


def _plans(plans: JudgingPlans) -> Display:
    from rankscope.reports.texts.judging_plan import plan_sentences

    first, *rest = [line.removeprefix("! ") for line in plan_sentences(plans)]
    return Display(first, LongTable.of_rows(_plan_rows(plans)), tuple(rest))


def _plan_rows(plans: JudgingPlans) -> Rows:
    return [each.row() for each in (plans.now, *plans.plans)]


def _stability(found: LeaderboardStability) -> Display:
    from rankscope.reports.texts.stability import stability_sentences

    first, *rest = stability_sentences(found)
    return Display(first, LongTable.of_rows(found.system_rows()), (*rest, *found.notes), ".to_markdown()")


SEQUENTIAL_RESULT = Presentation(_looks, _look_rows, _looks_markdown)
LEDGER = Presentation(_ledger, _ledger_rows, _ledger_markdown, _ledger_latex)
COMPONENTS = Presentation(_components, _component_rows)
JUDGING_PLANS = Presentation(_plans, _plan_rows)
STABILITY = Presentation(_stability, lambda result: result.system_rows())
