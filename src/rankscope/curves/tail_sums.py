"""Sums of terms that are made from their neighbours: each is the one before it times a ratio of small factors.

A sum begins where the terms are largest and ends when the next term no longer matters; so a tail of few terms costs few
terms, regardless of the size of the collection.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.arrays import FloatArray

NEGLIGIBLE = 1e-15
UNSEEN = 1e-17  # what 1 minus a chance does not show
STILL_SUMMED = 0.5  # elements that are done leave the arrays when fewer than this share go on
RANK, ROOM = 4, 5  # rows of a sum's state, behind the four factors
Weight = Callable[[FloatArray], FloatArray]  # of a rank


@dataclass(frozen=True)
class Ratios:
    """The next term over this one, (x y) / (u v), of each element; at each step every factor changes by its slope.

    >>> rising = Ratios.of((np.array([3.0]), np.ones(1)), (np.array([4.0]), np.ones(1)), (-1, 0, 1, 0))
    >>> rising.first
    array([0.75])
    """

    factors: FloatArray  # x, y, u and v: four rows
    slopes: FloatArray  # a column of four

    @classmethod
    def of(
        cls,
        over: tuple[FloatArray, FloatArray],
        under: tuple[FloatArray, FloatArray],
        slopes: tuple[int, int, int, int],
    ) -> Ratios:
        """From x and y, u and v at the first step, and the slopes of the four."""
        return cls(np.stack([*over, *under]), np.array(slopes, dtype=np.float64)[:, None])

    @classmethod
    def join(cls, parts: Sequence[Ratios]) -> Ratios:
        """Those of several groups of elements of one distribution, whose slopes are the same up and down."""
        return cls(np.concatenate([each.factors for each in parts], axis=1), parts[0].slopes)

    @property
    def first(self) -> FloatArray:
        """The second term over the first; not a number, or infinite, where there is none."""
        x, y, u, v = self.factors
        with np.errstate(divide="ignore", invalid="ignore"):
            return x * y / (u * v)

    def take(self, chosen: Any) -> Ratios:
        """Some elements."""
        return Ratios(self.factors[:, chosen], self.slopes)


@dataclass(frozen=True)
class TermsAtRanks:
    """Terms that stand at ranks: the first at `rank`, each next one a `step` further; `room` of them may follow it."""

    weight: Weight
    rank: FloatArray
    step: int
    room: FloatArray


def tail_sums(first: FloatArray, ratios: Ratios) -> FloatArray:
    """The sum of each element's terms; one that is too small to be seen, about the geometric series it begins with.

    The ratios of the terms fall, so the series is an upper limit: where it is below what a chance of 1 would show, the
    sum is not made.
    >>> half = Ratios.of((np.ones(2), np.ones(2)), (np.full(2, 2.0), np.ones(2)), (0, 0, 0, 0))
    >>> tail_sums(np.array([0.5, 1e-30]), half)
    array([1.e+00, 2.e-30])
    """
    ratio = ratios.first
    with np.errstate(divide="ignore", invalid="ignore"):
        result = first / (1.0 - ratio)
    seen = np.flatnonzero(~((ratio < 1.0) & (result < UNSEEN)))
    result[seen] = _sums(first[seen], ratios.take(seen))
    return result


def weighted_sums(first: FloatArray, ratios: Ratios, ranked: TermsAtRanks) -> FloatArray:
    """The sum of each element's terms, each times the weight of its rank, as far as there is room."""
    return _sums(first, ratios, ranked)


@np.errstate(divide="ignore", invalid="ignore")
def _sums(first: FloatArray, ratios: Ratios, ranked: TermsAtRanks | None = None) -> FloatArray:
    """Term after term, for all elements that are not done."""
    total, active = np.empty(first.size), np.arange(first.size)
    term, least = first.copy(), NEGLIGIBLE * first
    state, slopes = _started(ratios, ranked)
    done = np.zeros(first.size)
    scratch = np.empty((2, first.size))
    while active.size:
        done += _weighed(term, state, ranked)
        term *= _ratio(state, scratch[:, : active.size])
        state += slopes
        going = term > least if ranked is None else (term > least) & (state[ROOM] >= 0)
        if np.count_nonzero(going) < STILL_SUMMED * active.size:
            total[active] = done
            active, term, least, done, state = active[going], term[going], least[going], done[going], state[:, going]
        else:
            np.copyto(term, 0.0, where=~going)
    return total


def _started(ratios: Ratios, ranked: TermsAtRanks | None) -> tuple[FloatArray, FloatArray]:
    """The factors, and the rank and the room behind them: their values, and what a step adds to them."""
    if ranked is None:
        return ratios.factors.copy(), ratios.slopes
    state = np.concatenate([ratios.factors, [ranked.rank, ranked.room]])
    return state, np.concatenate([ratios.slopes, [[float(ranked.step)], [-1.0]]])


def _ratio(state: FloatArray, scratch: FloatArray) -> FloatArray:
    x, y, u, v = state[:RANK]
    return np.divide(np.multiply(x, y, out=scratch[0]), np.multiply(u, v, out=scratch[1]), out=scratch[0])


def _weighed(term: FloatArray, state: FloatArray, ranked: TermsAtRanks | None) -> FloatArray:
    """The terms times their weights; the rank of an element that is done no longer means anything."""
    return term if ranked is None else term * ranked.weight(np.maximum(state[RANK], 1.0))
