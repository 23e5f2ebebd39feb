"""A table for the terminal: plain text, with colour where a terminal is attached."""

from __future__ import annotations

from rankscope.evaluation.scores import Scores
from rankscope.names import one_line, visible
from rankscope.reports.formats.grid import MANY_MEASURES, Grid, class_grid, coverage_lines, query_grid, summary_grid
from rankscope.reports.formats.warning_kinds import warning_lines


def render(scores: Scores, per_query: bool = False, colour: bool = False) -> str:
    """Values per query if asked, the summary, and beneath it what must be said with the numbers."""
    parts = []
    if per_query:
        parts.append(text_of(query_grid(scores), colour))
    summary = summary_grid(scores)
    turned = len(summary.header) - 1 > MANY_MEASURES
    parts.append(text_of(summary.turned() if turned else summary, colour))
    if scores.by_class_wanted:
        parts.append(text_of(class_grid(scores), colour))
    said = [*map(visible, coverage_lines(scores)), *notes(scores, colour)]
    return "\n".join(parts) + "\n" + "\n".join(said) + "\n"


def notes(scores: Scores, colour: bool = False) -> list[str]:
    """The warning block, a line each, or a line a kind where many systems have it."""
    mark = "\x1b[33m!\x1b[0m" if colour else "!"
    return [f"{mark} {visible(line)}" for line in warning_lines(scores, scores.verbose)]


def text_of(grid: Grid, colour: bool = False) -> str:
    """Columns aligned: text to the left, numbers to the right; a rule below the header."""
    head = tuple(map(one_line, grid.header))
    body = [tuple(one_line(cell.text) for cell in row) for row in grid.rows]
    texts = [head, *body]
    widths = [max(len(row[place]) for row in texts) for place in range(len(grid.header))]
    numeric = [all(row[place].number for row in grid.rows) and bool(grid.rows) for place in range(len(grid.header))]

    def line(cells: tuple[str, ...], bold: tuple[bool, ...]) -> str:
        padded = [
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(cells, widths, numeric, strict=True)
        ]
        marked = [
            f"\x1b[1m{text}\x1b[0m" if strong and colour else text for text, strong in zip(padded, bold, strict=True)
        ]
        return "  ".join(marked).rstrip()

    plain = (False,) * len(widths)
    rows = [line(row, tuple(cell.best for cell in cells)) for row, cells in zip(body, grid.rows, strict=True)]
    return "\n".join([line(head, plain), "  ".join("-" * width for width in widths), *rows]) + "\n"
