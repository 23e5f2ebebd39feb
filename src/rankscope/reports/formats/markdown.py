"""A Markdown table, the best of each measure in bold."""

from __future__ import annotations

from rankscope.evaluation.scores import Scores
from rankscope.names import one_line
from rankscope.reports.formats.grid import Grid, coverage_lines, query_grid, summary_grid


def render(scores: Scores, per_query: bool = False, colour: bool = False) -> str:
    """The summary (or the values per query), then the coverage and the warnings as a list."""
    grid = query_grid(scores) if per_query else summary_grid(scores)
    notes = [f"- {one_line(line)}" for line in [*coverage_lines(scores), *scores.warnings()]]
    return table_of(grid) + "\n" + "\n".join(notes) + "\n"


def table_of(grid: Grid) -> str:
    """Pipes and dashes; a pipe inside a cell is escaped."""
    right = [bool(grid.rows) and all(row[place].number for row in grid.rows) for place in range(len(grid.header))]
    rows = [[f"**{_safe(cell.text)}**" if cell.best else _safe(cell.text) for cell in row] for row in grid.rows]
    lines = [[_safe(text) for text in grid.header], ["---:" if number else "---" for number in right], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _safe(text: str) -> str:
    return one_line(text.replace("\n", " ")).replace("|", "\\|")
