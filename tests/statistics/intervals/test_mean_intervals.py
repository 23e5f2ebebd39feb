"""Intervals of means by one unseen unit: each column by itself, over the same units as BCa."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rankscope.errors import SettingError
from rankscope.statistics.intervals.mean_intervals import WAYS, mean_intervals

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
    calm = np.full((20, 1), 0.01)
    assert mean_intervals(calm, how="bca").high[0] == pytest.approx(0.01)
    assert mean_intervals(calm, how="bounded").high[0] > 0.1


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
    with pytest.raises(SettingError, match="one of bca, bounded"):
        mean_intervals(VALUES, how="t")
    with pytest.raises(SettingError, match="between 0 and 1"):
        mean_intervals(VALUES, how="bounded", level=95)
