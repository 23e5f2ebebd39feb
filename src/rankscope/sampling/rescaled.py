"""Resamples of a judged sample within its strata, rescaled so that their spread is that of the draw (Rao & Wu 1988)."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.sampling.strata import Strata

RESAMPLES = 200


def rescaled_factors(
    strata: Strata, stratum: IntArray, chance: np.random.Generator, resamples: int = RESAMPLES
) -> FloatArray:
    """By what the weight of each hit is multiplied in each resample: 1 - f + f n m/(n - 1), f = sqrt(1 - n/N).

    `stratum` is that of each relevant item drawn; m counts how often it is among n - 1 draws with replacement from the
    n judged items of its stratum. A stratum that is judged in full does not vary.
    """
    factors = np.ones((resamples, stratum.size))
    found = np.bincount(stratum, minlength=len(strata))
    varies = ~strata.is_full & (found > 0)
    columns = np.flatnonzero(varies[stratum])
    if not columns.size:
        return factors
    varying = stratum[columns]
    n, size = strata.judged[varying], strata.size[varying]
    share = np.sqrt(1.0 - n / size)
    times = _times_drawn(varying, strata.judged, chance, resamples)
    factors[:, columns] = 1.0 - share + share * n / (n - 1) * times
    return factors


def _times_drawn(stratum: IntArray, judged: IntArray, chance: np.random.Generator, resamples: int) -> IntArray:
    """How often each hit is drawn: first how many draws of its stratum meet some hit, then which."""
    strata, found = np.unique(stratum, return_counts=True)
    n = judged[strata]
    met = chance.binomial(n - 1, found / n, size=(resamples, strata.size))
    order = np.argsort(stratum, kind="stable")
    start = np.cumsum(found) - found
    cell = np.repeat(np.arange(met.size), met.ravel())
    place = cell % strata.size
    hit = order[start[place] + (chance.random(cell.size) * found[place]).astype(np.int64)]
    return np.bincount(cell // strata.size * stratum.size + hit, minlength=resamples * stratum.size).reshape(
        resamples, stratum.size
    )
