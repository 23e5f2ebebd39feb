"""Chances held against what comes: each of the best distractors is left out in turn and awaited as if it were new.

Fitted tails take queries for more alike than they are, so they call scores far out rarer than they are. How much rarer
the data themselves tell: of e distractors, the expected number whose chance is called x / e or less, each by a tail
fitted to the others, is x for each query. If it is r x, the mean of chances of that size is multiplied by r.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.forecast.rates import NEVER
from rankscope.forecast.tails import NODE_WEIGHTS, NODES, SharedTail, tails_of

EXPECTED = 2.0 ** np.arange(3, -11, -1)  # x, falling
CELLS = 1 << 18  # scores looked at in one go, which stay in the cache
CAUTION = 16.0  # so many distractors are taken to agree with the ratio of the x before


@dataclass(frozen=True)
class Calibration:
    """The ratio r at each of the expected numbers x."""

    ratio: FloatArray

    def corrected(self, chances: FloatArray, expected: FloatArray) -> FloatArray:
        """Chances at each value of the scale (rows), given the number of distractors that each column expects above.

        Their mean is multiplied by the ratio. One below 1 lowers all alike. One above 1 comes from few queries that
        have many such scores, while most have none: the chances are spread farther, their logarithms by as much as
        multiplies the mean of a lognormal variable by the ratio.
        """
        at = np.log(np.maximum(expected, EXPECTED[-1]))
        ratio = np.exp(np.interp(at, np.log(EXPECTED[::-1]), np.log(self.ratio[::-1])))
        logs = np.log(chances)
        spread = np.sqrt(np.maximum(NODE_WEIGHTS @ (logs - NODE_WEIGHTS @ logs) ** 2, 0.0))
        more = np.sqrt(spread**2 + 2.0 * np.log(np.maximum(ratio, 1.0))) - spread
        spread_out = chances * np.exp(more * NODES[:, None])
        mean = NODE_WEIGHTS @ chances
        return np.minimum(spread_out * (ratio * mean / np.maximum(NODE_WEIGHTS @ spread_out, NEVER)), 1.0)


def calibrate(best: FloatArray, distractors: FloatArray, most: int, shared: SharedTail) -> Calibration:
    """From the best scores of each query; what all queries share is not fitted anew for one score left out."""
    return Calibration(ratios(left_out(best, distractors, most, shared), len(best)))


def left_out(best: FloatArray, distractors: FloatArray, most: int, shared: SharedTail) -> FloatArray:
    """Of each of the best scores the number of distractors expected above it by the tail of the others, flat."""
    top = best[:, : most + 2]
    places = min(most + 1, top.shape[1] - 1)
    step = max(1, CELLS // max(1, places * top.shape[1]))
    found = [
        _left_out(top[rows], distractors[rows], places, most, shared.of(np.repeat(rows, places)))
        for rows in np.split(np.arange(len(top)), range(step, len(top), step))
    ]
    return np.concatenate([np.empty(0), *found])


def _left_out(top: FloatArray, distractors: FloatArray, places: int, most: int, shared: SharedTail) -> FloatArray:
    """The same for some queries: each stands so many times, without its first score, without its second, ..."""
    others = np.array([np.delete(np.arange(top.shape[1]), place) for place in range(places)], dtype=np.int64)
    tails = tails_of(top[:, others].reshape(len(top) * places, -1), most, shared)
    score, there = top[:, :places].ravel(), np.repeat(distractors, places)
    above = np.flatnonzero(np.isfinite(score) & (score > tails.threshold) & (tails.used > 0))
    return (NODE_WEIGHTS @ tails.chances(there - 1.0, above, score[above])) * there[above]


def ratios(expected: FloatArray, queries: int) -> FloatArray:
    """Numbers found over numbers expected, from many to few; where hardly any are expected the ratio before stays.

    A ratio at most doubles from one x to the next, so that a higher score never has the higher chance.
    >>> ratios(np.array([0.5, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0]), queries=1)[:4].round(2)
    array([1.  , 1.1 , 1.2 , 1.31])
    """
    result, ratio = [], 1.0
    for x in EXPECTED.tolist():
        found = np.count_nonzero(expected <= x)
        ratio = min((found + CAUTION * ratio) / (queries * x + CAUTION), 2.0 * ratio)
        result.append(ratio)
    return np.array(result)
