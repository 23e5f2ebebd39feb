"""A benchmark of descriptors in numbers: measures with their intervals, cost, and which differ significantly."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from rankscope.displayed import Tabular
from rankscope.engines.images.benchmark import Benchmark
from rankscope.engines.query_item import put_query_back
from rankscope.evaluation.evaluate import evaluate_ranks
from rankscope.evaluation.scores import Scores
from rankscope.number_texts import percent_text
from rankscope.reports.texts.estimates import Estimate, Estimates, estimates_of
from rankscope.settings import Settings
from rankscope.statistics.pairs.trust import DECIDING
from rankscope.statistics.table.score_table import ScoreTable
from rankscope.statistics.table.units import classes_are_targets
from rankscope.statistics.verdicts.compare import compare
from rankscope.statistics.verdicts.compared import Compared

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
