"""A benchmark of descriptors in numbers: measures with their intervals, cost, and which can be told apart."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from rankscope.engines.images.benchmark import Benchmark
from rankscope.engines.query_item import query_kept
from rankscope.measures.evaluate import evaluate_ranks
from rankscope.measures.scores import Scores
from rankscope.reports.estimates import Estimate, Estimates, estimates_of
from rankscope.settings import Settings
from rankscope.statistics.groups import letters_of
from rankscope.statistics.randomised_tukey import RandomisedTukey, randomised_tukey
from rankscope.statistics.score_table import ScoreTable
from rankscope.statistics.units import class_sums

MEASURES = ("AP", "P@10", "ER", "NMRR", "Rprec")
MEANS = {"AP": "MAP", "NMRR": "ANMRR"}  # what the mean over queries is called
PERMUTATIONS = 10_000


@dataclass(frozen=True)
class Standing:
    """One descriptor: its place by the mean, the places that chance leaves open, and what it costs."""

    name: str
    values: int
    metric: str
    describe_ms: float
    query_ms: float
    means: dict[str, Estimate]  # by measure, as tables call them
    place: int
    best_place: int
    worst_place: int
    letters: str  # descriptors that share one cannot be told apart


@dataclass(frozen=True, eq=False)
class Standings:
    """All descriptors, the best mean of the main measure first."""

    benchmark: Benchmark
    scores: Scores
    estimates: Estimates
    main: str  # the measure that decides, as it is asked for
    rows: tuple[Standing, ...]
    tukey: RandomisedTukey | None

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures as tables call them, the one that decides first."""
        return tuple(map(called, self.scores.measures))

    @property
    def lower(self) -> tuple[str, ...]:
        """Measures of which a small number is a good one."""
        return tuple(called(row.asked) for row in self.estimates.rows if row.lower_is_better)

    @property
    def table(self) -> ScoreTable:
        """The main measure, queries by descriptors, the best descriptor first."""
        return ScoreTable.of(self.scores, self.main).select(*(row.name for row in self.rows))

    @property
    def told_apart(self) -> str:
        """By what descriptors are told apart, in a sentence."""
        if self.tukey is None:
            return ""
        ways = "all" if self.tukey.exact else "random"
        return (
            f"Descriptors that share a letter cannot be told apart: randomised Tukey test of {called(self.main)} over "
            f"all pairs, {self.tukey.permutations:,} {ways} permutations within classes, level {self.tukey.level:.0%}."
        )


def called(measure: str) -> str:
    """The name of a mean.

    >>> called("AP"), called("P@10")
    ('MAP', 'P@10')
    """
    return MEANS.get(measure, measure)


def standings_of(benchmark: Benchmark, seed: int = 0) -> Standings:
    """Everything the table says. Chance draws classes: queries of one class look for the same pictures."""
    scores = scores_of(benchmark, seed)
    main = scores.measures[0]
    estimates = estimates_of(scores)
    tukey, different = _told_apart(scores, main, seed)
    table = ScoreTable.of(scores, main)
    order = np.argsort(-np.nan_to_num(table.gains.mean(axis=0), nan=-np.inf), kind="stable").tolist()
    letters = letters_of(different[np.ix_(order, order)]) if tukey is not None else ("",) * len(order)
    gains = table.gains.mean(axis=0)
    rows = []
    for place, number in enumerate(order):
        trial = benchmark.trials[number]
        better = int((different[number] & (gains > gains[number])).sum())
        worse = int((different[number] & (gains < gains[number])).sum())
        means = {called(row.asked): row.means[number] for row in estimates.rows}
        ends = (1 + better, len(order) - worse) if tukey is not None else (1, len(order))
        cost = trial.describe_ms, trial.query_ms
        rows.append(
            Standing(trial.name, trial.values, trial.metric, *cost, means, place + 1, *ends, letters[place])
        )  # fmt: skip
    return Standings(benchmark, scores, estimates, main, tuple(rows), tukey)


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
    kept = evaluate_ranks([query_kept(ranks) for ranks in benchmark.ranks], [own], settings)
    systems = tuple(
        replace(system, columns=(with_query.columns[0], *system.columns))
        for system, with_query in zip(scores.systems, kept.systems, strict=True)
    )
    return replace(scores, systems=systems)


def _told_apart(
    scores: Scores, measure: str, seed: int
) -> tuple[RandomisedTukey | None, np.ndarray[tuple[int, int], np.dtype[np.bool_]]]:
    """Which descriptors differ; classes are what chance draws. None where there is nothing to compare."""
    count = len(scores.systems)
    nothing = np.zeros((count, count), dtype=np.bool_)
    table = ScoreTable.of(scores, measure).complete()
    if count < 2 or len(table.class_names) < 2:
        return None, nothing
    tukey = randomised_tukey(class_sums(table), permutations=PERMUTATIONS, seed=seed)
    different = nothing.copy()
    different[tukey.first, tukey.second] = different[tukey.second, tukey.first] = tukey.different
    return tukey, different


def milliseconds(value: float) -> str:
    """A time as tables show it: two or three digits.

    >>> milliseconds(0.4211), milliseconds(10.75), milliseconds(float("nan"))
    ('0.42', '10.8', '-')
    """
    if math.isnan(value):
        return "-"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"
