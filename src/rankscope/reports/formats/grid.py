"""Scores as a grid of cells, before anything decides how cells look: which rows, which columns, what is best."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rankscope.evaluation.scores import Column, Scores, SystemScores
from rankscope.measures.direction import best_value
from rankscope.number_texts import how_many

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

    def turned(self) -> Grid:
        """Rows become columns: easier to read with many measures."""
        columns = list(zip(*self.rows, strict=True)) if self.rows else [()] * len(self.header)
        header = (self.header[0] if self.header else "", *(cell.text for cell in columns[0])) if columns else ()
        body = [(Cell(name, number=False), *cells) for name, cells in zip(self.header[1:], columns[1:], strict=True)]
        return Grid(("measure", *header[1:]), tuple(body), self.title)


def number(value: float, counts: bool = False, places: int = 4) -> str:
    """A value as it is printed; a dash where it is undefined.

    A count that is a mean over orders of equal scores need not be whole.
    >>> number(0.25), number(12.0, counts=True), number(1.5, counts=True), number(float("nan"))
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
    text = number(column.summary, column.measure.counts, places) + _error_text(column.summary_error)
    if column.extremes is None or column.extremes[0] == column.extremes[1]:
        return text
    if any(map(math.isnan, column.extremes)):
        return text if math.isnan(column.summary) else f"{text} [not known]"
    low, high = (number(each, column.measure.counts, places) for each in column.extremes)
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
    return Cell(number(float(column.values[row]), column.measure.counts) + _error_text(error))


def class_grid(scores: Scores) -> Grid:
    """One row per system and class of queries."""
    table = scores.by_class()
    rows = []
    for (system, label), part in table.group_by(["system", "class"], maintain_order=True):
        values = [Cell(number(mean)) for mean in part.get_column("mean").to_list()]
        size = Cell(str(part.get_column("queries").max()))
        rows.append((Cell(str(system), number=False), Cell(str(label) or "(none)", number=False), size, *values))
    measures = table.get_column("measure").unique(maintain_order=True).to_list()
    return Grid(("system", "class", "queries", *measures), tuple(rows))


def _averaged(system: SystemScores) -> str:
    """How many queries are averaged, and which measures average fewer."""
    counts = {column.asked: column.averaged for column in numeric_columns(system) if column.measure.summary != "sum"}
    most = max(counts.values(), default=0)
    fewer = [f"{count} for {asked}" for asked, count in counts.items() if count < most]
    shown = fewer[:4] + (["..."] if len(fewer) > 4 else [])
    return f"{most} averaged" + (f" ({', '.join(shown)})" if fewer else "")


def coverage_lines(scores: Scores) -> list[str]:
    """How many queries were judged, answered and averaged, once for systems that agree."""
    lines: dict[str, list[str]] = {}
    for system in scores.systems:
        ranks = system.ranks
        text = f"{how_many(len(ranks), 'queries')} judged, {int(ranks.answered.sum())} answered, {_averaged(system)}"
        lines.setdefault(text, []).append(system.name)
    if len(lines) == 1:
        return list(lines)
    return [f"{', '.join(names)}: {text}" for text, names in lines.items()]
