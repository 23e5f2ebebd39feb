"""From queries to their mean, or to a ratio of their totals: what holds for these queries, and for queries like these.

For these very queries only the draw of the judged items varies: se^2 = sum V_i/n^2. For the population that they are a
sample of, se^2 = s^2/n + sum V_i/n^2. Both: estimate -+ t_{n-1} se, cut at what is
certain of these queries, or possible of any. The estimate itself never leaves what is certain: a sample that found more
than its share would claim more hits than a list has places left. Below 25 queries, and where all are alike, the limits
for the population lie at least as far out as a query that was not seen may move them (`unseen_unit`); where it may have
any value, queries that are all alike have no limits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.measures.fractions import divide
from rankscope.sampling.estimate import EstimatedRange
from rankscope.statistics.intervals.bootstrap import ENOUGH
from rankscope.statistics.intervals.unseen_unit import NO_WIDTH, ROUNDING, shape_within, unseen_unit_limits
from rankscope.statistics.table.units import UnitSums

Bounds = tuple[float, float]
UNBOUNDED: Bounds = (-math.inf, math.inf)


@dataclass(frozen=True)
class Spread:
    """An estimate over queries, with the interval for these queries and that for the population of queries."""

    these: EstimatedRange
    population: EstimatedRange

    @property
    def value(self) -> float:
        """The estimate."""
        return self.these.value

    @classmethod
    def only(cls, value: float) -> Spread:
        """An estimate without intervals."""
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
    return _spread(ratio, ratio_errors(parts, wholes, ratio), variance, rules, units)


def ratio_errors(parts: FloatArray, wholes: FloatArray, ratio: float) -> FloatArray:
    """e_i = (z_i - R c_i)/mean(c): the ratio varies as the mean of these does."""
    return (parts - ratio * wholes) / wholes.mean()


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
