"""Sign flips: enumerated, counted or approximated, never 0; limits are the means that are not rejected."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchmarks import families
from rankscope.analysis.statistics.paired_tests import Alternative
from rankscope.analysis.statistics.sign_flip import (
    flip_limits,
    reaching_bound,
    reaching_share,
    sign_flip,
    sign_flip_p,
    signs_reaching,
)
from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError
from tests.analysis.statistics.examples import A, B

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
def test_many_signs_agree_with_the_normal_limit(alternative: Alternative) -> None:
    values = np.random.default_rng(2).normal(0.012, 0.1, 250)
    z = values.sum() / np.sqrt(values @ values)
    tails = {"two-sided": 2 * stats.norm.sf(abs(z)), "greater": stats.norm.sf(z), "less": stats.norm.cdf(z)}
    assert sign_flip_p(values, alternative)[0] == pytest.approx(tails[alternative], abs=0.001)


def test_a_p_value_is_never_zero_and_its_floor_is_that_of_all_signs() -> None:
    assert sign_flip_p(np.full(300, 0.1))[0] == 2 * 0.5**300
    assert sign_flip_p(np.linspace(0.1, 0.7, 60))[0] == 2 * 0.5**60
    assert sign_flip_p(np.full(20, 0.1))[0] == 2 / 2**20


def test_tied_sums_count_though_floats_differ() -> None:
    assert sign_flip_p(np.array([0.1, 0.2, -0.3, 0.3]))[0] == enumerated(np.array([0.1, 0.2, -0.3, 0.3]), "two-sided")
    assert sign_flip_p(np.array([0.3, -0.1, -0.2]))[0] == 1.0


def test_many_pairs_at_once_are_each_pair_by_itself() -> None:
    values = np.random.default_rng(3).normal(0.02, 0.1, (150, 5))
    values[:130, 1] = 0.0
    values[3, 2] = np.nan
    values[60:, 3] = 0.0
    together = sign_flip_p(values)
    alone = [sign_flip_p(column[~np.isnan(column)])[0] for column in values.T]
    assert together.tolist() == pytest.approx(alone, rel=1e-12)
    assert together[1] == sign_flip_p(values[130:, 1])[0]


@pytest.mark.parametrize("queries", [21, 22, 40, 100, 101, pytest.param(400, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("shape", ["normal", "skewed", "many equal", "one large"])
def test_p_values_are_within_a_few_hundredths_of_a_finer_count(queries: int, shape: str) -> None:
    """A lattice of 131,072 cells, or all signs in two halves where there are 22 terms at most."""
    chance = np.random.default_rng(queries)
    drawn = {
        "normal": chance.normal(0, 0.1, queries),
        "skewed": chance.exponential(0.1, queries) - 0.1,
        "many equal": chance.choice([-0.1234567, 0.2345678, 0.0777777], queries),
        "one large": np.append(chance.normal(0, 0.01, queries - 1), 0.9),
    }[shape]
    for t in (1.0, 2.5, 4.5):
        values = drawn - drawn.mean() + t * drawn.std() / np.sqrt(queries)
        if queries <= 22:
            exact = float(np.ldexp(2.0 * signs_reaching(values, values.sum() - 1e-12), -queries))
        else:
            exact = families.convolved_p(values, 2**17)
        assert sign_flip_p(values)[0] == pytest.approx(exact, rel=0.03)


@pytest.mark.parametrize("queries", [30, 90, 300])
def test_tenths_are_counted_exactly_and_with_many_queries_almost(queries: int) -> None:
    """Against the distribution by convolution of whole tenths."""
    chance = np.random.default_rng(queries)
    tenths = chance.integers(-4, 6, queries)
    shares = np.array([1.0])
    for each in np.abs(tenths[tenths != 0]).tolist():
        kernel = np.zeros(2 * each + 1)
        kernel[[0, -1]] += 0.5
        shares = np.convolve(shares, kernel)
    exact = 2 * shares[(shares.size - 1) // 2 + abs(int(tenths.sum())) :].sum()
    assert sign_flip_p(tenths / 10)[0] == pytest.approx(min(exact, 1.0), rel=1e-12 if queries <= 100 else 0.005)


@given(differences)
def test_no_share_exceeds_its_bound(values: FloatArray) -> None:
    assert reaching_share(values[:, None])[0] <= reaching_bound(values[:, None])[0] * (1 + 1e-9)


def test_nothing_is_drawn_by_chance() -> None:
    values = np.random.default_rng(5).normal(0.02, 0.1, 50)
    assert sign_flip(values).p == sign_flip(values[::-1]).p


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
    low, high = flip_limits(values, 0.05)
    for moved in np.linspace(-0.6, 0.6, 25):
        if min(abs(moved - low), abs(moved - high)) > 1e-9:
            assert (enumerated(values - moved, "greater") <= 0.05) == (moved < low)
            assert (enumerated(values - moved, "less") <= 0.05) == (moved > high)


@pytest.mark.parametrize("queries", [30, 60, 250])
@pytest.mark.parametrize("level", [0.95, 0.99999])
def test_limits_of_many_queries_are_where_the_p_value_meets_the_level(queries: int, level: float) -> None:
    values = np.random.default_rng(6).beta(0.5, 1, queries) - 0.3
    result = sign_flip(values, level=level)
    for limit, outward in ((result.low, -0.001), (result.high, 0.001)):
        assert sign_flip_p(values - limit - outward)[0] < 1 - level < sign_flip_p(values - limit + outward)[0]


def test_few_queries_have_no_limit() -> None:
    assert sign_flip([0.1, 0.2, 0.3, 0.4, 0.5]).low == -np.inf
    assert sign_flip([0.1, 0.2, 0.3, 0.4, 0.5], "greater").low == pytest.approx(0.1)
    assert sign_flip([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]).low == pytest.approx(0.1)


def test_limits_weigh_units_by_their_queries() -> None:
    assert flip_limits([0.6, 0.1], 0.25, sizes=[3, 1]) == pytest.approx((0.1, 0.2))
    assert flip_limits([0.6, 0.1], 0.2, sizes=[3, 1]) == (-np.inf, np.inf)
    values, sizes = np.random.default_rng(7).normal(0.3, 0.2, 40), np.tile([1.0, 3.0], 20)
    low, high = flip_limits(values * sizes, 0.025, sizes)
    for limit, side in ((low, "greater"), (high, "less")):
        moved = values * sizes - limit * sizes
        assert sign_flip_p(moved, side)[0] == pytest.approx(0.025, rel=0.01)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [4, 30])
def test_what_rounding_leaves_of_equal_scores_has_no_sign(size: int) -> None:
    values = np.array([0.2] * size + [1e-17, -1e-17])
    assert float(sign_flip_p(values)[0]) == 2.0 ** (1 - size)
