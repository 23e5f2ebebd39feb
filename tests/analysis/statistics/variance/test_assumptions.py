"""Checks of residuals: worked values and scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from rankscope.analysis.statistics.assumptions import assumptions
from rankscope.analysis.statistics.design import cells_of
from rankscope.analysis.statistics.score_table import ScoreTable
from tests.analysis.statistics.examples import CONSTANT, WORKED, drawn
from tests.needs import needed_module


def test_the_worked_example() -> None:
    result = assumptions(WORKED)
    assert result.levene_p == pytest.approx(0.9736, abs=5e-5)
    assert result.shapiro_p == pytest.approx(0.4632, abs=5e-5)
    assert not result.unequal_spread
    assert len(result.outliers) == 1
    assert result.beyond == 0


def test_tests_are_those_of_scipy() -> None:
    table = drawn(3, (4, 9, 5))
    cells = cells_of(table)
    result = assumptions(table)
    levene, shapiro = stats.levene(*cells.samples, center="median"), stats.shapiro(cells.residuals)
    assert (result.levene, result.levene_p) == pytest.approx((levene.statistic, levene.pvalue))
    assert (result.shapiro, result.shapiro_p) == pytest.approx((shapiro.statistic, shapiro.pvalue))
    assert [row["p"] for row in result.rows()] == [result.shapiro_p, result.levene_p]


def test_points_of_the_qq_plot_are_standardised_residuals_in_order() -> None:
    oracle = needed_module("statsmodels.api", "stats")
    cells = cells_of(WORKED)
    number = np.repeat(np.arange(len(cells)), cells.n)
    fit = oracle.OLS(np.concatenate(cells.samples), (number[:, None] == np.arange(len(cells))).astype(float)).fit()
    result = assumptions(WORKED)
    np.testing.assert_allclose(result.residuals, np.sort(fit.get_influence().resid_studentized_internal), atol=1e-9)
    assert (np.diff(result.expected) > 0).all()
    assert result.expected.sum() == pytest.approx(0)


def test_a_value_far_out_is_named_with_its_query() -> None:
    values = np.full(20, 0.5) + np.linspace(-0.02, 0.02, 20)
    values[7] = 0.95
    table = ScoreTable.make({"A": values, "B": np.linspace(0.4, 0.44, 20)}, ["x"] * 20)
    result = assumptions(table)
    assert result.beyond == 1
    (found,) = result.outliers
    assert (found.system, found.label, found.query, found.value) == ("A", "x", "q8", 0.95)
    assert found.standardised > 3
    assert found.leverage == pytest.approx(1 / 20)
    assert result.standing_out == (
        f"1 value lies beyond 3 standard deviations of the residuals: q8 of A in x (.950, {found.standardised:+.1f})"
    )


def test_unequal_spread_is_seen() -> None:
    chance = np.random.default_rng(0)
    table = ScoreTable.make({"A": chance.normal(0.5, 0.01, 30), "B": chance.normal(0.5, 0.2, 30)})
    assert assumptions(table).unequal_spread


@pytest.mark.parametrize("table", [CONSTANT, ScoreTable.make({"A": [0.1], "B": [0.2]})])
def test_without_spread_nothing_is_said_but_that(table: ScoreTable) -> None:
    result = assumptions(table)
    assert math.isnan(result.shapiro_p)
    assert not result.unequal_spread
    assert result.outliers == ()
    assert "no spread within cells" in result.note


def test_cells_of_one_query_are_left_out_with_a_word() -> None:
    table = ScoreTable.make({"A": [0.1, 0.2, 0.4], "B": [0.3, 0.5, 0.4]}, ["x", "x", "y"])
    result = assumptions(table)
    assert result.residuals.size == 4
    assert "no two cells whose spreads could be compared" in result.note
    more = ScoreTable.make({"A": [0.1, 0.2, 0.5, 0.4], "B": [0.3, 0.5, 0.9, 0.4]}, ["x", "x", "x", "y"])
    assert "without 2 cells of one query" in assumptions(more).note


def test_very_many_residuals_are_tested_in_part() -> None:
    values = np.random.default_rng(0).normal(0.5, 0.1, (3000, 2))
    result = assumptions(ScoreTable.make({"A": values[:, 0], "B": values[:, 1]}))
    assert "5,000 of 6,000" in result.note
    assert 0 < result.shapiro_p <= 1
