"""What numbers show of themselves: scores, comparisons, plans and estimates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankscope.core.wording import how_many, percent_text
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks
from rankscope.reports.display import Display, LongTable, Presentation
from rankscope.reports.tables import Cell, Rows, coverage_lines, grid_of, summary_grid, value_text
from rankscope.reports.warning_kinds import warning_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankscope.analysis.assessors.agreement import Agreement
    from rankscope.analysis.comparison.compare import Compared, MeasureCompared
    from rankscope.analysis.comparison.gate import GateResult
    from rankscope.analysis.comparison.leaderboard import LeaderboardStability
    from rankscope.analysis.comparison.sequential_result import SequentialResult
    from rankscope.analysis.comparison.suite import Suite
    from rankscope.analysis.curves.effort import SearchEffort
    from rankscope.analysis.forecast.growth import Forecast
    from rankscope.analysis.pipeline.ledger import Ledger
    from rankscope.analysis.sampling.estimate import Estimated, SampleSize
    from rankscope.analysis.sampling.judging_plan import JudgingPlans
    from rankscope.analysis.sampling.machine_judge import MachineJudged
    from rankscope.analysis.sampling.reuse import Reuse
    from rankscope.analysis.sampling.run_estimates import RunEstimates
    from rankscope.analysis.statistics.explanatory_variables import Explained
    from rankscope.analysis.statistics.generality_estimate import Homogeneity
    from rankscope.analysis.statistics.score_table import ScoreTable
    from rankscope.analysis.statistics.variance_components import Components
    from rankscope.engines.nearest.label_check import LabelCheck
    from rankscope.measures.evaluation.scores import Column, Scores, SystemScores


# Scores, tables of scores, and the ranks behind them.

MOST_RANKS = 6  # of relevant items, in a cell


def _scores(scores: Scores) -> Display:
    systems, measures = len(scores.systems), len(scores.measures)
    if not systems:
        return Display("No scores: no system")
    told = "; ".join(coverage_lines(scores)[:1]) if systems == 1 else _queries(scores)
    return Display(
        title=f"{how_many(systems, 'system', 'systems')}, {how_many(measures, 'measure', 'measures')}: {told}",
        table=LongTable.of_grid(summary_grid(scores)),
        notes=tuple(warning_lines(scores, scores.verbose)),
        more=".warnings()",
    )


def _queries(scores: Scores) -> str:
    counts = sorted({len(each.ranks) for each in scores.systems})
    return how_many(counts[0]) + " judged" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,} queries judged"


def _markdown(scores: Scores, per_query: bool = False) -> str:
    from rankscope.reports.tables import render_markdown

    return render_markdown(scores, per_query)


def _latex(scores: Scores, per_query: bool = False, columns: str | float = "1", marks: str = "auto") -> str:
    from rankscope.reports.latex import width_of_columns
    from rankscope.reports.texts.paper_tables import scores_table

    return scores_table(scores, width_of_columns(columns), marks, per_query)


def _system(system: SystemScores) -> Display:
    rows: Rows = [
        {"measure": column.asked, "summary": column.summary, "queries": column.averaged} for column in system.columns
    ]
    return Display(f"{system.name}: {how_many(len(system.ranks))} judged", LongTable.of_rows(rows))


def _column(column: Column) -> Display:
    return Display(
        f"{column.asked}: {value_text(column.summary, column.measure.counts)} over {how_many(column.averaged)} "
        f"of {column.values.size:,}; a value for each query in .values"
    )


def _score_table(table: ScoreTable) -> Display:
    def row(number: int) -> Sequence[Cell]:
        label = {} if table.classes is None else {"class": table.classes[number]}
        values = dict(zip(table.systems, table.values[number].tolist(), strict=True))
        return grid_of([{"query": table.queries[number], **label, **values}]).rows[0]

    labels = () if table.classes is None else ("class",)
    title = f"{table.measure} of {how_many(len(table.systems), 'system', 'systems')} on {how_many(len(table))}"
    return Display(title, LongTable(("query", *labels, *table.systems), len(table), row))


def _score_rows(table: ScoreTable) -> Rows:
    labels = [{}] * len(table) if table.classes is None else [{"class": each} for each in table.classes]
    return [
        {"query": query, **label, **dict(zip(table.systems, values, strict=True))}
        for query, label, values in zip(table.queries, labels, table.values.tolist(), strict=True)
    ]


def _ranks(ranks: RelevantRanks) -> Display:
    header = ("query", *(("class",) if ranks.classes is not None else ()), "relevant", "found", "at ranks", "ranked")
    answered = int(ranks.answered.sum())
    sizes = ranks.collection[ranks.collection != UNKNOWN]
    among = f", among {how_many(int(sizes.max()), 'items')}" if sizes.size else ""
    ranks_title = (
        f"Ranks of {ranks.system}: {how_many(len(ranks))} judged, {answered:,} answered{among}; "
        f"relevant from grade {ranks.rel:g} on"
    )
    return Display(ranks_title, LongTable(header, len(ranks), lambda row: _ranks_row(ranks, row)))


def _ranks_row(ranks: RelevantRanks, row: int) -> Sequence[Cell]:
    start, stop = ranks.judged.offsets[row : row + 2].tolist()
    relevant = ranks.judged["grade"][start:stop] >= ranks.rel
    places = ranks.judged["rank"][start:stop][relevant].tolist()
    shown = ", ".join(f"{place:,}" for place in places[:MOST_RANKS]) + (", ..." if len(places) > MOST_RANKS else "")
    label = [] if ranks.classes is None else [Cell(ranks.classes[row], number=False)]
    counts = [Cell(f"{int(ranks.relevant[row]):,}"), Cell(f"{len(places):,}")]
    last = [Cell(shown or "-", number=False), Cell(f"{int(ranks.depth[row]):,}")]
    return [Cell(ranks.queries[row], number=False), *label, *counts, *last]


SCORES = Presentation(_scores, own_markdown=_markdown, own_latex=_latex)
SYSTEM_SCORES = Presentation(_system)
COLUMN = Presentation(_column)
SCORE_TABLE = Presentation(_score_table, _score_rows)
RELEVANT_RANKS = Presentation(_ranks)


# What compares: systems, a baseline and a candidate, tasks, people.


def _compared(compared: Compared) -> Display:
    from rankscope.reports.texts.comparison_tables import comparison_notes
    from rankscope.reports.texts.comparison_words import verdict_sentences

    first, *rest = verdict_sentences(compared)
    table = LongTable.of_rows(compared.main.system_rows())
    return Display(first, table, (*rest, compared.main.means.told, *comparison_notes(compared)), ".to_markdown()")


def _compared_rows(compared: Compared) -> Rows:
    from rankscope.reports.texts.comparison_tables import pair_records

    return pair_records(compared)


def _compared_markdown(compared: Compared, every_pair: bool = False) -> str:
    from rankscope.reports.texts.comparison_tables import comparison_markdown

    return comparison_markdown(compared, every_pair)


def _compared_latex(compared: Compared, columns: str | float = "1", marks: str = "auto") -> str:
    from rankscope.reports.latex import width_of_columns
    from rankscope.reports.texts.paper_tables import comparison_table

    return comparison_table(compared, width_of_columns(columns), marks)


def _compared_write_up(compared: Compared) -> str:
    from rankscope.reports.texts.comparison_words import write_up

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
    from rankscope.reports.texts.gate import gate_grid

    return Display(result.sentence, LongTable.of_grid(gate_grid(result)), result.remarks, ".remarks")


def _gate_markdown(result: GateResult) -> str:
    from rankscope.reports.texts.gate import gate_markdown

    return gate_markdown(result)


def _explained(done: Explained) -> Display:
    from rankscope.reports.texts.comparison_tables import EXPLAINED_HEADING, explained_words

    title = f"{EXPLAINED_HEADING} of {done.measure} ({how_many(done.queries, 'queries')})"
    return Display(title, LongTable.of_rows(done.rows()), (explained_words(done),))


def _suite(suite: Suite) -> Display:
    from rankscope.reports.texts.suite import suite_headline, suite_notes, suite_rows, suite_sentences

    table = LongTable.of_rows(suite_rows(suite), 3)
    return Display(f"{suite_headline(suite)}.", table, (*suite_sentences(suite), *suite_notes(suite)), ".to_markdown()")


def _suite_rows(suite: Suite) -> Rows:
    from rankscope.reports.texts.suite import suite_rows

    return suite_rows(suite)


def _scored_suite(found: Any) -> Display:
    return _suite(found.main)


def _agreement(found: Agreement) -> Display:
    from rankscope.reports.texts.assessors import agreement_notes, order_lines, two_rows

    title = f"{how_many(len(found.marks.assessors), 'assessors')}; all together: {_together(found)}"
    limits = f"low, high: {percent_text(found.level)} limits of kappa over queries"
    said = (*(order_lines(found.orders) if found.orders else ()), limits, *agreement_notes(found.two))
    return Display(title, LongTable.of_rows(two_rows(found.two)), said)


def _together(found: Agreement) -> str:
    from rankscope.reports.tables import value_text

    names = found.together.names
    return "; ".join(f"{name} {value_text(found.together[name].value, places=3)}" for name in names[:2])


def _agreement_rows(found: Agreement) -> Rows:
    from rankscope.reports.texts.assessors import two_rows

    return two_rows(found.two)


def _preferred(found: Any) -> Display:
    from rankscope.reports.texts.assessors import bias_lines, rate_rows, strength_lines, verdict_lines

    first, *rest = verdict_lines(found.rates)
    notes = (*rest, *strength_lines(found.strengths), *(line.removeprefix("! ") for line in bias_lines(found.bias)))
    return Display(first, LongTable.of_rows(rate_rows(found.rates)), notes, ".rates")


def _preferred_rows(found: Any) -> Rows:
    from rankscope.reports.texts.assessors import rate_rows

    return rate_rows(found.rates)


COMPARED = Presentation(_compared, _compared_rows, _compared_markdown, _compared_latex, write_up=_compared_write_up)
MEASURE_COMPARED = Presentation(_measure, _pair_rows)
GATE_RESULT = Presentation(_gate, lambda result: result.rows(), _gate_markdown)
EXPLAINED = Presentation(_explained, lambda result: result.rows())
SUITE = Presentation(_suite, _suite_rows)
SCORED_SUITE = Presentation(_scored_suite, lambda found: _suite_rows(found.main))
AGREEMENT = Presentation(_agreement, _agreement_rows)
PREFERRED = Presentation(_preferred, _preferred_rows)


# What is watched, followed and planned: looks at a gate, stages of a pipeline, sources of variance, what to judge.


def _looks(result: SequentialResult) -> Display:
    from rankscope.reports.texts.sequential import sequential_grid

    return Display(result.sentence, LongTable.of_grid(sequential_grid(result)), result.remarks, ".remarks")


def _look_rows(result: SequentialResult) -> Rows:
    plain = ("measure", "first", "second", "change", "low", "high", "units", "decision", "needed")
    return [{name: getattr(each, name) for name in plain} for each in result.checks]


def _looks_markdown(result: SequentialResult) -> str:
    from rankscope.reports.texts.sequential import sequential_markdown

    return sequential_markdown(result)


def _ledger(ledger: Ledger) -> Display:
    from rankscope.reports.texts.ledger import basis_line

    first, *rest = ledger.sentences
    return Display(first, LongTable.of_rows(_ledger_rows(ledger)), (*rest, basis_line(ledger), *ledger.notes), ".notes")


def _ledger_rows(ledger: Ledger) -> Rows:
    from rankscope.reports.texts.ledger import stage_rows

    return stage_rows(ledger.main)


def _ledger_markdown(ledger: Ledger) -> str:
    from rankscope.reports.texts.ledger import ledger_markdown

    return ledger_markdown(ledger)


def _ledger_latex(ledger: Ledger) -> str:
    from rankscope.reports.latex import COLUMN
    from rankscope.reports.texts.ledger import ledger_latex

    return ledger_latex(ledger, COLUMN)


def _components(found: Components) -> Display:
    from rankscope.reports.texts.stability import component_row, sentence_of

    table = LongTable.of_rows([component_row(each) for each in found.parts])
    return Display(f"{found.what}: mean {found.mean:.4f}", table, (sentence_of(found), *found.notes), ".notes")


def _component_rows(found: Components) -> Rows:
    plain = ("source", "levels", "variance", "low", "high", "share", "of_mean")
    return [{name: getattr(each, name) for name in plain} for each in found.parts]


def _plans(plans: JudgingPlans) -> Display:
    from rankscope.reports.texts.judging import plan_sentences

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


# What is estimated: larger collections, samples, few judgements, one query.


def _forecast(result: Forecast) -> Display:
    from rankscope.reports.texts.forecast import forecast_line, forecast_rows

    table = LongTable.of_rows(forecast_rows(result), 3)
    return Display(forecast_line(result), table, (*result.warnings, *result.reasons), ".warnings and .reasons")


def _homogeneity(result: Homogeneity) -> Display:
    from rankscope.reports.texts.forecast import homogeneity_rows, homogeneity_verdict

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
    from rankscope.reports.texts.judging import sample_line

    table = LongTable.of_rows(_mean_rows(done))
    return Display(sample_line(done), table, tuple(done.warnings), ".warnings")


def _mean_rows(done: RunEstimates) -> Rows:
    return [each.row() for each in done.means]


def _machine(done: MachineJudged) -> Display:
    from rankscope.reports.texts.judging import machine_line, machine_lines

    notes = (*machine_lines(done), *done.warnings)
    return Display(machine_line(done), LongTable.of_rows(_machine_rows(done)), notes, ".warnings")


def _machine_rows(done: MachineJudged) -> Rows:
    return [each.row() for each in (*done.rows, *done.differences)]


def _reuse(done: Reuse) -> Display:
    from rankscope.reports.texts.judging import reuse_lines

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
    from rankscope.reports.texts.judging import label_check_rows

    return label_check_rows(done)


def _effort(effort: SearchEffort) -> Display:
    from rankscope.reports.texts.effort import effort_headline, effort_notes

    return Display(effort_headline(effort), LongTable.of_rows(_effort_rows(effort)), tuple(effort_notes(effort)))


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
