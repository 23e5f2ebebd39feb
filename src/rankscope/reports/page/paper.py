"""Tables and figures for a paper: a folder of .tex and .pdf files, and the lines that put them into a text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rankscope.analysis.comparison.estimates import Estimate, MeasureRow
from rankscope.analysis.comparison.paper_tables import BEST, PaperMarks, marks_of
from rankscope.core.files import atomic, made_folder
from rankscope.core.latex import COLUMN, PLACES, escape_latex, latex_comments, latex_table
from rankscope.core.rendering import Cell, Grid, value_text
from rankscope.measures.evaluation.score_tables import class_grid, coverage_lines
from rankscope.reports.graphs.saving import render_graph
from rankscope.reports.page.report import Figure, Progress, Report


def write_paper(
    report: Report, folder: str | Path, progress: Progress | None = None, width: float = COLUMN, marks: str = "auto"
) -> list[tuple[Path, str]]:
    """Write everything and give each file with what it is; the folder is made if it is not there.

    Tables are not wider than so many points; `marks` behind their numbers are letters or daggers.
    """
    place = made_folder(folder)
    drawn = [figure for figure in report.figures if figure.graph is not None]
    notes = [*coverage_lines(report.scores), *report.scores.warnings()]
    tables = list(_tables(report, marks_of(report.compared, marks)))
    files = {table.name: (table.text(notes, width).encode(), table.what) for table in tables}
    for done, figure in enumerate(drawn):
        graph, wide = figure.on_paper.described(title="", subtitle=""), figure.kind.paper_width
        files[f"{figure.id}.pdf"] = render_graph(graph, "pdf", width=wide, flat=True), figure.drawn.title
        if progress is not None:
            progress("figures", (done + 1) / len(drawn))
    files["README.md"] = (_readme(report, tables, drawn, wide=width > COLUMN).encode(), "lines to copy into the paper")
    for name, (data, _) in files.items():
        with atomic(place / name, "wb") as file:
            file.write(data)
    return [(place / name, what) for name, (_, what) in files.items()]


@dataclass(frozen=True)
class _PaperTable:
    """A table of the paper: its file, what stands in it, what it is, and how its numbers were made."""

    name: str
    grid: Grid
    what: str
    how: str
    below: str = ""

    def text(self, notes: list[str], width: float) -> str:
        """The file: what must be known of the numbers as comments, then the table."""
        return latex_comments([*notes, *filter(None, [self.how])]) + latex_table(
            self.grid, width, [*filter(None, [self.below])]
        )


def _tables(report: Report, marks: PaperMarks) -> Iterator[_PaperTable]:
    result = report.estimates
    below = f"{BEST} {marks.note}".strip() if len(report.systems) > 1 else ""
    means = marks.on(measure_grid(report))
    yield _PaperTable(name="measures.tex", grid=means, what="means with their intervals", how=result.how, below=below)
    if report.compared is not None:
        what = f"paired differences from {report.systems[0]} with their intervals"
        yield _PaperTable("differences.tex", difference_grid(report), what, result.how_compared)
    if report.scores.by_class_wanted:
        yield _PaperTable("classes.tex", class_grid(report.scores), "means within each class of queries", "")


def measure_grid(report: Report) -> Grid:
    """One row per system, one column per measure; the best in bold."""
    measures = report.estimates.rows
    rows = [
        (Cell(name, number=False), *(Cell(_text(row.means[place], row), best=place == row.best) for row in measures))
        for place, name in enumerate(report.systems)
    ]
    return Grid(("system", *(row.asked for row in measures)), tuple(rows))


def difference_grid(report: Report) -> Grid:
    """How far each system is from the first one, by every measure that is tested."""
    measures = [row for row in report.estimates.rows if row.differences]
    rows = [
        (
            Cell(name, number=False),
            *(Cell(_text(row.differences[place].estimate, row, signed=True)) for row in measures),
        )
        for place, name in enumerate(report.systems[1:])
    ]
    return Grid(("system", *(row.asked for row in measures)), tuple(rows))


def _text(estimate: Estimate, row: MeasureRow, signed: bool = False) -> str:
    def told(value: float) -> str:
        sign = "+" if signed and value > 0 else ""
        return sign + value_text(value, row.measure.counts, PLACES)

    if not estimate.has_interval:
        return told(estimate.value)
    return f"{told(estimate.value)} [{told(estimate.low)}, {told(estimate.high)}]"


def _readme(report: Report, tables: list[_PaperTable], drawn: list[Figure], wide: bool) -> str:
    star = "*" if wide else ""
    lines = [
        f"# {report.title}: tables and figures",
        "",
        r"Tables need `\usepackage{booktabs}` and `\usepackage{dcolumn}`, figures `\usepackage{graphicx}`.",
        "Captions are drafts.",
        "",
        "```latex",
    ]
    for table in tables:
        caption = f"{table.what[:1].upper()}{table.what[1:]}. {table.how}".strip()
        lines += [
            rf"\begin{{table{star}}}",
            r"  \centering",
            rf"  \input{{{table.name}}}",
            rf"  \caption{{{escape_latex(caption)}}}",
            rf"  \label{{tab:{table.name.removesuffix('.tex')}}}",
            rf"\end{{table{star}}}",
            "",
        ]
    for figure in drawn:
        full = "*" if figure.kind.paper_width == "full" else ""
        width = r"\textwidth" if full else r"\columnwidth"
        caption = f"{figure.drawn.title}: {figure.subtitle}" if figure.subtitle else figure.drawn.title
        lines += [
            rf"\begin{{figure{full}}}",
            r"  \centering",
            rf"  \includegraphics[width={width}]{{{figure.id}.pdf}}",
            rf"  \caption{{{escape_latex(caption)}.}}",
            rf"  \label{{fig:{figure.id}}}",
            rf"\end{{figure{full}}}",
            "",
        ]
    return "\n".join([*lines[:-1], "```", ""])
