"""Comparisons and scores as tables for a paper: the best in bold, letters or daggers of what the tests show."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rankscope.analysis.comparison.compare import comparison_notes
from rankscope.analysis.comparison.estimates import compared_of
from rankscope.analysis.comparison.verdict_sentences import verdict_sentences
from rankscope.analysis.statistics.deciding_test import DECIDING
from rankscope.core.latex import COLUMN, PLACES, latex_comments, latex_table, layout_of, width_of_columns
from rankscope.core.rendering import Cell, Grid, p_text, value_text
from rankscope.core.validation import OneOf, check
from rankscope.core.wording import percent_text
from rankscope.measures.evaluation.score_tables import coverage_lines, query_grid, summary_grid

if TYPE_CHECKING:
    from rankscope.analysis.comparison.compare import Compared, MeasureCompared
    from rankscope.analysis.comparison.pairwise import Comparison
    from rankscope.measures.evaluation.scores import Scores


BEST = "Bold: the best mean."


def comparison_table(compared: Compared, width: float = COLUMN, marks: str = "auto", notes: bool = True) -> str:
    """A comparison; the verdict and what must be said with it stand above the table as comments."""
    chosen = marks_of(compared, marks)
    several = len(compared.measures) > 1
    grid = means_grid(compared) if several else _one_measure(compared, chosen, width)
    below = [BEST, "" if several else compared.main.means.told, chosen.note]
    said = [*verdict_sentences(compared), *(comparison_notes(compared) if notes else [])]
    return latex_comments(said) + latex_table(chosen.on(grid), width, [*filter(None, below)])


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
        return latex_comments(said) + latex_table(query_grid(scores), width)
    compared = None if marks == "none" else compared or compared_of(scores)
    chosen = marks_of(compared, marks)
    below = [BEST] if len(scores.systems) > 1 else []
    whole = latex_comments([*said, *(comparison_notes(compared) if compared is not None else [])])
    return whole + latex_table(chosen.on(summary_grid(scores, PLACES)), width, [*below, *filter(None, [chosen.note])])


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
    return Cell(value_text(float(one.means.mean[one.table.number(name)]), places=PLACES), best=name == one.order[0])


def _difference(pair: Comparison) -> Cell:
    sign = "+" if pair.difference > 0 else ""
    return Cell(sign + value_text(pair.difference, places=PLACES) + _span(pair.low, pair.high))


def _span(low: float, high: float) -> str:
    """An interval behind a number; nothing where there is none."""
    if math.isnan(low):
        return ""
    return f" [{value_text(low, places=PLACES)}, {value_text(high, places=PLACES)}]".replace("-", "\u2212")


# Marks behind the numbers of a table for a paper: what the tests show, by the verdict that the text gives.

MARK_WAYS = ("auto", "letters", "daggers", "none")
BETTER, WORSE = "†", "‡"
MOST_LETTERS = 16  # more cannot be read
LONGEST = 6  # letters behind one number


@dataclass(frozen=True)
class PaperMarks:
    """The marks of each system by each measure, and what they mean."""

    marks: Mapping[tuple[str, str], str] = field(default_factory=dict)
    note: str = ""

    def on(self, grid: Grid) -> Grid:
        """The grid with marks; its columns are measures, its first column systems."""
        rows = tuple(
            tuple(
                replace(cell, marks=self.marks.get((row[0].text, name), ""))
                for cell, name in zip(row, grid.header, strict=True)
            )
            for row in grid.rows
        )
        return replace(grid, rows=rows)


def marks_of(compared: Compared | None, way: str = "auto") -> PaperMarks:
    """Letters where every pair of three systems or more was compared and they can be read; daggers otherwise."""
    way = check({"marks": way}, marks=OneOf(MARK_WAYS))["marks"]
    if compared is None or way == "none":
        return PaperMarks()
    lettered = way == "letters" or (way == "auto" and all(map(_readable, compared.measures)))
    if lettered and all(one.ranks is not None for one in compared.measures) and len(compared.systems) > 2:
        return PaperMarks(
            _by_measure(compared, _letters),
            f"No significant difference between systems that share a letter, by that measure: {_how(compared)}.",
        )
    return PaperMarks(
        _by_measure(compared, _daggers),
        f"{BETTER} better and {WORSE} worse than {compared.systems[0]}: {_how(compared)}.",
    )


def _by_measure(compared: Compared, marks: Callable[[MeasureCompared], dict[str, str]]) -> dict[tuple[str, str], str]:
    """The marks of every measure; a system that equals another has the marks of that one."""
    names = {name: name for name in compared.systems} | dict(compared.same)
    found = {one.measure: marks(one) for one in compared.measures}
    return {
        (name, measure): each[other]
        for measure, each in found.items()
        for name, other in names.items()
        if other in each
    }


def _readable(one: MeasureCompared) -> bool:
    letters = one.ranks.letters if one.ranks is not None else ()
    return len(set("".join(letters))) <= MOST_LETTERS and max(map(len, letters), default=0) <= LONGEST


def _letters(one: MeasureCompared) -> dict[str, str]:
    return dict(zip(one.ranks.systems, one.ranks.letters, strict=True)) if one.ranks is not None else {}


def _daggers(one: MeasureCompared) -> dict[str, str]:
    """Of each system but the baseline, which is the first."""
    first = one.table.systems[0]
    shown = [pair for pair in one.pairs if first in (pair.first, pair.second) and pair.better]
    others = [pair.second if pair.first == first else pair.first for pair in shown]
    return {name: BETTER if pair.better == name else WORSE for name, pair in zip(others, shown, strict=True)}


def _how(compared: Compared) -> str:
    return f"{DECIDING} test at {percent_text(compared.level)}; {str(compared.families).replace(chr(10), '; ')}"


def scores_latex(scores: Scores, per_query: bool, columns: str | float, marks: str) -> str:
    """Scores as wide as so many columns of a paper."""
    return scores_table(scores, width_of_columns(columns), marks, per_query)
