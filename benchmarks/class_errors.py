"""Does a verdict name a class of queries on which two systems differ where there is none? Over all classes together.

Two systems that do not differ are compared on five classes. The verdict of `class_effects` needs the deciding tests
within each class (Holm over the classes). Next to it what no verdict rests on: the t test of each class alone, and the
pooled mixed model, whose one spread serves all classes, with the same correction. The processes of `null_differences`
are skewed: labels could not be swapped, and only the mean difference is 0.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks import null_differences
from benchmarks.error_rates import skewed, tenths, zeros
from rankscope.analysis.comparison.pairwise import class_effects
from rankscope.analysis.statistics.corrections import holm
from rankscope.analysis.statistics.deciding_test import decide_p
from rankscope.analysis.statistics.mixed_model import mixed
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import BoolArray, FloatArray

ALPHA = 0.05
LIMIT = 0.06
CLASSES = 5
SIZES = (5, 10, 20)
TRIALS = 2_000
CHECKED = 20  # trials of each case made by `class_effects` itself
CLOSE = 1e-9
CORRELATIONS = (-0.3, -0.6, -0.9)
GAINS = (0.5, 1.0, 2.0, 3.0)  # of one class, in standard deviations of the differences

Scores = Callable[[np.random.Generator, int, int], FloatArray]  # trials and queries a class; classes and systems added


def equal_spreads(chance: np.random.Generator, trials: int, queries: int) -> FloatArray:
    """Normal scores around the difficulty of the query, one spread in all classes."""
    return _normal(chance, np.ones((trials, CLASSES)), queries)


def unequal_spreads(chance: np.random.Generator, trials: int, queries: int) -> FloatArray:
    """The same, but the spread of a class is lognormal(0, 1)."""
    return _normal(chance, chance.lognormal(0.0, 1.0, (trials, CLASSES)), queries)


def _normal(chance: np.random.Generator, scale: FloatArray, queries: int) -> FloatArray:
    shape = (*scale.shape, queries)
    difficulty = chance.normal(0.4, 0.2, (*shape, 1))
    return difficulty + 0.05 * scale[..., None, None] * chance.normal(size=(*shape, 2))


def _bounded(make: Callable[[np.random.Generator, int, int, int], FloatArray]) -> Scores:
    def made(chance: np.random.Generator, trials: int, queries: int) -> FloatArray:
        return make(chance, trials, CLASSES * queries, 2).reshape(trials, CLASSES, queries, 2)

    return made


SCORES: dict[str, Scores] = {
    "equal spreads": equal_spreads,
    "spreads that differ": unequal_spreads,
    "skewed, labels could be swapped": _bounded(skewed),
    "tenths": _bounded(tenths),
    "many zeros": _bounded(zeros),
}


def processes() -> dict[str, Scores]:
    """All of them; the real ones only where the data are."""
    return SCORES | {f"mean 0, {name}": _classed(result) for name, result in null_differences.processes().items()}


def _classed(make: null_differences.Scores) -> Scores:
    def made(chance: np.random.Generator, trials: int, queries: int) -> FloatArray:
        return make(chance, trials, CLASSES * queries).reshape(trials, CLASSES, queries, 2)

    return made


def opposed(correlation: float) -> Scores:
    """Normal scores of equal means whose correlation within a class is below 0."""

    def made(chance: np.random.Generator, trials: int, queries: int) -> FloatArray:
        first, other = 0.1 * chance.normal(size=(2, trials, CLASSES, queries))
        second = correlation * first + np.sqrt(1 - correlation**2) * other
        return 0.5 + np.stack([first, second], axis=-1)

    return made


def t_p(difference: FloatArray) -> FloatArray:
    """p of the paired t test along the last axis; NaN where all differences are equal."""
    count = difference.shape[-1]
    return _tail(difference.mean(axis=-1), difference.std(axis=-1, ddof=1) / np.sqrt(count), count - 1)


def deciding_p(difference: FloatArray) -> FloatArray:
    """p that a verdict needs, along the last axis; NaN where all differences are equal."""
    flat = difference.reshape(-1, difference.shape[-1])
    p = np.where(np.ptp(flat, axis=1) > 1e-12, decide_p(flat.T), np.nan)
    return p.reshape(difference.shape[:-1])


def pooled_p(scores: FloatArray, at_boundary: bool = False) -> FloatArray:
    """p of each class by the mixed model: one variance for all; paired t where that of queries is below 0.

    `at_boundary`: the fit with a variance of 0 there instead.
    """
    queries = scores.shape[2]
    freedom = CLASSES * (queries - 1)
    between, within = _squares(scores)
    below = (between < within * (1 - CLOSE))[:, None]
    mean = change(scores).mean(axis=-1)
    model = _tail(mean, np.broadcast_to(np.sqrt(2 * within / freedom / queries)[:, None], mean.shape), freedom)
    if not at_boundary:
        return np.where(below, t_p(change(scores)), model)
    both = np.sqrt((between + within) / freedom / queries)[:, None]
    return np.where(below, _tail(mean, np.broadcast_to(both, mean.shape), 2 * freedom), model)


def _squares(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Of queries within classes, and of what is left; equal where both systems vary apart, as with many zeros."""
    centred = scores - scores.mean(axis=2, keepdims=True)
    level = centred.mean(axis=3)
    between = 2 * (level**2).sum(axis=(1, 2))
    return between, ((centred - level[..., None]) ** 2).sum(axis=(1, 2, 3))


def change(scores: FloatArray) -> FloatArray:
    """Second system minus first."""
    return scores[..., 1] - scores[..., 0]


def _tail(mean: FloatArray, error: FloatArray, freedom: FloatArray | int) -> FloatArray:
    from scipy.special import stdtr

    known = error > 1e-12
    t = np.abs(mean) / np.where(known, error, 1.0)
    return np.where(known, 2 * stdtr(freedom, -t), np.nan)


def any_found(p: FloatArray) -> BoolArray:
    """Whether any class of a trial is called different after Holm; a class without a p-value never is."""
    return np.asarray((holm(p) <= ALPHA).any(axis=1))


def rates(scores: str, queries: int, trials: int = TRIALS, seed: int = 0) -> tuple[float, float, float]:
    """The share of trials in which any class is called different: by the verdict, the t test, and the pooled model."""
    every = processes()
    chance = np.random.default_rng([seed, queries, list(every).index(scores)])
    result = every[scores](chance, trials, queries)
    ways = deciding_p(change(result)), t_p(change(result)), pooled_p(result)
    check(result[:CHECKED], *ways)
    verdict, apart, pooled = (float(any_found(each).mean()) for each in ways)
    return verdict, apart, pooled


def check(scores: FloatArray, deciding: FloatArray, apart: FloatArray, pooled: FloatArray) -> None:
    """The first trials by `class_effects` itself; another p-value or verdict than here stops everything."""
    edge = np.isclose(*_squares(scores), rtol=1e-6, atol=CLOSE)  # there rounding may decide between two tests
    for trial, each in enumerate(scores):
        effects = class_effects(_table(each), "A", "B")
        named = sorted(effects.effects, key=lambda effect: effect.label)
        if not edge[trial]:
            theirs = np.array([effect.pooled for effect in named])
            np.testing.assert_allclose(pooled[trial], theirs, rtol=CLOSE, atol=CLOSE)
        if scores.shape[2] < 12:
            np.testing.assert_allclose(apart[trial], [effect.p for effect in named], rtol=CLOSE, atol=CLOSE)
        assert any(effect.better for effect in named) == any_found(deciding[trial : trial + 1])[0]


def _table(scores: FloatArray) -> ScoreTable:
    classes = [str(number) for number in range(CLASSES) for _ in range(scores.shape[1])]
    flat = scores.reshape(-1, 2)
    return ScoreTable.make({"A": flat[:, 0], "B": flat[:, 1]}, classes)


def power(scores: str, queries: int, gain: float, trials: int = TRIALS // 2) -> tuple[float, float]:
    """How often a class that gains so many standard deviations is found, the others equal: by the verdict, and by t."""
    every = processes()
    chance = np.random.default_rng([7, queries, list(every).index(scores)])
    difference = change(every[scores](chance, trials, queries))
    difference[:, 0] += gain * difference.std()
    return _first_found(deciding_p(difference)), _first_found(t_p(difference))


def _first_found(p: FloatArray) -> float:
    return float((holm(p)[:, 0] <= ALPHA).mean())


def opposed_rates(correlation: float, queries: int, trials: int = TRIALS, seed: int = 0) -> tuple[float, float]:
    """Error of one class's effect by the mixed model at 5 %, not corrected: as it is, and with the boundary fit."""
    result = opposed(correlation)(np.random.default_rng([seed, queries]), trials, queries)
    ours = pooled_p(result)
    theirs = np.array([[effect.p for effect in mixed(_table(each)).effects] for each in result[:CHECKED]])
    np.testing.assert_allclose(ours[:CHECKED], theirs, rtol=CLOSE, atol=CLOSE)
    return float((ours <= ALPHA).mean()), float((pooled_p(result, at_boundary=True) <= ALPHA).mean())


def report(trials: int = TRIALS) -> str:
    """All rates; a star where one is above the limit."""
    return "\n".join([_errors(trials), _power(), _opposed()])


def _errors(trials: int) -> str:
    head = [f"{way}, {queries} queries" for queries in SIZES for way in ("verdict", "_t_", "_pooled_")]
    lines = [f"| scores | {' | '.join(head)} |", "|---" + "|---:" * len(head) + "|"]
    for scores in processes():
        shares = [share for queries in SIZES for share in rates(scores, queries, trials)]
        lines.append(f"| {scores} | {' | '.join(f'{each:.3f}' + '*' * (each > LIMIT) for each in shares)} |")
    text = (
        f"Share of {trials:,} trials in which any of {CLASSES} classes is called different at 5 %, where there is no "
        f"difference: by the verdict (sign flips and skew t, the larger p), by the t test of each class, and by the "
        f'pooled mixed model, on which no verdict rests; Holm over the classes for all. "mean 0": only the mean '
        f"difference is 0, labels could not be swapped. Real runs: a random pair in each trial, centred, queries drawn "
        f"with replacement. A star: above {LIMIT:g}.\n"
    )
    return "\n".join([text, *lines, ""])


def _power() -> str:
    sizes = (10, 20)
    head = [f"{gain:g} sd, {queries} queries" for queries in sizes for gain in GAINS]
    lines = [
        f"One class in {CLASSES} truly gains: share of {TRIALS // 2:,} trials in which the verdict says so, in "
        "brackets the t test of that class with the same correction.\n",
        f"| differences | {' | '.join(head)} |",
        "|---" + "|---:" * len(head) + "|",
    ]
    for scores in [each for each in processes() if each.endswith((" AP", " RR", "normal", "exponential"))]:
        results = [power(scores, queries, gain) for queries in sizes for gain in GAINS]
        lines.append(f"| {scores} | {' | '.join(f'{a:.2f} ({b:.2f})' for a, b in results)} |")
    return "\n".join([*lines, ""])


def _opposed() -> str:
    lines = [
        f"Systems that go against each other within {CLASSES} classes: error of the effect of one class by the mixed "
        f"model at 5 %, {TRIALS:,} trials. Where the variance of queries comes out below 0, classes are judged by "
        "their own paired differences; in brackets the fit at the boundary, with that variance set to 0.\n",
        f"| correlation | {' | '.join(f'{queries} queries a class' for queries in SIZES)} |",
        "|---:" + "|---:" * len(SIZES) + "|",
    ]
    for correlation in CORRELATIONS:
        results = [opposed_rates(correlation, queries) for queries in SIZES]
        lines.append(f"| {correlation:g} | {' | '.join(f'{a:.3f} ({b:.3f})' for a, b in results)} |")
    return "\n".join([*lines, ""])
