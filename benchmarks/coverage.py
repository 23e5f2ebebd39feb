"""How often bands and intervals hold the truth: simulated queries whose true curve and true mean are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.ranks.relevant_ranks import RelevantRanks
from rankscope.statistics.bands import band
from rankscope.statistics.bootstrap import bootstrap_means
from rankscope.statistics.query_curves import precision_at_recall

RELEVANT, COLLECTION, POINTS = 10, 200, 10
SIZES = (10, 25, 55)
TRIALS, FEWER_TRIALS = 1_000, 400
WAYS = ("t", "bonferroni", "sup-t")
TRUTH_FROM = 200_000
BLOCK = 4_000


@dataclass(frozen=True)
class Difficulty:
    """Gamma distribution of how far the scores of a query's relevant items lie above those of distractors."""

    shape: float
    scale: float

    def __str__(self) -> str:
        return f"gamma({self.shape:g}, {self.scale:g})"


USUAL, HARD = Difficulty(2.0, 0.75), Difficulty(1.0, 1.0)


@dataclass(frozen=True)
class Held:
    """Shares of trials: of points within their limits, and of whole curves within."""

    point: float
    whole: float


def curves(chance: np.random.Generator, queries: int, difficulty: Difficulty = USUAL, members: int = 1) -> FloatArray:
    """Precision at recall levels of simulated queries; so many `members` one after the other share their difficulty."""
    shift = np.repeat(chance.gamma(difficulty.shape, difficulty.scale, queries // members), members)
    return np.concatenate([_block(chance, shift[start : start + BLOCK]) for start in range(0, queries, BLOCK)])


def _block(chance: np.random.Generator, shift: FloatArray) -> FloatArray:
    relevant = -np.sort(-(chance.normal(size=(shift.size, RELEVANT)) + shift[:, None]), axis=1)
    others = chance.normal(size=(shift.size, COLLECTION - RELEVANT))
    above = (others[:, None, :] > relevant[:, :, None]).sum(axis=2)
    ranks = RelevantRanks.from_ranks(list(above + np.arange(1, RELEVANT + 1)), collection=COLLECTION)
    return precision_at_recall(ranks, POINTS).values


@cache
def true_curve(difficulty: Difficulty = USUAL) -> tuple[float, ...]:
    """The mean curve of very many queries."""
    return tuple(curves(np.random.default_rng(1), TRUTH_FROM, difficulty).mean(axis=0).tolist())


def coverage(
    queries: int, trials: int, difficulty: Difficulty = USUAL, members: int = 1, classed: bool = False, seed: int = 0
) -> dict[str, Held]:
    """How often each way to make a band holds the true curve; `classed` tells it which queries share a class."""
    chance = np.random.default_rng([seed, queries, members])
    samples = curves(chance, queries * trials, difficulty, members).reshape(trials, queries, POINTS)
    truth = np.array(true_curve(difficulty))
    classes = [str(row // members) for row in range(queries)] if classed else None
    held: dict[str, Held] = {}
    for how in WAYS:
        within = np.array(
            [band(each, None, how, 0.95, classes, seed=row).holds(truth) for row, each in enumerate(samples)]
        )
        held[how] = Held(float(within.mean()), float(within.all(axis=1).mean()))
    return held


Scores = Callable[[np.random.Generator, tuple[int, int]], FloatArray]
SCORES: dict[str, tuple[Scores, float]] = {  # with the true mean
    "bounded, as AP: beta(0.5, 1)": (lambda chance, shape: chance.beta(0.5, 1.0, shape), 1 / 3),
    "skewed: beta(0.3, 3)": (lambda chance, shape: chance.beta(0.3, 3.0, shape), 1 / 11),
    "tied: P@5, beta(1, 2) chance": (lambda chance, shape: chance.binomial(5, chance.beta(1.0, 2.0, shape)) / 5, 1 / 3),
    "tied: success, 20% of queries": (lambda chance, shape: chance.binomial(1, 0.2, shape).astype(np.float64), 0.2),
    "unbounded and skewed: exponential": (lambda chance, shape: chance.exponential(1.0, shape), 1.0),
}  # fmt: skip


def interval_coverage(name: str, queries: int, trials: int, how: str, seed: int = 0) -> float:
    """How often the interval of a mean holds the true mean."""
    make, truth = SCORES[name]
    made = bootstrap_means(make(np.random.default_rng([seed, queries]), (queries, trials)), how=how, resamples=4_000)
    return float(((made.low <= truth) & (truth <= made.high)).mean())


def report(trials: int = TRIALS, fewer: int = FEWER_TRIALS) -> str:
    """All tables, in Markdown."""
    parts = [
        f"Bands at nominal 95%, {trials:,} trials: c = {RELEVANT}, d = {COLLECTION}, {POINTS} recall levels. A point: "
        "share of points within their limits; whole: share of trials with the whole true curve within the band.",
        _table(_band_rows(trials)),
        f"Five queries a class, which share their difficulty ({USUAL}), {fewer:,} trials, whole curve within.",
        _table(_class_rows(fewer)),
        f"Intervals of means at nominal 95%, {trials:,} trials.",
        _table(_interval_rows(trials)),
    ]
    return "\n\n".join(parts) + "\n"


def _band_rows(trials: int) -> Iterator[list[str]]:
    heads = [f"{how}, {what}" for how in WAYS for what in ("a point", "whole")]
    yield ["difficulty", "queries", *heads]
    for difficulty in (USUAL, HARD):
        for queries in SIZES:
            held = coverage(queries, trials, difficulty)
            shares = [share for how in WAYS for share in (held[how].point, held[how].whole)]
            yield [str(difficulty), str(queries), *(f"{share:.3f}" for share in shares)]


def _class_rows(trials: int) -> Iterator[list[str]]:
    yield ["classes", *(f"{how}, {told}" for told in ("classes not told", "classes drawn") for how in WAYS)]
    for classes in SIZES:
        cells = []
        for classed in (False, True):
            held = coverage(classes * 5, trials, USUAL, 5, classed)
            cells += [f"{held[how].whole:.3f}" for how in WAYS]
        yield [str(classes), *cells]


def _interval_rows(trials: int) -> Iterator[list[str]]:
    ways = ("percentile", "bca")
    yield ["scores", *(f"{how}, {queries} queries" for queries in SIZES for how in ways)]
    for name in SCORES:
        cells = [interval_coverage(name, queries, trials, how) for queries in SIZES for how in ways]
        yield [name, *(f"{share:.3f}" for share in cells)]


def _table(rows: Iterator[list[str]]) -> str:
    head, *others = rows
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *others]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
