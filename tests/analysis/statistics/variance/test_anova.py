"""One-way analysis of variance: the worked example, scipy, and what it says of too little data."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscope.analysis.statistics.anova import anova
from rankscope.analysis.statistics.design import cells_of
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.errors import SettingError
from tests.analysis.statistics.examples import CONSTANT, THREE, WORKED, drawn


def test_the_worked_example() -> None:
    result = anova(WORKED)
    assert result.f == pytest.approx(46.941157, abs=1e-6)
    assert result.p == pytest.approx(1.288e-11, abs=5e-15)
    assert result.mse == pytest.approx(0.00277882, abs=5e-9)
    assert result.nu == 24
    assert result.note == ""


def test_one_way_over_systems_without_classes() -> None:
    assert anova(THREE).p == pytest.approx(0.052481, abs=1e-6)


@pytest.mark.parametrize("sizes", [(5, 5, 5), (2, 9, 4, 7)])
def test_it_is_scipys(sizes: tuple[int, ...]) -> None:
    table = drawn(3, sizes)
    theirs = stats.f_oneway(*cells_of(table).samples)
    result = anova(table)
    assert (result.f, result.p) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)


@given(st.integers(0, 1000), st.floats(-3, 3), st.floats(0.1, 5))
def test_f_does_not_depend_on_origin_and_unit(seed: int, shift: float, unit: float) -> None:
    table = drawn(2, (3, 4), seed)
    moved = ScoreTable.make(
        {name: table.values[:, i] * unit + shift for i, name in enumerate(table.systems)}, table.classes
    )
    assert anova(moved).f == pytest.approx(anova(table).f, rel=1e-6)


def test_squares_add_up() -> None:
    result = anova(WORKED)
    total = float(((WORKED.values - WORKED.values.mean()) ** 2).sum())
    assert result.between + result.within == pytest.approx(total)
    assert [row["source"] for row in result.rows()] == ["cells", "residual"]
    assert result.explained == pytest.approx(result.between / total)


def test_one_query_has_no_test_and_says_so() -> None:
    result = anova(ScoreTable.make({"A": [0.1], "B": [0.2]}))
    assert math.isnan(result.f)
    assert math.isnan(result.p)
    assert "each cell has one query" in result.note


def test_constant_scores_have_no_test_and_say_so() -> None:
    result = anova(CONSTANT)
    assert result.mse == 0
    assert math.isnan(result.p)
    assert "equal" in result.note


def test_one_class_is_systems_alone() -> None:
    one = ScoreTable.make({"A": [0.1, 0.2, 0.4], "B": [0.3, 0.5, 0.4]}, ["x"] * 3)
    assert anova(one).f == pytest.approx(anova(one, by_class=False).f)


def test_one_system_compares_classes_but_not_nothing() -> None:
    assert anova(ScoreTable.make({"A": [0.1, 0.2, 0.4, 0.5]}, ["x", "x", "y", "y"])).freedom == 1
    with pytest.raises(SettingError, match="two groups at least"):
        anova(ScoreTable.make({"A": [0.1, 0.2]}))


def test_queries_left_out_are_counted_in_the_note() -> None:
    result = anova(ScoreTable.make({"A": [0.1, float("nan"), 0.4], "B": [0.3, 0.5, 0.4]}))
    assert "1 query left out" in result.note
