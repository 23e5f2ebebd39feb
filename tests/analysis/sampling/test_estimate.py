"""Estimates from judged samples: worked values, scipy, properties."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscope.analysis.sampling.estimate import estimate, needed_sample, relative_deviation
from rankscope.analysis.statistics.proportions import PROPORTION_INTERVALS, clopper_pearson, hypergeometric, wilson
from rankscope.core.errors import SettingError

WORKED = estimate(collection=20000, scope=100, hits=6, judged=500, found=3)


def test_the_worked_estimate() -> None:
    assert WORKED.precision == 0.06
    assert WORKED.relevant.value == pytest.approx(125.4)
    assert WORKED.recall.value == pytest.approx(0.047847, abs=5e-7)
    assert WORKED.generality.value == pytest.approx(0.00627)


def test_the_worked_exact_interval() -> None:
    assert (WORKED.relevant.low, WORKED.relevant.high) == pytest.approx((32, 350))
    assert WORKED.recall.low == pytest.approx(0.017143, abs=5e-7)
    assert WORKED.recall.high == pytest.approx(0.1875)


def test_the_worked_certain_bounds() -> None:
    list_alone = estimate(collection=20000, scope=100, hits=6, judged=0, found=0)
    assert list_alone.certain_recall.low == pytest.approx(0.000301417, abs=5e-10)
    assert (list_alone.certain_generality.low, list_alone.certain_generality.high) == pytest.approx((0.0003, 0.9953))


def test_what_was_drawn_and_judged_is_certain_too() -> None:
    sampled = estimate(collection=20000, scope=0, hits=0, judged=500, found=3)
    assert (sampled.certain_relevant.low, sampled.certain_relevant.high) == (3, 19503)
    assert (WORKED.certain_relevant.low, WORKED.certain_relevant.high) == (9, 6 + 19900 - 497)
    assert WORKED.certain_recall.high == pytest.approx(6 / 9)


def test_items_to_inspect_for_one_more_hit() -> None:
    assert WORKED.inspected.value == pytest.approx(500 / 3)
    assert (WORKED.inspected.low, WORKED.inspected.high) == pytest.approx((19900 / 344, 19900 / 26))
    rows = {row["quantity"]: row for row in WORKED.rows()}
    assert rows["items per hit, scope"]["estimate"] == pytest.approx(100 / 6)
    assert estimate(collection=100, scope=10, hits=2, judged=20, found=0).inspected.high == math.inf


def test_the_worked_shares() -> None:
    assert clopper_pearson(19900, 500, 3) == pytest.approx((0.001239, 0.017434), abs=5e-7)
    assert wilson(19900, 500, 3) == pytest.approx((0.002043, 0.017490), abs=5e-7)


def test_nothing_found_still_bounds_the_class() -> None:
    assert round(hypergeometric(19900, 500, 0)[1] * 19900) == 144
    assert hypergeometric(19900, 500, 0)[0] == 0
    assert clopper_pearson(19900, 500, 0)[1] == pytest.approx(0.007351, abs=5e-7)


@pytest.mark.parametrize(
    ("relevant", "error", "judged"),
    [(308, 0.5, 937), (308, 0.2, 4699), (64, 0.5, 3863), (64, 0.2, 11987), (8, 0.5, 13151), (8, 0.2, 18462)],
)
def test_the_worked_sample_sizes(relevant: int, error: float, judged: int) -> None:
    planned = needed_sample(20000, relevant, error)
    assert planned.judged == judged
    assert planned.expected_hits == pytest.approx(judged * relevant / 20000)
    assert planned.rows()[0]["judge"] == judged


def test_five_hundred_items_are_not_enough_for_rare_classes() -> None:
    assert relative_deviation(20000, 308, 500) == pytest.approx(0.353, abs=5e-4)
    assert relative_deviation(20000, 8, 500) == pytest.approx(2.21, abs=5e-3)


def test_the_exact_interval_is_what_the_definition_says() -> None:
    for population, judged, found in [(40, 10, 0), (40, 10, 3), (40, 10, 10), (60, 59, 30), (25, 25, 4)]:
        possible = range(found, population - judged + found + 1)
        low = min(k for k in possible if found == 0 or stats.hypergeom.sf(found - 1, population, k, judged) > 0.025)
        high = max(k for k in possible if stats.hypergeom.cdf(found, population, k, judged) > 0.025)
        assert hypergeometric(population, judged, found) == pytest.approx((low / population, high / population))


@st.composite
def samples(draw: st.DrawFn) -> tuple[int, int, int]:
    population = draw(st.integers(2, 5000))
    judged = draw(st.integers(1, population))
    return population, judged, draw(st.integers(0, judged))


@pytest.mark.parametrize("method", PROPORTION_INTERVALS.names())
@given(sample=samples())
def test_the_interval_holds_the_estimate(method: str, sample: tuple[int, int, int]) -> None:
    population, judged, found = sample
    low, high = PROPORTION_INTERVALS.find(method)(population, judged, found, 0.95)
    assert -1e-12 <= low <= found / judged + 1 / population
    assert found / judged - 1 / population <= high <= 1 + 1e-12


@given(sample=samples())
def test_the_exact_interval_never_contradicts_what_was_judged(sample: tuple[int, int, int]) -> None:
    population, judged, found = sample
    low, high = hypergeometric(population, judged, found)
    assert round(low * population) >= found
    assert round(high * population) <= population - (judged - found)


def test_a_census_is_certain() -> None:
    said = estimate(collection=100, scope=20, hits=5, judged=80, found=7)
    assert (said.relevant.low, said.relevant.value, said.relevant.high) == pytest.approx((12, 12, 12))
    assert estimate(collection=20, scope=20, hits=5, judged=0, found=0).recall.value == 1


def test_without_a_sample_only_the_bounds_are_known() -> None:
    said = estimate(collection=100, scope=20, hits=5, judged=0, found=0)
    assert math.isnan(said.relevant.value)
    assert said.certain_recall.low == pytest.approx(5 / 85)
    assert said.rows()[0] == dict.fromkeys(("estimate", "low", "high", "certain low", "certain high"), 0.25) | {
        "quantity": "precision"
    }


def test_without_hits_recall_has_no_interval() -> None:
    said = estimate(collection=100, scope=20, hits=0, judged=10, found=0)
    assert math.isnan(said.recall.value)
    assert math.isnan(said.recall.low)
    whole = estimate(collection=20000, scope=0, hits=0, judged=500, found=3)
    assert whole.relevant.value == pytest.approx(120)


@pytest.mark.parametrize(
    ("numbers", "bound"),
    [
        ((0, 0, 0, 0, 0), "collection=0: must be a whole number of at least 1"),
        ((10, 11, 0, 0, 0), "scope <= collection"),
        ((10, 5, 6, 0, 0), "hits <= scope"),
        ((10, 5, 2, 6, 0), "judged <= collection - scope"),
        ((10, 5, 2, 3, 4), "found <= judged"),
    ],
)
def test_impossible_numbers_name_the_bound(numbers: tuple[int, int, int, int, int], bound: str) -> None:
    with pytest.raises(SettingError, match=bound):
        estimate(*numbers)


def test_unknown_methods_and_impossible_plans_are_refused() -> None:
    with pytest.raises(SettingError, match="did you mean 'wilson'"):
        estimate(10, 5, 2, 3, 1, method="wilsen")
    with pytest.raises(SettingError, match="level"):
        estimate(10, 5, 2, 3, 1, level=1.0)
    with pytest.raises(SettingError, match="relevant <= collection"):
        needed_sample(10, 11, 0.1)
    with pytest.raises(SettingError, match=r"error=0.0: must be a number above 0"):
        needed_sample(10, 1, 0.0)
