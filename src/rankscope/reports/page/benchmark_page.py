"""A benchmark as one page that opens offline, with the pictures themselves: what each descriptor finds first."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.engines.images.picture_set import PictureSet
from rankscope.files import atomic
from rankscope.graphs.descriptor_bars import Bar, cost_graph, quality_graph
from rankscope.graphs.graph import Graph
from rankscope.measures.direction import best_first, best_value
from rankscope.reports.formats.grid import number
from rankscope.reports.page.benchmark_choice import ShownQuery, choose_queries
from rankscope.reports.page.drawn_figures import DrawnFigure, figure_data
from rankscope.reports.page.pages import DRAWING, Shell, environment, packed
from rankscope.reports.page.thumbnails import thumbnails
from rankscope.reports.texts.benchmark import Standings
from rankscope.reports.texts.benchmark_tables import FORMATS, facts_of, grid_of, notes_of, verdict
from rankscope.reports.texts.comparison_words import join_names
from rankscope.version import __version__

FIRST = 10  # results of each descriptor
SHOWN = 12  # queries
MOST_CLASSES = 24  # of more, the largest
LINES = 12  # warnings told one by one
LARGEST = 2_900_000  # bytes of the page; pictures take what the rest leaves


@dataclass(frozen=True)
class Hit:
    """One result: which picture, at which rank and distance, and whether it is of the query's class."""

    row: int
    rank: int
    distance: str
    relevant: bool
    id: str
    label: str


@dataclass(frozen=True)
class FoundPictures:
    """What one descriptor finds first for one query."""

    descriptor: str
    value: str  # of the measure
    best: bool
    hits: tuple[Hit, ...]

    @property
    def right(self) -> int:
        """How many of them are of the class."""
        return sum(hit.relevant for hit in self.hits)


@dataclass(frozen=True)
class Shown:
    """A query with all that was found for it."""

    choice: ShownQuery
    row: int
    label: str
    found: tuple[FoundPictures, ...]


def write_page(standings: Standings, path: str | Path, *, shown: int = SHOWN, first: int = FIRST, seed: int = 0) -> int:
    """Write the page, whole or not at all; tells its size in bytes."""
    page = render(standings, shown=shown, first=first, seed=seed).encode()
    with atomic(path, "wb") as file:
        file.write(page)
    return len(page)


def render(standings: Standings, *, shown: int = SHOWN, first: int = FIRST, seed: int = 0) -> str:
    """The whole page."""
    queries = shown_queries(standings, shown, first, seed)
    rows = sorted({row for each in queries for row in (each.row, *(hit.row for one in each.found for hit in one.hits))})
    figures = [DrawnFigure.of(name, name, graph, caption) for name, graph, caption in graphs_of(standings)]
    template = environment().get_template("benchmark.html.j2")
    parts = {
        "title": standings.benchmark.pictures.name,
        "facts": facts_of(standings),
        "verdict": verdict(standings),
        "warnings": warnings_of(standings),
        "grid": grid_of(standings),
        "lower": standings.lower,
        "notes": [*notes_of(standings), *_ties(standings)],
        "measure": standings.main,
        "figures": figures,
        "classes": class_table(standings),
        "queries": queries,
        "data": {f"data-{each.id}": packed(figure_data(each, ())) for each in figures},
        "shell": Shell.of("page.css", "benchmark.css", *DRAWING),
        "seed": seed,
        "version": __version__,
    }
    without = len(template.render(parts, pictures={}).encode())
    return str(template.render(parts, pictures=thumbnails(standings.benchmark.pictures, rows, LARGEST - without)))


def write_all(standings: Standings, folder: Path, *, shown: int = SHOWN, first: int = FIRST, seed: int = 0) -> int:
    """Tables, graphs and the page, each whole or not at all; tells the size of the page in bytes."""
    for name, render_table in FORMATS.items():
        with atomic(folder / name) as file:
            file.write(render_table(standings))
    for name, graph, _ in graphs_of(standings):
        graph.save(folder / f"{name}.svg")
    return write_page(standings, folder / "report.html", shown=shown, first=first, seed=seed)


def graphs_of(standings: Standings) -> list[tuple[str, Graph, str]]:
    """Quality, and quality against cost: a name, the graph, and what it shows."""
    name, what = standings.measures[0], standings.benchmark.pictures.name
    bars = []
    for row in standings.rows:
        mean = row.means[name]
        bars.append(
            Bar(name=row.name, mean=mean.value, low=mean.low, high=mean.high, cost=row.describe_ms, letters=row.letters)
        )
    found = [
        ("quality", quality_graph(bars, name, what), f"Means over all queries. {standings.estimates.how}".rstrip())
    ]
    if any(bar.cost > 0 for bar in bars):
        told = "What an answer of this quality costs when pictures are described; cheap and good is at the top left."
        found.append(("cost", cost_graph(bars, name, what), told))
    return found


def shown_queries(standings: Standings, count: int, first: int, seed: int) -> list[Shown]:
    """The chosen queries, each with the first results of every descriptor, best descriptor first."""
    table = standings.table
    choices = choose_queries(table, count, standings.main, seed)
    pictures = standings.benchmark.pictures
    rows = standings.benchmark.rows([each.query for each in choices])
    trials = {trial.name: trial for trial in standings.benchmark.trials}
    lists = {name: trials[name].first(rows, first) for name in table.systems}
    place = {query: at for at, query in enumerate(table.queries)}
    found = []
    for at, (choice, row) in enumerate(zip(choices, rows.tolist(), strict=True)):
        values = table.values[place[choice.query]]
        best = best_value(values, table.lower_is_better)
        answers = []
        for column, name in enumerate(table.systems):
            items, distances = lists[name].items[at].tolist(), lists[name].distances[at].tolist()
            hits = [
                _hit(pictures, row, item, rank, distance)
                for rank, (item, distance) in enumerate(zip(items, distances, strict=True), start=1)
            ]
            value = float(values[column])
            answers.append(FoundPictures(name, number(value, places=3), value == best, tuple(hits)))
        found.append(Shown(choice, row, pictures.labels[row], tuple(answers)))
    return found


def _hit(pictures: PictureSet, query: int, item: int, rank: int, distance: float) -> Hit:
    label = pictures.labels[item]
    return Hit(
        row=item,
        rank=rank,
        distance=distance_text(distance),
        relevant=label == pictures.labels[query],
        id=pictures.ids[item],
        label=label,
    )


def class_table(standings: Standings) -> dict[str, Any]:
    """The main measure, classes by descriptors, the easiest class first; of many classes the largest."""
    table = standings.table.complete()
    labels = np.array(table.labels, dtype=object)
    size = {name: int((labels == name).sum()) for name in table.class_names}
    kept = sorted(size, key=lambda name: -size[name])[:MOST_CLASSES]
    means = {name: table.values[labels == name].mean(axis=0) for name in kept}
    lower = table.lower_is_better
    order = [kept[each] for each in best_first([means[name].mean() for name in kept], lower)]
    rows = [(name, size[name], means[name].tolist(), best_value(means[name], lower)) for name in order]
    return {"systems": table.systems, "rows": rows, "left_out": len(size) - len(kept)}


def warnings_of(standings: Standings) -> list[str]:
    """What must be read next to the numbers."""
    problems = standings.benchmark.problems
    lines = [f"{len(problems):,} pictures could not be read and are left out:"] if len(problems) > 1 else []
    lines += [f"{name} {why}" + (": left out" if len(problems) == 1 else "") for name, why in problems[:LINES]]
    lines += [f"... and {len(problems) - LINES:,} more"] if len(problems) > LINES else []
    return [*lines, *standings.benchmark.pictures.notes]


def distance_text(distance: float) -> str:
    """Four or five digits, never with an exponent.

    >>> distance_text(98712.0), distance_text(522.79), distance_text(4.5493), distance_text(0.31504), distance_text(0.0)
    ('98,712', '522.8', '4.549', '0.3150', '0')
    """
    if distance == 0:
        return "0"
    size = abs(distance)
    return f"{distance:,.{0 if size >= 1000 else 1 if size >= 100 else 2 if size >= 10 else 3 if size >= 1 else 4}f}"


def _ties(standings: Standings) -> list[str]:
    """Equal distances, in one line for all descriptors."""
    tied = [system.name for system in standings.scores.systems if system.ranks.ties.size]
    if not tied:
        return []
    return [f"Pictures at equal distance stand in the order of the collection ({join_names(tied, 6)})."]
