"""Effect sizes and equivalence: scipy, statsmodels, and intervals that hold the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.weightstats import ttost_paired

from rankscope.errors import SettingError
from rankscope.statistics.pairs.effect import effects, standardised_effect
from rankscope.statistics.pairs.equivalence import equivalence
from tests.statistics.examples import A, B
from tests.statistics.pairs.test_sign_flip import WORKED


def test_the_worked_differences_with_their_intervals() -> None:
    result = effects(WORKED)
    interval = stats.ttest_rel(B, A).confidence_interval()
    assert (result.mean.low, result.mean.high) == pytest.approx((interval.low, interval.high))
    assert result.standardised.value == pytest.approx(0.035333 / 0.040685, abs=2e-5)
    assert (result.won.value, result.lost.value, result.equal.value) == pytest.approx((11 / 15, 4 / 15, 0))
    assert result.win_chance.value == pytest.approx(11 / 15)
    assert [row["effect"] for row in result.rows()][:2] == ["mean difference", "d / sd"]


@pytest.mark.parametrize("seed", range(5))
def test_the_standardised_interval_is_that_of_the_noncentral_t(seed: int) -> None:
    values = np.random.default_rng(seed).normal(0.1 * seed, 0.3, 8 + 5 * seed)
    effect = standardised_effect(values, level=0.9)
    root, t = math.sqrt(values.size), stats.ttest_1samp(values, 0).statistic
    assert stats.nct.cdf(t, values.size - 1, effect.low * root) == pytest.approx(0.95, abs=1e-9)
    assert stats.nct.cdf(t, values.size - 1, effect.high * root) == pytest.approx(0.05, abs=1e-9)


def test_ninety_of_a_hundred_standardised_intervals_hold_the_truth() -> None:
    drawn = np.random.default_rng(1).normal(0.5, 1.0, (400, 12))
    results = [standardised_effect(row, level=0.9) for row in drawn]
    assert 0.86 <= np.mean([each.low <= 0.5 <= each.high for each in results]) <= 0.94


def test_the_mean_can_have_a_bootstrap_interval() -> None:
    plain, result = effects(WORKED), effects(WORKED, interval="bca")
    assert result.mean.value == plain.mean.value
    assert result.mean.low == pytest.approx(plain.mean.low, abs=0.006)
    assert result.mean.low != plain.mean.low


@pytest.mark.parametrize("values", [[], [0.1], [0.0, 0.0], [0.2, 0.2, 0.2]])
def test_odd_data_have_sizes_without_interval(values: list[float]) -> None:
    result = effects(values)
    assert math.isnan(result.standardised.low)
    assert math.isnan(result.mean.low)
    assert len(result.rows()) == 6


@pytest.mark.parametrize("margin", [0.02, 0.05, 0.1])
def test_two_one_sided_t_tests_are_those_of_statsmodels(margin: float) -> None:
    result = equivalence(WORKED, margin, method="t")
    p, *_ = ttost_paired(np.array(B), np.array(A), -margin, margin)
    assert result.p == pytest.approx(p, abs=1e-12)
    interval = stats.ttest_rel(B, A).confidence_interval(0.9)
    assert (result.low, result.high) == pytest.approx((interval.low, interval.high))


def test_there_are_three_verdicts() -> None:
    assert equivalence(WORKED, 0.1).verdict == "equivalent within ±0.1"
    assert equivalence(WORKED, 0.02).verdict == "different"
    assert equivalence(WORKED[9:], 0.005).verdict == "not shown"
    (row,) = equivalence(WORKED, 0.1).rows()
    assert row["verdict"] == "equivalent within ±0.1"


@pytest.mark.parametrize("method", ["sign-flip", "t"])
@pytest.mark.parametrize("margin", [0.03, 0.045, 0.06, 0.08])
def test_equivalent_means_that_both_limits_lie_within(margin: float, method: str) -> None:
    result = equivalence(WORKED, margin, method=method)
    assert result.equivalent == (-margin < result.low and result.high < margin)


def test_equal_scores_are_equivalent_if_there_are_enough_of_them() -> None:
    assert equivalence(np.zeros(10), 0.01).verdict == "equivalent within ±0.01"
    assert equivalence(np.zeros(3), 0.01).verdict == "not shown"


def test_a_margin_must_be_a_size() -> None:
    with pytest.raises(SettingError, match="above 0"):
        equivalence(WORKED, 0.0)
    with pytest.raises(SettingError, match=r"method=.*: must be one of"):
        equivalence(WORKED, 0.1, method="z")
