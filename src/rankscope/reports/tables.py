"""Tables: cells in rows, what is best in a column, and their texts for a terminal, for Markdown and as JSON."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rankscope.core.names import cell, in_json, one_line, visible
from rankscope.core.wording import how_many
from rankscope.measures.direction import best_value
from rankscope.measures.evaluation.scores import Column, Scores, SystemScores
from rankscope.reports.warning_kinds import warning_lines

# Scores as a grid of cells, before anything decides how cells look: which rows, which columns, what is best.

MANY_MEASURES = 8


@dataclass(frozen=True)
class Cell:
    """What stands in a cell; `best` where it is the best of its measure among several systems.

    `marks` stand raised behind a number of a table for a paper: letters or daggers of what the tests show.
    """

    text: str
    number: bool = True
    best: bool = False
    marks: str = ""


@dataclass(frozen=True)
class Grid:
    """A header and rows of cells."""

    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers alone."""
        return [bool(self.rows) and all(row[place].number for row in self.rows) for place in range(len(self.header))]

    def turned(self) -> Grid:
        """Rows become columns: easier to read with many measures."""
        columns = list(zip(*self.rows, strict=True)) if self.rows else [()] * len(self.header)
        header = (self.header[0] if self.header else "", *(cell.text for cell in columns[0])) if columns else ()
        body = [(Cell(name, number=False), *cells) for name, cells in zip(self.header[1:], columns[1:], strict=True)]
        return Grid(("measure", *header[1:]), tuple(body), self.title)


def value_text(value: float, counts: bool = False, places: int = 4) -> str:
    """A value as it is printed; a dash where it is undefined.

    A count that is a mean over orders of equal scores need not be whole.
    >>> value_text(0.25), value_text(12.0, counts=True), value_text(1.5, counts=True), value_text(float("nan"))
    ('0.2500', '12', '1.5000', '-')
    """
    if math.isnan(value):
        return "-"
    return str(int(value)) if counts and value == int(value) else f"{value:.{places}f}"


def numeric_columns(system: SystemScores) -> list[Column]:
    """Columns that have a number to show."""
    return [column for column in system.columns if column.measure.summary != "none"]


def summary_grid(scores: Scores, places: int = 4) -> Grid:
    """One row per system: the summaries, with the best of each measure marked where there is a choice."""
    systems = scores.systems
    shown = [numeric_columns(system) for system in systems]
    count = len(shown[0]) if shown else 0
    best = [_best([columns[place] for columns in shown]) for place in range(count)]
    rows = []
    for system, columns in zip(systems, shown, strict=True):
        cells = [
            Cell(_summary_text(column, places), best=len(systems) > 1 and column.summary == best[place])
            for place, column in enumerate(columns)
        ]
        rows.append((Cell(system.name, number=False), *cells))
    names = tuple(column.asked for column in shown[0]) if shown else ()
    return Grid(("system", *names), tuple(rows))


def _summary_text(column: Column, places: int) -> str:
    text = value_text(column.summary, column.measure.counts, places) + _error_text(column.summary_error)
    if column.extremes is None or column.extremes[0] == column.extremes[1]:
        return text
    if any(map(math.isnan, column.extremes)):
        return text if math.isnan(column.summary) else f"{text} [not known]"
    low, high = (value_text(each, column.measure.counts, places) for each in column.extremes)
    return f"{text} [{low}, {high}]"


def _error_text(error: float) -> str:
    """Next to a value that is a mean over random orders."""
    return f" (se {error:.2g})" if error > 0 else ""


def _best(columns: list[Column]) -> float | None:
    best = best_value([column.summary for column in columns], columns[0].measure.lower_is_better)
    return None if math.isnan(best) or columns[0].measure.counts else best


def query_grid(scores: Scores) -> Grid:
    """One row per system and query: status and values."""
    several = len(scores.systems) > 1
    rows = []
    for system in scores.systems:
        lead = (Cell(system.name, number=False),) if several else ()
        for row, query in enumerate(system.ranks.queries):
            values = [_value(column, row) for column in system.columns]
            rows.append((*lead, Cell(query, number=False), Cell(system.status[row], number=False), *values))
        for query in system.ranks.not_judged:
            blank = [Cell("-")] * len(system.columns)
            rows.append((*lead, Cell(query, number=False), Cell("not judged", number=False), *blank))
    header = ((("system",) if several else ()), ("query", "status"), scores.measures)
    return Grid(tuple(name for part in header for name in part), tuple(rows))


def _value(column: Column, row: int) -> Cell:
    if column.words is not None:
        return Cell(column.words[row], number=False)
    error = 0.0 if column.error is None else float(column.error[row])
    return Cell(value_text(float(column.values[row]), column.measure.counts) + _error_text(error))


def class_grid(scores: Scores) -> Grid:
    """One row per system and class of queries."""
    table = scores.by_class()
    rows = []
    for (system, label), part in table.group_by(["system", "class"], maintain_order=True):
        values = [Cell(value_text(mean)) for mean in part.get_column("mean").to_list()]
        size = Cell(str(part.get_column("queries").max()))
        rows.append((Cell(str(system), number=False), Cell(str(label) or "(none)", number=False), size, *values))
    measures = table.get_column("measure").unique(maintain_order=True).to_list()
    return Grid(("system", "class", "queries", *measures), tuple(rows))


def coverage_lines(scores: Scores) -> list[str]:
    """How many queries were judged, answered and averaged, once for systems that agree."""
    lines: dict[str, list[str]] = {}
    for system in scores.systems:
        counts = {each.asked: each.averaged for each in numeric_columns(system) if each.measure.summary != "sum"}
        most = max(counts.values(), default=0)
        fewer = [f"{count} for {asked}" for asked, count in counts.items() if count < most]
        shown = f" ({', '.join(fewer[:4] + (['...'] if len(fewer) > 4 else []))})" if fewer else ""
        ranks = system.ranks
        text = f"{how_many(len(ranks))} judged, {int(ranks.answered.sum())} answered, {most} averaged{shown}"
        lines.setdefault(text, []).append(system.name)
    if len(lines) == 1:
        return list(lines)
    return [f"{', '.join(names)}: {text}" for text, names in lines.items()]


# Results that come as rows: a text table for people, Markdown for a page, JSON for programs.

Rows = Sequence[dict[str, object]]


def grid_of(rows: Rows, places: int = 4) -> Grid:
    """Rows as a grid; columns in the order in which they first occur."""
    header = tuple(dict.fromkeys(name for row in rows for name in row))
    return Grid(header, tuple(tuple(cell_of(name, row.get(name), places) for name in header) for row in rows))


def text_table(rows: Rows, places: int = 4) -> str:
    """Columns aligned, a rule below the header; a dash where there is not a number.

    >>> print(text_table([{"system": "A", "mean": 0.25, "p (Holm)": 0.00001}]), end="")
    system    mean  p (Holm)
    ------  ------  --------
    A       0.2500   <0.0001
    """
    return grid_text(grid_of(rows, places))


def markdown_table(rows: Rows, places: int = 4) -> str:
    return grid_markdown(grid_of(rows, places))


def p_text(p: float, places: int = 4) -> str:
    """A p-value as it is printed: never as 0.

    >>> p_text(0.00001), p_text(0.0312), p_text(float("nan"))
    ('<0.0001', '0.0312', '-')
    """
    least = 10.0**-places
    return f"<{least:.{places}f}" if p < least else value_text(p, places=places)


def cell_of(name: str, value: object, places: int = 4) -> Cell:
    """A value under its heading: p-values never as 0, whole numbers with commas, a dash where there is nothing."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Cell("-" if value is None else str(value), number=value is None)
    if isinstance(value, int):
        return Cell(f"{value:,}")
    return Cell(p_text(value, places) if "p" in name.split(" ") else value_text(value, places=places))


def as_json(whole: dict[str, Any]) -> str:
    """One object; undefined numbers are null."""
    return in_json(json.dumps(_clean(whole), indent=2, ensure_ascii=False)) + "\n"


def _clean(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _clean(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def rows_csv(rows: Rows) -> str:
    """Rows of equal columns with all digits; empty where there is not a number, and no text that acts as a formula."""
    file = io.StringIO()
    writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: "" if value != value else cell(value) for key, value in row.items()} for row in rows)
    return file.getvalue()


# A table for the terminal: plain text, with colour where a terminal is attached.


def render_table(scores: Scores, per_query: bool = False, colour: bool = False) -> str:
    """Values per query if asked, the summary, and beneath it what must be said with the numbers."""
    parts = []
    if per_query:
        parts.append(grid_text(query_grid(scores), colour))
    summary = summary_grid(scores)
    turned = len(summary.header) - 1 > MANY_MEASURES
    parts.append(grid_text(summary.turned() if turned else summary, colour))
    if scores.by_class_wanted:
        parts.append(grid_text(class_grid(scores), colour))
    mark = "\x1b[33m!\x1b[0m" if colour else "!"
    warnings = [f"{mark} {visible(line)}" for line in warning_lines(scores, scores.verbose)]
    return "\n".join(parts) + "\n" + "\n".join([*map(visible, coverage_lines(scores)), *warnings]) + "\n"


def grid_text(grid: Grid, colour: bool = False) -> str:
    """Columns aligned: text to the left, numbers to the right; a rule below the header."""
    head = tuple(map(one_line, grid.header))
    body = [tuple(one_line(cell.text) for cell in row) for row in grid.rows]
    texts = [head, *body]
    widths = [max(len(row[place]) for row in texts) for place in range(len(grid.header))]
    numeric = grid.numeric

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


# A Markdown table, the best of each measure in bold.


def render_markdown(scores: Scores, per_query: bool = False, colour: bool = False) -> str:
    """The summary (or the values per query), then the coverage and the warnings as a list."""
    grid = query_grid(scores) if per_query else summary_grid(scores)
    notes = [f"- {one_line(line)}" for line in [*coverage_lines(scores), *scores.warnings()]]
    return grid_markdown(grid) + "\n" + "\n".join(notes) + "\n"


def grid_markdown(grid: Grid) -> str:
    """Pipes and dashes; a pipe inside a cell is escaped."""
    rows = [[f"**{_safe(cell.text)}**" if cell.best else _safe(cell.text) for cell in row] for row in grid.rows]
    lines = [[_safe(text) for text in grid.header], ["---:" if number else "---" for number in grid.numeric], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _safe(text: str) -> str:
    return one_line(text.replace("\n", " ")).replace("|", "\\|")
