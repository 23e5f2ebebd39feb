"""Losses: what wrong decisions cost, and what deciding blindly costs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.core.errors import SettingError
from rankscope.feedback.normalization.losses import Loss


def test_zero_one_loss_is_the_share_of_wrong_decisions() -> None:
    called, target = np.array([[True, True, False, False]]), np.array([[True, False, True, False]])
    everything = np.ones((1, 4), np.bool_)
    assert Loss().of(called, target, everything)[0] == 0.5
    assert Loss(1, 3).of(called, target, everything)[0] == 1.0
    assert Loss().of(called, target, np.array([[True, False, False, True]]))[0] == 0.0


def test_reference_losses_are_the_worked_ones() -> None:
    generality = 174 / 1797
    assert Loss().all_negative(generality) == pytest.approx(0.0968, abs=5e-5)
    assert Loss().random(generality) == pytest.approx(0.1749, abs=5e-5)


@given(st.integers(1, 9), st.floats(0.1, 9), st.floats(0.1, 9))
def test_random_decisions_at_scope_c_lose_what_is_said(relevant: int, positive: float, negative: float) -> None:
    """The mean over all places: a called item is wrong with 1 - g, a relevant one missed with 1 - g."""
    loss, items = Loss(positive, negative), 10
    share = relevant / items
    expected = (positive * relevant * (1 - share) + negative * relevant * (1 - share)) / items
    assert loss.random(share) == pytest.approx(expected)


def test_simulated_random_decisions_agree() -> None:
    chance, target = np.random.default_rng(0), np.arange(50) < 10
    called = chance.random((20_000, 50)).argsort(axis=1) < 10
    values = Loss().of(called, target[None], np.ones((1, 50), np.bool_))
    assert values.mean() == pytest.approx(Loss().random(0.2), abs=4 * values.std() / np.sqrt(20_000))


def test_loss_at_scopes_counts_both_kinds_of_error() -> None:
    hits = np.array([0, 1, 1, 2])
    np.testing.assert_allclose(Loss().at_scopes(hits, 2, 3), [2 / 3, 1 / 3, 2 / 3, 1 / 3])


def test_balanced_weights_make_all_negative_as_bad_as_all_positive() -> None:
    loss = Loss.balanced(0.1)
    assert loss.all_negative(0.1) == pytest.approx(loss.false_positive * 0.9)


@pytest.mark.parametrize("weight", [-1, np.nan, np.inf])
def test_weights_that_make_no_loss_are_refused(weight: float) -> None:
    with pytest.raises(SettingError, match=r"false_positive=.*: must be a number of at least 0"):
        Loss(weight, 1)
    with pytest.raises(SettingError, match=r"false_negative=.*: must be a number of at least 0"):
        Loss(1, weight)


def test_one_of_both_mistakes_must_cost_something() -> None:
    assert Loss(0, 1).false_negative == 1
    with pytest.raises(SettingError, match="cannot both be 0"):
        Loss(0, 0)


def test_a_loss_says_its_name() -> None:
    assert str(Loss()) == "zero-one"
    assert str(Loss(1, 2)) == "weighted(false_positive=1, false_negative=2)"
    with pytest.raises(SettingError, match="between 0 and 1"):
        Loss.balanced(1.0)
