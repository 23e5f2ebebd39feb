"""Draws that depend on the seed and on how many units there are alone: the curves of two systems ask for the same ones.

The last ones are kept as long as they are not many: drawing them takes longer than working with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray
from rankscope.statistics.table.resampling import Queries, batches, in_batches

KEPT_WEIGHTS = 5_000_000  # numbers: 40 MB
KEPT_TIMES = 20_000_000  # 40 MB: the resamples of up to 10,000 queries
MOST_TIMES = np.iinfo(np.uint16).max  # how often one unit may be drawn where counts are kept


def exponential_weights(units: int, draws: int, seed: int, shape: float) -> tuple[FloatArray, Iterator[FloatArray]]:
    """A gamma weight for each draw, and batches of exponential weights, draws x units.

    >>> gamma, parts = exponential_weights(units=3, draws=4, seed=0, shape=1.0)
    >>> gamma.shape, [part.shape for part in parts]
    ((4,), [(4, 3)])
    """
    if units * draws > KEPT_WEIGHTS:
        chance = np.random.default_rng(seed)
        gamma = chance.standard_gamma(shape, draws)
        return gamma, (chance.standard_exponential((some, units)) for some in batches(draws, units))
    gamma, weights = _kept_weights(units, draws, seed, shape)
    return gamma, in_batches(weights, units)


@lru_cache(maxsize=1)
def _kept_weights(units: int, draws: int, seed: int, shape: float) -> tuple[FloatArray, FloatArray]:
    chance = np.random.default_rng(seed)
    gamma = chance.standard_gamma(shape, draws)
    return gamma, chance.standard_exponential((draws, units))


def resampled_times(units: int, resamples: int, seed: int) -> Iterator[FloatArray]:
    """How often each unit is in each resample, in batches, resamples x units.

    >>> [part.sum(axis=1).tolist() for part in resampled_times(units=3, resamples=2, seed=0)]
    [[3.0, 3.0]]
    """
    if units * resamples > KEPT_TIMES or units > MOST_TIMES:
        chance, draw = np.random.default_rng(seed), Queries(units)
        return (draw.times(chance, some) for some in batches(resamples, units))
    return (part.astype(np.float64) for part in in_batches(_kept_times(units, resamples, seed), units))


@lru_cache(maxsize=2)  # a comparison and graphs of all queries ask for the same, graphs of some for others meanwhile
def _kept_times(units: int, resamples: int, seed: int) -> NDArray[np.uint16]:
    chance, draw = np.random.default_rng(seed), Queries(units)
    return np.concatenate([draw.times(chance, some).astype(np.uint16) for some in batches(resamples, units)])
