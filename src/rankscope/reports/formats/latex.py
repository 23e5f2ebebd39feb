"""Tables for a paper: booktabs, decimals aligned by dcolumn, the best of each measure in bold, as wide as a column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rankscope.evaluation.scores import Scores
from rankscope.names import one_line
from rankscope.reports.formats.grid import Grid, coverage_lines, query_grid, summary_grid
from rankscope.reports.formats.latex_columns import LatexColumn
from rankscope.reports.formats.latex_layout import COLUMN, Layout, PlacedColumn, fitted
from rankscope.reports.formats.latex_signs import PREAMBLE, UNKNOWN, breakable, escape_latex, text_width

PLACES = 3
PACKAGES = r"needs \usepackage{booktabs} and \usepackage{dcolumn}; \input it into a table"
MOST_ROWS = 48  # that a page holds; more are set as tables of their own
NOTE_SIZE = 7
BETWEEN = "\n\\\\\\noalign{\\vskip 4pt}\n"  # panels
NARROWEST_NOTE = 150.0


def render(scores: Scores, per_query: bool = False, colour: bool = False) -> str:
    r"""A tabular to \input. What must be said with the numbers stands above it as comments."""
    grid = query_grid(scores) if per_query else summary_grid(scores, PLACES)
    return comments([*coverage_lines(scores), *scores.warnings()]) + table_of(grid)


def comments(lines: Iterable[str]) -> str:
    """Each line as a comment that ends where it should, whatever names stand in it."""
    return "".join(f"% {one_line(line)}\n" for line in lines)


def table_of(grid: Grid, width: float = COLUMN, notes: Sequence[str] = ()) -> str:
    """The table, not wider than so many points; notes stand below it.

    Where it is too wide, letters become smaller, headings and names break, and measures stand in panels below each
    other. More rows than a page holds are set as several tables.
    """
    layout = layout_of(grid, width)
    sheets = _sheets(layout, len(grid.rows))
    size = f"\\fontsize{{{layout.size}}}{{{layout.size * 1.2:.1f}}}\\selectfont"
    begin = f"\\noindent{{{size}\\setlength{{\\tabcolsep}}{{{layout.separation}pt}}%\n"
    below = _notes(notes, min(width, max(layout.width, NARROWEST_NOTE)))
    texts = [begin + _sheet(each, below if each is sheets[-1] else "") + "}%\n" for each in sheets]
    lead = [PACKAGES, *([f"{len(sheets)} tables: put each into a float of its own"] if len(sheets) > 1 else [])]
    whole = "\\par\n".join(texts)
    return comments(lead) + (f"{PREAMBLE}\n" if f"\\{UNKNOWN}{{" in whole else "") + whole


def layout_of(grid: Grid, width: float = COLUMN) -> Layout:
    """How a table is fitted into a column."""
    columns = [LatexColumn(each, tuple(row[place] for row in grid.rows)) for place, each in enumerate(grid.header)]
    return fitted(columns, width)


def _sheets(layout: Layout, rows: int) -> list[list[str]]:
    """Panels that stand on one page together."""
    sheets: list[list[str]] = [[]]
    filled = 0
    for panel in layout.panels:
        for start in range(0, max(rows, 1), MOST_ROWS):
            part = range(start, min(start + MOST_ROWS, rows))
            if sheets[-1] and filled + len(part) > MOST_ROWS:
                sheets, filled = [*sheets, []], 0
            sheets[-1].append(_panel(panel, part, layout))
            filled += len(part)
    return sheets


def _sheet(panels: Sequence[str], notes: str) -> str:
    """One panel as it is; several, or one with notes, below each other."""
    parts = [each.rstrip("\n") for each in (*panels, *filter(None, [notes]))]
    if len(parts) == 1:
        return f"{parts[0]}"
    return "\\begin{tabular}{@{}l@{}}\n" + BETWEEN.join(parts) + "\n\\end{tabular}"


def _panel(panel: Sequence[PlacedColumn], rows: range, layout: Layout) -> str:
    columns = "".join(each.column.shape(layout.size, each.wrapped) for each in panel)
    body = [_row(each.column.cell(row, each.wrapped, layout.size) for each in panel) for row in rows]
    lines = [*_headings(panel, layout), "\\midrule", *body]
    inside = "\n".join(line if line.endswith("rule") else f"{line} \\\\" for line in lines)
    begin, end = _environment(columns, layout)
    return f"{begin}\n\\toprule\n{inside}\n\\bottomrule\n{end}\n"


def _environment(columns: str, layout: Layout) -> tuple[str, str]:
    """Panels of numbers alone are spread to one width."""
    if len(layout.panels) == 1 or any(each.column.has_rest for panel in layout.panels for each in panel):
        return f"\\begin{{tabular}}{{@{{}}{columns}@{{}}}}", "\\end{tabular}"
    spread = f"@{{\\extracolsep{{\\fill}}}}{columns}@{{}}"
    return f"\\begin{{tabular*}}{{{layout.width:.1f}pt}}{{{spread}}}", "\\end{tabular*}"


def _headings(panel: Sequence[PlacedColumn], layout: Layout) -> list[str]:
    """As many lines as the heading with most of them has; shorter ones stand at the bottom."""
    texts = [each.column.lines(layout.stacked) for each in panel]
    height = max(map(len, texts), default=1)
    padded = [("",) * (height - len(lines)) + lines for lines in texts]
    return [
        _row(
            _heading(each, lines[number], layout.size, last=each is panel[-1])
            for each, lines in zip(panel, padded, strict=True)
        )
        for number in range(height)
    ]


def _heading(placed: PlacedColumn, text: str, size: float, last: bool) -> str:
    if placed.column.numeric:
        shape = "c@{}" if last else "c"
        return f"\\multicolumn{{{2 if placed.column.has_rest else 1}}}{{{shape}}}{{{escape_latex(text)}}}"
    return escape_latex(text) if placed.wrapped is None else breakable(text, placed.wrapped, size)


def _row(cells: Iterable[str]) -> str:
    r"""Cells side by side; a bracket or a star at the beginning would belong to the \\ before it."""
    text = " & ".join(cells)
    return "{}" + text if text.lstrip().startswith(("[", "*")) else text


def _notes(lines: Sequence[str], width: float) -> str:
    """What must be said below the table, in smaller letters."""
    if not lines:
        return ""
    words = [_word(word, width) for word in " ".join(lines).split()]
    size = f"\\fontsize{{{NOTE_SIZE}}}{{{NOTE_SIZE * 1.2:.1f}}}\\selectfont"
    return f"\\parbox{{{width:.1f}pt}}{{{size}\\raggedright {' '.join(words)}}}"


def _word(word: str, width: float) -> str:
    """One word in a note, which breaks where it is long."""
    long = text_width(word, NOTE_SIZE) > width / 3
    return breakable(word, width, NOTE_SIZE) if long else escape_latex(word)
