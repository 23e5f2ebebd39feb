"""Intraclass correlation and effective sample: analysis of variance by hand, and variances that were simulated."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rankscope.analysis.statistics.resampling import class_numbers
from rankscope.analysis.statistics.sampling_units import clustering
from rankscope.core.errors import SettingError

CLASSES = list("aaaabbbbcccc")
VALUES = np.array([6, 7, 5, 6, 2, 3, 1, 2, 9, 8, 9, 10], dtype=np.float64)


def test_the_correlation_is_the_one_of_the_analysis_of_variance() -> None:
    groups = VALUES.reshape(3, 4)
    f = stats.f_oneway(*groups).statistic
    result = clustering(VALUES[:, None], CLASSES)
    rho = (f - 1) / (f + 3)
    assert result.rho[0] == pytest.approx(rho)
    assert result.effective[0] == pytest.approx(12 / (1 + 3 * rho))
    assert result.design[0] == pytest.approx(1 + 3 * rho)


def test_unequal_classes_count_as_the_variance_of_their_mean_says() -> None:
    chance = np.random.default_rng(0)
    sizes, rho, trials = [1, 2, 4, 9] * 5, 0.4, 4_000
    number = np.repeat(np.arange(20), sizes)
    values = np.sqrt(rho) * chance.normal(size=(20, trials))[number] + np.sqrt(1 - rho) * chance.normal(
        size=(number.size, trials)
    )
    result = clustering(values, [str(each) for each in number])
    assert result.rho.mean() == pytest.approx(rho, abs=0.03)
    truth = 1.0 / values.mean(axis=0).var()
    mates = sum(size * size for size in sizes) / number.size
    assert number.size / (1 + (mates - 1) * rho) == pytest.approx(truth, rel=0.06)
    assert np.median(result.effective) == pytest.approx(truth, rel=0.1)


def test_a_correlation_below_zero_counts_as_none() -> None:
    result = clustering([[0.0], [1.0], [0.0], [1.0]], list("aabb"))
    assert result.rho.tolist() == [0.0]
    assert result.effective.tolist() == [4.0]
    assert result.below_zero.tolist() == [True]
    assert result.note == "the variance of classes comes out below 0 and counts as 0"
    assert clustering(VALUES[:, None], CLASSES).note == ""


def test_queries_without_a_value_are_left_out_of_each_column() -> None:
    values = np.stack([VALUES, np.where(np.arange(12) < 8, VALUES, np.nan)], axis=1)
    result = clustering(values, CLASSES)
    short = clustering(VALUES[:8, None], CLASSES[:8])
    assert result.rho[1] == pytest.approx(short.rho[0])
    assert result.classes.tolist() == [3, 2]
    assert result.queries.tolist() == [12, 8]


def test_one_class_or_nothing_has_no_correlation() -> None:
    assert np.isnan(clustering([[1.0], [2.0]], ["a", "a"]).rho).all()
    assert np.isnan(clustering([[np.nan], [np.nan]], ["a", "b"]).effective).all()


def test_equal_values_are_no_correlation() -> None:
    assert clustering(np.full((4, 1), 0.3), list("aabb")).effective.tolist() == [4.0]


def test_a_query_of_no_class_hangs_together_with_nothing() -> None:
    assert class_numbers(["", "b", "", "b"]).tolist() == [1, 0, 2, 0]


def test_classes_must_be_as_many_as_queries() -> None:
    with pytest.raises(SettingError, match="2 queries need as many classes"):
        clustering([[1.0], [2.0]], ["a"])
