"""Probabilities and means of counts, for many distributions at once.

Terms are made from their neighbours by their ratio, outwards from where they are largest, and an element is done when
its next term no longer matters; so a tail of few terms costs few terms, regardless of the size of the collection.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.curves.distributions import Counts

NEGLIGIBLE = 1e-15
BLOCK = 1 << 14  # elements at once: they stay in the processor's cache
Weight = Callable[[FloatArray, FloatArray], FloatArray]  # of a count and the rank it is added to


def at_most(counts: Counts, limit: FloatArray) -> FloatArray:
    """P(count <= limit) for each element; the limit is a whole number, below 0 the probability is 0.

    >>> from rankscope.curves.distributions import Binomial
    >>> at_most(Binomial(np.array([3.0]), np.array([0.5])), np.array([1.0]))
    array([0.5])
    """
    result = np.where(limit >= counts.most, 1.0, 0.0)
    open_ones = np.flatnonzero((limit >= counts.least) & (limit < counts.most))
    for start in range(0, open_ones.size, BLOCK):
        chosen = open_ones[start : start + BLOCK]
        result[chosen] = _within(counts.take(chosen), limit[chosen])
    return result


def _within(counts: Counts, limit: FloatArray) -> FloatArray:
    """The shorter tail: up to the limit where that lies below the mean, else one minus what is beyond."""
    below = limit < counts.mean
    result = np.empty(limit.size)
    lower, upper = np.flatnonzero(below), np.flatnonzero(~below)
    result[lower] = outwards(counts.take(lower), limit[lower], -1)
    result[upper] = 1.0 - outwards(counts.take(upper), limit[upper] + 1.0, +1)
    return np.clip(result, 0.0, 1.0)


def mean_of(counts: Counts, weight: Weight, place: FloatArray, limit: FloatArray) -> FloatArray:
    """Mean of weight(count, place) over the counts up to the limit; counts beyond it weigh nothing.

    The weight may not grow faster than the terms fall. An infinite limit takes all counts.
    """
    result = np.zeros(limit.size)
    last = np.minimum(limit, counts.most)
    open_ones = np.flatnonzero(last >= counts.least)
    for start in range(0, open_ones.size, BLOCK):
        chosen = open_ones[start : start + BLOCK]
        some, at, end = counts.take(chosen), place[chosen], last[chosen]
        middle = np.clip(np.floor(some.mean), some.least, end)
        result[chosen] = outwards(some, middle, -1, weight, at)
        more = np.flatnonzero(middle < end)
        result[chosen[more]] += outwards(some.take(more), middle[more] + 1.0, +1, weight, at[more], end[more])
    return result


def outwards(
    counts: Counts,
    start: FloatArray,
    step: int,
    weight: Weight | None = None,
    place: FloatArray | None = None,
    end: FloatArray | None = None,
) -> FloatArray:
    """Sum of the probabilities, weighted if asked, from `start` up or down as far as they matter (at most to `end`)."""
    term = np.exp(counts.log_probability(start))
    total = np.zeros(start.size)
    if place is None:
        place = start
    active, count, limit = np.arange(start.size), start, counts.most if end is None else end
    first = term
    while active.size:
        total[active] += term if weight is None else term * weight(count, place)
        term = term * (counts.rise(count) if step > 0 else counts.fall(count))
        going = (term > NEGLIGIBLE * first) & (count + step <= limit)
        if np.count_nonzero(going) < 0.75 * active.size:
            active, term, count, first = active[going], term[going], count[going] + step, first[going]
            counts, place, limit = counts.take(going), place[going], limit[going]
        else:
            term, count = np.where(going, term, 0.0), np.where(going, count + step, count)
    return total


def mean_inverse(counts: Counts, place: FloatArray, steps: int = 400) -> FloatArray:
    """Mean of 1 / (place + count), place > 0, by the continued fraction of the distribution's orthogonal polynomials.

    The n-th convergent is the Gauss quadrature with n points (Gautschi 2004, 2.1): it ends exactly where the counts do,
    and long before that it no longer changes. Convergents grow towards the value.
    """
    result = np.empty(place.size)
    for start in range(0, place.size, BLOCK):
        chosen = slice(start, start + BLOCK)
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
