"""Does a test find a class of queries on which two systems differ where there is none? Error over all classes together.

Two systems that do not differ are compared on five classes. The verdict of `class_effects` judges each class by its own
differences (t test, Holm over the classes); beside it the pooled mixed model, whose one spread serves all classes, with
the same correction. The sign-flip test takes over from 12 queries a class on; these classes are smaller.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.error_rates import skewed, tenths, zeros
from rankscope.arrays import BoolArray, FloatArray
from rankscope.statistics.class_effects import class_effects
from rankscope.statistics.corrections import holm
from rankscope.statistics.score_table import ScoreTable

ALPHA = 0.05
CLASSES = 5
SIZES = (2, 5, 10)
TRIALS = 10_000
CHECKED = 20  # trials of each case made by `class_effects` itself
CLOSE = 1e-9

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
    "skewed": _bounded(skewed),
    "tenths": _bounded(tenths),
    "many zeros": _bounded(zeros),
}


def t_p(difference: FloatArray) -> FloatArray:
    """p of the paired t test along the last axis; NaN where all differences are equal."""
    count = difference.shape[-1]
    return _tail(difference.mean(axis=-1), difference.std(axis=-1, ddof=1) / np.sqrt(count), count - 1)


def pooled_p(scores: FloatArray) -> FloatArray:
    """p of each class by the mixed model: one variance for all, least squares where that of the queries is 0."""
    queries = scores.shape[2]
    freedom = CLASSES * (queries - 1)
    between, within = _squares(scores)
    at_boundary = between <= within * (1 + CLOSE)
    variance = np.where(at_boundary, (between + within) / (2 * freedom), within / freedom)
    nu = np.where(at_boundary, 2 * freedom, freedom)
    error = np.sqrt(2 * variance / queries)[:, None]
    return _tail(change(scores).mean(axis=-1), np.broadcast_to(error, scores.shape[:2]), nu[:, None])


def _squares(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Of queries within classes, and of what is left; equal where both systems vary apart, as with many zeros."""
    centred = scores - scores.mean(axis=2, keepdims=True)
    level = centred.mean(axis=3)
    between = 2 * (level**2).sum(axis=(1, 2))
    return between, ((centred - level[..., None]) ** 2).sum(axis=(1, 2, 3))


def change(scores: FloatArray) -> FloatArray:
    """Second system less first."""
    return scores[..., 1] - scores[..., 0]


def _tail(mean: FloatArray, error: FloatArray, freedom: FloatArray | int) -> FloatArray:
    from scipy.special import stdtr

    known = error > 1e-12
    t = np.abs(mean) / np.where(known, error, 1.0)
    return np.where(known, 2 * stdtr(freedom, -t), np.nan)


def any_found(p: FloatArray) -> BoolArray:
    """Whether any class of a trial is called different after Holm; a class without a p-value never is."""
    return np.asarray((holm(p) <= ALPHA).any(axis=1))


def rates(scores: str, queries: int, trials: int = TRIALS, seed: int = 0) -> tuple[float, float]:
    """The share of trials in which any class is called different: by its own differences, and by the pooled model."""
    chance = np.random.default_rng([seed, queries, list(SCORES).index(scores)])
    made = SCORES[scores](chance, trials, queries)
    apart, pooled = t_p(change(made)), pooled_p(made)
    check(made[:CHECKED], apart, pooled)
    return float(any_found(apart).mean()), float(any_found(pooled).mean())


def check(scores: FloatArray, apart: FloatArray, pooled: FloatArray) -> None:
    """The first trials by `class_effects` itself; another p-value than here stops everything."""
    queries = scores.shape[2]
    edge = np.isclose(*_squares(scores), rtol=CLOSE, atol=CLOSE)  # there rounding may decide about freedom
    classes = [str(number) for number in range(CLASSES) for _ in range(queries)]
    for trial, each in enumerate(scores):
        flat = each.reshape(-1, 2)
        made = class_effects(ScoreTable.make({"A": flat[:, 0], "B": flat[:, 1]}, classes), "A", "B")
        named = sorted(made.effects, key=lambda effect: effect.label)
        theirs = np.array([[effect.p, effect.pooled] for effect in named])
        ours = np.stack([apart[trial], pooled[trial]], axis=1)
        columns = 1 if edge[trial] else 2
        np.testing.assert_allclose(ours[:, :columns], theirs[:, :columns], rtol=CLOSE, atol=CLOSE)
        assert any(effect.better for effect in named) == any_found(apart[trial : trial + 1])[0]


def allowed(trials: int = TRIALS) -> float:
    """The upper end of the binomial 99 % interval around 5 %."""
    from scipy.stats import binom

    return float(binom.ppf(0.995, trials, ALPHA)) / trials


def report(trials: int = TRIALS) -> str:
    """All rates; a star where one is above what chance allows."""
    limit = allowed(trials)
    head = [f"{way}, {queries} queries" for queries in SIZES for way in ("own", "_pooled_")]
    lines = [f"| scores | {' | '.join(head)} |", "|---" + "|---:" * len(head) + "|"]
    for scores in SCORES:
        shares = [share for queries in SIZES for share in rates(scores, queries, trials)]
        lines.append(f"| {scores} | {' | '.join(f'{each:.3f}' + '*' * (each > limit) for each in shares)} |")
    text = (
        f"Share of {trials:,} trials in which any of {CLASSES} classes is called different at 5 %, where there is no "
        f"difference: by the class's own differences, on which verdicts rest, and by the pooled mixed model, on which "
        f"none does; Holm over the classes for both. A star: above the upper end of the binomial 99 % interval "
        f"({limit:.4f}).\n"
    )
    return "\n".join([text, *lines, ""])
