"""Differences within classes: worked values, independent tests, and error rates where spreads differ."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rankscope.analysis.comparison.pairwise import MANY, class_effects
from rankscope.analysis.statistics.corrections import holm
from rankscope.analysis.statistics.deciding_test import decide_p
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import FloatArray
from tests.analysis.statistics.brughi import CLASSED


def test_each_class_has_the_worked_values() -> None:
    results = {each.label: each for each in class_effects(CLASSED, "A", "B").effects}
    assert [results[label].p for label in "abc"] == pytest.approx([0.010305, 0.014992, 0.883130], abs=1e-6)
    assert [results[label].adjusted for label in "abc"] == pytest.approx([0.030914, 0.030914, 0.883130], abs=1e-6)
    assert [results[label].pooled for label in "abc"] == pytest.approx([0.001155, 0.000138, 0.879639], abs=1e-6)


def test_classes_of_five_queries_keep_their_p_and_get_no_verdict() -> None:
    effects = class_effects(CLASSED, "A", "B")
    assert [each.better for each in effects.effects] == ["", "", ""]
    assert effects.withheld == ("b", "a")
    assert "no verdict on b, a: too few or too skewed queries" in effects.note
    assert [each.deciding for each in effects.effects if each.label == "c"] == [1.0]
    assert {"p", "p (holm)", "p (verdict)"} <= effects.rows()[0].keys()


def test_the_deciding_p_is_the_larger_of_both_tests_corrected_for_all_classes() -> None:
    chance = np.random.default_rng(4)
    table = table_of(chance.normal(0.1, 0.1, (3, 10)))
    results = {each.label: each for each in class_effects(table, "A", "B").effects}
    own = [decide_p(table.where(label).differences("A", "B"))[0] for label in results]
    assert [results[label].deciding for label in results] == pytest.approx(holm(own))
    assert all(each.deciding >= each.adjusted for each in results.values())
    assert all(bool(each.better) == (each.deciding <= 0.05) for each in results.values())


def table_of(differences: FloatArray) -> ScoreTable:
    """Classes in rows; the first system has what is left over."""
    flat = differences.ravel()
    labels = [f"c{number}" for number, row in enumerate(differences) for _ in row]
    base = np.random.default_rng(0).random(flat.size)
    return ScoreTable.make({"A": base, "B": base + flat}, classes=labels)


@pytest.mark.thorough
def test_skewed_differences_are_seldom_called_a_difference() -> None:
    chance = np.random.default_rng(9)
    wrong = [
        any(each.better for each in class_effects(table_of(chance.exponential(0.1, (5, 10)) - 0.1), "A", "B").effects)
        for _ in range(600)
    ]
    assert np.mean(wrong) <= 0.05


def test_ten_queries_a_class_still_show_a_clear_difference() -> None:
    chance = np.random.default_rng(10)
    gain = np.array([0.25, 0.0, 0.0, 0.0, 0.0])[:, None]
    found = []
    for _ in range(300):
        effects = class_effects(table_of(gain + chance.normal(0, 0.1, (5, 10))), "A", "B")
        found.append(next(each.better for each in effects.effects if each.label == "c0"))
    assert found.count("B") / len(found) >= 0.8


def test_few_queries_that_all_differ_by_the_same_amount_get_no_verdict() -> None:
    few, many = (class_effects(table_of(np.full((2, size), 0.125)), "A", "B") for size in (20, 60))
    assert [each.better for each in few.effects] == ["", ""]
    assert [each.better for each in many.effects] == ["B", "B"]


def test_the_note_says_that_the_mixed_model_failed() -> None:
    chance = np.random.default_rng(0)
    one = chance.normal(0.5, 0.1, 16)
    table = ScoreTable.make({"A": one, "B": 1 - one + chance.normal(0, 0.02, 16)}, classes=["x", "y"] * 8)
    effects = class_effects(table, "A", "B")
    assert "p (mixed model): the variance of queries comes out below 0" in effects.note
    for each in effects.effects:
        assert each.pooled == pytest.approx(each.p)


def test_classes_come_from_the_largest_gain_to_the_largest_loss() -> None:
    assert [each.label for each in class_effects(CLASSED, "A", "B").effects] == ["b", "a", "c"]
    assert [each.label for each in class_effects(CLASSED, "B", "A").effects] == ["c", "a", "b"]


def test_a_class_of_many_queries_is_judged_by_the_sign_flip_test() -> None:
    rng = np.random.default_rng(0)
    one, other = rng.random(MANY), rng.random(MANY)
    (effect,) = class_effects(ScoreTable.make({"A": one, "B": other}, classes=["x"] * MANY), "A", "B").effects
    theirs = stats.permutation_test(
        (other - one,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    )
    assert effect.p == pytest.approx(theirs.pvalue)


def test_less_is_better_turns_the_winner() -> None:
    table = ScoreTable.make(
        {"A": [0.1, 0.2, 0.3, 0.2] * 3, "B": [0.5, 0.7, 0.6, 0.7] * 3}, classes=["x"] * 12, lower_is_better=True
    )
    assert class_effects(table, "A", "B").effects[0].better == "A"


def test_a_class_of_one_query_has_a_difference_but_no_verdict() -> None:
    table = ScoreTable.make({"A": [0.1, 0.2, 0.3], "B": [0.9, 0.3, 0.5]}, classes=["lone", "x", "x"])
    (lone,) = [each for each in class_effects(table, "A", "B").effects if each.label == "lone"]
    assert lone.difference == pytest.approx(0.8)
    assert np.isnan(lone.p)
    assert lone.better == ""


@pytest.mark.thorough
def test_chance_is_called_a_difference_no_more_often_than_alpha_where_spreads_differ() -> None:
    rng = np.random.default_rng(3)
    trials, wrong = 400, 0
    labels = [f"c{number}" for number in range(5) for _ in range(5)]
    for _ in range(trials):
        scale = np.repeat(rng.lognormal(-3, 0.8, 5), 5)
        one, other = (np.clip(0.5 + rng.standard_t(4, 25) * scale, 0, 1) for _ in range(2))
        effects = class_effects(ScoreTable.make({"A": one, "B": other}, classes=labels), "A", "B")
        wrong += any(each.better for each in effects.effects)
    assert wrong / trials <= 0.05 + 2.576 * (0.05 * 0.95 / trials) ** 0.5
