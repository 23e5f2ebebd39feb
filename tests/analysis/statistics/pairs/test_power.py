"""Power: worked values, statsmodels, and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.power import FTestAnovaPower, TTestPower

from rankscope.analysis.statistics.deciding_test import decide_p
from rankscope.analysis.statistics.power import (
    ShownEffects,
    anova_power,
    paired_power,
    queries_needed,
    smallest_effect,
    smallest_significant_difference,
)
from rankscope.core.errors import SettingError
from tests.analysis.statistics.pairs.test_sign_flip import WORKED

SD = float(WORKED.std(ddof=1))


def test_the_worked_values() -> None:
    assert float(paired_power(0.03, SD, 15)) == pytest.approx(0.7568, abs=5e-5)
    assert queries_needed(0.02, SD) == 35
    assert smallest_significant_difference(groups=10, queries=5) == pytest.approx(2.117, abs=5e-4)
    assert anova_power(0.4, groups=10, queries=5) == pytest.approx(0.37, abs=5e-3)


@pytest.mark.parametrize(("sides", "word"), [(1, "larger"), (2, "two-sided")])
@pytest.mark.parametrize("queries", [2, 5, 30])
@pytest.mark.parametrize("ratio", [0.05, 0.4, 1.5])
def test_power_is_that_of_statsmodels(ratio: float, queries: int, sides: int, word: str) -> None:
    theirs = TTestPower().power(ratio, queries, 0.05, alternative=word)
    assert float(paired_power(ratio * SD, SD, queries, sides=sides)) == pytest.approx(theirs, abs=1e-8)


def test_one_way_power_and_tukey_are_those_of_the_libraries() -> None:
    theirs = FTestAnovaPower().power(0.25, 60, 0.05, k_groups=4)
    assert anova_power(0.25, groups=4, queries=15) == pytest.approx(theirs, abs=1e-9)
    quantile = stats.studentized_range.ppf(0.95, 4, 56)
    assert smallest_significant_difference(4, 15) == pytest.approx(quantile / math.sqrt(15), abs=1e-6)


def test_power_is_what_simulation_finds() -> None:
    drawn = np.random.default_rng(0).normal(0.4, 1.0, (20_000, 25))
    t = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / 5)
    found = float((np.abs(t) > stats.t.ppf(0.975, 24)).mean())
    assert float(paired_power(0.4, 1.0, 25)) == pytest.approx(found, abs=0.01)


@given(st.floats(0.02, 3), st.floats(0.1, 0.99), st.sampled_from([1, 2]))
def test_the_number_needed_is_enough_and_one_less_is_not(ratio: float, power: float, sides: int) -> None:
    needed = queries_needed(ratio, 1.0, power, sides=sides)
    assert float(paired_power(ratio, 1.0, needed, sides=sides)) >= power
    assert needed == 2 or float(paired_power(ratio, 1.0, needed - 1, sides=sides)) < power


@given(st.integers(2, 5000), st.floats(0.1, 0.99), st.sampled_from([1, 2]))
def test_the_smallest_effect_is_found_with_just_that_power(queries: int, power: float, sides: int) -> None:
    effect = smallest_effect(queries, 0.2, power, sides=sides)
    assert float(paired_power(effect, 0.2, queries, sides=sides)) == pytest.approx(power, abs=1e-9)


def test_many_numbers_of_queries_come_at_once() -> None:
    counts = np.array([1, 2, 10, 100, 10_000])
    values = paired_power(0.05, 0.1, counts)
    assert values[0] == 0
    assert (np.diff(values) > 0).all()
    assert values[-1] == 1.0


def test_large_effects_and_many_queries_are_certain() -> None:
    for ratio, queries in ((5.0, 1000), (100.0, 2000), (0.5, 10**7), (40.0, 10)):
        assert float(paired_power(ratio, 1.0, queries)) == 1.0


def test_without_spread_or_effect_there_is_no_power_to_tell() -> None:
    with pytest.raises(SettingError, match="spread"):
        paired_power(0.1, 0.0, 10)
    with pytest.raises(SettingError, match="difference of 0"):
        queries_needed(0.0, 1.0)
    with pytest.raises(SettingError, match="more than"):
        queries_needed(1e-9, 1.0)
    with pytest.raises(SettingError, match="groups=1: must"):
        anova_power(0.4, 1, 5)
    with pytest.raises(SettingError, match=r"sides=3: must be one of 1, 2"):
        paired_power(0.1, 1.0, 10, sides=3)
    assert smallest_effect(1, 0.1) == math.inf


@pytest.mark.sampled(2)
@pytest.mark.parametrize("count", [6, 10, 25, 60])
def test_four_of_five_experiments_show_the_effect_of_which_it_is_said(count: int) -> None:
    """Samples of scores that saturate at 0 and 1; their spread is unknown and the test of every verdict decides."""
    chance = np.random.default_rng([0, count])
    easy = chance.beta(0.8, 1.2, 1_200)
    population = np.clip(easy + chance.normal(0, 0.12, easy.size), 0, 1) - easy
    population -= population.mean()
    shares = []
    for _ in range(60):
        effect = ShownEffects(chance.choice(population, count), 0.025).smallest()
        again, turn = chance.choice(population, (200, count)), chance.choice([-1.0, 1.0], (200, 1))
        shares.append(np.mean(decide_p((turn * again + effect).T) <= 0.05))
    assert 0.74 <= np.mean(shares) <= 0.86


def test_where_nothing_can_be_shown_no_effect_is_named() -> None:
    differences = np.array([0.3, -0.1, 0.2, 0.05, -0.2, 0.15])
    assert math.isinf(ShownEffects(differences[:5], 0.025).smallest())
    assert math.isfinite(ShownEffects(differences, 0.025).smallest())
    assert math.isinf(ShownEffects(differences, 0.015).smallest())
    assert math.isfinite(ShownEffects(differences[:5], 0.05, sides=1).smallest())
    assert math.isnan(ShownEffects(np.zeros(6), 0.025).smallest())
    assert math.isnan(ShownEffects(np.array([0.2]), 0.025).smallest())
    assert ShownEffects(differences, 0.025).power(10.0, 5) == 0.0


def test_the_smallest_effect_the_power_and_the_number_needed_are_one_question() -> None:
    shown = ShownEffects(WORKED, 0.025)
    effect = shown.smallest()
    assert shown.power(effect, WORKED.size) == pytest.approx(0.8)
    assert shown.needed(effect) <= WORKED.size
    powers = [shown.power(0.03, count) for count in (5, 6, 15, 60, 300, 301, 1_200)]
    assert powers == sorted(powers)
    needed = shown.needed(0.02)
    assert shown.power(0.02, needed) >= 0.8 > shown.power(0.02, needed - 1)
    with pytest.raises(SettingError, match=r"above 0\.02"):
        ShownEffects(WORKED, 0.025, sides=1, least=0.02).needed(0.02)


def test_many_normal_differences_take_as_many_as_the_t_test() -> None:
    differences = np.random.default_rng(4).normal(0, 0.2, 400)
    sd = float(differences.std(ddof=1))
    assert ShownEffects(differences, 0.025).smallest() == pytest.approx(smallest_effect(400, sd), rel=0.05)
