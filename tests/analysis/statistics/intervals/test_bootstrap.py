"""Intervals: those of scipy, and right as often as they say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rankscope.analysis.statistics.bootstrap import Intervals, bootstrap_means, resamples_for, row_quantiles
from rankscope.core.arrays import FloatArray

TRIALS = 600


def covers(made: Intervals, truth: float) -> float:
    return float(((made.low <= truth) & (truth <= made.high)).mean())


def skewed(queries: int, seed: int = 0) -> FloatArray:
    """Many samples of values as AP has them; their mean is 1/3."""
    return np.random.default_rng(seed).beta(0.5, 1.0, (queries, TRIALS))


@pytest.mark.parametrize("queries", [2, 7, 60])
def test_limits_are_those_of_scipy_but_for_chance(queries: int) -> None:
    values = np.random.default_rng(queries).random((queries, 3))
    intervals = bootstrap_means(values, resamples=10_000)
    for column in range(3):
        theirs = stats.bootstrap(
            (values[:, column],), np.mean, n_resamples=10_000, method="percentile", random_state=1
        ).confidence_interval
        tolerance = 0.05 * (theirs.high - theirs.low)
        assert intervals.low[column] == pytest.approx(theirs.low, abs=tolerance)
        assert intervals.high[column] == pytest.approx(theirs.high, abs=tolerance)


def test_a_difference_is_paired_because_all_columns_see_the_same_resamples() -> None:
    one = np.random.default_rng(3).random(40)
    intervals = bootstrap_means(np.stack([one, one + 0.1, np.full(40, 0.1)], axis=1))
    assert intervals.low[1] - intervals.low[0] == pytest.approx(0.1)
    assert [intervals.low[2], intervals.high[2]] == pytest.approx([0.1, 0.1])


@pytest.mark.parametrize(("queries", "least"), [(20, 0.90), (100, 0.925)])
def test_ninety_five_of_a_hundred_intervals_hold_the_truth(queries: int, least: float) -> None:
    assert least <= covers(bootstrap_means(skewed(queries), resamples=2_000), 1 / 3) <= 0.975


def test_queries_that_hang_together_need_their_classes() -> None:
    chance = np.random.default_rng(5)
    classes, members = 40, 5
    values = chance.normal(size=(classes, 1, TRIALS)) + chance.normal(size=(classes, members, TRIALS))
    names = [f"class {number // members}" for number in range(classes * members)]
    flat = values.reshape(classes * members, TRIALS)
    assert covers(bootstrap_means(flat, resamples=1_000), 0.0) < 0.85
    assert 0.92 <= covers(bootstrap_means(flat, resamples=1_000, classes=names), 0.0) <= 0.985


def test_classes_of_one_query_each_are_plain_queries_but_for_chance() -> None:
    values = skewed(50)[:, :4]
    plain = bootstrap_means(values)
    classed = bootstrap_means(values, classes=[str(number) for number in range(50)])
    np.testing.assert_allclose(plain.low, classed.low, atol=0.01)
    assert (plain.unit, classed.unit, classed.units) == ("queries", "classes", 50)


def test_a_query_without_a_value_is_left_out_of_mean_and_count() -> None:
    values = np.array([[0.2, 0.2], [np.nan, 0.9], [0.6, 0.6], [0.4, 0.4]])
    intervals = bootstrap_means(values)
    assert intervals.mean[0] == pytest.approx(0.4)
    assert intervals.queries.tolist() == [3, 4]
    assert 0.2 <= intervals.low[0] < 0.4 < intervals.high[0] <= 0.6


@pytest.mark.parametrize("values", [[[0.5]], [[0.5], [np.nan]], [[np.nan], [np.nan]]])
def test_one_value_or_none_has_no_interval(values: list[list[float]]) -> None:
    intervals = bootstrap_means(values)
    assert np.isnan(intervals.low).all()
    assert np.isnan(intervals.high).all()


def test_one_class_has_no_interval() -> None:
    assert np.isnan(bootstrap_means([[0.1], [0.9]], classes=["a", "a"]).low).all()


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    values = skewed(30)[:, :2]
    first, again, other = (bootstrap_means(values, seed=seed).low.tolist() for seed in (0, 0, 1))
    assert first == again
    assert first != other


def test_batches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    values = skewed(30)[:, :2]
    whole = bootstrap_means(values, resamples=500)
    monkeypatch.setattr("rankscope.analysis.statistics.resampling.AT_ONCE", 30 * 7)
    np.testing.assert_array_equal(bootstrap_means(values, resamples=500).low, whole.low)


def test_the_number_of_resamples_falls_with_the_number_of_queries() -> None:
    counts = [resamples_for(queries) for queries in (1, 1_000, 2_000, 5_000, 1_000_000)]
    assert counts == [10_000, 10_000, 5_000, 2_000, 2_000]


def test_rows_are_plain_numbers() -> None:
    (row,) = bootstrap_means([[1.0], [1.0]]).rows()
    assert row == {"mean": 1.0, "low": 1.0, "high": 1.0, "queries": 2}


def test_quantiles_of_rows_are_those_of_numpy_bit_for_bit() -> None:
    chance = np.random.default_rng(9)
    rows = chance.normal(size=(50, 401))
    rows[chance.random(rows.shape) < 0.02] = np.nan
    rows[7], rows[8, 1:] = np.nan, np.nan
    shares = chance.random((2, 50))
    shares[:, 3], shares[:, 4] = (0.0, 1.0), (0.5, 0.25)
    found = row_quantiles(rows.copy(), shares)
    known = [row[~np.isnan(row)] for row in rows]
    expected = [np.quantile(row, shares[:, at]) if row.size else np.full(2, np.nan) for at, row in enumerate(known)]
    np.testing.assert_array_equal(found.T, expected)


def test_a_column_has_the_interval_that_it_has_alone_beside_equal_ones_too() -> None:
    column = np.random.default_rng(8).random((12, 2))
    table = column[:, [0, 0, 1, 1, 1, 0]]
    whole, alone = (bootstrap_means(each, how="bca", resamples=400) for each in (table, column))
    np.testing.assert_allclose(whole.low, alone.low[[0, 0, 1, 1, 1, 0]], rtol=1e-14)
    assert whole.queries.tolist() == [12] * 6
    assert whole.mean.tolist() == (table.sum(axis=0) / 12).tolist()  # to the last bit
