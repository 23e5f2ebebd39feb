"""A benchmark of descriptors: measures with intervals, cost and letters, and its table for people and programs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from rankscope.analysis.comparison.compare import Compared, compare, few_notes
from rankscope.analysis.comparison.estimates import Estimate, Estimates, estimates_of
from rankscope.analysis.comparison.verdict_sentences import join_names
from rankscope.analysis.statistics.deciding_test import DECIDING
from rankscope.analysis.statistics.sampling_units import classes_are_targets
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.display import Display, Tabular
from rankscope.core.latex import latex_comments, latex_table
from rankscope.core.names import visible
from rankscope.core.rendering import Cell, Grid, Rows, as_json, grid_markdown, grid_text, rows_csv, value_text
from rankscope.core.settings import Settings
from rankscope.core.wording import how_many, percent_text
from rankscope.engines.images.benchmark import Benchmark
from rankscope.engines.pairwise import put_query_back
from rankscope.measures.direction import best_value
from rankscope.measures.evaluation.evaluate import evaluate_ranks
from rankscope.measures.evaluation.scores import Scores

MEASURES = ("AP", "P@10", "ER", "NMRR", "Rprec")
MEANS = {"AP": "MAP", "NMRR": "ANMRR"}  # what the mean over queries is called


@dataclass(frozen=True)
class DescriptorStanding:
    """One descriptor: its place by the mean, the places that remain possible, and what it costs."""

    name: str
    values: int
    metric: str
    describe_ms: float
    query_ms: float
    means: dict[str, Estimate]  # by measure, as tables call them
    place: int
    best_place: int
    worst_place: int
    letters: str  # no significant difference between descriptors that share one


@dataclass(frozen=True, eq=False, repr=False)
class Standings(Tabular):
    """All descriptors, the best mean of the main measure first."""

    benchmark: Benchmark
    scores: Scores
    estimates: Estimates
    main: str  # the measure that decides, as it is asked for
    rows: tuple[DescriptorStanding, ...]
    compared: Compared | None  # None where there is one descriptor or one class

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures as tables call them, the one that decides first."""
        return tuple(map(name_of_mean, self.scores.measures))

    @property
    def lower(self) -> tuple[str, ...]:
        """Measures of which a small number is a good one."""
        return tuple(name_of_mean(row.asked) for row in self.estimates.rows if row.lower_is_better)

    @property
    def table(self) -> ScoreTable:
        """The main measure, queries by descriptors, the best descriptor first."""
        return ScoreTable.of(self.scores, self.main).select(*(row.name for row in self.rows))

    def shown_better(self, one: str, other: str) -> bool:
        """Whether one descriptor is significantly better than another."""
        return self.compared is not None and self.compared.shown_better(one, other)

    @property
    def how_compared(self) -> str:
        """How descriptors are compared, in a sentence."""
        if self.compared is None:
            return ""
        main = self.compared.main
        return (
            f"No significant difference between descriptors that share a letter: {DECIDING} test of "
            f"{name_of_mean(self.main)}, the larger p, over {len(main.units):,} {main.unit}, "
            f"{self.compared.families.primary}, level {percent_text(self.compared.level)}."
        )

    def records(self) -> Rows:
        return standings_rows(self)

    def display(self) -> Display:
        return Display.of([standings_verdict(self), *standings_notes(self)], standings_grid(self), ".to_markdown()")

    def to_markdown(self) -> str:
        return standings_markdown(self)

    def to_latex(self) -> str:
        return standings_latex(self)


def name_of_mean(measure: str) -> str:
    """The name of a mean.

    >>> name_of_mean("AP"), name_of_mean("P@10")
    ('MAP', 'P@10')
    """
    return MEANS.get(measure, measure)


def standings_of(benchmark: Benchmark, seed: int = 0) -> Standings:
    """Everything the table says. Chance draws classes: queries of one class look for the same pictures."""
    scores = scores_of(benchmark, seed)
    main = scores.measures[0]
    compared = _compared(scores, main, seed)
    estimates = estimates_of(scores)
    places = _places(ScoreTable.of(scores, main), compared)
    rows = []
    for place, (name, (best, worst, letters)) in enumerate(places.items(), start=1):
        number, trial = next((at, each) for at, each in enumerate(benchmark.trials) if each.name == name)
        rows.append(
            DescriptorStanding(
                name=name,
                values=trial.values,
                metric=trial.metric,
                describe_ms=trial.describe_ms,
                query_ms=trial.query_ms,
                means={name_of_mean(row.asked): row.means[number] for row in estimates.rows},
                place=place,
                best_place=best,
                worst_place=worst,
                letters=letters,
            )
        )
    return Standings(
        benchmark=benchmark, scores=scores, estimates=estimates, main=main, rows=tuple(rows), compared=compared
    )


def _compared(scores: Scores, measure: str, seed: int) -> Compared | None:
    """The verdict of `rankscope compare` on the main measure; None where there is nothing to compare."""
    table = ScoreTable.of(scores, measure)
    if len(scores.systems) < 2 or len(table.complete().class_names) < 2:
        return None
    return compare([table], by_unit=classes_are_targets(scores), seed=seed)


def _places(table: ScoreTable, compared: Compared | None) -> dict[str, tuple[int, int, str]]:
    """Each descriptor from the best mean to the worst: the places that remain possible, and its letters."""
    means = np.nan_to_num(table.gains.mean(axis=0), nan=-np.inf)
    names = [table.systems[each] for each in np.argsort(-means, kind="stable").tolist()]
    if compared is None:
        return dict.fromkeys(names, (1, len(names), ""))
    open_ = compared.places()
    return {name: open_[compared.stands_for(name)] for name in names}


def scores_of(benchmark: Benchmark, seed: int = 0) -> Scores:
    """All measures of all trials, each query removed from its own ranking.

    Where the collection's own rule keeps the query, its measure comes first, made from the rankings with the query put
    back in the first place.
    """
    settings = Settings(seed=seed)
    scores = evaluate_ranks(benchmark.ranks, MEASURES, settings)
    own = benchmark.pictures.kept_measure
    if not own:
        return scores
    kept = evaluate_ranks([put_query_back(ranks) for ranks in benchmark.ranks], [own], settings)
    systems = tuple(
        replace(system, columns=(with_query.columns[0], *system.columns))
        for system, with_query in zip(scores.systems, kept.systems, strict=True)
    )
    return replace(scores, systems=systems)


def milliseconds(value: float) -> str:
    """A time as tables show it: two or three digits.

    >>> milliseconds(0.4211), milliseconds(10.75), milliseconds(float("nan"))
    ('0.42', '10.8', '-')
    """
    if math.isnan(value):
        return "-"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


# The table of a benchmark for the terminal, a paper, a page and programs.

COST = ("values", "ms a picture", "ms a query")


def standings_grid(standings: Standings) -> Grid:
    """One row per descriptor; the best of each measure is marked."""
    first, *others = standings.measures
    header = ("descriptor", first, "95% interval", *others, "group", "places", *COST)
    best = {
        name: best_value([row.means[name].value for row in standings.rows], name in standings.lower)
        for name in standings.measures
    }
    return Grid(header, tuple(_cells(row, first, others, best, len(standings.rows) > 1) for row in standings.rows))


def _cells(
    row: DescriptorStanding, first: str, others: list[str], best: dict[str, float], several: bool
) -> tuple[Cell, ...]:
    def mean(name: str) -> Cell:
        value = row.means[name].value
        return Cell(value_text(value), best=several and value == best[name])

    return (
        Cell(row.name, number=False),
        mean(first),
        Cell(interval_text(row, first)),
        *(mean(name) for name in others),
        Cell(row.letters or "-", number=False),
        Cell(places_text(row)),
        Cell(f"{row.values:,}"),
        Cell(milliseconds(row.describe_ms)),
        Cell(milliseconds(row.query_ms)),
    )


def interval_text(row: DescriptorStanding, measure: str) -> str:
    """The ends of an interval; a dash where there is none."""
    mean = row.means[measure]
    return f"{value_text(mean.low, places=3)} to {value_text(mean.high, places=3)}" if mean.has_interval else "-"


def places_text(row: DescriptorStanding) -> str:
    """The places in the list that remain possible."""
    return str(row.best_place) if row.best_place == row.worst_place else f"{row.best_place} to {row.worst_place}"


def standings_facts(standings: Standings) -> list[str]:
    """What was tried, in a few words."""
    pictures = standings.benchmark.pictures
    without = sum(not label for label in pictures.labels)
    facts = [how_many(len(pictures), "pictures"), how_many(len(pictures.classes), "classes")]
    facts += [how_many(without, "distractors")] if without else []
    return [*facts, how_many(standings.benchmark.queries.size), how_many(len(standings.rows), "descriptors")]


def standings_verdict(standings: Standings) -> str:
    """Who is ahead, and of whom that is shown, as `rankscope compare` says it."""
    first, measure = standings.rows[0], standings.measures[0]
    mean = first.means[measure]
    between = f" (95% interval {interval_text(first, measure)})" if mean.has_interval else ""
    lead = f"{first.name} is highest by {measure}: {value_text(mean.value)}{between}."
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


def standings_notes(standings: Standings) -> list[str]:
    """How the numbers were made."""
    own = standings.benchmark.pictures.kept_measure
    kept = [f"{own}: the query put back into its ranking, first and counted; for the other measures it is removed."]
    cost = "Cost is processor time: ms a picture to describe it once decoded, ms a query to rank all pictures exactly."
    few = few_notes(standings.compared) if standings.compared is not None else []
    said = [standings.estimates.how, standings.how_compared, *(f"{line[:1].upper()}{line[1:]}." for line in few), cost]
    return [*filter(None, said), *(kept if own else [])]


def standings_text(standings: Standings, colour: bool = False) -> str:
    head = visible(f"{standings.benchmark.pictures.name}: {', '.join(standings_facts(standings))}")
    said = map(visible, (standings_verdict(standings), "", *standings_notes(standings)))
    return "\n".join([head, "", grid_text(standings_grid(standings), colour), *said]) + "\n"


def standings_markdown(standings: Standings) -> str:
    lines = [
        f"# {standings.benchmark.pictures.name}",
        "",
        f"{', '.join(standings_facts(standings))}. {standings_verdict(standings)}",
        "",
    ]
    notes = [f"- {line}" for line in standings_notes(standings)]
    return visible("\n".join([*lines, grid_markdown(standings_grid(standings)), *notes]) + "\n")


def standings_latex(standings: Standings) -> str:
    notes = [
        f"{standings.benchmark.pictures.name}: {', '.join(standings_facts(standings))}.",
        *standings_notes(standings),
    ]
    return latex_comments(notes) + latex_table(standings_grid(standings))


def standings_rows(standings: Standings) -> list[dict[str, object]]:
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


def standings_csv(standings: Standings) -> str:
    """All digits; empty where there is not a number."""
    return rows_csv(standings_rows(standings))


def standings_json(standings: Standings) -> str:
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
            "verdict": standings_verdict(standings),
            "notes": [*standings_notes(standings), *pictures.notes],
            "left out": [{"picture": name, "why": why} for name, why in standings.benchmark.problems],
            "descriptors": standings_rows(standings),
        }
    )


STANDINGS_FILES: dict[str, Callable[[Standings], str]] = {
    "table.txt": standings_text,
    "table.csv": standings_csv,
    "table.json": standings_json,
    "table.md": standings_markdown,
    "table.tex": standings_latex,
}
