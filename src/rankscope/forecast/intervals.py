"""How sure a forecast is: other queries might have been asked, and the model errs."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import FloatArray

RESAMPLES = 400


def query_weights(queries: int, seed: int, resamples: int = RESAMPLES) -> FloatArray:
    """Rows of weights: the first even, the others as the queries are drawn with replacement (bootstrap).

    >>> query_weights(4, seed=0, resamples=2).sum(axis=1)
    array([1., 1., 1.])
    """
    random = np.random.default_rng(seed)
    drawn = random.multinomial(queries, np.full(queries, 1.0 / queries), size=resamples)
    return np.concatenate([np.ones((1, queries)), drawn]) / queries


def interval(means: FloatArray, model_error: float, level: float) -> tuple[float, float]:
    """Bounds around the first mean from the spread of the others and the model's own error, within [0, 1].

    >>> low, high = interval(np.array([0.5, 0.49, 0.51]), model_error=0.02, level=0.9)
    >>> round(low, 3), round(high, 3)
    (0.463, 0.537)
    """
    from scipy.special import ndtri

    width = float(ndtri(0.5 + level / 2)) * float(np.hypot(means[1:].std(), model_error))
    return max(0.0, float(means[0]) - width), min(1.0, float(means[0]) + width)
