"""Equivalence: signs are flipped here one by one, Holm's steps are those of statsmodels, t those of ttost_paired."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import ttost_paired

from rankscope.analysis.comparison.compare import compare
from rankscope.analysis.statistics.deciding_test import skew_t_p
from rankscope.analysis.statistics.equivalence import METHODS, equivalence, equivalence_p
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError
from tests.analysis.statistics.examples import A, B
from tests.analysis.statistics.pairs.test_sign_flip import WORKED


def both_sides(differences: FloatArray, margin: float) -> float:
    """The worst p of the four one-sided tests, signs flipped one by one."""
    signs = np.array(list(product((-1.0, 1.0), repeat=differences.size)))
    worst = 0.0
    for moved in (differences + margin, margin - differences):  # shown where its mean lies above 0
        flipped = float(np.mean(signs @ moved >= moved.sum() - 1e-9))
        worst = max(worst, flipped, float(skew_t_p(moved[None], "greater")[0]))
    return worst


@given(
    st.lists(st.floats(-0.3, 0.3).map(lambda each: round(each, 3)), min_size=4, max_size=10),
    st.floats(0.01, 0.5).map(lambda each: round(each, 3)),
)
def test_p_is_the_worst_of_four_one_sided_tests(values: list[float], margin: float) -> None:
    differences = np.array(values)
    assert equivalence_p(differences[:, None], margin)[0] == pytest.approx(both_sides(differences, margin), abs=1e-9)


@pytest.mark.parametrize("margin", [0.02, 0.05, 0.1])
def test_two_one_sided_t_tests_are_those_of_statsmodels(margin: float) -> None:
    result = equivalence(WORKED, margin, method="t")
    p, *_ = ttost_paired(np.array(B), np.array(A), -margin, margin)
    assert result.p == pytest.approx(p, abs=1e-12)
    interval = stats.ttest_rel(B, A).confidence_interval(0.9)
    assert (result.low, result.high) == pytest.approx((interval.low, interval.high))


def test_there_are_three_outcomes_and_different_is_what_the_deciding_tests_say() -> None:
    assert equivalence(WORKED, 0.1).verdict == "equivalent within ±0.1"
    assert equivalence(WORKED, 0.02).outcome == "different"
    assert equivalence(WORKED[9:], 0.005).outcome == "neither shown"
    (row,) = equivalence(WORKED, 0.1).rows()
    assert (row["verdict"], row["p (difference)"]) == ("equivalent within ±0.1", pytest.approx(0.022529, abs=1e-6))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("margin", [0.03, 0.045, 0.06, 0.08])
def test_equivalent_means_that_both_limits_lie_within(margin: float, method: str) -> None:
    result = equivalence(WORKED, margin, method=method)
    assert result.equivalent == (-margin < result.low and result.high < margin)


def test_equal_scores_are_equivalent_if_there_are_enough_of_them() -> None:
    assert equivalence(np.zeros(400), 0.01).verdict == "equivalent within ±0.01"
    assert equivalence(np.zeros(10), 0.01).outcome == "neither shown"  # a further query may differ by more
    assert equivalence(np.zeros(3), 0.01).outcome == "neither shown"
    assert equivalence([], 0.01).outcome == "neither shown"


def test_a_margin_must_be_a_size() -> None:
    with pytest.raises(SettingError, match="above 0"):
        equivalence(WORKED, 0.0)
    with pytest.raises(SettingError, match=r"method=.*: must be one of"):
        equivalence(WORKED, 0.1, method="z")


def five_systems(lower: bool = False) -> list[ScoreTable]:
    """Two measures of five systems on 18 queries: some equal but for noise, some apart."""
    chance = np.random.default_rng(3)
    hard = chance.uniform(0.2, 0.7, 18)
    moves = (0.0, 0.0, 0.003, 0.05, 0.2)
    values = {f"s{n}": hard + move + chance.normal(0, 0.015, 18) for n, move in enumerate(moves)}
    noise = {name: (each + chance.normal(0, 0.01, 18)).clip(0, 1) for name, each in values.items()}
    names = ("ER", "NMRR") if lower else ("AP", "RR")
    return [ScoreTable.make(values, measure=names[0]), ScoreTable.make(noise, measure=names[1])]


@pytest.mark.parametrize("lower", [False, True])
def test_every_pair_of_a_comparison_is_tested_and_each_family_corrected_by_itself(lower: bool) -> None:
    tables, margins = five_systems(lower), (0.03, 0.04)
    made = compare(tables, equivalent_within=margins)
    assert made.families == compare(tables).families
    for one, table, margin in zip(made.measures, tables, margins, strict=True):
        raw = [both_sides(table.differences(each.first, each.second), margin) for each in one.equivalences]
        assert [each.p for each in one.equivalences] == pytest.approx(raw, abs=1e-9)
        held = multipletests(raw, method="holm")[1]
        assert [each.adjusted for each in one.equivalences] == pytest.approx(held, abs=1e-9)
        for each, pair in zip(one.equivalences, one.pairs, strict=True):
            assert (each.first, each.second, each.estimate) == (pair.first, pair.second, pair.difference)
            assert each.different == bool(pair.better)
            assert each.equivalent == (each.adjusted <= 0.05) == (-margin < each.low and each.high < margin)
    outcomes = [each.outcome for each in made.main.equivalences]
    assert {name: outcomes.count(name) for name in ("equivalent", "different")} == {"equivalent": 3, "different": 7}
    assert [each.pairs for each in compare(tables).measures] == [each.pairs for each in made.measures]


def test_classes_that_are_sampling_units_move_by_the_margin_times_their_size() -> None:
    chance = np.random.default_rng(8)
    sizes = (1, 2, 3, 4, 5, 6, 7, 8, 9)
    labels = [f"k{number}" for number, size in enumerate(sizes) for _ in range(size)]
    values = chance.uniform(0.3, 0.5, len(labels))
    gains = np.repeat(chance.normal(0, 0.01, len(sizes)), sizes) + chance.normal(0, 0.01, len(labels))
    table = ScoreTable.make({"A": values, "B": values + gains}, labels)
    signs = np.array(list(product((-1.0, 1.0), repeat=len(sizes))))
    for margin in (0.005, 0.01, 0.015, 0.02, 0.03):
        (found,) = compare([table], by_unit=True, equivalent_within=margin).main.equivalences
        sums = np.array([gains[np.array(labels) == f"k{each}"].sum() for each in range(len(sizes))])
        worst = 0.0
        for moved in (sums + margin * np.array(sizes), margin * np.array(sizes) - sums):
            worst = max(worst, float(np.mean(signs @ moved >= moved.sum() - 1e-9)))
            worst = max(worst, float(skew_t_p(moved[None], "greater")[0]))
        assert found.p == pytest.approx(worst, abs=1e-9)
        assert found.equivalent == (-margin < found.low and found.high < margin)


def test_a_margin_that_no_difference_exceeds_and_margins_of_other_numbers_are_refused() -> None:
    tables = five_systems()
    with pytest.raises(
        SettingError, match=r"equivalent_within=2(\.0)?: no difference in AP exceeds 1; give less than that"
    ):
        compare(tables, equivalent_within=2)
    with pytest.raises(SettingError, match=r"give it once for all measures, or once for each of the 2"):
        compare(tables, equivalent_within=[0.1, 0.1, 0.1])
    with pytest.raises(SettingError, match="above 0"):
        compare(tables, equivalent_within=0)


@pytest.mark.thorough
@pytest.mark.parametrize("count", [10, 25, 50])
@pytest.mark.parametrize("kind", ["normal", "exponential", "tenths"])
def test_a_difference_as_large_as_the_margin_is_rarely_called_equivalent(kind: str, count: int) -> None:
    """At the margin itself, where the error is largest; the spread is such that equivalence is often shown of 0."""
    chance = np.random.default_rng([count, len(kind)])
    drawn = {
        "normal": chance.normal(0, 0.05, (count, 4_000)),
        "exponential": 0.05 * (chance.exponential(1, (count, 4_000)) - 1),
        "tenths": chance.choice([-0.1, 0.0, 0.1], (count, 4_000), p=[0.2, 0.6, 0.2]),
    }[kind]
    for turn in (1, -1):
        assert (equivalence_p(turn * drawn + 0.1, 0.1) <= 0.05).mean() <= 0.06
    assert (equivalence_p(drawn, 0.1) <= 0.05).mean() > 0.8
