"""Comparisons and scores as tables for a paper: systems as rows, the best in bold, marks of what the tests show."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from rankscope.reports.formats.grid import Cell, Grid, coverage_lines, number, query_grid, summary_grid
from rankscope.reports.formats.latex import PLACES, comments, layout_of, table_of
from rankscope.reports.formats.latex_layout import COLUMN
from rankscope.reports.formats.rows import p_text
from rankscope.reports.texts.comparison import notes_of
from rankscope.reports.texts.comparison_words import verdict
from rankscope.reports.texts.estimates import compared_of
from rankscope.reports.texts.paper_marks import PaperMarks, marks_of

if TYPE_CHECKING:
    from rankscope.evaluation.scores import Scores
    from rankscope.statistics.pairs.pairwise import Comparison
    from rankscope.statistics.verdicts.compared import Compared, MeasureCompared

BEST = "Bold: the best mean."


def comparison_table(compared: Compared, width: float = COLUMN, marks: str = "auto", notes: bool = True) -> str:
    """A comparison; the verdict and what must be said with it stand above the table as comments."""
    chosen = marks_of(compared, marks)
    several = len(compared.measures) > 1
    grid = means_grid(compared) if several else _one_measure(compared, chosen, width)
    below = [BEST, "" if several else compared.main.means.told, chosen.note]
    said = [*verdict(compared), *(notes_of(compared) if notes else [])]
    return comments(said) + table_of(chosen.on(grid), width, [*filter(None, below)])


def scores_table(
    scores: Scores,
    width: float = COLUMN,
    marks: str = "auto",
    per_query: bool = False,
    compared: Compared | None = None,
) -> str:
    """Scores of systems in the order given; for the marks several are compared, before or here.

    They are the marks that `rankscope compare` gives with the same measures.
    """
    said = [*coverage_lines(scores), *scores.warnings()]
    if per_query:
        return comments(said) + table_of(query_grid(scores), width)
    compared = None if marks == "none" else compared or compared_of(scores)
    chosen = marks_of(compared, marks)
    below = [BEST] if len(scores.systems) > 1 else []
    whole = comments([*said, *(notes_of(compared) if compared is not None else [])])
    return whole + table_of(chosen.on(summary_grid(scores, PLACES)), width, [*below, *filter(None, [chosen.note])])


def means_grid(compared: Compared) -> Grid:
    """One row for each system, the best by the primary measure first; one column for each measure."""
    rows = [
        (Cell(name, number=False), *(_mean(one, name) for one in compared.measures)) for name in compared.main.order
    ]
    return Grid(("system", *(one.measure for one in compared.measures)), tuple(rows))


def _one_measure(compared: Compared, marks: PaperMarks, width: float) -> Grid:
    """With p-values where there is room for them."""
    whole = measure_grid(compared)
    if len(layout_of(marks.on(whole), width).panels) == 1:
        return whole
    return replace(whole, header=whole.header[:-1], rows=tuple(row[:-1] for row in whole.rows))


def measure_grid(compared: Compared) -> Grid:
    """One measure: means and differences from the baseline with their intervals, and p-values as corrected."""
    one, first = compared.main, compared.systems[0]
    pairs = {pair.second: pair for pair in one.pairs if pair.first == first}
    rows = []
    for name in one.order:
        mean, place = _mean(one, name), one.table.number(name)
        span = _span(float(one.means.low[place]), float(one.means.high[place]))
        pair = pairs.get(name)
        beside = [Cell("-"), Cell("-")] if pair is None else [_difference(pair), Cell(p_text(pair.adjusted, PLACES))]
        rows.append((Cell(name, number=False), replace(mean, text=mean.text + span), *beside))
    return Grid(("system", one.measure, f"minus {first}", "p"), tuple(rows))


def _mean(one: MeasureCompared, name: str) -> Cell:
    return Cell(number(float(one.means.mean[one.table.number(name)]), places=PLACES), best=name == one.order[0])


def _difference(pair: Comparison) -> Cell:
    sign = "+" if pair.difference > 0 else ""
    return Cell(sign + number(pair.difference, places=PLACES) + _span(pair.low, pair.high))


def _span(low: float, high: float) -> str:
    """An interval behind a number; nothing where there is none."""
    if math.isnan(low):
        return ""
    return f" [{number(low, places=PLACES)}, {number(high, places=PLACES)}]".replace("-", "\u2212")
