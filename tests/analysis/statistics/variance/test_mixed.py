"""The mixed model: worked values, statsmodels' REML, and its boundary."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import stats

from rankscope.analysis.statistics.mixed_model import mixed
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.errors import SettingError
from tests.analysis.statistics.examples import CONSTANT, WORKED, drawn, long_frame
from tests.needs import needed_module


def fitted(table: ScoreTable, formula: str, group: str = "query", **more: Any) -> Any:
    """statsmodels' fit of the same model."""
    pandas = needed_module("pandas", "pandas")
    api = needed_module("statsmodels.formula.api", "stats")
    frame = pandas.DataFrame(long_frame(table))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return api.mixedlm(formula, frame, groups=group, **more).fit(reml=True, method=["lbfgs", "powell"])


def test_the_worked_example() -> None:
    result = mixed(WORKED)
    assert result.effects[0].difference == pytest.approx(0.05)
    assert result.effects[0].error == pytest.approx(0.011803, abs=1e-6)
    assert result.residual_variance == pytest.approx(0.000348264, abs=5e-10)
    assert result.query_variance == pytest.approx(0.00243056, abs=5e-9)
    assert [each.p for each in result.effects] == pytest.approx([0.001155, 0.000138, 0.879639], abs=1e-6)
    assert {each.freedom for each in result.effects} == {12}
    assert [each.label for each in result.effects] == ["a", "b", "c"]


def test_two_systems_have_the_closed_form_of_their_differences() -> None:
    difference = WORKED.values[:, 1] - WORKED.values[:, 0]
    group = np.array(WORKED.labels)
    pooled = sum(((difference[group == each] - difference[group == each].mean()) ** 2).sum() for each in "abc") / 12
    result = mixed(WORKED)
    assert result.residual_variance == pytest.approx(pooled / 2)
    centred = np.concatenate([WORKED.values[group == each] - WORKED.values[group == each].mean(0) for each in "abc"])
    assert result.query_variance == pytest.approx(centred[:, 0] @ centred[:, 1] / 12)


@pytest.mark.parametrize(
    "table", [WORKED, drawn(2, (6, 9)), drawn(4, (5, 3, 8), seed=1)], ids=["worked", "two", "four"]
)
def test_variances_and_effects_are_those_of_statsmodels(table: ScoreTable) -> None:
    theirs = fitted(table, "value ~ C(kind) / C(system)")
    result = mixed(table)
    assert result.residual_variance == pytest.approx(theirs.scale, rel=2e-4)
    assert result.query_variance == pytest.approx(float(theirs.cov_re.iloc[0, 0]), rel=2e-3)
    for effect in result.effects:
        if effect.first == table.systems[0]:
            name = f"C(kind)[{effect.label}]:C(system)[T.{effect.second}]"
            assert effect.difference == pytest.approx(theirs.params[name], rel=1e-5, abs=1e-9)
            assert effect.error == pytest.approx(theirs.bse[name], rel=1e-4)


def test_without_classes_two_systems_are_a_paired_t_test() -> None:
    table = ScoreTable.make({"A": WORKED.values[:, 0], "B": WORKED.values[:, 1]})
    theirs = stats.ttest_rel(table.values[:, 1], table.values[:, 0])
    result = mixed(table)
    limits = theirs.confidence_interval(0.95)
    assert result.effects == ()
    assert result.overall[0].p == pytest.approx(theirs.pvalue)
    assert (result.overall[0].low, result.overall[0].high) == pytest.approx((limits.low, limits.high))


def opposed(queries: int, correlation: float, seed: int = 0, classes: list[str] | None = None) -> ScoreTable:
    """Two systems of equal means that go against each other."""
    chance = np.random.default_rng(seed)
    first, other = chance.normal(0, 0.1, (2, queries))
    second = correlation * first + np.sqrt(1 - correlation**2) * other
    return ScoreTable.make({"A": 0.5 + first, "B": 0.5 + second}, classes)


def test_a_query_variance_below_zero_is_said_and_pairs_are_judged_by_their_own_differences() -> None:
    table = opposed(12, -0.9)
    theirs = stats.ttest_rel(table.values[:, 1], table.values[:, 0])
    result = mixed(table)
    assert result.query_variance == 0
    assert "the variance of queries comes out below 0 and counts as 0" in result.note
    assert "paired" in result.note
    assert result.overall[0].p == pytest.approx(theirs.pvalue)
    assert result.overall[0].freedom == 11
    limits = theirs.confidence_interval(0.95)
    assert (result.overall[0].low, result.overall[0].high) == pytest.approx((limits.low, limits.high))
    assert mixed(opposed(12, 0.9)).paired == ""


def test_below_zero_each_class_is_a_paired_t_test_of_its_own() -> None:
    table = opposed(15, -0.8, 1, ["x"] * 6 + ["y"] * 8 + ["lone"])
    result = mixed(table)
    assert result.paired
    for effect in result.effects:
        own = table.where(effect.label).values
        if effect.label == "lone":
            assert math.isnan(effect.p)
        else:
            assert effect.p == pytest.approx(stats.ttest_rel(own[:, 1], own[:, 0]).pvalue)
            assert effect.freedom == len(own) - 1


@pytest.mark.sampled(1)
@pytest.mark.parametrize("correlation", [-0.3, -0.6, -0.9])
def test_systems_that_go_against_each_other_are_not_called_different_more_often(correlation: float) -> None:
    p = [mixed(opposed(12, correlation, seed)).overall[0].p for seed in range(1_500)]
    assert np.mean(np.array(p) <= 0.05) <= 0.065


def test_three_systems_below_zero_are_judged_pair_by_pair() -> None:
    chance = np.random.default_rng(3)
    one, two = chance.normal(0, 0.1, (2, 9))
    table = ScoreTable.make({"A": one, "B": two, "C": -one - two + 0.05})
    result = mixed(table)
    assert result.paired
    for effect in result.overall:
        theirs = stats.ttest_rel(table.differences(effect.first, effect.second), np.zeros(9))
        assert effect.p == pytest.approx(theirs.pvalue)


def test_rounding_does_not_decide_between_two_tests() -> None:
    chance = np.random.default_rng(4)
    table = ScoreTable.make({"A": np.full(8, 0.3), "B": chance.random(8)})
    assert mixed(table).paired == ""
    assert mixed(table).overall[0].p == pytest.approx(stats.ttest_1samp(table.values[:, 1] - 0.3, 0).pvalue)


def test_the_share_of_the_query_is_the_correlation_of_two_systems() -> None:
    table = drawn(2, (4000,), seed=9)
    assert mixed(table).shared == pytest.approx(
        float(stats.pearsonr(table.values[:, 0], table.values[:, 1]).statistic), abs=0.01
    )


def test_random_classes_are_those_of_statsmodels() -> None:
    table = drawn(3, (6, 4, 7, 5, 8, 6), seed=3)
    table = ScoreTable.make(
        {
            name: table.values[:, number] + 0.05 * number * np.array([hash_of(label) for label in table.labels])
            for number, name in enumerate(table.systems)
        },
        table.classes,
    )
    parts = {"query": "0 + C(query)", "system": "0 + C(system)"}
    theirs = fitted(table, "value ~ C(system)", "kind", re_formula="1", vc_formula=parts)
    result = mixed(table, random_classes=True)
    assert result.interaction_variance is not None
    assert result.class_variance is not None
    named = dict(zip(theirs.model.exog_vc.names, theirs.vcomp, strict=True))
    assert result.residual_variance == pytest.approx(theirs.scale, rel=1e-3)
    assert result.query_variance == pytest.approx(named["query"], rel=5e-3)
    assert result.interaction_variance == pytest.approx(named["system"], rel=5e-3)
    assert result.class_variance == pytest.approx(float(theirs.cov_re.iloc[0, 0]), rel=2e-2)
    for effect in result.overall[:2]:
        name = f"C(system)[T.{effect.second}]"
        assert effect.difference == pytest.approx(theirs.params[name], rel=1e-3)
        assert effect.error == pytest.approx(theirs.bse[name], rel=1e-3)


def hash_of(label: str) -> float:
    return [0.0, 1.2, -0.4, 2.0, 0.3, -1.1][int(label.split()[1])]


def test_random_classes_of_one_size_are_a_t_test_of_class_means() -> None:
    table = drawn(2, (5,) * 6, seed=11)
    shift = np.repeat([0.0, 0.2, -0.1, 0.3, 0.1, 0.05], 5)
    table = ScoreTable.make({"A": table.values[:, 0], "B": table.values[:, 1] + shift}, table.classes)
    means = (table.values[:, 1] - table.values[:, 0]).reshape(6, 5).mean(axis=1)
    result = mixed(table, random_classes=True)
    assert result.overall[0].p == pytest.approx(stats.ttest_1samp(means, 0).pvalue, rel=1e-5)
    assert result.overall[0].freedom == 5
    assert result.overall[0].error > mixed(table).overall[0].error


def test_random_classes_say_which_variance_came_out_below_zero() -> None:
    result = mixed(opposed(20, -0.9, 2, list("aabbccddee") * 2), random_classes=True)
    assert result.query_variance == 0
    assert "queries" in result.note
    assert "below 0" in result.note


def test_random_classes_whose_effects_agree_say_so() -> None:
    result = mixed(drawn(2, (20, 20), seed=4), random_classes=True)
    assert result.interaction_variance == 0
    assert "does not vary more between classes than chance" in result.note


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (ScoreTable.make({"A": [0.1, 0.2], "B": [0.2, 0.1]}), "two classes at least"),
        (ScoreTable.make({"A": [0.1, 0.2], "B": [0.2, 0.1]}, ["x", "x"]), "two classes at least"),
        (ScoreTable.make({"A": [0.1, 0.2], "B": [0.2, 0.1]}, ["x", "y"]), "cannot be estimated separately"),
        (CONSTANT, "there is no error"),
    ],
)
def test_random_classes_that_cannot_be_are_refused(table: ScoreTable, words: str) -> None:
    with pytest.raises(SettingError, match=words):
        mixed(table, random_classes=True)


@pytest.mark.parametrize("table", [CONSTANT, ScoreTable.make({"A": [0.1], "B": [0.2]})])
def test_without_an_error_there_is_no_test_and_the_note_says_so(table: ScoreTable) -> None:
    result = mixed(table)
    assert math.isnan(result.overall[0].p)
    assert result.overall[0].difference == pytest.approx(0.1)
    assert "no test" in result.note


def test_a_class_of_one_query_borrows_the_error_of_the_others() -> None:
    table = ScoreTable.make({"A": [0.1, 0.2, 0.4], "B": [0.3, 0.5, 0.4]}, ["x", "x", "y"])
    assert [each.queries for each in mixed(table).effects] == [2, 1]
    assert all(math.isfinite(each.p) for each in mixed(table).effects)


def test_rows_name_the_class() -> None:
    rows = mixed(WORKED).rows()
    assert [row["class"] for row in rows] == ["a", "b", "c", ""]
    assert rows[0]["first"] == "A"
