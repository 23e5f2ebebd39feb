"""Welch's analysis and Games-Howell: statsmodels, scipy for two cells, and too little data."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from rankscope.analysis.statistics.anova import welch
from rankscope.analysis.statistics.design import cells_of
from rankscope.analysis.statistics.multiple_comparisons import games_howell
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.errors import SettingError
from tests.analysis.statistics.examples import CONSTANT, WORKED, drawn
from tests.needs import needed_module


@pytest.mark.parametrize("table", [WORKED, drawn(3, (4, 9, 3))], ids=["worked", "drawn"])
def test_welch_is_that_of_statsmodels(table: ScoreTable) -> None:
    oneway = needed_module("statsmodels.stats.oneway", "stats")
    theirs = oneway.anova_oneway(cells_of(table).samples, use_var="unequal", welch_correction=True)
    result = welch(table)
    assert (result.f, result.p, result.nu) == pytest.approx(
        (theirs.statistic, theirs.pvalue, theirs.df_denom), rel=1e-9
    )
    assert result.rows()[0]["freedom"] == theirs.df_num


def test_two_cells_are_welchs_t_test() -> None:
    table = ScoreTable.make({"A": [0.1, 0.4, 0.2, 0.35], "B": [0.6, 0.5, 0.55, 0.1]})
    theirs = stats.ttest_ind(table.values[:, 0], table.values[:, 1], equal_var=False)
    assert welch(table).p == pytest.approx(theirs.pvalue)
    assert games_howell(table).p[0] == pytest.approx(theirs.pvalue, abs=1e-8)


def test_games_howell_is_the_studentised_range_with_the_freedom_of_each_pair() -> None:
    cells = cells_of(WORKED)
    comparisons = games_howell(WORKED)
    for number, (i, j) in enumerate(zip(comparisons.first, comparisons.second, strict=True)):
        theirs = stats.ttest_ind(cells.samples[i], cells.samples[j], equal_var=False)
        p = stats.studentized_range.sf(abs(theirs.statistic) * np.sqrt(2), 6, theirs.df)
        assert comparisons.p[number] == pytest.approx(p, abs=1e-6)
        q = stats.studentized_range.ppf(0.95, 6, theirs.df) if number < 3 else None
        if q is not None:
            error = abs(comparisons.difference[number] / theirs.statistic)
            assert comparisons.width[number] == pytest.approx(q / np.sqrt(2) * error, abs=1e-6)


def test_games_howell_is_that_of_scipy_where_scipy_has_it() -> None:
    cells = cells_of(WORKED)
    try:
        theirs = stats.tukey_hsd(*cells.samples, equal_var=False)
    except TypeError:
        pytest.skip("this scipy has no Games-Howell")
    comparisons = games_howell(WORKED)
    np.testing.assert_allclose(comparisons.p, theirs.pvalue[comparisons.first, comparisons.second], atol=1e-6)


def test_a_cell_without_spread_is_named() -> None:
    table = ScoreTable.make({"A": [0.1, 0.2, 0.4], "B": [0.3, 0.5, 0.4]}, ["x", "x", "y"])
    result = welch(table)
    assert math.isnan(result.p)
    assert "A, y, B, y" in result.note
    pairs = games_howell(table)
    assert np.isfinite(pairs.p).tolist() == [True, False, False, False, False, False]
    assert "5 pairs have no spread" in pairs.note


def test_constant_scores_have_no_test() -> None:
    assert math.isnan(welch(CONSTANT).f)
    assert np.isnan(games_howell(CONSTANT).p).all()


@pytest.mark.parametrize("test", [welch, games_howell])
def test_one_group_is_refused(test: object) -> None:
    with pytest.raises(SettingError, match="two groups at least"):
        test(ScoreTable.make({"A": [0.1, 0.2]}))  # type: ignore[operator]
