"""Intervals of what is estimated from a sample: over queries, and of one query (mid-p).

From queries to their mean, or to a ratio of their totals: what holds for these queries, and for queries like these. For
these very queries only the draw of the judged items varies: se^2 = sum V_i/n^2. For the population that they are a
sample of, se^2 = s^2/n + sum V_i/n^2. Both: estimate -+ t_{n-1} se, cut at what is certain of these queries, or
possible of any. The estimate itself never leaves what is certain: a sample that found more than its share would claim
more hits than a list has places left. Below 25 queries, and where all are alike, the limits for the population lie at
least as far out as a query that was not seen may move them (`mean_intervals`); where it may have any value, queries
that are all alike have no limits.

Mid-p limits of one query: how many items of several strata are relevant, and which share of them was found. For a
stratum of N items, of which n were drawn and r of those are relevant, X being the relevant ones of a sample where k of
all are relevant: M(k) = P(X > r) + P(X = r)/2, and F(k) = (M(k) + M(k + 1))/2 is a distribution of k. The weights of
several strata are convolved; limits are quantiles.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rankscope.analysis.sampling.estimate import EstimatedRange
from rankscope.analysis.statistics.bootstrap import ENOUGH
from rankscope.analysis.statistics.mean_intervals import NO_WIDTH, ROUNDING, shape_within, unseen_unit_limits
from rankscope.analysis.statistics.sampling_units import UnitSums
from rankscope.core.arrays import FloatArray
from rankscope.ranks.ragged import divide

Bounds = tuple[float, float]
UNBOUNDED: Bounds = (-math.inf, math.inf)


@dataclass(frozen=True)
class Spread:
    """An estimate over queries, with the interval for these queries and that for the population of queries."""

    these: EstimatedRange
    population: EstimatedRange

    @property
    def value(self) -> float:
        return self.these.value

    @classmethod
    def only(cls, value: float) -> Spread:
        nothing = EstimatedRange(value, math.nan, math.nan)
        return cls(nothing, nothing)


@dataclass(frozen=True)
class SpreadRules:
    """Level, what is certain of these queries, what is possible of any, whether one interval serves both.

    The wider one does where V is estimated too small: sums over pairs whose first ranks were only sampled.
    """

    level: float = 0.95
    certain: Bounds = UNBOUNDED
    possible: Bounds = UNBOUNDED
    is_wide: bool = False


def mean_spread(values: FloatArray, variances: FloatArray, rules: SpreadRules) -> Spread:
    """Of the mean of the queries' values; `variances` by the draw of the sample.

    >>> import numpy as np
    >>> found = mean_spread(np.array([40.0, 67, 22]), np.array([100.0, 808.612, 64]), SpreadRules())
    >>> [round(end, 2) for end in (found.value, found.population.low, found.population.high)]
    [43.0, -28.88, 114.88]
    """
    n = values.size
    units = UnitSums(values[:, None], np.ones((n, 1), dtype=np.int64))
    return _spread(float(values.mean()), values, float(variances.sum()) / n**2, rules, units)


def ratio_spread(parts: FloatArray, wholes: FloatArray, variance: float, rules: SpreadRules) -> Spread:
    """Of sum of parts over sum of wholes; `variance` of this ratio by the draw of the sample."""
    if not wholes.sum() > 0:
        return Spread.only(math.nan)
    ratio = float(parts.sum() / wholes.sum())
    units = UnitSums(parts[:, None], wholes[:, None])  # type: ignore[arg-type]  # sizes may be estimates
    errors = (parts - ratio * wholes) / wholes.mean()  # e_i = (z_i - R c_i)/mean(c): R varies as their mean does
    return _spread(ratio, errors, variance, rules, units)


def _spread(value: float, values: FloatArray, drawn: float, rules: SpreadRules, units: UnitSums) -> Spread:
    n, value = values.size, _within(value, rules.certain)
    if n < 2:
        return Spread.only(value)
    wide = float(values.var(ddof=1)) / n + drawn
    these = wide if rules.is_wide else drawn
    times = t_quantile(rules.level, n - 1)
    around = _range(value, times * math.sqrt(wide), rules.possible)
    alike = math.sqrt(wide) <= NO_WIDTH * float(np.abs(values).max(initial=abs(value)))
    if alike or n < ENOUGH:
        around = _further(around, units, rules, alike)
    return Spread(_range(value, times * math.sqrt(these), rules.certain), around)


def _further(around: EstimatedRange, units: UnitSums, rules: SpreadRules, alike: bool) -> EstimatedRange:
    """As far out as a query that was not seen may move the limits, where it has a range that holds all queries."""
    least, most = rules.possible
    means = divide(units.total, units.size)
    inside = (means >= least - ROUNDING) & (means <= most + ROUNDING) | np.isnan(means)
    if math.isinf(least) or math.isinf(most) or not inside.all():
        return EstimatedRange(around.value, math.nan, math.nan) if alike else around
    shape = shape_within(rules.possible)
    (low,), (high,) = unseen_unit_limits(units, rules.level, bounds=rules.possible, shape=shape, together=False)
    return EstimatedRange(around.value, min(around.low, float(low)), max(around.high, float(high)))


def _range(value: float, half: float, bounds: Bounds) -> EstimatedRange:
    return EstimatedRange(value, _within(value - half, bounds), _within(value + half, bounds))


def _within(value: float, bounds: Bounds) -> float:
    low, high = bounds
    return min(high, max(low, value))


def t_quantile(level: float, freedom: float) -> float:
    """How many standard errors reach out from the middle so that Student's t lies within, with this chance."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.5 + level / 2.0))


LOST = 1e-10  # weight that may be left out at each end
STEPS, PARTS = 8, 32  # how often an interval from 0 to 1 is divided, and into how many parts


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights on the whole numbers from `first` on; together 1."""

    first: int
    weight: FloatArray

    @property
    def counts(self) -> FloatArray:
        return self.first + np.arange(self.weight.size, dtype=np.float64)

    def limits(self, level: float = 0.95) -> tuple[int, int]:
        """The first number with more than the lower tail at or below it, and the first with all but the upper one."""
        tail, below = (1.0 - level) / 2.0, self.weight.cumsum()
        low = int(np.argmax(below > tail + 1e-12))
        high = int(np.argmax(below >= 1.0 - tail - 1e-12))
        return self.first + low, self.first + high


Cell = tuple[int, int, int]  # items N, judged n, relevant r


@lru_cache(maxsize=1 << 15)
def weights_of_cell(size: int, judged: int, found: int) -> Weights:
    """Weights on how many of `size` items are relevant when `found` of `judged` drawn ones are.

    Nothing drawn: half on none and half on all.
    >>> weights_of_cell(4, 2, 1).weight.round(4).tolist()
    [0.375, 0.25, 0.375]
    >>> weights_of_cell(3, 0, 0).weight.tolist(), weights_of_cell(3, 3, 2).first
    ([0.5, 0.0, 0.0, 0.5], 2)
    """
    most = size - judged
    k = found + np.arange(most + 1, dtype=np.float64)
    ways = _log_choose(k, found) + _log_choose(size - k, judged - found)
    equal = np.exp(ways - _log_choose(float(size), judged))  # P(X = found), where k of all are relevant
    above = np.zeros(k.size)  # P(X > found): one more relevant item raises it where it is drawn and the count rises
    if judged > found:
        ways = _log_choose(k[:-1], found) + _log_choose(size - k[:-1] - 1.0, judged - found - 1)
        above[1:] = np.exp(ways - _log_choose(float(size), judged)).cumsum()
    mid = above + equal / 2.0
    below = np.append((mid[:-1] + mid[1:]) / 2.0, 1.0)
    weight = np.diff(below, prepend=0.0)
    reached = weight.cumsum()
    start, end = int(np.searchsorted(reached, LOST)), int(np.searchsorted(reached, 1.0 - LOST)) + 1
    return Weights(found + start, weight[start:end])


def class_size_weights(cells: Iterable[Cell]) -> Weights:
    """Of the relevant items of all cells together."""
    whole = Weights(0, np.ones(1))
    for cell in cells:
        other = weights_of_cell(*cell)
        whole = Weights(whole.first + other.first, np.convolve(whole.weight, other.weight))
    return whole


def class_size_limits(cells: Iterable[Cell], level: float = 0.95) -> tuple[int, int]:
    """How many items are relevant, at least and at most.

    >>> class_size_limits([(10, 10, 7), (90, 18, 4), (900, 45, 2)])
    (31, 153)
    """
    return class_size_weights(cells).limits(level)


def recall_limits(inside: Sequence[Cell], outside: Sequence[Cell], level: float = 0.95) -> tuple[float, float]:
    """Which share of the relevant items lies in the cells `inside`; NaN where nothing can be relevant.

    >>> low, high = recall_limits([(10, 10, 7), (90, 18, 4)], [(900, 45, 2)])
    >>> round(low, 6), round(high, 6)
    (0.15625, 0.8)
    """
    a, b = class_size_weights(inside), class_size_weights(outside)
    empty = float(a.weight[0] * b.weight[0]) if a.first == b.first == 0 else 0.0
    if empty >= 1.0 - 1e-12:
        return np.nan, np.nan
    tail = (1.0 - level) / 2.0
    below = _Shares(a, b, empty)
    return below.first_with(tail + 1e-12), below.first_with(1.0 - tail - 1e-12)


class _Shares:
    """The distribution of a/(a + b), without the case that both are 0."""

    def __init__(self, a: Weights, b: Weights, empty: float) -> None:
        self.a, self.b, self.empty = a, b, empty
        self.from_b = np.append(b.weight[::-1].cumsum()[::-1], 0.0)  # weight of b and more

    def at_most(self, share: FloatArray) -> FloatArray:
        """The weight of shares up to these, each above 0."""
        least = np.ceil(self.a.counts * ((1.0 - share) / share)[:, None] - 1e-9) - self.b.first
        place = np.clip(least, 0, self.b.weight.size).astype(np.intp)
        return ((self.a.weight * self.from_b[place]).sum(axis=1) - self.empty) / (1.0 - self.empty)

    @property
    def at_zero(self) -> float:
        none = float(self.a.weight[0]) if self.a.first == 0 else 0.0
        return (none - self.empty) / (1.0 - self.empty)

    def first_with(self, weight: float) -> float:
        """The least share with so much weight at or below it."""
        if self.at_zero >= weight:
            return 0.0
        low, high = 0.0, 1.0
        for _ in range(STEPS):
            tried = np.linspace(low, high, PARTS + 1)[1:]
            first = int(np.argmax(self.at_most(tried) >= weight))
            low, high = float(tried[first - 1]) if first else low, float(tried[first])
        a = self.a.counts[self.a.counts > 0]
        possible = a / (a + np.rint(a * (1.0 - high) / high))  # shares, of which one is it but for rounding
        return float(possible[np.argmin(np.abs(possible - high))])


def _log_choose(n: FloatArray | float, k: FloatArray | float) -> FloatArray:
    from scipy.special import gammaln

    return gammaln(np.add(n, 1.0)) - gammaln(np.add(k, 1.0)) - gammaln(np.subtract(n, k) + 1.0)
