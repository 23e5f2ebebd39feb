"""REML: equal to the analysis of variance on balanced tables, to brute force and to statsmodels on others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rankscope.analysis.statistics.variance_components import RemlFit, reml
from rankscope.core.arrays import FloatArray, IntArray
from rankscope.core.errors import SettingError
from tests.needs import needed_module

SHROUT_FLEISS = np.array(
    [9.0, 2, 5, 8, 6, 1, 3, 2, 8, 4, 6, 8, 7, 1, 2, 6, 10, 5, 6, 9, 6, 2, 4, 7]
)  # 6 targets, 4 judges
TARGET, JUDGE = np.divmod(np.arange(24), 4)


def crossed(queries: int, others: int, seed: int, share: float = 1.0) -> tuple[FloatArray, dict[str, IntArray]]:
    """Values of crossed effects, of which a share is there."""
    chance = np.random.default_rng(seed)
    query, other = np.divmod(np.arange(queries * others), others)
    values = (
        chance.normal(0, 1, queries)[query] + chance.normal(0, 0.7, others)[other] + chance.normal(0, 0.5, query.size)
    )
    kept = chance.random(query.size) < share
    return values[kept], {"query": query[kept], "other": other[kept]}


def mean_squares(values: FloatArray) -> tuple[float, float, float]:
    """Of rows, of columns and of the rest."""
    rows, columns = values.shape
    by_row, by_column, grand = values.mean(axis=1), values.mean(axis=0), values.mean()
    rest = values - by_row[:, None] - by_column + grand
    return (
        columns * float(((by_row - grand) ** 2).sum()) / (rows - 1),
        rows * float(((by_column - grand) ** 2).sum()) / (columns - 1),
        float((rest**2).sum()) / ((rows - 1) * (columns - 1)),
    )


def test_ratings_of_shrout_and_fleiss_by_hand() -> None:
    """Mean squares 11.2417, 32.4861, 1.0194 (1979, table 3): (11.2417 - 1.0194)/4, (32.4861 - 1.0194)/6, 1.0194."""
    fit = reml(SHROUT_FLEISS, {"target": TARGET, "judge": JUDGE})
    assert fit.variances == pytest.approx([2.5555556, 5.2444444, 1.0194444], abs=1e-7)
    assert fit.coefficients == pytest.approx([5.2916667], abs=1e-7)
    assert fit.at_zero == ()


@pytest.mark.parametrize("seed", [0, 2, 3, 4])
def test_balanced_tables_give_the_estimates_of_the_analysis_of_variance(seed: int) -> None:
    values, groups = crossed(7, 5, seed)
    rows, columns, rest = mean_squares(values.reshape(7, 5))
    expected = [(rows - rest) / 5, (columns - rest) / 7, rest]
    assert min(expected) > 0
    assert reml(values, groups).variances == pytest.approx(expected, rel=1e-8)


def test_a_variance_below_0_is_0_and_what_is_left_is_pooled() -> None:
    """Columns that differ less than chance would have it: the rest takes their squares and degrees of freedom."""
    values = np.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3], [0.1, 0.9]]) + np.arange(4.0)[:, None]
    rows, columns, rest = mean_squares(values)
    assert columns < rest
    query, other = np.divmod(np.arange(8), 2)
    fit = reml(values.ravel(), {"query": query, "other": other})
    within = (columns + 3 * rest) / 4
    assert fit.at_zero == ("other",)
    assert fit.variances == pytest.approx([(rows - within) / 2, 0.0, within], rel=1e-8)


def restricted_likelihood(values: FloatArray, groups: dict[str, IntArray], variances: FloatArray) -> float:
    """With the whole matrix, as it stands in the books."""
    count = values.size
    v = variances[-1] * np.eye(count)
    for variance, group in zip(variances, groups.values(), strict=False):
        v += variance * (group[:, None] == group)
    x = np.ones((count, 1))
    inverse = np.linalg.inv(v)
    information = x.T @ inverse @ x
    p = inverse - inverse @ x @ np.linalg.inv(information) @ x.T @ inverse
    parts = np.linalg.slogdet(v)[1] + np.linalg.slogdet(information)[1] + values @ p @ values
    return -0.5 * float(parts + (count - 1) * np.log(2 * np.pi))


@pytest.mark.parametrize("seed", range(3))
def test_gaps_are_fitted_at_the_maximum_of_the_likelihood(seed: int) -> None:
    values, groups = crossed(9, 4, seed, share=0.7)
    fit = reml(values, groups)
    best = restricted_likelihood(values, groups, fit.variances)
    assert fit.log_likelihood == pytest.approx(best, abs=1e-8)
    for place in range(3):
        for factor in (0.97, 1.03):
            other = fit.variances.copy()
            other[place] *= factor
            assert restricted_likelihood(values, groups, other) <= best + 1e-9


def test_statsmodels_gives_the_same_on_a_table_with_gaps() -> None:
    frame = needed_module("pandas", "stats").DataFrame
    models = needed_module("statsmodels.api", "stats")
    values, groups = crossed(15, 6, 5, share=0.8)
    data = frame({"y": values, **groups, "all": 1})
    parts = {name: f"0 + C({name})" for name in groups}
    model = models.MixedLM.from_formula("y ~ 1", groups="all", vc_formula=parts, re_formula="0", data=data)
    theirs = model.fit(reml=True)
    named = dict(zip(model.exog_vc.names, theirs.vcomp, strict=True))
    ours = reml(values, groups)
    for name in groups:
        assert ours[name] == pytest.approx(named[name], abs=1e-4)
    assert ours["residual"] == pytest.approx(theirs.scale, abs=1e-4)
    assert ours.coefficients[0] == pytest.approx(float(theirs.fe_params.iloc[0]), abs=1e-4)
    assert ours.log_likelihood >= theirs.llf - 1e-6


def test_a_covariate_has_the_slope_of_generalised_least_squares() -> None:
    values, groups = crossed(12, 3, 2, share=0.9)
    size = groups["query"].astype(np.float64) ** 2
    fit = reml(values + 0.1 * size, groups, size[:, None])
    v = fit["residual"] * np.eye(values.size)
    for name, group in groups.items():
        v += fit[name] * (group[:, None] == group)
    x = np.column_stack([np.ones(values.size), size])
    inverse = np.linalg.inv(x.T @ np.linalg.solve(v, x))
    assert fit.coefficients == pytest.approx(inverse @ x.T @ np.linalg.solve(v, values + 0.1 * size), rel=1e-7)
    assert fit.coefficient_errors == pytest.approx(np.sqrt(np.diag(inverse)), rel=1e-7)


def same(one: RemlFit, other: RemlFit, factor: float = 1.0) -> bool:
    return np.allclose(one.variances * factor, other.variances, rtol=1e-5, atol=1e-7 * factor * one.variances.sum())


@settings(max_examples=8)
@given(seed=st.integers(0, 10_000), scale=st.floats(0.01, 100), shift=st.floats(-10, 10))
def test_order_and_names_change_nothing_and_scaling_scales(seed: int, scale: float, shift: float) -> None:
    values, groups = crossed(6, 3, seed, share=0.85)
    assume(all(np.unique(each).size >= 2 for each in groups.values()))
    assume(np.unique(groups["query"]).size <= values.size - 3)
    fit = reml(values, groups)
    order = np.random.default_rng(seed).permutation(values.size)
    renamed = {name: (7 * each + 3)[order] for name, each in groups.items()}
    assert same(fit, reml(values[order], renamed))
    assert same(fit, reml(scale * values + shift, groups), scale**2)


def test_equal_values_have_no_variance() -> None:
    fit = reml(np.full(6, 0.1), {"query": np.repeat([0, 1, 2], 2)})
    assert fit.variances.tolist() == [0.0, 0.0]


def test_effects_that_cannot_be_distinguished_are_refused() -> None:
    values, group = np.arange(6.0), np.repeat([0, 1, 2], 2)
    with pytest.raises(SettingError, match="cannot be estimated separately"):
        reml(values, {"query": group, "class": group})
    with pytest.raises(SettingError, match="fixed columns"):
        reml(values, {"query": group}, np.ones((6, 1)))
    with pytest.raises(SettingError, match="no variance of 'seed'"):
        reml(values, {"query": group})["seed"]
