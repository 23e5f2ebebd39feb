"""Limits by one unseen unit: worked values, a plain implementation, exact cases, and what must always hold."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from rankscope.analysis.statistics.bands import band
from rankscope.analysis.statistics.mean_intervals import unseen_unit_limits
from rankscope.analysis.statistics.query_curves import precision_at_recall
from rankscope.analysis.statistics.sampling_units import unit_sums
from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError
from rankscope.ranks.relevant_ranks import RelevantRanks

CHECK = RelevantRanks.from_ranks([[1, 2, 3, 5], [1, 4, 9, 12], [2, 3, 8, 20]])
Limits = tuple[FloatArray, FloatArray]
values_of = st.integers(0, 1000).map(lambda each: each / 1000)
tables = arrays(np.float64, st.tuples(st.integers(2, 12), st.integers(1, 4)), elements=values_of)
labels = st.lists(st.sampled_from("abc"), min_size=12, max_size=12)


def limits(values: FloatArray, classes: list[str] | None = None, **options: object) -> Limits:
    return unseen_unit_limits(unit_sums(values, classes), **options)  # type: ignore[arg-type]


def ranked(means: FloatArray) -> FloatArray:
    """Ranks from 1; of equal means the first draws count as the last."""
    return stats.rankdata(means) if np.ptp(means) > 1e-13 else np.arange(means.size, 0, -1.0)


def plain(
    values: FloatArray, classes: list[str], level: float, draws: int, seed: int, low: float = 0, high: float = 1
) -> Limits:
    """Draw by draw and rank by rank, each unit weighed by its values at a point."""
    chance = np.random.default_rng(seed)
    unseen = chance.standard_gamma(0.5 if low < 0 else 1.0, draws)
    names = sorted(set(classes))
    least, most = np.empty((draws, values.shape[1])), np.empty((draws, values.shape[1]))
    for draw in range(draws):
        weight = dict(zip(names, chance.standard_exponential(len(names)), strict=True))
        for point, column in enumerate(values.T):
            there = [(weight[name], value) for name, value in zip(classes, column, strict=True) if value == value]
            some = [name for name, value in zip(classes, column, strict=True) if value == value]
            extra = unseen[draw] * sum(some.count(name) for name in some) / len(some)
            total = sum(each for each, _ in there) + extra
            seen = sum(each * value for each, value in there)
            least[draw, point], most[draw, point] = (seen + extra * low) / total, (seen + extra * high) / total
    from_above = np.stack([ranked(-each) for each in least.T] + [ranked(each) for each in most.T])
    k = int(np.quantile(from_above.max(axis=0), level, method="inverted_cdf"))
    return -np.sort(-least, axis=0)[k - 1], np.sort(most, axis=0)[k - 1]


# the numbers


def test_the_limits_have_the_worked_values() -> None:
    results = [band(precision_at_recall(CHECK, 5), resamples=20_000, seed=seed) for seed in range(8)]
    low, high = (np.mean([getattr(each, side) for each in results], axis=0) for side in ("low", "high"))
    np.testing.assert_allclose(low, [0.195, 0.195, 0.172, 0.125, 0.093], atol=0.006)
    np.testing.assert_allclose(high, [0.997, 0.997, 0.970, 0.954, 0.883], atol=0.006)


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-1.0, 1.0)])
@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_limits_are_those_of_a_plain_implementation(low: float, high: float, holes: bool, level: float) -> None:
    values = low + (high - low) * np.random.default_rng(1).random((9, 4)) ** 2
    values[:, 0] = low  # all at an end
    values[:, 3] = np.where(np.arange(9) < 8, high, values[:, 3])
    if holes:
        values[2:5, 1] = np.nan
        values[5:, 2] = np.nan
    for classes in (list("abcdefghi"), list("aaabbcdde")):
        options = {"level": level, "draws": 400, "seed": 5}
        ours = limits(values, classes, bounds=(low, high), shape=0.5 if low < 0 else 1.0, **options)
        np.testing.assert_allclose(ours, plain(values, classes, **options, low=low, high=high), atol=1e-12)  # type: ignore[arg-type]


@pytest.mark.parametrize("hits", [0, 1, 12, 40])
def test_one_point_of_zeros_and_ones_has_the_limits_of_clopper_and_pearson(hits: int) -> None:
    """Weighted means of zeros and ones are beta variables: their tails are the exact binomial limits.

    Both sides leave out equally many draws, and a draw that one side leaves out the other keeps: 2.5 % on each.
    """
    values = (np.arange(40) < hits).astype(np.float64)[:, None]
    low, high = limits(values, draws=400_000)
    exact = stats.binomtest(hits, 40).proportion_ci(0.95, method="exact")
    assert low[0] == pytest.approx(exact.low, abs=0.002)
    assert high[0] == pytest.approx(exact.high, abs=0.002)


@pytest.mark.parametrize("units", [2, 5, 30])
def test_units_that_agree_are_left_by_the_unseen_one_alone(units: int) -> None:
    low, high = limits(np.full((units, 3), 0.5), draws=200_000)
    share = 1 - 0.05 ** (1 / units)  # of the unseen unit's weight, beta(1, units), in 95 of 100 draws at most
    np.testing.assert_allclose(low, 0.5 - 0.5 * share, atol=0.004)
    np.testing.assert_allclose(high, 0.5 + 0.5 * share, atol=0.004)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_an_end_that_all_units_reach_is_kept_exactly(value: float) -> None:
    low, high = limits(np.full((6, 2), value))
    assert (low if value == 0 else high).tolist() == [value, value]
    exact = stats.binomtest(0, 6).proportion_ci(0.95, method="exact").high
    np.testing.assert_allclose(high if value == 0 else 1 - low, exact, atol=0.02)


def test_points_for_themselves_are_narrower_than_all_together() -> None:
    values = np.random.default_rng(0).random((20, 6))
    alone, together = limits(values, together=False), limits(values)
    assert (alone[0] > together[0]).all()
    assert (alone[1] < together[1]).all()
    one = limits(values[:, :1])
    np.testing.assert_allclose([alone[0][0], alone[1][0]], [one[0][0], one[1][0]], atol=1e-12)


# what always holds


@given(table=tables, level=st.floats(0.5, 0.99), seed=st.integers(0, 5), classes=labels)
def test_limits_stay_within_the_bounds_around_the_mean(
    table: FloatArray, level: float, seed: int, classes: list[str]
) -> None:
    low, high = limits(table, classes[: len(table)], level=level, draws=300, seed=seed)
    mean = table.mean(axis=0)
    inside = (low >= 0) & (low <= mean + 1e-12) & (high >= mean - 1e-12) & (high <= 1)
    assert (np.isnan([low, high]) if len(set(classes[: len(table)])) < 2 else inside).all()


@given(table=tables, seed=st.integers(0, 5))
def test_a_higher_level_is_never_narrower(table: FloatArray, seed: int) -> None:
    results = [limits(table, level=level, draws=300, seed=seed) for level in (0.5, 0.8, 0.95, 0.99)]
    for narrow, wide in pairwise(results):
        assert (wide[0] <= narrow[0]).all()
        assert (wide[1] >= narrow[1]).all()


@given(table=tables, seed=st.integers(0, 5))
def test_the_order_of_points_and_the_side_do_not_matter(table: FloatArray, seed: int) -> None:
    low, high = limits(table, draws=300, seed=seed)
    turned = limits(table[:, ::-1], draws=300, seed=seed)
    np.testing.assert_allclose(turned[0][::-1], low, atol=1e-9)
    flipped = limits(1 - table, draws=300, seed=seed)
    np.testing.assert_allclose(1 - flipped[1], low, atol=1e-9)
    np.testing.assert_allclose(1 - flipped[0], high, atol=1e-9)


@settings(max_examples=5)
@given(seed=st.integers(0, 50))
def test_the_order_of_units_changes_nothing_but_chance(seed: int) -> None:
    chance = np.random.default_rng(seed)
    values = chance.random((15, 4)) ** 3
    one, two = limits(values, draws=40_000), limits(chance.permutation(values), draws=40_000, seed=1)
    np.testing.assert_allclose(one, two, atol=0.012)


def test_bounds_scale_with_the_values() -> None:
    values = np.random.default_rng(2).random((10, 3))
    low, high = limits(values)
    wide = limits(10 * values - 5, bounds=(-5.0, 5.0))
    np.testing.assert_allclose(wide[0], 10 * low - 5, atol=1e-9)
    np.testing.assert_allclose(wide[1], 10 * high - 5, atol=1e-9)


def test_every_point_may_have_bounds_of_its_own() -> None:
    values = np.random.default_rng(2).random((10, 3)) * [1.0, 0.5, 0.1]
    low, high = limits(values, bounds=(0.0, np.array([1.0, 0.5, 0.1])))
    alike = limits(values / [1.0, 0.5, 0.1])
    np.testing.assert_allclose(low / [1.0, 0.5, 0.1], alike[0], atol=1e-12)
    np.testing.assert_allclose(high / [1.0, 0.5, 0.1], alike[1], atol=1e-12)
    with pytest.raises(SettingError, match=r"from 0 to 0\.05"):
        limits(values, bounds=(0.0, np.array([1.0, 0.5, 0.05])))


# what is not there


def test_a_point_with_one_unit_has_no_limits_and_changes_no_other() -> None:
    values = np.random.default_rng(3).random((10, 3))
    holed = np.hstack([values, np.full((10, 2), np.nan)])
    holed[4, 3] = 0.2
    low, high = limits(holed)
    assert np.isnan(low).tolist() == np.isnan(high).tolist() == [False, False, False, True, True]
    np.testing.assert_allclose(low[:3], limits(values)[0])
    assert np.isnan(limits(values[:1])[0]).all()
    assert np.isnan(limits(values, ["a"] * 10)[0]).all()


def test_large_classes_weigh_as_their_queries() -> None:
    """One class has half of the queries: its weight is that of its queries, and the unseen class may be as large."""
    classes = ["big"] * 20 + [str(row) for row in range(20)]
    values = np.repeat([0.2, 0.6], 20)[:, None]
    low, high = limits(values, classes, draws=40_000)
    alike = limits(np.repeat([0.2, 0.6], [1, 20])[:, None], draws=40_000)  # each class as one query
    assert low[0] < alike[0][0] - 0.1
    assert high[0] > alike[1][0]


def test_values_beyond_the_bounds_are_refused_in_words() -> None:
    with pytest.raises(SettingError, match=r"values from 0 to 1, got -0\.2 to 0\.5"):
        limits(np.array([[0.5], [-0.2]]))
    with pytest.raises(SettingError, match=r"got 0\.5 to 3"):
        limits(np.array([[0.5], [3.0]]))
    assert limits(np.array([[1 + 1e-15], [1.0]]))[1].tolist() == [1.0]


def test_it_holds_the_mean_of_rare_large_values_where_the_spread_does_not() -> None:
    """Of a hundred units two are 1: most samples of ten see none of them."""
    chance = np.random.default_rng(4)
    population = np.zeros((100, 2))
    population[:2] = 1.0
    samples = [population[chance.integers(0, 100, 10)] for _ in range(300)]
    held = [
        np.mean([band(each, how=how, resamples=500).holds([0.02, 0.02]).all() for each in samples])
        for how in ("unseen-unit", "bonferroni")
    ]
    assert held[0] >= 0.95 - 2 * math.sqrt(0.95 * 0.05 / 300)
    assert held[1] < 0.3


@pytest.mark.parametrize("together", [True, False])
def test_points_at_which_nothing_changes_have_the_same_limits_and_change_no_others(together: bool) -> None:
    table = np.random.default_rng(2).random((11, 3))
    places = [0, 0, 1, 1, 1, 2, 0]
    once, often = (np.stack(limits(each, together=together, draws=500)) for each in (table, table[:, places]))
    np.testing.assert_allclose(often, once[:, places], rtol=1e-14)
