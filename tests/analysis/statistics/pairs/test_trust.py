"""What a verdict rests on: two tests that agree, how rarely they err on skewed differences, and what is said."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.analysis.statistics.deciding_test import RARE, SEEN, caution, decide_p, missed_share, skew_t_p
from rankscope.analysis.statistics.sign_flip import sign_flip_p
from tests.analysis.statistics.brughi import A, B


def test_the_larger_of_both_p_values_decides() -> None:
    differences = np.array(B) - np.array(A)
    flips = float(sign_flip_p(differences)[0])
    assert flips == pytest.approx(238 / 32768)
    assert float(decide_p(differences)[0]) == pytest.approx(0.022529, abs=1e-6)
    lopsided = np.array([0.01] * 12 + [-0.2])
    assert decide_p(lopsided)[0] == max(sign_flip_p(lopsided)[0], skew_t_p(lopsided))


def test_each_column_is_judged_by_the_queries_it_has() -> None:
    chance = np.random.default_rng(0)
    table = chance.normal(0.1, 0.2, (9, 3))
    table[6:, 1] = np.nan
    table[:, 2] = np.nan
    values = decide_p(table)
    assert values[0] == pytest.approx(decide_p(table[:, 0])[0])
    assert values[1] == pytest.approx(decide_p(table[:6, 1])[0])
    assert np.isnan(values[2])


def test_equal_differences_show_no_more_than_their_size_allows() -> None:
    """Sign flips alone call chance a difference in many samples where most queries differ by one number."""
    assert decide_p(np.full(10, 0.1)) == pytest.approx([2 * 1.1**-10])
    assert sign_flip_p(np.full(10, 0.1)).tolist() == decide_p(np.ones(10)).tolist() == [2 / 1024]
    for queries in (6, 8, 10):
        drawn = np.where(np.random.default_rng(queries).random((queries, 4_000)) < 1 / 11, -1.0, 0.1)
        assert (decide_p(drawn) <= 0.05).mean() <= 0.05
        assert (sign_flip_p(drawn) <= 0.05).mean() > 0.3
    assert decide_p(np.zeros(5)).tolist() == [1.0]


@pytest.mark.parametrize("queries", [10, 25, 60])
def test_skewed_differences_of_mean_zero_are_seldom_called_a_difference(queries: int) -> None:
    drawn = np.random.default_rng(queries).exponential(0.1, (queries, 1_500)) - 0.1
    assert (decide_p(drawn) <= 0.05).mean() <= 0.06
    if queries < 60:
        assert (sign_flip_p(drawn) <= 0.05).mean() > 0.06


def test_a_clear_difference_of_ten_queries_is_shown() -> None:
    drawn = np.random.default_rng(5).normal(0.2, 0.1, (10, 400))
    assert (decide_p(drawn) <= 0.05).mean() > 0.97


def test_the_caution_has_the_share_of_samples_that_miss_every_gain() -> None:
    chance = np.random.default_rng(1)
    for units in (5, 15, 30, 59):
        missed = float((chance.random((20_000, units)) >= RARE).all(axis=1).mean())
        assert missed_share(units) == pytest.approx(missed, abs=0.012)
        assert f"a sample of {units} lacks all of these in {100 * missed_share(units):.0f} % of cases" in caution(units)
    assert "1 in 20 classes" in caution(15, "classes")


def test_the_caution_ends_where_gains_are_seldom_missed() -> None:
    assert missed_share(SEEN) < 0.05 <= missed_share(SEEN - 2)
    assert caution(SEEN - 1)
    assert caution(SEEN) == ""
