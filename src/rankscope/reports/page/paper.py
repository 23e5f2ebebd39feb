"""Tables and figures for a paper: a folder of .tex and .pdf files, and the lines that put them into a text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rankscope.files import atomic, made_folder
from rankscope.graphs.saving import render_graph
from rankscope.reports.formats.grid import Cell, Grid, class_grid, coverage_lines, number
from rankscope.reports.formats.latex import comments, escape_latex, table_of
from rankscope.reports.page.contents import Report
from rankscope.reports.page.figures import Figure, Progress
from rankscope.reports.texts.estimates import Estimate, MeasureRow


def write_paper(report: Report, folder: str | Path, progress: Progress | None = None) -> list[tuple[Path, str]]:
    """Write everything and give each file with what it is; the folder is made if it is not there."""
    place = made_folder(folder)
    drawn = [figure for figure in report.figures if figure.graph is not None]
    notes = [*coverage_lines(report.scores), *report.scores.warnings()]
    files = {table.name: (table.text(notes).encode(), table.what) for table in _tables(report)}
    for done, figure in enumerate(drawn):
        files[f"{figure.id}.pdf"] = (_picture(figure), figure.drawn.title)
        if progress is not None:
            progress("figures", (done + 1) / len(drawn))
    files["README.md"] = (_readme(report, drawn).encode(), "lines to copy into the paper")
    for name, (data, _) in files.items():
        with atomic(place / name, "wb") as file:
            file.write(data)
    return [(place / name, what) for name, (_, what) in files.items()]


def _picture(figure: Figure) -> bytes:
    """One or two columns wide; a surface is seen from above, as on the page."""
    return render_graph(
        figure.on_paper.described(title="", subtitle=""), "pdf", width=figure.kind.paper_width, flat=True
    )


@dataclass(frozen=True)
class _PaperTable:
    """A table of the paper: its file, what stands in it, what it is, and how its numbers were made."""

    name: str
    grid: Grid
    what: str
    how: str

    def text(self, notes: list[str]) -> str:
        """The file: what must be known of the numbers as comments, then the table."""
        return comments([*notes, *filter(None, [self.how])]) + table_of(self.grid)


def _tables(report: Report) -> Iterator[_PaperTable]:
    result = report.estimates
    yield _PaperTable("measures.tex", measure_grid(report), "means with their intervals", result.how)
    if report.compared is not None:
        what = "paired differences with their intervals"
        yield _PaperTable("differences.tex", difference_grid(report), what, result.how_compared)
    if report.scores.by_class_wanted:
        yield _PaperTable("classes.tex", class_grid(report.scores), "means within each class of queries", "")


def measure_grid(report: Report) -> Grid:
    """One row per measure, one column per system; the best in bold."""
    rows = []
    for row in report.estimates.rows:
        cells = [Cell(_text(mean, row), best=place == row.best) for place, mean in enumerate(row.means)]
        rows.append((Cell(row.asked, number=False), *cells))
    return Grid(("measure", *report.systems), tuple(rows))


def difference_grid(report: Report) -> Grid:
    """How far each system is from the first one."""
    first, *others = report.systems
    rows = [
        (Cell(row.asked, number=False), *(Cell(_text(each.estimate, row, signed=True)) for each in row.differences))
        for row in report.estimates.rows
        if row.differences
    ]
    return Grid(("measure", *(f"{other} minus {first}" for other in others)), tuple(rows))


def _text(estimate: Estimate, row: MeasureRow, signed: bool = False) -> str:
    def told(value: float) -> str:
        sign = "+" if signed and value > 0 else ""
        return sign + number(value, row.measure.counts)

    if not estimate.has_interval:
        return told(estimate.value)
    return f"{told(estimate.value)} [{told(estimate.low)}, {told(estimate.high)}]"


def _readme(report: Report, drawn: list[Figure]) -> str:
    lines = [
        f"# {report.title}: tables and figures",
        "",
        r"Tables need `\usepackage{booktabs}`, figures `\usepackage{graphicx}`. Captions are drafts.",
        "",
        "```latex",
    ]
    for table in _tables(report):
        caption = f"{_capital(table.what)}. {table.how}".strip()
        lines += [
            r"\begin{table}",
            r"  \centering",
            rf"  \input{{{table.name}}}",
            rf"  \caption{{{escape_latex(caption)}}}",
            rf"  \label{{tab:{table.name.removesuffix('.tex')}}}",
            r"\end{table}",
            "",
        ]
    for figure in drawn:
        wide = "*" if figure.kind.paper_width == "full" else ""
        width = r"\textwidth" if wide else r"\columnwidth"
        caption = f"{figure.drawn.title}: {figure.subtitle}" if figure.subtitle else figure.drawn.title
        lines += [
            rf"\begin{{figure{wide}}}",
            r"  \centering",
            rf"  \includegraphics[width={width}]{{{figure.id}.pdf}}",
            rf"  \caption{{{escape_latex(caption)}.}}",
            rf"  \label{{fig:{figure.id}}}",
            rf"\end{{figure{wide}}}",
            "",
        ]
    return "\n".join([*lines[:-1], "```", ""])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
