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

Scores = Callable[[np.random.Generator, int, int], FloatArray]  # trials, queries a class -> trials x classes x queries x 2


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
    """p of the paired t test along the last axis; NaN where all differences are equal, but 1 where all are 0."""
    count = difference.shape[-1]
    return _tail(difference.mean(axis=-1), difference.std(axis=-1, ddof=1) / np.sqrt(count), count - 1)


def pooled_p(scores: FloatArray) -> FloatArray:
    """p of each class by the mixed model: one variance for all, least squares where queries vary no more than chance."""
    centred = scores - scores.mean(axis=2, keepdims=True)
    queries = scores.shape[2]
    freedom = CLASSES * (queries - 1)
    level = centred.mean(axis=3)
    between = 2 * (level**2).sum(axis=(1, 2))
    within = ((centred - level[..., None]) ** 2).sum(axis=(1, 2, 3))
    at_boundary = between < within
    variance = np.where(at_boundary, (between + within) / (2 * freedom), within / freedom)
    nu = np.where(at_boundary, 2 * freedom, freedom)
    error = np.sqrt(2 * variance / queries)[:, None]
    return _tail(change(scores).mean(axis=-1), np.broadcast_to(error, scores.shape[:2]), nu[:, None])


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
