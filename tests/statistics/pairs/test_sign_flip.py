"""Sign flips: exact where they can be, never 0, the same for every batch; limits are means of subsets."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscope.arrays import FloatArray
from rankscope.errors import SettingError
from rankscope.statistics.pairs.flip_limits import subset_means
from rankscope.statistics.pairs.flips import random_flips, signs_reaching
from rankscope.statistics.pairs.pair_test import Alternative
from rankscope.statistics.pairs.sign_flip import sign_flip, sign_flip_p
from rankscope.statistics.pairs.system_pairs import SystemPairs
from tests.statistics.examples import A, B

WORKED = np.array(B) - np.array(A)

differences = st.lists(st.integers(-5, 5).map(lambda tenth: tenth / 10), min_size=1, max_size=9).map(np.array)
alternatives = st.sampled_from(["two-sided", "greater", "less"])


@cache
def every_sign(count: int) -> FloatArray:
    return np.array(list(product((-1.0, 1.0), repeat=count)))


def enumerated(values: FloatArray, alternative: str) -> float:
    sums = every_sign(values.size) @ values
    total = values.sum()
    reached = {
        "two-sided": np.abs(sums) >= abs(total) - 1e-12,
        "greater": sums >= total - 1e-12,
        "less": sums <= total + 1e-12,
    }
    return float(reached[alternative].mean())


def test_the_worked_example_counts_238_of_32768_signs() -> None:
    assert sign_flip(WORKED).p == 238 / 32768
    assert sign_flip(WORKED).estimate == pytest.approx(0.035333, abs=5e-7)


def test_the_pair_of_the_tukey_example_has_an_eighth() -> None:
    first, second = np.array([0.7, 0.3, 0.2, 0.6, 0.4]), np.array([0.5, 0.1, 0.0, 0.2, 0.4])
    assert sign_flip(second - first).p == 0.125


@given(differences, alternatives)
def test_exact_values_are_those_of_plain_enumeration(values: FloatArray, alternative: Alternative) -> None:
    assert sign_flip_p(values, alternative)[0] == pytest.approx(enumerated(values, alternative), abs=1e-15)


@given(differences)
def test_one_side_turned_round_is_the_other(values: FloatArray) -> None:
    assert sign_flip_p(values, "less")[0] == sign_flip_p(-values, "greater")[0]
    assert sign_flip_p(values)[0] == sign_flip_p(-values)[0]


@given(differences, st.integers(1, 5))
def test_equal_queries_change_no_p_value(values: FloatArray, more: int) -> None:
    assert sign_flip_p(np.append(values, np.zeros(more)))[0] == sign_flip_p(values)[0]


@given(differences, st.floats(-3, 3))
def test_signs_are_counted_in_halves_as_in_whole(values: FloatArray, least: float) -> None:
    sums = every_sign(values.size) @ values
    if np.abs(sums - least).min() > 1e-9:
        assert signs_reaching(values, least) == (sums >= least).sum()


def test_it_agrees_with_scipy_where_both_enumerate() -> None:
    values = np.random.default_rng(1).normal(0.05, 0.1, 12)
    theirs = stats.permutation_test((values,), np.sum, permutation_type="samples", n_resamples=np.inf)
    assert sign_flip_p(values)[0] == pytest.approx(theirs.pvalue, abs=1e-12)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_random_signs_agree_with_the_normal_limit(alternative: Alternative) -> None:
    values = np.random.default_rng(2).normal(0.012, 0.1, 250)
    z = values.sum() / np.sqrt(values @ values)
    tails = {"two-sided": 2 * stats.norm.sf(abs(z)), "greater": stats.norm.sf(z), "less": stats.norm.cdf(z)}
    assert sign_flip_p(values, alternative)[0] == pytest.approx(tails[alternative], abs=0.006)


def test_a_p_value_is_never_zero() -> None:
    assert sign_flip_p(np.full(300, 0.1), flips=1000)[0] == 1 / 1001
    assert sign_flip_p(np.full(20, 0.1))[0] == 2 / 2**20


def test_tied_sums_count_though_floats_differ() -> None:
    assert sign_flip_p(np.array([0.1, 0.2, -0.3, 0.3]))[0] == enumerated(np.array([0.1, 0.2, -0.3, 0.3]), "two-sided")
    assert sign_flip_p(np.array([0.3, -0.1, -0.2]))[0] == 1.0


def test_many_pairs_at_once_are_each_pair_by_itself() -> None:
    values = np.random.default_rng(3).normal(0.02, 0.1, (40, 5))
    values[:25, 1] = 0.0
    values[3, 2] = np.nan
    together = sign_flip_p(values, flips=2000)
    alone = [sign_flip_p(column, flips=2000)[0] for column in values[:, [0, 3, 4]].T]
    assert together[[0, 3, 4]].tolist() == alone
    assert together[1] == sign_flip_p(values[25:, 1])[0]


def test_batches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(4).normal(0.02, 0.1, (70, 3))
    whole = sign_flip_p(values, flips=5000).tolist()
    rows = np.concatenate(list(random_flips(70, 300)))
    monkeypatch.setattr("rankscope.statistics.pairs.flips.AT_ONCE", 70 * 11)
    assert sign_flip_p(values, flips=5000).tolist() == whole
    assert (np.concatenate(list(random_flips(70, 300))) == rows).all()


def test_another_seed_gives_other_signs() -> None:
    values = np.random.default_rng(5).normal(0.02, 0.1, 50)
    assert sign_flip(values, seed=0).p == sign_flip(values, seed=0).p != sign_flip(values, seed=1).p


def test_a_pair_without_numbers_has_no_p_value() -> None:
    assert np.isnan(sign_flip_p(np.array([[np.nan], [np.nan]])))[0]
    assert np.isnan(sign_flip([]).p)
    assert sign_flip([0.0, 0.0]).p == 1.0


def test_infinite_differences_and_unknown_alternatives_are_errors() -> None:
    with pytest.raises(SettingError, match="finite"):
        sign_flip([np.inf, 0.1])
    with pytest.raises(SettingError, match=r"alternative=.*: must be one of"):
        sign_flip_p([0.1], "bigger")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match=r"level=.*: must be a number between"):
        sign_flip([0.1], level=95)


@given(differences.filter(lambda values: values.size >= 5))
def test_limits_hold_exactly_the_means_that_are_not_rejected(values: FloatArray) -> None:
    means = subset_means(values)
    low, high = means.lower(0.05), means.upper(0.05)
    for moved in np.linspace(-0.6, 0.6, 25):
        if min(abs(moved - low), abs(moved - high)) > 1e-9:
            assert (enumerated(values - moved, "greater") <= 0.05) == (moved < low)
            assert (enumerated(values - moved, "less") <= 0.05) == (moved > high)


def test_random_limits_agree_with_the_test_on_moved_values() -> None:
    values = np.random.default_rng(6).beta(0.5, 1, 60) - 0.3
    result = sign_flip(values, level=0.95)
    for limit, outward in ((result.low, -0.001), (result.high, 0.001)):
        assert sign_flip_p(values - limit - outward)[0] < 0.05 < sign_flip_p(values - limit + outward)[0]


def test_few_queries_have_no_limit() -> None:
    assert sign_flip([0.1, 0.2, 0.3, 0.4, 0.5]).low == -np.inf
    assert sign_flip([0.1, 0.2, 0.3, 0.4, 0.5], "greater").low == pytest.approx(0.1)
    assert sign_flip([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]).low == pytest.approx(0.1)


def test_subset_means_weigh_units_by_their_queries() -> None:
    means = subset_means([0.6, 0.1], sizes=[3, 1])
    assert means.means.round(9).tolist() == [0.1, 0.175, 0.2]


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("queries", [15, 30, 90])
def test_pairs_of_systems_have_the_p_values_of_their_differences(alternative: Alternative, queries: int) -> None:
    """What is summed once for each system gives the same counts as each pair's own sums, ties included."""
    chance = np.random.default_rng(queries)
    values = chance.integers(0, 20, (queries, 6)) / 20 + chance.normal(0, 0.05, (queries, 6)) * (chance.random(6) < 0.5)
    values[: queries - 8, 1] = values[: queries - 8, 0]  # few differences: all signs are looked at
    values[:, 5] = values[:, 4]
    pairs = SystemPairs.every(values)
    together = sign_flip_p(pairs, alternative, flips=3000).tolist()
    assert together == sign_flip_p(pairs.differences, alternative, flips=3000).tolist()


def test_pairs_of_systems_that_lack_queries_are_compared_on_those_they_share() -> None:
    values = np.random.default_rng(6).normal(0.4, 0.1, (40, 3))
    values[3, 1] = np.nan
    pairs = SystemPairs.every(values)
    assert sign_flip_p(pairs, flips=2000).tolist() == sign_flip_p(pairs.differences, flips=2000).tolist()
