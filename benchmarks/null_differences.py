"""Scores of two systems whose means are equal but whose labels could not be swapped: real runs, centred, and made ones.

Real: for each trial a pair of runs of a collection at random, the mean difference over all its queries taken from the
second, and queries drawn with replacement. So the truth is 0, and the shape of the differences is that of real runs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations

import numpy as np

from benchmarks.forecast_cases import DATA
from rankscope import evaluate
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import BoolArray, FloatArray

Scores = Callable[[np.random.Generator, int, int], FloatArray]  # trials x queries, two systems last

GAINING, GAIN, NOISE = 0.05, 0.5, 0.035  # share of queries that gain much, by how much, and sd around
LOSS = GAIN * GAINING / (1 - GAINING)  # of all others, so that the mean is 0
QRELS = {"trec-robust03": "qrels.txt.gz", "trec-covid-r1": "qrels-rnd1.txt"}
RARE_GAINS = (
    f"{GAINING:.0%} of queries gain {GAIN:g}, the others lose {LOSS:.4f}, both with normal noise of sd {NOISE:g}; "
    "mean 0"
)


@cache
def table(collection: str, measure: str) -> ScoreTable:
    """A measure of all runs of a collection, on the queries that all have."""
    folder = DATA / collection
    qrels = folder / QRELS.get(collection, "qrels.txt")
    runs = [str(path) for path in sorted((folder / "runs").glob("*.gz"))]
    return ScoreTable.of(evaluate(str(qrels), runs, [measure])).complete()


def centred(collection: str, measure: str) -> Scores:
    """Pairs of real runs with equal means."""

    def made(chance: np.random.Generator, trials: int, queries: int) -> FloatArray:
        values = table(collection, measure).values
        pairs = np.array(list(combinations(range(values.shape[1]), 2)))
        chosen = pairs[chance.integers(0, len(pairs), trials)]
        drawn = values[chance.integers(0, len(values), (trials, queries))]
        scores = np.take_along_axis(drawn, chosen[:, None, :], axis=2)
        means = values.mean(axis=0)[chosen]
        scores[..., 1] -= (means[:, 1] - means[:, 0])[:, None]
        return scores

    return made


def around(difference: Callable[[np.random.Generator, tuple[int, int]], FloatArray]) -> Scores:
    """Made differences around a difficulty that both systems share."""

    def made(chance: np.random.Generator, trials: int, queries: int) -> FloatArray:
        hard = chance.normal(0.4, 0.2, (trials, queries))
        return np.stack([hard, hard + difference(chance, (trials, queries))], axis=2)

    return made


def _normal(chance: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    return chance.normal(0.0, 0.1, shape)


def _exponential(chance: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    return chance.exponential(0.1, shape) - 0.1


def _lognormal(chance: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    return 0.1 * (chance.lognormal(0.0, 1.0, shape) - np.exp(0.5))


def rare_gains(chance: np.random.Generator, trials: int, queries: int) -> tuple[FloatArray, BoolArray]:
    """Differences, and whether a trial contains a gain."""
    gains = chance.random((trials, queries)) < GAINING
    differences = np.where(gains, GAIN, -LOSS) + NOISE * chance.normal(size=gains.shape)
    return differences, np.asarray(gains.any(axis=1))


MADE: dict[str, Scores] = {
    "normal": around(_normal),
    "exponential": around(_exponential),
    "lognormal(0, 1)": around(_lognormal),
}
REAL: dict[str, Scores] = {
    "Robust 2003 AP": centred("trec-robust03", "AP"),
    "Robust 2003 RR": centred("trec-robust03", "RR"),
    "Robust 2003 nDCG@10": centred("trec-robust03", "nDCG@10"),
    "Cranfield AP": centred("text/cranfield", "AP"),
    "Cranfield RR": centred("text/cranfield", "RR"),
    "CISI AP": centred("text/cisi", "AP"),
    "CACM AP": centred("text/cacm", "AP"),
    "NPL RR": centred("text/npl", "RR"),
    "NPL P@10": centred("text/npl", "P@10"),
    "TREC-COVID AP": centred("trec-covid-r1", "AP"),
    "TREC-COVID nDCG@10": centred("trec-covid-r1", "nDCG@10"),
}


def processes() -> dict[str, Scores]:
    """All of them; the real ones only where the data are."""
    return MADE | (REAL if (DATA / "trec-robust03").is_dir() and (DATA / "text").is_dir() else {})
