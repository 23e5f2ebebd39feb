"""Both versions side by side, and why they differ."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rankscope.analysis.statistics.mixed_model import paired_and_unpaired
from rankscope.analysis.statistics.score_table import ScoreTable
from tests.analysis.statistics.examples import CONSTANT, WORKED


def test_the_worked_example() -> None:
    result = paired_and_unpaired(WORKED)
    rows = result.rows()
    assert [row["class"] for row in rows] == ["a", "b", "c"]
    assert rows[0]["unpaired error"] == pytest.approx(0.033340, abs=1e-6)
    assert rows[0]["paired error"] == pytest.approx(0.011803, abs=1e-6)
    assert [row["unpaired Tukey p"] for row in rows] == pytest.approx([0.668, 0.401, 1.0], abs=5e-4)
    assert [row["paired p"] for row in rows] == pytest.approx([0.001155, 0.000138, 0.879639], abs=1e-6)
    assert "variance 0.00278" in result.why
    assert "0.000348" in result.why


def test_without_classes_the_unpaired_p_is_the_pooled_t_test() -> None:
    table = ScoreTable.make({"A": WORKED.values[:, 0], "B": WORKED.values[:, 1]})
    (row,) = paired_and_unpaired(table).rows()
    theirs = stats.ttest_ind(table.values[:, 1], table.values[:, 0]).pvalue
    assert row["unpaired p"] == pytest.approx(theirs)
    assert theirs == pytest.approx(0.548, abs=5e-4)
    assert row["paired p"] == pytest.approx(0.004637, abs=1e-6)


def test_error_variances_add_up() -> None:
    result = paired_and_unpaired(WORKED)
    assert result.unpaired.mse == pytest.approx(result.paired.residual_variance + result.paired.query_variance)


def test_where_the_variance_of_queries_is_below_zero_it_says_so() -> None:
    first = np.array([0.1, 0.5, 0.4, 0.3])
    result = paired_and_unpaired(ScoreTable.make({"A": first, "B": 0.6 - first**2}))
    assert result.why.startswith("The variance of queries comes out below 0 and counts as 0")
    assert result.rows()[0]["paired p"] == pytest.approx(stats.ttest_rel(0.6 - first**2, first).pvalue)


def test_constant_scores_say_why_there_is_no_test() -> None:
    result = paired_and_unpaired(CONSTANT)
    assert "no test" in result.why
    assert "no test" in result.note
    assert len(result.rows()) == 3
