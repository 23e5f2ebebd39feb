"""BCa intervals: those of scipy, and nearer to what they say for few skewed values."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import stats

from benchmarks.coverage import SCORES
from rankscope.analysis.statistics.bootstrap import acceleration, bca_tails, bootstrap_means
from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError


def of_scipy(values: FloatArray, level: float = 0.95) -> tuple[float, float]:
    limits = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="BCa", random_state=1, confidence_level=level
    ).confidence_interval
    return float(limits.low), float(limits.high)


SAMPLES = {
    "skewed": np.random.default_rng(1).exponential(size=25),
    "bounded": np.random.default_rng(2).beta(0.5, 1.0, 40),
    "tied": np.random.default_rng(3).integers(0, 4, 30) / 4.0,
    "few": np.array([0.1, 0.15, 0.2, 0.9, 0.3, 0.25]),
}


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_limits_are_those_of_scipy_but_for_chance(name: str, level: float) -> None:
    values = SAMPLES[name]
    intervals = bootstrap_means(values[:, None], how="bca", resamples=20_000, level=level)
    low, high = of_scipy(values, level)
    tolerance = 0.04 * (high - low)
    assert intervals.low[0] == pytest.approx(low, abs=tolerance)
    assert intervals.high[0] == pytest.approx(high, abs=tolerance)


def test_the_acceleration_is_that_of_means_without_one_query() -> None:
    for values in SAMPLES.values():
        without = np.array([np.delete(values, row).mean() for row in range(values.size)])
        away = without.mean() - without
        expected = (away**3).sum() / (6 * (away**2).sum() ** 1.5)
        result = acceleration(values[:, None], np.ones((values.size, 1), dtype=np.bool_), np.arange(values.size))
        assert result[0] == pytest.approx(expected, rel=1e-9)


def test_with_classes_one_class_is_left_out_at_a_time() -> None:
    values, classes = SAMPLES["bounded"], np.repeat(np.arange(8), [2, 8, 5, 5, 1, 9, 6, 4])
    without = np.array([values[classes != each].mean() for each in range(8)])
    away = without.mean() - without
    expected = (away**3).sum() / (6 * (away**2).sum() ** 1.5)
    result = acceleration(values[:, None], np.ones((40, 1), dtype=np.bool_), classes)
    assert result[0] == pytest.approx(expected, rel=1e-9)
    interval = bootstrap_means(values[:, None], how="bca", classes=[str(each) for each in classes])
    assert interval.low[0] < values.mean() < interval.high[0]
    assert (interval.unit, interval.how) == ("classes", "bca")


def test_the_quantiles_are_those_of_the_formula_written_out() -> None:
    values = SAMPLES["skewed"][:, None]
    drawn = np.random.default_rng(0).choice(values[:, 0], (999, 25)).mean(axis=1)[None, :]
    bias = stats.norm.ppf((drawn < values.mean()).mean())
    faster = acceleration(values, np.isfinite(values), np.arange(25))[0]
    z = bias + stats.norm.ppf([0.05, 0.95])
    expected = stats.norm.cdf(bias + z / (1 - faster * z))
    np.testing.assert_allclose(
        bca_tails(drawn, values, np.isfinite(values), np.arange(25), 0.9)[:, 0], expected, rtol=1e-9
    )


def test_resamples_that_tie_with_the_estimate_count_half_on_each_side() -> None:
    values = np.array([[0.0], [1.0], [0.0], [1.0]])
    drawn = np.array([[0.25, 0.5, 0.5 + 1e-16, 0.5, 0.75, 0.75]])
    tails = bca_tails(drawn, values, np.isfinite(values), np.arange(4), 0.95)
    bias = stats.norm.ppf(2.5 / 6)
    np.testing.assert_allclose(tails[:, 0], stats.norm.cdf(2 * bias + stats.norm.ppf([0.025, 0.975])), rtol=1e-9)


def test_symmetric_values_have_the_percentile_interval_but_for_chance() -> None:
    half = np.random.default_rng(4).random(30)
    values = np.concatenate([half, 1 - half])[:, None]
    one, two = (bootstrap_means(values, how=how, resamples=10_000) for how in ("percentile", "bca"))
    assert one.low[0] == pytest.approx(two.low[0], abs=0.01)
    assert one.high[0] == pytest.approx(two.high[0], abs=0.01)


def test_skew_moves_both_limits_towards_the_long_tail() -> None:
    values = SAMPLES["skewed"][:, None]
    one, two = (bootstrap_means(values, how=how) for how in ("percentile", "bca"))
    assert two.low[0] > one.low[0]
    assert two.high[0] > one.high[0]


@pytest.mark.parametrize("how", ["percentile", "bca"])
def test_equal_values_have_an_interval_of_no_width(how: str) -> None:
    intervals = bootstrap_means(np.full((7, 1), 0.1), how=how)
    assert intervals.low.tolist() == intervals.high.tolist() == intervals.mean.tolist()


@pytest.mark.parametrize("values", [[[0.5]], [[0.5], [np.nan]], [[np.nan], [np.nan]]])
def test_one_value_or_none_has_no_interval(values: list[list[float]]) -> None:
    intervals = bootstrap_means(values, how="bca")
    assert np.isnan(intervals.low).all()
    assert np.isnan(intervals.high).all()


def test_columns_are_worked_each_by_itself_and_holes_are_left_out() -> None:
    table = np.full((40, 3), np.nan)
    table[:25, 0], table[:, 1], table[:, 2] = SAMPLES["skewed"], SAMPLES["bounded"], 0.25
    intervals = bootstrap_means(table, how="bca", resamples=20_000)
    assert intervals.queries.tolist() == [25, 40, 40]
    low, high = of_scipy(SAMPLES["skewed"])
    assert [intervals.low[0], intervals.high[0]] == pytest.approx([low, high], abs=0.06 * (high - low))
    assert [intervals.low[2], intervals.high[2]] == [0.25, 0.25]


def test_values_in_one_class_alone_have_no_bca_interval() -> None:
    intervals = bootstrap_means([[0.1], [0.4], [np.nan]], classes=["a", "a", "b"], how="bca")
    assert np.isnan(intervals.low).all()


def test_one_far_value_among_many_breaks_nothing() -> None:
    values = np.zeros((200, 1))
    values[0] = 1e6
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        intervals = bootstrap_means(values, how="bca", level=0.9999)
    assert 0 <= intervals.low[0] <= intervals.mean[0] <= intervals.high[0]


def test_another_way_is_refused_in_words() -> None:
    with pytest.raises(SettingError, match="percentile, bca"):
        bootstrap_means([[0.1], [0.2]], how="basic")


def simulated_coverage(name: str, queries: int, how: str) -> float:
    """How often the interval of a mean of simulated scores holds the true one."""
    make, truth = SCORES[name]
    intervals = bootstrap_means(make(np.random.default_rng([0, queries]), (queries, 1_000)), how=how, resamples=4_000)
    return float(((intervals.low <= truth) & (truth <= intervals.high)).mean())


@pytest.mark.thorough
def test_bca_holds_the_truth_more_often_where_few_values_are_skewed() -> None:
    for queries in (10, 25):
        plain, better = (simulated_coverage("skewed: beta(0.3, 3)", queries, how) for how in ("percentile", "bca"))
        assert plain + 0.01 < better < 0.95
    assert simulated_coverage("bounded, as AP: beta(0.5, 1)", 25, "bca") == pytest.approx(0.95, abs=0.014)
