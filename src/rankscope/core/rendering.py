"""The renderer of results: sentences, tables and notes as text, Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rankscope.core.names import cell, in_json, one_line, visible

Rows = Sequence[dict[str, object]]


# What a result says, and how it is written.


@dataclass(frozen=True)
class HeadedTable:
    """Rows, or cells that are made already, under a heading; the note stands directly below."""

    heading: str
    rows: Rows | Grid
    note: str = ""
    places: int = 4

    @property
    def grid(self) -> Grid:
        """Its cells."""
        return self.rows if isinstance(self.rows, Grid) else grid_of(self.rows, self.places)


@dataclass(frozen=True)
class Presentation:
    """What a result says: sentences, tables, what follows from them, and notes that must be read with it.

    >>> means = HeadedTable("Means", [{"system": "B", "mean": 0.25}])
    >>> said = Presentation(["B is better."], [means], notes=["few queries"])
    >>> print(said.text(), end="")
    B is better.
    <BLANKLINE>
    Means
    system    mean
    ------  ------
    B       0.2500
    <BLANKLINE>
    ! few queries
    """

    sentences: Sequence[str] = ()
    tables: Sequence[HeadedTable | str] = ()  # or a paragraph between two tables
    conclusions: Sequence[str] = ()
    notes: Sequence[str] = ()
    spaced: bool = False  # as text: an empty line between a heading and its table
    apart: bool = False  # as text: an empty line between notes
    bold: bool = False  # as Markdown: the first sentence stands out, each is a paragraph, and headings are smaller

    def text(self) -> str:
        """For a terminal: blocks with an empty line between them, a mark before each note."""
        gap = "\n\n" if self.spaced else "\n"
        tables = [
            f"{each}\n"
            if isinstance(each, str)
            else (f"{each.heading}{gap}" if each.heading else "") + grid_text(each.grid) + _below(each)
            for each in self.tables
        ]
        notes = [f"! {line}\n" for line in self.notes]
        return self._blocks(_lines(self.sentences), tables, notes if self.apart else ["".join(notes)])

    def markdown(self) -> str:
        """For a page: a heading for each table, notes as a list."""
        level = "###" if self.bold else "##"
        tables = [
            f"{each}\n"
            if isinstance(each, str)
            else (f"{level} {each.heading}\n\n" if each.heading else "") + grid_markdown(each.grid) + _below(each, "\n")
            for each in self.tables
        ]
        lead = f"{' '.join(self.sentences)}\n" if self.sentences else ""
        if self.bold:
            lead = "\n".join([f"**{self.sentences[0]}**\n", *(f"{line}\n" for line in self.sentences[1:])])
        return self._blocks(lead, tables, [_lines(f"- {line}" for line in self.notes)])

    def _blocks(self, lead: str, tables: Sequence[str], notes: Sequence[str]) -> str:
        return visible("\n".join(filter(None, [lead, *tables, _lines(self.conclusions), *notes])))

    def latex(self, width: float) -> str:
        """The first table for a paper, so many points wide, with all that is said below it."""
        from rankscope.core.latex import PLACES, latex_table

        rows = next(each.rows for each in self.tables if isinstance(each, HeadedTable))
        grid = rows if isinstance(rows, Grid) else grid_of(rows, PLACES)
        return latex_table(grid, width, [*self.sentences, *self.conclusions, *self.notes])


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _below(table: HeadedTable, gap: str = "") -> str:
    return f"{gap}{table.note}\n" if table.note else ""


# The parts: cells in a grid, rows with columns in the order in which they first occur.


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


def grid_markdown(grid: Grid) -> str:
    """Pipes and dashes; a pipe inside a cell is escaped."""
    rows = [[f"**{_safe(cell.text)}**" if cell.best else _safe(cell.text) for cell in row] for row in grid.rows]
    lines = [[_safe(text) for text in grid.header], ["---:" if number else "---" for number in grid.numeric], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _safe(text: str) -> str:
    return one_line(text.replace("\n", " ")).replace("|", "\\|")
