"""What numbers show of themselves: scores, comparisons, plans and estimates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankscope.core.display import Display, LongTable
from rankscope.core.rendering import Cell, Rows, grid_of, value_text
from rankscope.core.wording import how_many, percent_text
from rankscope.measures.evaluation.score_tables import coverage_lines, render_markdown, summary_grid
from rankscope.measures.evaluation.warning_kinds import warning_lines
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks
from rankscope.reports.display import Presentation, in_texts

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


def _latex(scores: Scores, per_query: bool = False, columns: str | float = "1", marks: str = "auto") -> str:
    from rankscope.core.latex import width_of_columns
    from rankscope.reports.paper_tables import scores_table

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
    title = (
        f"Ranks of {ranks.system}: {how_many(len(ranks))} judged, {answered:,} answered{among}; "
        f"relevant from grade {ranks.rel:g} on"
    )
    return Display(title, LongTable(header, len(ranks), lambda row: _ranks_row(ranks, row)))


def _ranks_row(ranks: RelevantRanks, row: int) -> Sequence[Cell]:
    start, stop = ranks.judged.offsets[row : row + 2].tolist()
    relevant = ranks.judged["grade"][start:stop] >= ranks.rel
    places = ranks.judged["rank"][start:stop][relevant].tolist()
    shown = ", ".join(f"{place:,}" for place in places[:MOST_RANKS]) + (", ..." if len(places) > MOST_RANKS else "")
    label = [] if ranks.classes is None else [Cell(ranks.classes[row], number=False)]
    counts = [Cell(f"{int(ranks.relevant[row]):,}"), Cell(f"{len(places):,}")]
    last = [Cell(shown or "-", number=False), Cell(f"{int(ranks.depth[row]):,}")]
    return [Cell(ranks.queries[row], number=False), *label, *counts, *last]


SCORES = Presentation(_scores, own_markdown=render_markdown, own_latex=_latex)
SYSTEM_SCORES = Presentation(_system)
COLUMN = Presentation(_column)
SCORE_TABLE = Presentation(_score_table, _score_rows)
RELEVANT_RANKS = Presentation(_ranks)


# What compares: systems, a baseline and a candidate, tasks, people.


def _compared(compared: Compared) -> Display:
    from rankscope.analysis.comparison.compare import comparison_notes
    from rankscope.analysis.comparison.verdict_sentences import verdict_sentences

    first, *rest = verdict_sentences(compared)
    table = LongTable.of_rows(compared.main.system_rows())
    return Display(first, table, (*rest, compared.main.means.told, *comparison_notes(compared)), ".to_markdown()")


def _compared_latex(compared: Compared, columns: str | float = "1", marks: str = "auto") -> str:
    from rankscope.core.latex import width_of_columns
    from rankscope.reports.paper_tables import comparison_table

    return comparison_table(compared, width_of_columns(columns), marks)


def _measure(one: MeasureCompared) -> list[str]:
    systems, pairs = how_many(len(one.table.systems), "systems"), how_many(len(one.pairs), "pair", "pairs")
    title = f"{one.measure} of {systems} on {how_many(len(one.table))}, {pairs} compared"
    return [title, *filter(None, [one.caution])]


def _gate(result: GateResult) -> Display:
    from rankscope.analysis.comparison.gate import gate_grid

    return Display(result.sentence, LongTable.of_grid(gate_grid(result)), result.remarks, ".remarks")


def _explained(done: Explained) -> list[str]:
    from rankscope.analysis.comparison.compare import EXPLAINED_HEADING, explained_words

    return [f"{EXPLAINED_HEADING} of {done.measure} ({how_many(done.queries, 'queries')})", explained_words(done)]


def _suite(suite: Suite) -> list[str]:
    from rankscope.analysis.comparison.suite import suite_headline, suite_notes, suite_sentences

    return [f"{suite_headline(suite)}.", *suite_sentences(suite), *suite_notes(suite)]


def _agreement(found: Agreement) -> list[str]:
    from rankscope.analysis.assessors.agreement import agreement_notes, order_lines

    together = found.together
    shown = "; ".join(f"{name} {value_text(together[name].value, places=3)}" for name in together.names[:2])
    return [
        f"{how_many(len(found.marks.assessors), 'assessors')}; all together: {shown}",
        *(order_lines(found.orders) if found.orders else ()),
        f"low, high: {percent_text(found.level)} limits of kappa over queries",
        *agreement_notes(found.two),
    ]


def _preferred(found: Any) -> list[str]:
    from rankscope.analysis.assessors.win_rates import bias_lines, strength_lines, verdict_lines

    bias = (line.removeprefix("! ") for line in bias_lines(found.bias))
    return [*verdict_lines(found.rates), *strength_lines(found.strengths), *bias]


_suite_rows, _two_rows = (
    in_texts("analysis.comparison.suite:suite_rows"),
    in_texts("analysis.assessors.agreement:two_rows"),
)
_rate_rows = in_texts("analysis.assessors.win_rates:rate_rows")
COMPARED = Presentation(
    _compared,
    in_texts("analysis.comparison.compare:pair_records"),
    in_texts("analysis.comparison.compare:comparison_markdown"),
    _compared_latex,
    write_up=in_texts("analysis.comparison.verdict_sentences:write_up"),
)
# one measure alone does not know by which correction its p-values were corrected
MEASURE_COMPARED = Presentation.of_rows(_measure, lambda one: one.pair_rows("corrected"))
GATE_RESULT = Presentation(_gate, lambda result: result.rows(), in_texts("analysis.comparison.gate:gate_markdown"))
EXPLAINED = Presentation.of_rows(_explained, lambda result: result.rows())
SUITE = Presentation.of_rows(_suite, _suite_rows, ".to_markdown()", places=3)
SCORED_SUITE = Presentation.of_rows(
    lambda found: _suite(found.main), lambda found: _suite_rows(found.main), ".to_markdown()", places=3
)
AGREEMENT = Presentation.of_rows(_agreement, lambda found: _two_rows(found.two))
PREFERRED = Presentation.of_rows(_preferred, lambda found: _rate_rows(found.rates), ".rates")


# What is watched, followed and planned: looks at a gate, stages of a pipeline, sources of variance, what to judge.

LOOK_COLUMNS = ("measure", "first", "second", "change", "low", "high", "units", "decision", "needed")
COMPONENT_COLUMNS = ("source", "levels", "variance", "low", "high", "share", "of_mean")


def _looks(result: SequentialResult) -> Display:
    from rankscope.analysis.comparison.sequential_result import sequential_grid

    return Display(result.sentence, LongTable.of_grid(sequential_grid(result)), result.remarks, ".remarks")


def _ledger(ledger: Ledger) -> list[str]:
    from rankscope.analysis.pipeline.ledger import basis_line

    return [*ledger.sentences, basis_line(ledger), *ledger.notes]


def _ledger_latex(ledger: Ledger) -> str:
    from rankscope.analysis.pipeline.ledger import ledger_latex
    from rankscope.core.latex import COLUMN

    return ledger_latex(ledger, COLUMN)


def _components(found: Components) -> Display:
    from rankscope.analysis.statistics.variance_components import component_row, sentence_of

    table = LongTable.of_rows([component_row(each) for each in found.parts])
    return Display(f"{found.what}: mean {found.mean:.4f}", table, (sentence_of(found), *found.notes), ".notes")


def _plans(plans: JudgingPlans) -> list[str]:
    from rankscope.analysis.sampling.judging_plan import plan_sentences

    return [line.removeprefix("! ") for line in plan_sentences(plans)]


def _stability(found: LeaderboardStability) -> list[str]:
    from rankscope.analysis.comparison.leaderboard import stability_sentences

    return [*stability_sentences(found), *found.notes]


SEQUENTIAL_RESULT = Presentation(
    _looks,
    lambda result: [{name: getattr(each, name) for name in LOOK_COLUMNS} for each in result.checks],
    in_texts("analysis.comparison.sequential_result:sequential_markdown"),
)
LEDGER = Presentation.of_rows(
    _ledger,
    lambda ledger: in_texts("analysis.pipeline.ledger:stage_rows")(ledger.main),
    ".notes",
    own_markdown=in_texts("analysis.pipeline.ledger:ledger_markdown"),
    own_latex=_ledger_latex,
)
COMPONENTS = Presentation(
    _components, lambda found: [{name: getattr(each, name) for name in COMPONENT_COLUMNS} for each in found.parts]
)
JUDGING_PLANS = Presentation.of_rows(_plans, lambda plans: [each.row() for each in (plans.now, *plans.plans)])
STABILITY = Presentation.of_rows(_stability, lambda result: result.system_rows(), ".to_markdown()")


# What is estimated: larger collections, samples, few judgements, one query.


def _forecast(result: Forecast) -> Display:
    from rankscope.analysis.forecast.growth import forecast_line, forecast_rows

    table = LongTable.of_rows(forecast_rows(result), 3)
    return Display(forecast_line(result), table, (*result.warnings, *result.reasons), ".warnings and .reasons")


def _homogeneity(result: Homogeneity) -> Display:
    from rankscope.analysis.statistics.generality_estimate import homogeneity_rows, homogeneity_verdict

    return Display(homogeneity_verdict(result), LongTable.of_rows(homogeneity_rows(result), 3))


def _estimated(done: Estimated) -> list[str]:
    return [
        f"{how_many(done.hits, 'hit', 'hits')} among the first {done.scope:,} of {how_many(done.collection, 'items')}, "
        f"{done.found:,} relevant among {done.judged:,} drawn below; {percent_text(done.level)} intervals, "
        f"{done.method}"
    ]


def _sample_size(size: SampleSize) -> Display:
    return Display(
        f"Judge {size.judged:,} of {how_many(size.collection, 'items')} drawn at random to know {size.relevant:,} "
        f"relevant ones to {size.error:.3g} of their number at level {size.level:g}; {size.expected_hits:.1f} of those "
        "judged will be relevant"
    )


def _run_estimates(done: RunEstimates) -> list[str]:
    from rankscope.analysis.sampling.run_estimates import sample_line

    return [sample_line(done), *done.warnings]


def _machine(done: MachineJudged) -> list[str]:
    from rankscope.analysis.sampling.machine_judge import machine_line, machine_lines

    return [machine_line(done), *machine_lines(done), *done.warnings]


def _reuse(done: Reuse) -> list[str]:
    from rankscope.analysis.sampling.reuse import reuse_lines

    first, *rest = reuse_lines(done)
    return [first, *(line.removeprefix("! ") for line in rest)]


def _label_check(done: LabelCheck) -> list[str]:
    misses, strangers = how_many(len(done.misses), "likely miss", "likely misses"), len(done.strangers)
    members = how_many(strangers, "member", "members")
    return [f"{misses} of the labels, {members} that no other member finds; {done.facts()}"]


def _effort(effort: SearchEffort) -> list[str]:
    from rankscope.analysis.curves.effort import effort_headline, effort_notes

    return [effort_headline(effort), *effort_notes(effort)]


FORECAST = Presentation(_forecast, lambda result: result.rows())
HOMOGENEITY = Presentation(_homogeneity)
ESTIMATED = Presentation.of_rows(_estimated, lambda result: result.rows())
SAMPLE_SIZE = Presentation(_sample_size, lambda result: result.rows())
RUN_ESTIMATES = Presentation.of_rows(_run_estimates, lambda done: [each.row() for each in done.means], ".warnings")
MACHINE_JUDGED = Presentation.of_rows(
    _machine, lambda done: [each.row() for each in (*done.rows, *done.differences)], ".warnings"
)
REUSE = Presentation.of_rows(_reuse, lambda done: [each.row() for each in done.systems], ".to_markdown()")
LABEL_CHECK = Presentation.of_rows(_label_check, in_texts("engines.nearest.label_check:label_check_rows"))
SEARCH_EFFORT = Presentation.of_rows(_effort, lambda effort: [each.row() for each in effort.wanted])
