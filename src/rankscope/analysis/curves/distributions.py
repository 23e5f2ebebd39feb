"""Distributions of counts (hypergeometric, binomial, beta-binomial): probabilities, tails and means of many of them at
once.

Sums of terms that are made from their neighbours: each is the one before it times a ratio of small factors. A sum
begins where the terms are largest and ends when the next term no longer matters; so a tail of few terms costs few
terms, regardless of the size of the collection.

How many distractors stand above a hit after chance has worked on them: three distributions of counts.
Each holds one distribution per element, as arrays of equal length; `chances` works out what is asked of them.

Probabilities of counts in very large collections, in closed form: no table, and no large numbers that cancel.
Loader (2000), Fast and accurate computation of binomial probabilities: what is left of Stirling's formula is a short
series, and the deviance of a count from its mean is computed without a difference of large numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Protocol, Self

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray
from rankscope.ranks.ragged import divide

BLOCK = 1 << 16  # elements at once
FRACTION_BLOCK = 1 << 14  # where none leaves early: they stay in the processor's cache


def at_most(counts: Counts, limit: FloatArray) -> FloatArray:
    """P(count <= limit) for each element; the limit is a whole number, below 0 the probability is 0.

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
    return _sums(first, counts.ratios(start, step), TermsAtRanks(weight, place + start, step, room))


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


@np.errstate(divide="ignore", invalid="ignore")
def _sums(first: FloatArray, ratios: Ratios, ranked: TermsAtRanks | None = None) -> FloatArray:
    """The sum of each element's terms; where they stand at ranks each times its weight, as far as there is room."""
    total, active = np.empty(first.size), np.arange(first.size)
    term, least = first.copy(), NEGLIGIBLE * first
    state, slopes = ratios.factors.copy(), ratios.slopes
    if ranked is not None:
        state = np.concatenate([state, [ranked.rank, ranked.room]])
        slopes = np.concatenate([slopes, [[float(ranked.step)], [-1.0]]])
    done = np.zeros(first.size)
    scratch = np.empty((2, first.size))
    while active.size:
        # The terms times their weights; the rank of an element that is done no longer means anything.
        done += term if ranked is None else term * ranked.weight(np.maximum(state[RANK], 1.0))
        term *= _ratio(state, scratch[:, : active.size])
        state += slopes
        going = term > least if ranked is None else (term > least) & (state[ROOM] >= 0)
        if np.count_nonzero(going) < STILL_SUMMED * active.size:
            total[active] = done
            active, term, least, done, state = active[going], term[going], least[going], done[going], state[:, going]
        else:
            np.copyto(term, 0.0, where=~going)
    return total


def _ratio(state: FloatArray, scratch: FloatArray) -> FloatArray:
    x, y, u, v = state[:RANK]
    return np.divide(np.multiply(x, y, out=scratch[0]), np.multiply(u, v, out=scratch[1]), out=scratch[0])


TINY = 1e-300
UNSEEN_LOG = -float(np.log(UNSEEN))
LARGE = 1 << 22  # collections up to here have their factorials in a table of 32 MB; others need none


class Counts(Protocol):
    """A distribution of counts for each element: the least and the greatest that are possible, the mean, chances."""

    @property
    def least(self) -> FloatArray: ...
    @property
    def most(self) -> FloatArray: ...
    @property
    def mean(self) -> FloatArray: ...

    def hardly_exceeds(self, count: FloatArray) -> BoolArray:
        """Where larger counts are so improbable that 1 minus their chance is 1; elsewhere it may be so, too."""

    def log_probability(self, count: FloatArray) -> FloatArray:
        """Logarithm of the probability of a possible count."""

    def ratios(self, count: FloatArray, step: int) -> Ratios:
        """Probability of the next count over that of this one, up (+1) or down (-1); 0 behind the last possible one."""

    def fraction(self, step: int) -> tuple[FloatArray, FloatArray]:
        """The centre and the two-step product of the recurrence of the orthogonal polynomials."""

    def take(self, chosen: Any) -> Self: ...

    def with_all(self, others: Sequence[Self]) -> Self:
        """These elements and those of others, in order."""


class _Arrays:
    """Distributions whose fields are arrays of one length."""

    def take(self, chosen: Any) -> Self:
        return type(self)(*(getattr(self, each.name)[chosen] for each in fields(self)))  # type: ignore[arg-type]

    def with_all(self, others: Sequence[Self]) -> Self:
        names = [each.name for each in fields(self)]  # type: ignore[arg-type]
        return type(self)(*(np.concatenate([getattr(each, name) for each in (self, *others)]) for name in names))


@dataclass(frozen=True)
class Hypergeometric(_Arrays):
    """Marked items among `drawn` of `population`, of which `marked` are marked; drawn without replacement."""

    population: FloatArray
    marked: FloatArray
    drawn: FloatArray

    @property
    def least(self) -> FloatArray:
        """All unmarked items have been drawn."""
        return np.maximum(0.0, self.drawn + self.marked - self.population)

    @property
    def most(self) -> FloatArray:
        """Everything drawn is marked, or everything marked is drawn."""
        return np.minimum(self.marked, self.drawn)

    @property
    def mean(self) -> FloatArray:
        """The marked items' share of what is drawn."""
        return self.marked * self.drawn / np.maximum(self.population, 1.0)

    def hardly_exceeds(self, count: FloatArray) -> BoolArray:
        return far_above(self.mean, count)

    def log_probability(self, count: FloatArray) -> FloatArray:
        """Ways to draw the marked and the unmarked over all ways to draw."""
        e, b, m = self.population, self.marked, self.drawn
        if e.max(initial=0.0) < LARGE:
            return log_choose(b, count) + log_choose(e - b, m - count) - log_choose(e, m)
        return log_hypergeometric(count, e, b, m)

    def ratios(self, count: FloatArray, step: int) -> Ratios:
        marked, unmarked = self.marked - count, self.drawn - count
        rest = self.population - self.marked - self.drawn + count
        if step > 0:
            return Ratios.of((marked, unmarked), (count + 1.0, rest + 1.0), (-1, -1, 1, 1))
        return Ratios.of((count, rest), (marked + 1.0, unmarked + 1.0), (-1, -1, 1, 1))

    def fraction(self, step: int) -> tuple[FloatArray, FloatArray]:
        """Hahn polynomials (Koekoek & Swarttouw 1998, 1.5) with alpha = -b - 1, beta = b - e - 1, N = m."""
        up, down = self._up(step), self._down(step)
        return up + down, (self._up(step - 1) * down if step else np.zeros_like(up))

    def _up(self, n: int) -> FloatArray:
        e, b, m = self.population, self.marked, self.drawn
        ways = (e + 1.0 - n) * (b - n) * (m - n)
        return divide(ways, (e + 1.0 - 2 * n) * (e - 2.0 * n), nothing=0.0)

    def _down(self, n: int) -> FloatArray:
        e, b, m = self.population, self.marked, self.drawn
        ways = n * (e + 1.0 - m - n) * (e + 1.0 - b - n)
        return divide(ways, (e + 2.0 - 2 * n) * (e + 1.0 - 2 * n), nothing=0.0)


@dataclass(frozen=True)
class Binomial(_Arrays):
    """Successes in `trials` that succeed with `chance` each."""

    trials: FloatArray
    chance: FloatArray

    @property
    def least(self) -> FloatArray:
        """None, unless success is certain."""
        return np.where(self.chance >= 1.0, self.trials, 0.0)

    @property
    def most(self) -> FloatArray:
        """All, unless failure is certain."""
        return np.where(self.chance <= 0.0, 0.0, self.trials)

    @property
    def mean(self) -> FloatArray:
        return self.trials * self.chance

    def hardly_exceeds(self, count: FloatArray) -> BoolArray:
        return far_above(self.mean, count)

    def log_probability(self, count: FloatArray) -> FloatArray:
        """Ways to choose the successes, times the probability of each way."""
        from scipy.special import betaln, xlog1py, xlogy

        n, p = self.trials, self.chance
        ways = -betaln(count + 1.0, n - count + 1.0) - np.log1p(n)
        return ways + xlogy(count, p) + xlog1py(n - count, -p)

    def ratios(self, count: FloatArray, step: int) -> Ratios:
        failures, chance = self.trials - count, self.chance
        if step > 0:
            return Ratios.of((failures, chance), (count + 1.0, np.maximum(1.0 - chance, TINY)), (-1, 0, 1, 0))
        return Ratios.of((count, 1.0 - chance), (failures + 1.0, np.maximum(chance, TINY)), (-1, 0, 1, 0))

    def fraction(self, step: int) -> tuple[FloatArray, FloatArray]:
        """Krawtchouk polynomials (Koekoek & Swarttouw 1998, 1.10)."""
        n, p = self.trials, self.chance
        return p * (n - step) + step * (1.0 - p), step * p * (1.0 - p) * np.maximum(n - step + 1.0, 0.0)


@dataclass(frozen=True)
class BetaBinomial(_Arrays):
    """Successes in `trials` whose common chance has itself a Beta(`wins`, `losses`) distribution."""

    trials: FloatArray
    wins: FloatArray
    losses: FloatArray

    @property
    def least(self) -> FloatArray:
        return np.zeros_like(self.trials)

    def hardly_exceeds(self, count: FloatArray) -> BoolArray:
        """Nowhere for certain: the common chance may be any."""
        return np.zeros(count.size, dtype=np.bool_)

    @property
    def most(self) -> FloatArray:
        return self.trials

    @property
    def mean(self) -> FloatArray:
        return self.trials * self.wins / (self.wins + self.losses)

    def log_probability(self, count: FloatArray) -> FloatArray:
        """Binomial ways, averaged over the chance."""
        from scipy.special import betaln

        n, a, b = self.trials, self.wins, self.losses
        ways = -betaln(count + 1.0, n - count + 1.0) - np.log1p(n)
        return ways + betaln(count + a, n - count + b) - betaln(a, b)

    def ratios(self, count: FloatArray, step: int) -> Ratios:
        failures, a, b = self.trials - count, self.wins, self.losses
        if step > 0:
            return Ratios.of((failures, a + count), (count + 1.0, b + failures - 1.0), (-1, 1, 1, -1))
        return Ratios.of((count, b + failures), (failures + 1.0, a + count - 1.0), (-1, 1, 1, -1))

    def fraction(self, step: int) -> tuple[FloatArray, FloatArray]:
        """Hahn polynomials (Koekoek & Swarttouw 1998, 1.5) with alpha = wins - 1, beta = losses - 1."""
        up, down = self._up(step), self._down(step)
        return up + down, (self._up(step - 1) * down if step else np.zeros_like(up))

    def _up(self, n: int) -> FloatArray:
        count, a, b = self.trials, self.wins, self.losses
        if n == 0:
            return count * a / (a + b)
        ways = (n + a + b - 1.0) * (n + a) * np.maximum(count - n, 0.0)
        return ways / ((2 * n + a + b - 1.0) * (2 * n + a + b))

    def _down(self, n: int) -> FloatArray:
        count, a, b = self.trials, self.wins, self.losses
        ways = n * (n + a + b + count - 1.0) * (n + b - 1.0)
        return divide(ways, (2 * n + a + b - 2.0) * (2 * n + a + b - 1.0), nothing=0.0)


def far_above(mean: FloatArray, count: FloatArray) -> BoolArray:
    """Where more than `count` of many zeros and ones, in the mean `mean` of them, are ones less often than is seen.

    By Bernstein's inequality, P(sum >= mean + t) <= exp(-t^2 / 2 / (mean + t / 3)); drawn without replacement they
    exceed it no more often (Hoeffding 1963).
    >>> far_above(np.array([1.0, 1.0]), np.array([20.0, 40.0]))
    array([False,  True])
    """
    further = count + 1.0 - mean
    return (further > 0.0) & (further**2 > 2.0 * UNSEEN_LOG * (mean + further / 3.0))


def log_choose(items: FloatArray, chosen: FloatArray) -> FloatArray:
    """Logarithm of the number of ways to choose from whole numbers of items, by table.

    >>> np.exp(log_choose(np.array([5.0, 4.0]), np.array([2.0, 4.0]))).round(9)
    array([10.,  1.])
    """
    items, chosen = items.astype(np.int64), chosen.astype(np.int64)
    table = _log_factorials(int(items.max(initial=1)).bit_length())
    return table[items] - table[chosen] - table[items - chosen]


@cache
def _log_factorials(bits: int) -> FloatArray:
    from scipy.special import gammaln

    return gammaln(np.arange(1 << bits) + 1.0)


HALF_LOG_2_PI = 0.5 * np.log(2.0 * np.pi)
SERIES_FROM = 16.0
NEAR_MEAN = 0.1  # relative distance from the mean within which the deviance is a series
DEVIANCE_TERMS = 12


def log_binomial(count: FloatArray, trials: FloatArray, chance: FloatArray, other: FloatArray) -> FloatArray:
    """Logarithm of the probability of `count` successes in `trials`; `other` is 1 - chance, to full precision.

    >>> one = np.ones(1)
    >>> np.exp(log_binomial(2 * one, 3 * one, 0.5 * one, 0.5 * one)).round(12)
    array([0.375])
    """
    misses = trials - count
    inner = np.minimum(count, misses) > 0
    x, y = np.where(inner, count, 1.0), np.where(inner, misses, 1.0)
    n = x + y
    left = stirling_rest(n) - stirling_rest(x) - stirling_rest(y)
    spread = 0.5 * (np.log(n) - np.log(x) - np.log(y)) - HALF_LOG_2_PI
    middle = left - deviance(x, n * chance) - deviance(y, n * other) + spread
    with np.errstate(divide="ignore", invalid="ignore"):
        edge = np.where(count > 0, count * np.log(chance), 0.0) + np.where(misses > 0, misses * np.log(other), 0.0)
    return np.where(inner, middle, edge)


def log_hypergeometric(count: FloatArray, population: FloatArray, marked: FloatArray, drawn: FloatArray) -> FloatArray:
    """Logarithm of the probability of `count` marked items among those drawn without replacement.

    >>> four, two, one = np.full(1, 4.0), np.full(1, 2.0), np.ones(1)
    >>> np.exp(log_hypergeometric(one, four, two, two)).round(12)
    array([0.66666667])
    """
    chance, other = drawn / population, (population - drawn) / population  # any chance would do: it cancels
    hits = log_binomial(count, marked, chance, other)
    misses = log_binomial(drawn - count, population - marked, chance, other)
    return hits + misses - log_binomial(drawn, population, chance, other)


def stirling_rest(number: FloatArray) -> FloatArray:
    """log n! minus Stirling's formula log(sqrt(2 pi n) (n / e)^n), for n from 1 on.

    >>> float(stirling_rest(np.array([1.0]))[0].round(12))
    0.081061466795
    """
    from scipy.special import gammaln

    square = number * number
    series = (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) / number
    small = np.minimum(number, SERIES_FROM)
    direct = gammaln(small + 1.0) - (small + 0.5) * np.log(small) + small - HALF_LOG_2_PI
    return np.where(number > SERIES_FROM, series, direct)


def deviance(count: FloatArray, mean: FloatArray) -> FloatArray:
    """x log(x / m) + m - x for x > 0: how far a count is from its mean, 0 where it is the mean.

    >>> deviance(np.array([1e12, 2.0, 3.0]), np.array([1e12 + 1, 1.0, 3.0])).round(24)
    array([5.00000000e-13, 3.86294361e-01, 0.00000000e+00])
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        share = (count - mean) / (count + mean)
        square, term = share * share, 2.0 * count * share
        total = (count - mean) * share
        for step in range(1, DEVIANCE_TERMS):
            term = term * square
            total = total + term / (2 * step + 1)
        plain = count * np.log(count / mean) + mean - count
    return np.where(np.abs(share) < NEAR_MEAN, total, plain)
