"""Effect sizes: scipy, and intervals that hold the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from rankscope.analysis.statistics.effect_sizes import effects, standardised_effect
from tests.analysis.statistics.examples import A, B
from tests.analysis.statistics.pairs.test_sign_flip import WORKED


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
