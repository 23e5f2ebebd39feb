"""Scores, tables of scores, and the ranks behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankscope.number_texts import how_many
from rankscope.ranks.relevant_ranks import UNKNOWN, RelevantRanks
from rankscope.reports.displays.display import Display
from rankscope.reports.displays.long_table import LongTable
from rankscope.reports.displays.presentation import Presentation
from rankscope.reports.formats.grid import Cell, coverage_lines, number, summary_grid
from rankscope.reports.formats.rows import Rows, grid_of
from rankscope.reports.formats.warning_kinds import warning_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankscope.evaluation.scores import Column, Scores, SystemScores
    from rankscope.statistics.table.score_table import ScoreTable

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
    from rankscope.reports.formats.markdown import render

    return render(scores, per_query)


def _latex(scores: Scores, per_query: bool = False, columns: str | float = "1", marks: str = "auto") -> str:
    from rankscope.reports.formats.latex_layout import width_of_columns
    from rankscope.reports.texts.paper_tables import scores_table

    return scores_table(scores, width_of_columns(columns), marks, per_query)


def _system(system: SystemScores) -> Display:
    rows: Rows = [
        {"measure": column.asked, "summary": column.summary, "queries": column.averaged} for column in system.columns
    ]
    return Display(f"{system.name}: {how_many(len(system.ranks))} judged", LongTable.of_rows(rows))


def _column(column: Column) -> Display:
    return Display(
        f"{column.asked}: {number(column.summary, column.measure.counts)} over {how_many(column.averaged)} "
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
    return Display(_ranks_title(ranks), LongTable(header, len(ranks), lambda row: _ranks_row(ranks, row)))


def _ranks_title(ranks: RelevantRanks) -> str:
    answered = int(ranks.answered.sum())
    sizes = ranks.collection[ranks.collection != UNKNOWN]
    among = f", among {how_many(int(sizes.max()), 'items')}" if sizes.size else ""
    return (
        f"Ranks of {ranks.system}: {how_many(len(ranks))} judged, {answered:,} answered{among}; "
        f"relevant from grade {ranks.rel:g} on"
    )


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
