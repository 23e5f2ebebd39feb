"""Tukey-Kramer: the worked example, scipy, statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rankscope.analysis.statistics.design import cells_of
from rankscope.analysis.statistics.multiple_comparisons import tukey
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.analysis.statistics.studentised_range import StudentisedRange
from rankscope.core.errors import SettingError
from tests.analysis.statistics.examples import CONSTANT, WORKED, drawn


@pytest.mark.parametrize(
    ("label", "width", "p"), [("a", 0.103084, 0.668), ("b", 0.115251, 0.401), ("c", 0.094102, 1.0)]
)
def test_the_worked_example(label: str, width: float, p: float) -> None:
    comparisons = tukey(WORKED)
    pair = comparisons.pair(f"A, {label}", f"B, {label}")
    assert pair.high - pair.difference == pytest.approx(width, abs=1e-6)
    assert pair.p == pytest.approx(p, abs=5e-4)
    assert not pair.different


def test_the_critical_value_of_the_worked_example() -> None:
    assert float(StudentisedRange(6).quantile(0.95, 24)) == pytest.approx(4.372651, abs=1e-6)


@pytest.mark.parametrize("sizes", [(5, 5), (3, 8, 4)])
def test_it_is_scipys(sizes: tuple[int, ...]) -> None:
    table = drawn(2, sizes)
    comparisons = tukey(table)
    theirs = stats.tukey_hsd(*cells_of(table).samples)
    limits = theirs.confidence_interval(0.95)
    np.testing.assert_allclose(comparisons.p, theirs.pvalue[comparisons.first, comparisons.second], atol=1e-6)
    np.testing.assert_allclose(comparisons.difference, -theirs.statistic[comparisons.first, comparisons.second])
    np.testing.assert_allclose(
        comparisons.difference - comparisons.width, -limits.high[comparisons.first, comparisons.second], atol=1e-6
    )


def test_an_interval_without_zero_is_a_difference_and_has_a_small_p() -> None:
    comparisons = tukey(drawn(3, (6, 9, 4), seed=3))
    np.testing.assert_array_equal(comparisons.different, comparisons.p < 0.05)
    for row in comparisons.rows():
        assert row["different"] == (not row["low"] <= 0 <= row["high"])  # type: ignore[operator]


@pytest.mark.parametrize("table", [CONSTANT, ScoreTable.make({"A": [0.1], "B": [0.2]})])
def test_where_there_is_no_spread_nothing_differs_and_the_note_says_why(table: ScoreTable) -> None:
    comparisons = tukey(table)
    assert np.isnan(comparisons.p).all()
    assert not comparisons.different.any()
    assert "no p value" in comparisons.note


def test_a_class_of_one_query_borrows_the_spread_of_the_others() -> None:
    table = ScoreTable.make({"A": [0.1, 0.2, 0.4], "B": [0.3, 0.5, 0.4]}, ["x", "x", "y"])
    assert np.isfinite(tukey(table).p).all()


def test_too_many_cells_are_refused() -> None:
    values = np.random.default_rng(0).random((2, 2001))
    with pytest.raises(SettingError, match="too many to compare in pairs"):
        tukey(ScoreTable.make({str(number): values[:, number] for number in range(2001)}))


def test_a_pair_that_is_not_there_is_an_error() -> None:
    with pytest.raises(SettingError, match="There are: A, a"):
        tukey(WORKED).pair("A", "B")
