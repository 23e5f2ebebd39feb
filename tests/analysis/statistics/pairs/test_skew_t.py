"""Skew t: worked values, limits that turn the test round, and error where most lose a little and few gain much."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from rankscope.analysis.statistics.deciding_test import HIDDEN, shorten_t, skew_t_limits, skew_t_p
from tests.analysis.statistics.brughi import A, B

DIFFERENCES = np.array(B) - np.array(A)


def by_hand(values: list[float]) -> float:
    """Two-sided p of values with a mean above 0, term by term."""
    n = len(values)
    t = stats.ttest_1samp(values, 0).statistic
    error = math.sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)))
    skewness = -stats.skew(values, bias=False) + HIDDEN * error
    b = skewness / (3 * math.sqrt(n))
    return float(2 * stats.t.sf(math.log(1 + 2 * b * t) / (2 * b) - b / 2, n - 1))


def test_the_worked_example_has_the_p_computed_by_hand() -> None:
    assert by_hand(DIFFERENCES.tolist()) == pytest.approx(0.022529, abs=1e-6)
    assert float(skew_t_p(DIFFERENCES)) == pytest.approx(by_hand(DIFFERENCES.tolist()))
    assert float(skew_t_p(-DIFFERENCES)) == pytest.approx(by_hand(DIFFERENCES.tolist()))


def test_skewness_is_taken_at_its_upper_95_percent_limit() -> None:
    assert pytest.approx(stats.norm.ppf(0.95)) == HIDDEN
    drawn = np.random.default_rng(0).normal(size=(40_000, 20))
    error = math.sqrt(6 * 20 * 19 / (18 * 21 * 23))
    assert np.mean(stats.skew(drawn, axis=1, bias=False) > HIDDEN * error) == pytest.approx(0.05, abs=0.01)


@pytest.mark.parametrize(("queries", "skewness"), [(10, 0.5), (10, 1.0), (10, 2.0), (15, 1.0), (30, 1.5), (30, 2.0)])
def test_with_the_true_skewness_it_is_right_for_gamma_distributions(queries: int, skewness: float) -> None:
    shape = 4 / skewness**2
    drawn = np.random.default_rng(queries).gamma(shape, size=(100_000, queries)) - shape
    t = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / math.sqrt(queries))
    straight = shorten_t(t, np.array(skewness / (3 * math.sqrt(queries))))
    for tail in (0.05, 0.025):
        assert np.mean(straight < stats.t.ppf(tail, queries - 1)) == pytest.approx(tail, rel=0.15)
        assert np.mean(t < stats.t.ppf(tail, queries - 1)) > 1.2 * tail


def test_it_is_never_bolder_than_t() -> None:
    chance = np.random.default_rng(1)
    for queries in (3, 5, 10, 100):
        drawn = chance.exponential(size=(500, queries)) * chance.choice([-1.0, 1.0], (500, 1)) + 0.3
        assert (skew_t_p(drawn) >= stats.ttest_1samp(drawn, 0, axis=1).pvalue - 1e-12).all()


@pytest.mark.parametrize("queries", [8, 10, 15, 25, 50, 100])
def test_it_seldom_takes_skew_for_a_difference(queries: int) -> None:
    drawn = np.random.default_rng(queries).exponential(size=(20_000, queries)) - 1
    assert (skew_t_p(drawn, "less") <= 0.05).mean() <= 0.06
    assert (skew_t_p(drawn) <= 0.05).mean() <= 0.06
    assert (stats.ttest_1samp(drawn, 0, axis=1, alternative="less").pvalue <= 0.05).mean() > 0.07


def test_many_values_have_the_p_of_t() -> None:
    drawn = np.random.default_rng(2).normal(0.02, 1, 20_000)
    assert float(skew_t_p(drawn)) == pytest.approx(stats.ttest_1samp(drawn, 0).pvalue, rel=0.02)


def test_its_limits_turn_it_round() -> None:
    skewed = np.random.default_rng(1).exponential(0.1, 30)
    low, high = skew_t_limits(skewed, 0.05)
    assert skew_t_p(skewed - high, "less") == pytest.approx(0.05)
    assert skew_t_p(skewed - low, "greater") == pytest.approx(0.05)
    plain = stats.ttest_1samp(skewed, 0).confidence_interval(0.9)
    assert high - skewed.mean() > plain.high - skewed.mean()
    assert low <= plain.low
    assert high - skewed.mean() > skewed.mean() - low


def test_values_that_say_little_have_a_stated_p() -> None:
    assert skew_t_p(np.array([[0.2, 0.4], [-0.2, -0.4]])).tolist() == [1.0, 1.0]
    assert skew_t_p(np.full((1, 5), 0.2)) == pytest.approx([2 * 1.2**-5])
    assert skew_t_p(np.zeros((1, 5))).tolist() == [1.0]
    assert skew_t_p(np.full((1, 5), 0.1), "less").tolist() == [1.0]
    assert [float(each) for each in skew_t_limits(np.array([0.1, 0.2]), 0.05)] == [-math.inf, math.inf]
    reach = 0.05 ** (-1 / 5) - 1
    assert skew_t_limits(np.full(5, 0.1), 0.05) == pytest.approx((0.1 - reach, 0.1 + reach))


@pytest.mark.parametrize("size", [0.05, 0.3, 1.0])
def test_values_that_are_all_alike_are_called_above_0_in_no_more_samples_than_the_level(size: float) -> None:
    """The worst case of a mean of 0: every value is d or -1, and a share of 1/(1 + d) is d."""
    for queries in range(3, 200):
        every, p = (1 + size) ** -queries, float(skew_t_p(np.full(queries, size), "greater"))
        assert p == pytest.approx(every)
        low = float(skew_t_limits(np.full(queries, size), 0.05)[0])
        assert (low > 0) == (p < 0.05)


def test_a_value_that_is_missing_is_left_out() -> None:
    some = np.array([0.1, np.nan, 0.3, 0.2, np.nan, 0.6])
    assert float(skew_t_p(some)) == pytest.approx(float(skew_t_p(some[~np.isnan(some)])))
