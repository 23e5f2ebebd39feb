"""Differences within classes: worked values, independent tests, and error rates where spreads differ."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rankscope.statistics.class_effects import MANY, class_effects
from rankscope.statistics.score_table import ScoreTable
from tests.statistics.brughi import CLASSED


def test_each_class_has_the_worked_values() -> None:
    made = {each.label: each for each in class_effects(CLASSED, "A", "B").effects}
    assert [made[label].p for label in "abc"] == pytest.approx([0.010305, 0.014992, 0.883130], abs=1e-6)
    assert [made[label].adjusted for label in "abc"] == pytest.approx([0.030914, 0.030914, 0.883130], abs=1e-6)
    assert [made[label].pooled for label in "abc"] == pytest.approx([0.001155, 0.000138, 0.879639], abs=1e-6)
    assert [made[label].better for label in "abc"] == ["B", "B", ""]


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
        {"A": [0.1, 0.2, 0.3, 0.2], "B": [0.5, 0.7, 0.6, 0.7]}, classes=["x"] * 4, lower_is_better=True
    )
    assert class_effects(table, "A", "B").effects[0].better == "A"


def test_a_class_of_one_query_has_a_difference_but_no_verdict() -> None:
    table = ScoreTable.make({"A": [0.1, 0.2, 0.3], "B": [0.9, 0.3, 0.5]}, classes=["lone", "x", "x"])
    (lone,) = [each for each in class_effects(table, "A", "B").effects if each.label == "lone"]
    assert lone.difference == pytest.approx(0.8)
    assert np.isnan(lone.p)
    assert lone.better == ""


def test_chance_is_called_a_difference_no_more_often_than_alpha_where_spreads_differ() -> None:
    rng = np.random.default_rng(3)
    trials, wrong = 400, 0
    labels = [f"c{number}" for number in range(5) for _ in range(5)]
    for _ in range(trials):
        scale = np.repeat(rng.lognormal(-3, 0.8, 5), 5)
        one, other = (np.clip(0.5 + rng.standard_t(4, 25) * scale, 0, 1) for _ in range(2))
        made = class_effects(ScoreTable.make({"A": one, "B": other}, classes=labels), "A", "B")
        wrong += any(each.better for each in made.effects)
    assert wrong / trials <= 0.05 + 2.576 * (0.05 * 0.95 / trials) ** 0.5
