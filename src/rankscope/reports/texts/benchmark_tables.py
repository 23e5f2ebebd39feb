"""The table of a benchmark for the terminal, a paper, a page and programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

from rankscope.measures.direction import best_value
from rankscope.names import cell, visible
from rankscope.number_texts import how_many
from rankscope.reports.formats import latex, markdown
from rankscope.reports.formats.grid import Cell, Grid, number
from rankscope.reports.formats.rows import as_json
from rankscope.reports.formats.table import text_of as plain_table
from rankscope.reports.texts.benchmark import DescriptorStanding, Standings, milliseconds
from rankscope.reports.texts.comparison import few_notes
from rankscope.reports.texts.comparison_words import join_names

COST = ("values", "ms a picture", "ms a query")


def grid_of(standings: Standings) -> Grid:
    """One row per descriptor; the best of each measure is marked."""
    first, *others = standings.measures
    header = ("descriptor", first, "95% interval", *others, "group", "places", *COST)
    best = {name: _best(standings, name) for name in standings.measures}
    return Grid(header, tuple(_cells(row, first, others, best, len(standings.rows) > 1) for row in standings.rows))


def _best(standings: Standings, measure: str) -> float:
    return best_value([row.means[measure].value for row in standings.rows], measure in standings.lower)


def _cells(
    row: DescriptorStanding, first: str, others: list[str], best: dict[str, float], several: bool
) -> tuple[Cell, ...]:
    def mean(name: str) -> Cell:
        value = row.means[name].value
        return Cell(number(value), best=several and value == best[name])

    return (
        Cell(row.name, number=False),
        mean(first),
        Cell(interval_text(row, first)),
        *(mean(name) for name in others),
        Cell(row.letters or "-", number=False),
        Cell(places(row)),
        Cell(f"{row.values:,}"),
        Cell(milliseconds(row.describe_ms)),
        Cell(milliseconds(row.query_ms)),
    )


def interval_text(row: DescriptorStanding, measure: str) -> str:
    """The ends of an interval; a dash where there is none."""
    mean = row.means[measure]
    return f"{number(mean.low, places=3)} to {number(mean.high, places=3)}" if mean.has_interval else "-"


def places(row: DescriptorStanding) -> str:
    """The places in the list that remain possible."""
    return str(row.best_place) if row.best_place == row.worst_place else f"{row.best_place} to {row.worst_place}"


def facts_of(standings: Standings) -> list[str]:
    """What was tried, in a few words."""
    pictures = standings.benchmark.pictures
    without = sum(not label for label in pictures.labels)
    facts = [f"{how_many(len(pictures), 'pictures')}", f"{how_many(len(pictures.classes), 'classes')}"]
    facts += [how_many(without, "distractor", "distractors")] if without else []
    return [
        *facts,
        f"{how_many(standings.benchmark.queries.size, 'queries')}",
        how_many(len(standings.rows), "descriptor", "descriptors"),
    ]


def verdict(standings: Standings) -> str:
    """Who is ahead, and of whom that is shown, as `rankscope compare` says it."""
    first, measure = standings.rows[0], standings.measures[0]
    mean = first.means[measure]
    between = f" (95% interval {interval_text(first, measure)})" if mean.has_interval else ""
    lead = f"{first.name} is highest by {measure}: {number(mean.value)}{between}."
    if len(standings.rows) < 2:
        return lead
    if standings.compared is None:
        return f"{lead} With one class nothing can be said about chance."
    beaten = [row.name for row in standings.rows[1:] if standings.shown_better(first.name, row.name)]
    alike = [row.name for row in standings.rows[1:] if row.name not in beaten]
    classes = len(standings.compared.main.units)
    if not alike:
        return f"{lead} It is significantly better than every other descriptor, by {how_many(classes, 'classes')}."
    worse = f" It is significantly better than {join_names(beaten)}." if beaten else ""
    return f"{lead}{worse} No significant difference from {join_names(alike, 6)} by {how_many(classes, 'classes')}."


def notes_of(standings: Standings) -> list[str]:
    """How the numbers were made."""
    own = standings.benchmark.pictures.kept_measure
    kept = [f"{own}: the query put back into its ranking, first and counted; for the other measures it is removed."]
    cost = "Cost is processor time: ms a picture to describe it once decoded, ms a query to rank all pictures exactly."
    few = few_notes(standings.compared) if standings.compared is not None else []
    said = [
        standings.estimates.how,
        standings.how_compared,
        *(f"{line[:1].upper()}{line[1:]}." for line in few),
        cost,
    ]
    return [*filter(None, said), *(kept if own else [])]


def text_of(standings: Standings, colour: bool = False) -> str:
    """For the terminal."""
    head = visible(f"{standings.benchmark.pictures.name}: {', '.join(facts_of(standings))}")
    said = map(visible, (verdict(standings), "", *notes_of(standings)))
    return "\n".join([head, "", plain_table(grid_of(standings), colour), *said]) + "\n"


def markdown_of(standings: Standings) -> str:
    """For a page."""
    lines = [
        f"# {standings.benchmark.pictures.name}",
        "",
        f"{', '.join(facts_of(standings))}. {verdict(standings)}",
        "",
    ]
    notes = [f"- {line}" for line in notes_of(standings)]
    return visible("\n".join([*lines, markdown.table_of(grid_of(standings)), *notes]) + "\n")


def latex_of(standings: Standings) -> str:
    """For a paper."""
    notes = [f"{standings.benchmark.pictures.name}: {', '.join(facts_of(standings))}.", *notes_of(standings)]
    return latex.comments(notes) + latex.table_of(grid_of(standings))


def rows_of(standings: Standings) -> list[dict[str, object]]:
    """All numbers, one row per descriptor."""
    rows = []
    for each in standings.rows:
        row: dict[str, object] = {"place": each.place, "descriptor": each.name}
        for name in standings.measures:
            mean = each.means[name]
            row |= {name: mean.value, f"{name} low": mean.low, f"{name} high": mean.high}
        row |= {"best place": each.best_place, "worst place": each.worst_place, "group": each.letters}
        row |= {"values": each.values, "metric": each.metric}
        rows.append(row | {"describe ms": each.describe_ms, "query ms": each.query_ms})
    return rows


def csv_of(standings: Standings) -> str:
    """All digits; empty where there is not a number."""
    rows = rows_of(standings)
    file = io.StringIO()
    writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: "" if value != value else cell(value) for key, value in row.items()} for row in rows)
    return file.getvalue()


def json_of(standings: Standings) -> str:
    """Everything, for programs."""
    pictures = standings.benchmark.pictures
    return as_json(
        {
            "format": "rankscope.benchmark",
            "version": 1,
            "collection": pictures.name,
            "pictures": len(pictures),
            "classes": len(pictures.classes),
            "queries": int(standings.benchmark.queries.size),
            "seed": standings.scores.settings.seed,
            "verdict": verdict(standings),
            "notes": [*notes_of(standings), *pictures.notes],
            "left out": [{"picture": name, "why": why} for name, why in standings.benchmark.problems],
            "descriptors": rows_of(standings),
        }
    )


FORMATS: dict[str, Callable[[Standings], str]] = {
    "table.txt": text_of,
    "table.csv": csv_of,
    "table.json": json_of,
    "table.md": markdown_of,
    "table.tex": latex_of,
}
