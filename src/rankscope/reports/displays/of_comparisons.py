"""What compares: systems, a baseline and a candidate, tasks, people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankscope.number_texts import how_many, percent_text
from rankscope.reports.displays.display import Display
from rankscope.reports.displays.long_table import LongTable
from rankscope.reports.displays.presentation import Presentation

if TYPE_CHECKING:
    from rankscope.reports.formats.rows import Rows
    from rankscope.statistics.agreement.agreement import Agreement
    from rankscope.statistics.variance.explained import Explained
    from rankscope.statistics.verdicts.compared import Compared, MeasureCompared
    from rankscope.statistics.verdicts.gate_result import GateResult
    from rankscope.statistics.verdicts.suite import Suite


def _compared(compared: Compared) -> Display:
    from rankscope.reports.texts.comparison import notes_of
    from rankscope.reports.texts.comparison_words import verdict

    first, *rest = verdict(compared)
    table = LongTable.of_rows(compared.main.system_rows())
    return Display(first, table, (*rest, compared.main.means.told, *notes_of(compared)), ".to_markdown()")


def _compared_rows(compared: Compared) -> Rows:
    from rankscope.reports.texts.comparison import pair_records

    return pair_records(compared)


def _compared_markdown(compared: Compared, every_pair: bool = False) -> str:
    from rankscope.reports.texts.comparison import markdown_of

    return markdown_of(compared, every_pair)


def _compared_latex(compared: Compared, columns: str | float = "1", marks: str = "auto") -> str:
    from rankscope.reports.formats.latex_layout import width_of_columns
    from rankscope.reports.texts.paper_tables import comparison_table

    return comparison_table(compared, width_of_columns(columns), marks)


def _compared_write_up(compared: Compared) -> str:
    from rankscope.reports.texts.write_up import write_up

    return write_up(compared)


def _measure(one: MeasureCompared) -> Display:
    pairs = how_many(len(one.pairs), "pair", "pairs")
    title = (
        f"{one.measure} of {how_many(len(one.table.systems), 'systems')} on {how_many(len(one.table))}, {pairs} "
        "compared"
    )
    return Display(title, LongTable.of_rows(_pair_rows(one)), (one.caution,) if one.caution else ())


def _pair_rows(one: MeasureCompared) -> Rows:
    """One measure alone does not know by which correction its p-values were corrected."""
    return one.pair_rows("corrected")


def _gate(result: GateResult) -> Display:
    from rankscope.reports.texts.gate import check_grid

    return Display(result.sentence, LongTable.of_grid(check_grid(result)), result.remarks, ".remarks")


def _gate_markdown(result: GateResult) -> str:
    from rankscope.reports.texts.gate import markdown

    return markdown(result)


def _explained(done: Explained) -> Display:
    from rankscope.reports.texts.explained import HEADING, explained_words

    title = f"{HEADING} of {done.measure} ({how_many(done.queries, 'queries')})"
    return Display(title, LongTable.of_rows(done.rows()), (explained_words(done),))


def _suite(suite: Suite) -> Display:
    from rankscope.reports.texts.suite import headline, notes_of, sentences, system_rows

    table = LongTable.of_rows(system_rows(suite), 3)
    return Display(f"{headline(suite)}.", table, (*sentences(suite), *notes_of(suite)), ".to_markdown()")


def _suite_rows(suite: Suite) -> Rows:
    from rankscope.reports.texts.suite import system_rows

    return system_rows(suite)


def _scored_suite(found: Any) -> Display:
    return _suite(found.main)


def _agreement(found: Agreement) -> Display:
    from rankscope.reports.texts.agreement import notes, order_lines, two_rows

    title = f"{how_many(len(found.marks.assessors), 'assessors')}; all together: {_together(found)}"
    limits = f"low, high: {percent_text(found.level)} limits of kappa over queries"
    said = (*(order_lines(found.orders) if found.orders else ()), limits, *notes(found.two))
    return Display(title, LongTable.of_rows(two_rows(found.two)), said)


def _together(found: Agreement) -> str:
    from rankscope.reports.formats.grid import number

    names = found.together.names
    return "; ".join(f"{name} {number(found.together[name].value, places=3)}" for name in names[:2])


def _agreement_rows(found: Agreement) -> Rows:
    from rankscope.reports.texts.agreement import two_rows

    return two_rows(found.two)


def _preferred(found: Any) -> Display:
    from rankscope.reports.texts.preferences import bias_lines, rate_rows, strength_lines, verdict_lines

    first, *rest = verdict_lines(found.rates)
    notes = (*rest, *strength_lines(found.strengths), *(line.removeprefix("! ") for line in bias_lines(found.bias)))
    return Display(first, LongTable.of_rows(rate_rows(found.rates)), notes, ".rates")


def _preferred_rows(found: Any) -> Rows:
    from rankscope.reports.texts.preferences import rate_rows

    return rate_rows(found.rates)


COMPARED = Presentation(_compared, _compared_rows, _compared_markdown, _compared_latex, write_up=_compared_write_up)
MEASURE_COMPARED = Presentation(_measure, _pair_rows)
GATE_RESULT = Presentation(_gate, lambda result: result.rows(), _gate_markdown)
EXPLAINED = Presentation(_explained, lambda result: result.rows())
SUITE = Presentation(_suite, _suite_rows)
SCORED_SUITE = Presentation(_scored_suite, lambda found: _suite_rows(found.main))
AGREEMENT = Presentation(_agreement, _agreement_rows)
PREFERRED = Presentation(_preferred, _preferred_rows)
