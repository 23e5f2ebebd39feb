"""Probabilities and means of counts, for many distributions at once: sums outwards from the largest term."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.curves.distributions import Counts
from rankscope.curves.tail_sums import NEGLIGIBLE, Ratios, TermsAtRanks, Weight, tail_sums, weighted_sums

BLOCK = 1 << 16  # elements at once
FRACTION_BLOCK = 1 << 14  # where none leaves early: they stay in the processor's cache


def at_most(counts: Counts, limit: FloatArray) -> FloatArray:
    """P(count <= limit) for each element; the limit is a whole number, below 0 the probability is 0.

    >>> from rankscope.curves.distributions import Binomial
    >>> at_most(Binomial(np.array([3.0]), np.array([0.5])), np.array([1.0]))
    array([0.5])
    """
    certain = (limit >= counts.most) | counts.hardly_exceeds(limit)
    result = np.where(certain, 1.0, 0.0)
    open_ones = np.flatnonzero((limit >= counts.least) & ~certain)
    for start in range(0, open_ones.size, BLOCK):
        chosen = open_ones[start : start + BLOCK]
        result[chosen] = _within(counts.take(chosen), limit[chosen])
    return result


def _within(counts: Counts, limit: FloatArray) -> FloatArray:
    """The shorter tail: up to the limit where that lies below the mean, else one minus what is beyond; all at once."""
    below = limit < counts.mean
    order, lower = np.argsort(~below, kind="stable"), int(np.count_nonzero(below))
    start = (limit + ~below)[order]
    down, up = counts.take(order[:lower]), counts.take(order[lower:])
    ratios = Ratios.join([down.ratios(start[:lower], -1), up.ratios(start[lower:], +1)])
    tails = tail_sums(np.exp(counts.take(order).log_probability(start)), ratios)
    tails[lower:] = 1.0 - tails[lower:]
    result = np.empty(limit.size)
    result[order] = np.clip(tails, 0.0, 1.0)
    return result


def mean_of(counts: Counts, weight: Weight, place: FloatArray, limit: FloatArray) -> FloatArray:
    """Mean of weight(place + count) over the counts up to the limit; counts beyond it weigh nothing.

    The weight may not grow faster than the terms fall. An infinite limit takes all counts.
    """
    result = np.zeros(limit.size)
    last = np.minimum(limit, counts.most)
    open_ones = np.flatnonzero(last >= counts.least)
    for start in range(0, open_ones.size, BLOCK):
        chosen = open_ones[start : start + BLOCK]
        some, at, end = counts.take(chosen), place[chosen], last[chosen]
        middle = np.clip(np.floor(some.mean), some.least, end)
        result[chosen] = _weighted(some, middle, -1, weight, at, middle)
        more = np.flatnonzero(middle < end)
        above = middle[more] + 1.0
        result[chosen[more]] += _weighted(some.take(more), above, +1, weight, at[more], end[more] - above)
    return result


def _weighted(
    counts: Counts, start: FloatArray, step: int, weight: Weight, place: FloatArray, room: FloatArray
) -> FloatArray:
    """The part of the mean from `start` on, down or up, over the next counts as far as there is room."""
    first = np.exp(counts.log_probability(start))
    return weighted_sums(first, counts.ratios(start, step), TermsAtRanks(weight, place + start, step, room))


def mean_inverse(counts: Counts, place: FloatArray, steps: int = 400) -> FloatArray:
    """Mean of 1 / (place + count), place > 0, by the continued fraction of the distribution's orthogonal polynomials.

    The n-th convergent is the Gauss quadrature with n points (Gautschi 2004, 2.1): it ends exactly where the counts do,
    and long before that it no longer changes. Convergents grow towards the value.
    """
    result = np.empty(place.size)
    for start in range(0, place.size, FRACTION_BLOCK):
        chosen = slice(start, start + FRACTION_BLOCK)
        result[chosen] = _fraction(counts.take(chosen), place[chosen], steps)
    return result


def _fraction(counts: Counts, place: FloatArray, steps: int) -> FloatArray:
    """Steed's algorithm: each convergent is the one before plus a term."""
    result, active = np.empty(place.size), np.arange(place.size)
    centre, _ = counts.fraction(0)
    inverse = 1.0 / (place + centre)
    term, value = inverse, inverse
    for step in range(1, steps):
        centre, product = counts.fraction(step)
        denominator = place + centre - product * inverse
        inverse = np.divide(1.0, denominator, out=np.zeros_like(denominator), where=denominator != 0)
        term = np.where(product > 0, term * ((place + centre) * inverse - 1.0), 0.0)  # no product: no more counts
        value = value + term
        going = term > NEGLIGIBLE * value
        if not going.all():
            result[active[~going]] = value[~going]
            active, place, inverse = active[going], place[going], inverse[going]
            term, value, counts = term[going], value[going], counts.take(going)
        if not active.size:
            break
    result[active] = value
    return result
