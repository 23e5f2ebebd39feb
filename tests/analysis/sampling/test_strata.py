"""SampleTotals, pairs of hits and resamples: unbiased over all samples there are, and worked values."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import numpy as np
import pytest

from rankscope.analysis.sampling.frame import Strata, rescaled_factors, stratified_total, totals
from rankscope.analysis.sampling.intervals import SpreadRules, mean_spread, ratio_spread
from rankscope.analysis.sampling.judged_run import DrawnHits, precision_sums, weight_sums
from rankscope.analysis.sampling.quantities import RatioSums, ratio_variance, resampled_ratio
from rankscope.core.arrays import IntArray

WORKED = Strata(
    1, np.zeros(3, dtype=np.int64), ("1-10", "11-100", "rest"), np.array([10, 90, 900]), np.array([10, 18, 45])
)
HITS = np.repeat([0, 1, 2], [7, 4, 2])

# a pool of two strata, seven items of the one and five of the other; ranks in a run, infinite where it has none
SMALL = Strata(1, np.zeros(2, dtype=np.int64), ("a", "b"), np.array([7, 5]), np.array([3, 2]))
STRATUM = np.repeat([0, 1], [7, 5])
RANK = np.array([1.0, 4, 2, 9, 5, np.inf, 7, 3, 6, np.inf, 8, 10])
RELEVANT = np.array([1, 0, 1, 1, 0, 1, 0, 1, 0, 0, 1, 1], dtype=bool)


def every_sample() -> Iterator[IntArray]:
    for one, two in product(combinations(range(7), 3), combinations(range(7, 12), 2)):
        drawn = np.array([*one, *two])
        yield drawn[RELEVANT[drawn]]


def test_the_worked_total_and_its_interval() -> None:
    found = stratified_total(WORKED, HITS, np.ones(13))
    assert (found.range.value, found.error, found.freedom) == pytest.approx((67, 28.4361, 51.11), abs=5e-3)
    assert (found.range.low, found.range.high) == pytest.approx((9.92, 124.08), abs=5e-3)
    assert ratio_variance(WORKED, HITS, np.repeat([1.0, 0.0], [11, 2])) ** 0.5 == pytest.approx(0.179166, abs=5e-7)


def test_the_worked_share_of_pairs_stratified_by_the_grade_of_a_machine() -> None:
    strata = Strata(1, np.zeros(2, dtype=np.int64), ("1", "0"), np.array([480, 520]), np.array([48, 52]))
    found = stratified_total(strata, np.repeat([0, 1], [36, 13]), np.full(49, 1 / 1000))
    assert (found.range.value, found.error) == pytest.approx((0.49, 0.041496), abs=5e-7)
    assert (found.range.low, found.range.high) == pytest.approx((0.407652, 0.572348), abs=5e-7)


def test_totals_and_their_variance_are_unbiased_over_all_samples() -> None:
    value = np.where(np.isfinite(RANK), 1.0 / np.log2(RANK + 1.0), 0.3)
    found = [totals(SMALL, STRATUM[drawn], value[drawn]) for drawn in every_sample()]
    estimates = np.array([each.value[0] for each in found])
    assert estimates.mean() == pytest.approx(value[RELEVANT].sum())
    assert np.mean([each.variance[0] for each in found]) == pytest.approx(estimates.var())


def test_the_sum_of_precisions_is_unbiased_over_all_samples() -> None:
    hits = np.flatnonzero(RELEVANT)
    order = hits[np.argsort(RANK[hits])]
    true = sum(position / RANK[each] for position, each in enumerate(order, 1))
    found = [precision_sums(DrawnHits.of(SMALL, STRATUM[drawn], RANK[drawn]))[0] for drawn in every_sample()]
    assert np.mean(found) == pytest.approx(true)


def test_the_worked_sums_of_precisions() -> None:
    one = Strata(1, np.zeros(1, dtype=np.int64), ("pool",), np.array([10]), np.array([5]))
    first = DrawnHits.of(one, np.zeros(3, dtype=np.int64), np.array([1.0, 4.0, np.inf]))
    assert (precision_sums(first)[0], weight_sums(first, np.ones((1, 3)))[0, 0]) == pytest.approx((3.625, 6))
    two = Strata(1, np.zeros(2, dtype=np.int64), ("1", "2"), np.array([4, 6]), np.array([4, 3]))
    second = DrawnHits.of(two, np.array([0, 0, 1]), np.array([1.0, 3.0, 6.0]))
    assert (precision_sums(second)[0], weight_sums(second, np.ones((1, 3)))[0, 0]) == pytest.approx((8 / 3, 4))
    ratios = [
        ratio_spread(np.array([s, s]), np.array([c, c]), 0.0, SpreadRules()).value for s, c in ((3.625, 6), (8 / 3, 4))
    ]
    assert ratios == pytest.approx([0.604167, 0.666667], abs=5e-7)


def test_queries_do_not_mix_and_a_query_without_a_hit_has_nothing() -> None:
    strata = Strata(3, np.array([0, 1, 2]), ("pool",) * 3, np.array([10, 8, 10]), np.array([5, 4, 5]))
    ranks = np.array([1.0, 4.0, np.inf, 1.0, 4.0, np.inf])
    sums = precision_sums(DrawnHits.of(strata, np.array([2, 2, 2, 0, 0, 0]), ranks))
    assert sums.tolist() == pytest.approx([3.625, 0.0, 3.625])


def test_resamples_spread_as_the_formula_says() -> None:
    chance = np.random.default_rng(0)
    factors = rescaled_factors(WORKED, HITS, chance, 40_000)
    counts = weight_sums(DrawnHits.of(WORKED, HITS, np.arange(1.0, 14.0)), factors)
    assert counts.mean() == pytest.approx(67, rel=0.01)
    assert counts.var() == pytest.approx(28.4361**2, rel=0.03)
    assert (factors[:, :7] == 1.0).all()  # judged in full


def test_the_worked_intervals_over_queries() -> None:
    values, variances = np.array([40.0, 67.0, 22.0]), np.array([100.0, 808.612, 64.0])
    found = mean_spread(values, variances, SpreadRules())
    t = 4.302653
    assert found.value == 43
    assert (found.these.high - 43) / t == pytest.approx(10.3956, abs=5e-5)
    assert (found.population.high - 43) / t == pytest.approx(16.7053, abs=5e-5)
    assert (found.population.low, found.population.high) == pytest.approx((-28.88, 114.88), abs=5e-3)
    cut = mean_spread(values, variances, SpreadRules(certain=(30.0, 60.0), possible=(0.0, np.inf)))
    assert (cut.these.low, cut.these.high, cut.population.low) == (30.0, 60.0, 0.0)
    assert cut.population.high == pytest.approx(114.88, abs=5e-3)


def test_a_difference_of_a_run_with_itself_is_nothing() -> None:
    hits = DrawnHits.of(WORKED, HITS, np.arange(1.0, 14.0))
    factors = rescaled_factors(WORKED, HITS, np.random.default_rng(0), 50)
    sums = RatioSums.of(hits, factors, precision_sums(hits), precision_sums(hits, factors))
    assert resampled_ratio(sums.minus(sums), SpreadRules()).value == 0
