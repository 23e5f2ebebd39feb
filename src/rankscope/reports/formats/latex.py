"""A LaTeX table in booktabs style, the best of each measure in bold."""

from __future__ import annotations

from collections.abc import Iterable

from rankscope.evaluation.scores import Scores
from rankscope.names import one_line
from rankscope.reports.formats.grid import Grid, coverage_lines, query_grid, summary_grid

name = "latex"
suffixes = (".tex",)
binary = False

SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {
    sign: "\\" + sign for sign in "&%$#_{}"
}


def render(scores: Scores, per_query: bool = False, colour: bool = False) -> str:
    r"""A tabular to \input; needs booktabs. What must be said with the numbers stands above it as comments."""
    grid = query_grid(scores) if per_query else summary_grid(scores)
    return comments([*coverage_lines(scores), *scores.warnings()]) + table_of(grid)


def comments(lines: Iterable[str]) -> str:
    """Each line as a comment that ends where it should, whatever names stand in it."""
    return "".join(f"% {one_line(line)}\n" for line in lines)


def table_of(grid: Grid) -> str:
    """The tabular environment."""
    right = [bool(grid.rows) and all(row[place].number for row in grid.rows) for place in range(len(grid.header))]
    shape = "".join("r" if number else "l" for number in right)
    rows = [
        _row(rf"\textbf{{{escape_latex(c.text)}}}" if c.best else escape_latex(c.text) for c in row)
        for row in grid.rows
    ]
    head = _row(escape_latex(text) for text in grid.header)
    body = "".join(f"{row} \\\\\n" for row in rows)
    return f"\\begin{{tabular}}{{{shape}}}\n\\toprule\n{head} \\\\\n\\midrule\n{body}\\bottomrule\n\\end{{tabular}}\n"


def _row(cells: Iterable[str]) -> str:
    r"""Cells side by side; a bracket or a star at the beginning would belong to the \\ before it."""
    text = " & ".join(cells)
    return "{}" + text if text.lstrip().startswith(("[", "*")) else text


def escape_latex(text: str) -> str:
    r"""Text with LaTeX's special signs made plain.

    >>> print(escape_latex("bm25_k1 50%"))
    bm25\_k1 50\%
    """
    return "".join(SPECIAL.get(sign, sign) for sign in one_line(text)).replace("--", "-{}-")
