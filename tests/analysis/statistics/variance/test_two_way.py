"""Systems on the same queries: worked values, statsmodels, and the paired t test for two systems."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from rankscope.analysis.statistics.anova import repeated_measures, sphericity, two_way
from rankscope.analysis.statistics.multiple_comparisons import blocked_tukey
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.arrays import FloatArray
from rankscope.core.errors import SettingError
from tests.analysis.statistics.examples import CONSTANT, THREE, WORKED, drawn, long_frame
from tests.needs import needed_module


def test_the_worked_example() -> None:
    measures = two_way(THREE)
    assert measures["system"].f == pytest.approx(4.780488, abs=1e-6)
    assert measures["system"].p == pytest.approx(0.043069, abs=1e-6)
    assert measures.mse == pytest.approx(0.0273333, abs=5e-8)
    assert measures.nu == 8
    assert blocked_tukey(THREE).width == pytest.approx([0.298782] * 3, abs=1e-6)


def test_two_systems_are_a_paired_t_test() -> None:
    theirs = stats.ttest_rel(WORKED.values[:, 1], WORKED.values[:, 0])
    measures = two_way(WORKED)
    assert measures["system"].f == pytest.approx(theirs.statistic**2)
    assert measures["system"].p == pytest.approx(0.004637, abs=1e-6)
    assert measures.epsilon == pytest.approx(1.0)
    assert blocked_tukey(WORKED).p[0] == pytest.approx(theirs.pvalue, abs=1e-8)


def test_it_is_the_repeated_measures_analysis_of_statsmodels() -> None:
    pandas = needed_module("pandas", "pandas")
    anova = needed_module("statsmodels.stats.anova", "stats")
    table = drawn(4, (6, 5))
    theirs = anova.AnovaRM(pandas.DataFrame(long_frame(table)), "value", "query", within=["system"]).fit().anova_table
    result = two_way(table)["system"]
    assert (result.f, result.p) == pytest.approx((theirs["F Value"].iloc[0], theirs["Pr > F"].iloc[0]), rel=1e-8)


def left_over(values: FloatArray, *factors: list[object]) -> float:
    """Squares that dummy columns of the factors do not explain."""
    columns = [np.array(each)[:, None] == np.array(sorted(set(each), key=str), dtype=object) for each in factors]
    design = np.concatenate(columns, axis=1).astype(float)
    return float(((values - design @ np.linalg.lstsq(design, values, rcond=None)[0]) ** 2).sum())


@pytest.mark.parametrize("sizes", [(4, 4, 4), (3, 6, 5)])
def test_squares_are_what_each_term_explains_beyond_those_before(sizes: tuple[int, ...]) -> None:
    table = drawn(3, sizes, seed=2)
    frame = long_frame(table)
    values, query, system = np.array(frame["value"], dtype=float), frame["query"], frame["system"]
    both: list[object] = [f"{one} {other}" for one, other in zip(system, frame["kind"], strict=True)]
    steps = [left_over(values, query), left_over(values, query, system), left_over(values, query, system, both)]
    measures = repeated_measures(table)
    assert measures["system"].squares == pytest.approx(steps[0] - steps[1])
    assert measures["system x class"].squares == pytest.approx(steps[1] - steps[2])
    assert measures["residual"].squares == pytest.approx(steps[2])


def test_classes_are_compared_by_the_means_of_their_queries() -> None:
    table = drawn(3, (3, 6, 5), seed=2)
    means, group = table.values.mean(axis=1), np.array(table.labels)
    theirs = stats.f_oneway(*(means[group == label] for label in table.class_names))
    result = repeated_measures(table)["class"]
    assert (result.f, result.p) == pytest.approx((theirs.statistic, theirs.pvalue))


def test_squares_add_up() -> None:
    table = drawn(3, (3, 6, 5))
    total = float(((table.values - table.values.mean()) ** 2).sum())
    for result in (two_way(table), repeated_measures(table)):
        assert sum(each.squares for each in result.sources) == pytest.approx(total)
        assert sum(each.freedom for each in result.sources) == table.values.size - 1


def test_the_interaction_of_the_worked_example_is_between_class_differences() -> None:
    difference = WORKED.values[:, 1] - WORKED.values[:, 0]
    groups = [difference[np.array(WORKED.labels) == label] for label in "abc"]
    assert repeated_measures(WORKED)["system x class"].p == pytest.approx(stats.f_oneway(*groups).pvalue)


def test_one_class_gives_the_lines_without_classes() -> None:
    table = drawn(3, (7,))
    assert str(repeated_measures(table).rows()) == str(two_way(table).rows())


def test_epsilon_is_that_of_the_eigenvalues_of_contrasts() -> None:
    values = np.random.default_rng(4).normal(size=(12, 4)) * [1, 2, 4, 1]
    basis = np.linalg.qr(np.column_stack([np.ones(4), np.eye(4)[:, :3]]))[0][:, 1:]
    roots = np.linalg.eigvalsh(np.cov((values @ basis).T))
    rest = values - values.mean(axis=1)[:, None] - values.mean(axis=0) + values.mean()
    assert sphericity(rest) == pytest.approx(roots.sum() ** 2 / (3 * (roots**2).sum()))
    assert 1 / 3 <= sphericity(rest) <= 1


def test_the_correction_makes_p_larger() -> None:
    result = two_way(THREE)["system"]
    assert result.corrected > result.p


def test_blocked_tukey_is_that_of_the_studentised_range() -> None:
    table = drawn(4, (9,))
    result, basis = blocked_tukey(table), two_way(table)
    q = np.abs(result.difference) / np.sqrt(basis.mse / 9)
    np.testing.assert_allclose(result.p, stats.studentized_range.sf(q, 4, 24), atol=1e-7)


@pytest.mark.parametrize("table", [CONSTANT, ScoreTable.make({"A": [0.1], "B": [0.2]}, ["x"])])
def test_without_an_error_there_is_no_test_and_the_note_says_so(table: ScoreTable) -> None:
    for result in (two_way(table), repeated_measures(table)):
        assert math.isnan(result["system"].p)
        assert "no test" in result.note
    assert np.isnan(blocked_tukey(table).p).all()


def test_classes_of_one_query_leave_no_freedom() -> None:
    measures = repeated_measures(ScoreTable.make({"A": [0.1, 0.5], "B": [0.3, 0.4]}, ["x", "y"]))
    assert "as many classes as queries" in measures.note
    assert math.isnan(measures.mse)


def test_one_system_and_a_line_that_is_not_there_are_refused() -> None:
    with pytest.raises(SettingError, match="needs 2 at least"):
        two_way(ScoreTable.make({"A": [0.1, 0.2]}))
    with pytest.raises(SettingError, match="There are: system, query, residual"):
        two_way(THREE)["class"]
