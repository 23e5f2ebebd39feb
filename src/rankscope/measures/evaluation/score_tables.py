"""Tables: cells in rows, what is best in a column, and their texts for a terminal, for Markdown and as JSON."""

from __future__ import annotations

import math

from rankscope.core.names import one_line, visible
from rankscope.core.rendering import Cell, Grid, grid_markdown, grid_text, value_text
from rankscope.core.wording import how_many
from rankscope.measures.direction import best_value
from rankscope.measures.evaluation.scores import Column, Scores, SystemScores
from rankscope.measures.evaluation.warning_kinds import warning_lines

# Scores as a grid of cells, before anything decides how cells look: which rows, which columns, what is best.

MANY_MEASURES = 8


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


# A Markdown table, the best of each measure in bold.


def render_markdown(scores: Scores, per_query: bool = False, colour: bool = False) -> str:
    """The summary (or the values per query), then the coverage and the warnings as a list."""
    grid = query_grid(scores) if per_query else summary_grid(scores)
    notes = [f"- {one_line(line)}" for line in [*coverage_lines(scores), *scores.warnings()]]
    return grid_markdown(grid) + "\n" + "\n".join(notes) + "\n"
