"""Intervals of means: which one when, each column by itself, within the range and never without width."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rankscope.analysis.statistics.mean_intervals import WAYS, mean_intervals
from rankscope.core.errors import SettingError

VALUES = np.random.default_rng(0).random((30, 3)) ** 2


@pytest.mark.parametrize("how", WAYS)
def test_every_column_has_the_interval_that_it_has_alone(how: str) -> None:
    together = mean_intervals(VALUES, how=how)
    for column in range(3):
        alone = mean_intervals(VALUES[:, [column]], how=how)
        assert together.low[column] == pytest.approx(alone.low[0], abs=1e-12)
        assert together.high[column] == pytest.approx(alone.high[0], abs=1e-12)
        assert alone.how == how


def test_zeros_and_ones_have_exact_limits() -> None:
    values = (np.arange(25) < 4).astype(np.float64)[:, None]
    intervals = mean_intervals(values, how="bounded", resamples=200_000)
    exact = stats.binomtest(4, 25).proportion_ci(0.95, method="exact")
    assert (intervals.low[0], intervals.high[0]) == pytest.approx((exact.low, exact.high), abs=0.003)


@pytest.mark.parametrize("how", WAYS)
def test_means_and_units_do_not_depend_on_the_way(how: str) -> None:
    classes = [str(row // 5) for row in range(30)]
    holed = np.where(np.arange(30)[:, None] == [3, 40, 40], np.nan, VALUES)
    intervals = mean_intervals(holed, classes, how=how)
    np.testing.assert_allclose(intervals.mean, np.nanmean(holed, axis=0))
    assert (intervals.unit, intervals.units, intervals.queries.tolist()) == ("classes", 6, [29, 30, 30])


def test_a_sample_without_the_rare_large_values_still_holds_them() -> None:
    calm = np.full((20, 1), 0.01) + 0.001 * np.eye(20, 1)
    assert mean_intervals(calm, how="bca").high[0] < 0.011
    assert mean_intervals(calm, how="bounded").high[0] > 0.1


@pytest.mark.parametrize(("units", "way"), [(1, ""), (2, "bounded"), (24, "bounded"), (25, "bca"), (60, "bca")])
def test_few_units_have_the_bounded_interval_and_many_bca(units: int, way: str) -> None:
    values = np.random.default_rng(units).random((units, 1))
    made = mean_intervals(values)
    assert made.ways == (way,)
    if way:
        same = mean_intervals(values, how=way)
        assert (made.low[0], made.high[0]) == (same.low[0], same.high[0])


def test_few_units_of_a_measure_without_a_range_have_students_t_within_what_there_is_of_it() -> None:
    values = np.array([[0.0, -3.0], [0.1, 1.0], [6.0, 9.0]])
    made = mean_intervals(values, bounds=(np.array([0.0, -np.inf]), np.inf))
    low, high = stats.t.interval(0.95, 2, values.mean(axis=0), stats.sem(values, axis=0))
    np.testing.assert_allclose(made.high, high)
    np.testing.assert_allclose(made.low, [0.0, low[1]])
    assert low[0] < 0
    assert made.ways == ("t", "t")
    assert made.told == "95% intervals: Student's t (fewer than 25 queries, no range); 3 queries."


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("units", [2, 10, 30])
def test_no_interval_is_without_width_where_another_query_could_differ(how: str, units: int) -> None:
    values = np.tile([1.0, 0.5, 4.0, 1.0], (units, 1))
    made = mean_intervals(values, how=how, bounds=(np.array([0.0, 0.0, 0.0, 1.0]), np.array([1.0, 1.0, np.inf, 1.0])))
    exact = 0.025 ** (1 / units)  # Clopper and Pearson's of all
    assert made.low[0] == pytest.approx(exact, abs=0.01)
    assert made.high[0] == 1.0
    assert made.low[1] < 0.5 < made.high[1]
    assert np.isnan([made.low[2], made.high[2]]).all()  # equal counts say nothing of others
    assert (made.low[3], made.high[3]) == (1.0, 1.0)  # and where there is one value only, no other can come
    assert made.words.endswith("none where all values are equal")


@given(st.integers(2, 40), st.sampled_from(list(WAYS)), st.integers(0, 99))
@settings(max_examples=60)
def test_no_interval_leaves_the_range(units: int, how: str, seed: int) -> None:
    chance = np.random.default_rng(seed)
    values = chance.choice([0.0, 0.5, 1.0], (units, 2), p=[0.1, 0.1, 0.8])
    classes = [str(each) for each in chance.integers(0, units, units)] if seed % 2 else None
    made = mean_intervals(values, classes, how=how, resamples=500)
    known = np.isfinite(made.low)
    assert known.tolist() == [made.units > 1] * 2
    assert (made.low[known] >= 0).all()
    assert (made.high[known] <= 1).all()
    assert (made.low[known] < made.high[known]).all()
    assert (made.low[known] <= made.mean[known]).all() or "bca" in made.ways


def test_a_value_outside_what_the_measure_says_leaves_no_range() -> None:
    made = mean_intervals([[0.2, 0.2], [0.4, 1.4]])
    assert made.ways == ("bounded", "t")
    assert made.words == "bounded (fewer than 25 queries), Student's t where a measure has no range"


def test_words_say_which_interval_and_why() -> None:
    assert mean_intervals(VALUES).words == "BCa"
    assert mean_intervals(VALUES, how="bounded").words == "bounded"
    assert mean_intervals(VALUES[:24]).told.startswith(
        "95% intervals: bounded (fewer than 25 queries); 24 queries; 10,000 draws"
    )
    assert mean_intervals([[0.2]]).told == "No 95% intervals: 1 query."
    assert mean_intervals([[0.2], [0.4]], ["a", "a"]).words == "none (1 class)"
    holed = np.where(np.arange(30)[:, None] < [0, 20, 0], np.nan, VALUES)
    assert mean_intervals(holed).ways == ("bca", "bounded", "bca")
    assert mean_intervals(holed).words == "BCa, bounded where fewer than 25 queries have a value or all are equal"
    assert mean_intervals(np.column_stack([VALUES, np.ones(30)]), how="t").words == (
        "Student's t, bounded where all values are equal"
    )
    assert mean_intervals(holed).take(np.array([1])).ways == ("bounded",)


@pytest.mark.parametrize("how", WAYS)
def test_one_unit_has_no_interval(how: str) -> None:
    assert np.isnan(mean_intervals([[0.2]], how=how).low).all()
    assert np.isnan(mean_intervals([[0.2], [0.4]], ["a", "a"], how=how).low).all()


def test_differences_have_the_range_of_differences() -> None:
    change = VALUES[:, :1] - VALUES[:, 1:2]
    intervals = mean_intervals(change, how="bounded", bounds=(-1.0, 1.0))
    assert intervals.low[0] < change.mean() < intervals.high[0]
    with pytest.raises(SettingError, match="values from 0 to 1"):
        mean_intervals(change, how="bounded")


def test_what_is_not_there_is_refused_in_words() -> None:
    with pytest.raises(SettingError, match="one of auto, bca, bounded, t"):
        mean_intervals(VALUES, how="percentile")
    with pytest.raises(SettingError, match="between 0 and 1"):
        mean_intervals(VALUES, how="bounded", level=95)
