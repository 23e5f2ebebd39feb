"""Logit and rank transform."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscope.analysis.statistics.anova import anova
from rankscope.analysis.statistics.score_table import ScoreTable, logit, rank_transform
from rankscope.core.errors import SettingError
from tests.analysis.statistics.examples import WORKED, A

NAN = float("nan")


def test_the_logit_follows_its_formula() -> None:
    table = logit(WORKED)
    share = (np.array(A) * 14 + 0.5) / 15
    np.testing.assert_allclose(table.values[:, 0], np.log(share / (1 - share)))
    assert (table.measure, table.classes) == ("logit AP", WORKED.classes)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_the_logit_is_finite_and_keeps_the_order(values: list[float]) -> None:
    result = logit(ScoreTable.make({"A": values})).values[:, 0]
    assert np.isfinite(result).all()
    order = np.argsort(values, kind="stable")
    assert (np.diff(result[order]) >= -1e-12).all()


def test_the_logit_refuses_what_is_not_a_share() -> None:
    with pytest.raises(SettingError, match="from -1 to 12; use the rank transform"):
        logit(ScoreTable.make({"A": [-1.0, 12.0]}, measure="rank"))


def test_ranks_are_those_of_scipy_over_all_systems() -> None:
    result = rank_transform(WORKED)
    expected = stats.rankdata(WORKED.values.round(9), axis=None).reshape(WORKED.values.shape)
    np.testing.assert_array_equal(result.values, expected)
    assert result.measure == "rank of AP"
    assert anova(result).p < 1e-6


def test_floats_that_differ_by_rounding_are_ties() -> None:
    assert rank_transform(ScoreTable.make({"A": [0.1 + 0.2, 0.3]})).values.ravel().tolist() == [1.5, 1.5]


def test_what_has_no_value_has_no_rank_and_no_logit() -> None:
    table = ScoreTable.make({"A": [0.2, NAN, 0.1]})
    assert rank_transform(table).values.ravel().tolist() == pytest.approx([2.0, NAN, 1.0], nan_ok=True)
    assert np.isnan(logit(table).values.ravel()).tolist() == [False, True, False]
