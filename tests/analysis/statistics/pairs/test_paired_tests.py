"""t, Wilcoxon, sign test and bootstrap of two systems: worked values, scipy, and what they say of odd data."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscope.analysis.statistics.mean_intervals import t_intervals
from rankscope.analysis.statistics.named_tests import PAIR_TESTS, bootstrap_interval, paired_tests
from rankscope.analysis.statistics.paired_tests import Alternative, paired_t, sign_test, wilson_limits
from rankscope.analysis.statistics.proportions import binomial_limits
from rankscope.analysis.statistics.sign_flip import pseudo_median, sign_flip, signed_ranks, walsh_averages, wilcoxon
from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError
from tests.analysis.statistics.pairs.test_sign_flip import WORKED

EVERY = ("two-sided", "greater", "less")
CLASSES = (WORKED[:5], WORKED[5:9], WORKED[9:])


def test_the_worked_t() -> None:
    result = paired_t(WORKED)
    assert result.estimate == pytest.approx(0.035333, abs=5e-7)
    assert WORKED.std(ddof=1) == pytest.approx(0.040685, abs=5e-7)
    assert result.note == "t = 3.3636, 14 degrees of freedom"
    assert result.p == pytest.approx(0.004637, abs=5e-7)
    assert [paired_t(each).p for each in CLASSES] == pytest.approx([0.010305, 0.014992, 0.883130], abs=5e-7)


def test_the_worked_wilcoxon_and_sign_test() -> None:
    result = wilcoxon(WORKED, exact=False)
    assert result.p == pytest.approx(0.008820, abs=5e-7)
    assert "W+ = 106" in result.note
    assert wilcoxon(WORKED, exact=True).p == wilcoxon(WORKED).p == 206 / 32768
    assert sign_test(WORKED).p == pytest.approx(0.1185, abs=5e-5)
    assert sign_test(WORKED).note == "11 won, 4 lost, 0 equal"


def tied(seed: int, count: int = 40) -> FloatArray:
    return np.random.default_rng(seed).integers(-4, 6, count) / 10


@pytest.mark.parametrize("alternative", EVERY)
@pytest.mark.parametrize("seed", range(4))
def test_p_values_are_those_of_scipy(seed: int, alternative: Alternative) -> None:
    values = tied(seed)
    moving = values[values != 0]
    theirs = stats.wilcoxon(moving.round(1), correction=False, method="asymptotic", alternative=alternative)
    assert wilcoxon(values, alternative, exact=False).p == pytest.approx(theirs.pvalue, abs=1e-12)
    assert paired_t(values, alternative).p == pytest.approx(
        stats.ttest_1samp(values, 0, alternative=alternative).pvalue, abs=1e-12
    )
    binomial = stats.binomtest(int((moving > 0).sum()), moving.size, alternative=alternative)
    assert sign_test(values, alternative).p == pytest.approx(binomial.pvalue, abs=1e-12)


@pytest.mark.parametrize("alternative", EVERY)
def test_the_limits_of_t_are_those_of_scipy(alternative: Alternative) -> None:
    values = tied(9)
    result = paired_t(values, alternative, level=0.9)
    theirs = stats.ttest_1samp(values, 0, alternative=alternative).confidence_interval(0.9)
    assert (result.low, result.high) == pytest.approx((theirs.low, theirs.high))


def test_exact_wilcoxon_without_ties_is_that_of_scipy() -> None:
    values = np.random.default_rng(1).normal(0.3, 1, 15)
    assert wilcoxon(values).p == pytest.approx(stats.wilcoxon(values, method="exact").pvalue, abs=1e-12)


def test_raw_floats_do_not_break_true_ties() -> None:
    values = np.array([0.3 - 0.1, 0.5 - 0.3, 0.7 - 0.5, 0.1 - 0.3])  # four times .2, but not as floats
    assert np.unique(np.abs(values)).size > 1
    assert signed_ranks(values).tolist() == [2.5, 2.5, 2.5, -2.5]


@given(st.lists(st.floats(-1, 1, allow_nan=False), min_size=1, max_size=30))
def test_the_pseudo_median_is_the_median_of_all_pair_means(values: list[float]) -> None:
    ordered = np.sort(values)
    means = [(one + other) / 2 for place, one in enumerate(ordered) for other in ordered[place:]]
    assert pseudo_median(ordered) == pytest.approx(np.median(means), abs=1e-12)


def test_pair_means_of_many_values_are_found_without_making_them(monkeypatch: pytest.MonkeyPatch) -> None:
    ordered = np.sort(np.random.default_rng(2).normal(size=60).round(1))
    places = [0, 1, 17, 900, 1829]
    values = walsh_averages(ordered, places)
    monkeypatch.setattr("rankscope.analysis.statistics.sign_flip.FEW", 10)
    assert walsh_averages(ordered, places) == pytest.approx(values, abs=1e-12)


def test_the_interval_of_the_pseudo_median_is_the_test_turned_round() -> None:
    values = np.random.default_rng(3).normal(0.2, 1, 40)
    result = wilcoxon(values, exact=False)
    for limit, inward in ((result.low, 1e-6), (result.high, -1e-6)):
        assert wilcoxon(values - limit - inward, exact=False).p > 0.05
        assert wilcoxon(values - limit + inward, exact=False).p <= 0.05


def test_the_limits_of_a_share_are_those_of_scipy() -> None:
    for found in (0, 3, 10):
        theirs = stats.binomtest(found, 10)
        exact, wilson = theirs.proportion_ci(method="exact"), theirs.proportion_ci(method="wilson")
        assert binomial_limits(found, 10, 0.025) == pytest.approx((exact.low, exact.high))
        assert wilson_limits(found, 10) == pytest.approx((wilson.low, wilson.high))
    assert all(math.isnan(each) for each in wilson_limits(0, 0))


def test_the_bootstrap_gives_an_interval_but_no_p_value() -> None:
    values = np.random.default_rng(4).beta(0.5, 1, 40) - 0.2
    result = bootstrap_interval(values)
    theirs = stats.bootstrap((values,), np.mean, n_resamples=10_000, method="BCa", rng=1).confidence_interval
    assert (result.low, result.high) == pytest.approx((theirs.low, theirs.high), abs=0.005)
    assert math.isnan(result.p)
    assert "too narrow for so few queries" in result.note


def test_every_test_has_a_name_and_a_row() -> None:
    results = paired_tests(WORKED)
    assert [PAIR_TESTS.spell(each.test) for each in results] == list(PAIR_TESTS.names())
    assert all(each.queries == 15 for each in results)
    assert all(each.low <= each.estimate <= each.high for each in results)
    with pytest.raises(SettingError, match="There are: sign-flip, t, wilcoxon"):
        PAIR_TESTS.find("wilcoxn")


@pytest.mark.parametrize("values", [[], [0.1], [0.0, 0.0, 0.0], [0.2, 0.2, 0.2], [np.nan, 0.1]])
def test_odd_data_give_a_stated_result(values: list[float]) -> None:
    for result in paired_tests(values):
        assert math.isnan(result.p) or 0 < result.p <= 1
        assert result.note


def test_no_spread_leaves_t_undefined_but_not_sign_flips() -> None:
    assert math.isnan(paired_t([0.1] * 8).p)
    assert "equal" in paired_t([0.1] * 8).note
    assert sign_flip([0.1] * 8).p == 2 / 256
    assert sign_flip([0.1] * 8).low == pytest.approx(0.1)


def test_the_intervals_of_many_pairs_are_those_of_each_pair_bit_for_bit() -> None:
    chance = np.random.default_rng(8)
    table = chance.normal(0.02, 0.1, (37, 12))
    table[chance.random(table.shape) < 0.1] = np.nan
    table[:, 3], table[1:, 4], table[:, 5] = 0.25, np.nan, np.nan
    for level in (0.95, 0.8):
        together, alone = t_intervals(table, level), [paired_t(column, level=level) for column in table.T]
        np.testing.assert_array_equal(together.mean, [each.estimate for each in alone])
        np.testing.assert_array_equal(together.low, [each.low for each in alone])
        np.testing.assert_array_equal(together.high, [each.high for each in alone])
        assert together.queries.tolist() == [each.queries for each in alone]
