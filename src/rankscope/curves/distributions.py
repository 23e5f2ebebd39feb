"""How many distractors stand above a hit after chance has worked on them: three distributions of counts.

Each holds one distribution per element, as arrays of equal length; `chances` works out what is asked of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Protocol, Self

import numpy as np

from rankscope.arrays import BoolArray, FloatArray
from rankscope.curves.saddle_point import log_hypergeometric
from rankscope.curves.tail_sums import UNSEEN, Ratios
from rankscope.measures.fractions import divide

TINY = 1e-300
UNSEEN_LOG = -float(np.log(UNSEEN))
LARGE = 1 << 22  # collections up to here have their factorials in a table of 32 MB; others need none


class Counts(Protocol):
    """A distribution of counts for each element."""

    @property
    def least(self) -> FloatArray:
        """The least count possible."""

    @property
    def most(self) -> FloatArray:
        """The greatest count possible."""

    @property
    def mean(self) -> FloatArray:
        """The mean count."""

    def hardly_exceeds(self, count: FloatArray) -> BoolArray:
        """Where larger counts are so improbable that 1 minus their chance is 1; elsewhere it may be so, too."""

    def log_probability(self, count: FloatArray) -> FloatArray:
        """Logarithm of the probability of a possible count."""

    def ratios(self, count: FloatArray, step: int) -> Ratios:
        """Probability of the next count over that of this one, up (+1) or down (-1); 0 behind the last possible one."""

    def fraction(self, step: int) -> tuple[FloatArray, FloatArray]:
        """The centre and the two-step product of the recurrence of the orthogonal polynomials."""

    def take(self, chosen: Any) -> Self:
        """Some elements."""

    def with_all(self, others: Sequence[Self]) -> Self:
        """These elements and those of others, in order."""


class _Arrays:
    """Distributions whose fields are arrays of one length."""

    def take(self, chosen: Any) -> Self:
        """Some elements."""
        return type(self)(*(getattr(self, each.name)[chosen] for each in fields(self)))  # type: ignore[arg-type]

    def with_all(self, others: Sequence[Self]) -> Self:
        """These elements and those of others, in order."""
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
        """Where the count lies far above the mean."""
        return far_above(self.mean, count)

    def log_probability(self, count: FloatArray) -> FloatArray:
        """Ways to draw the marked and the unmarked over all ways to draw."""
        e, b, m = self.population, self.marked, self.drawn
        if e.max(initial=0.0) < LARGE:
            return log_choose(b, count) + log_choose(e - b, m - count) - log_choose(e, m)
        return log_hypergeometric(count, e, b, m)

    def ratios(self, count: FloatArray, step: int) -> Ratios:
        """One marked item more and one unmarked less, or the other way round."""
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
        """Trials times chance."""
        return self.trials * self.chance

    def hardly_exceeds(self, count: FloatArray) -> BoolArray:
        """Where the count lies far above the mean."""
        return far_above(self.mean, count)

    def log_probability(self, count: FloatArray) -> FloatArray:
        """Ways to choose the successes, times the probability of each way."""
        from scipy.special import betaln, xlog1py, xlogy

        n, p = self.trials, self.chance
        ways = -betaln(count + 1.0, n - count + 1.0) - np.log1p(n)
        return ways + xlogy(count, p) + xlog1py(n - count, -p)

    def ratios(self, count: FloatArray, step: int) -> Ratios:
        """One success more or less."""
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
        """None."""
        return np.zeros_like(self.trials)

    def hardly_exceeds(self, count: FloatArray) -> BoolArray:
        """Nowhere for certain: the common chance may be any."""
        return np.zeros(count.size, dtype=np.bool_)

    @property
    def most(self) -> FloatArray:
        """All."""
        return self.trials

    @property
    def mean(self) -> FloatArray:
        """Trials times the mean chance."""
        return self.trials * self.wins / (self.wins + self.losses)

    def log_probability(self, count: FloatArray) -> FloatArray:
        """Binomial ways, averaged over the chance."""
        from scipy.special import betaln

        n, a, b = self.trials, self.wins, self.losses
        ways = -betaln(count + 1.0, n - count + 1.0) - np.log1p(n)
        return ways + betaln(count + a, n - count + b) - betaln(a, b)

    def ratios(self, count: FloatArray, step: int) -> Ratios:
        """One success more or less."""
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
