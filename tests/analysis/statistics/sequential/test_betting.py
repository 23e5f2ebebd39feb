"""Betting: worked values, an independent brute force, error at any look, and what the order of the values does."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from rankscope.analysis.comparison.sequential import (
    BET_SHARES,
    BETS,
    log_capital,
    log_capitals,
    lower_limit,
    queries_to_go,
    still_needed,
    upper_limit,
)
from rankscope.core.errors import SettingError

DIFFERENCES = st.lists(st.floats(-1, 1), min_size=1, max_size=30)


def plain_capital(values: list[float], mean: float) -> float:
    """The capital, product by product."""
    whole = 0.0
    for bet, share in zip(BETS.tolist(), BET_SHARES.tolist(), strict=True):
        product = share
        for value in values:
            product *= 1 - bet * (value - mean) / (1 - mean)
        whole += product
    return whole


def test_the_shares_are_a_whole_and_half_lies_on_the_largest_bet() -> None:
    assert BET_SHARES.sum() == pytest.approx(1.0, abs=1e-15)
    assert (BETS[0], BETS[-1], BET_SHARES[-1]) == (0.02, 0.95, 0.5)
    assert np.diff(BETS) == pytest.approx(0.93 / 19)


def test_two_values_by_hand() -> None:
    """Bet .95: (1 + .95 * .5) (1 - .95 * .2) = 1.475 * .81; bet .02: 1.01 * .996. Doubting a mean of -.5 instead:
    .95: 1 * (1 - .95 * .7 / 1.5) = .5566667."""
    capitals = np.exp(log_capitals([-0.5, 0.2]))
    assert capitals[-1] == pytest.approx(1.19475, abs=1e-12)
    assert capitals[0] == pytest.approx(1.00596, abs=1e-12)
    assert np.exp(log_capitals([-0.5, 0.2], -0.5))[-1] == pytest.approx(1 - 0.95 * 0.7 / 1.5, abs=1e-12)


@settings(max_examples=40)
@given(DIFFERENCES, st.floats(-0.95, 0.95))
def test_the_capital_is_the_sum_of_plain_products(values: list[float], mean: float) -> None:
    found = float(np.exp(log_capital(log_capitals(values, mean))))
    assert found == pytest.approx(plain_capital(values, mean), rel=1e-9)


@settings(max_examples=25)
@given(DIFFERENCES)
def test_the_limit_is_where_the_capital_reaches_20(values: list[float]) -> None:
    high = upper_limit(values, 0.05)
    if plain_capital(values, 1 - 1e-9) < 20:
        assert high == pytest.approx(1.0, abs=1e-8)
    else:
        root = brentq(lambda mean: math.log(plain_capital(values, mean) / 20), -0.999999, 1 - 1e-9, xtol=1e-12)
        assert high == pytest.approx(root, abs=1e-8)
    assert lower_limit([-each for each in values], 0.05) == -high


@settings(max_examples=25)
@given(DIFFERENCES, st.randoms(use_true_random=False))
def test_the_order_of_the_values_does_not_matter(values: list[float], chance: object) -> None:
    shuffled = list(values)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert upper_limit(shuffled, 0.05) == pytest.approx(upper_limit(values, 0.05), abs=1e-9)


@settings(max_examples=25)
@given(DIFFERENCES)
def test_stricter_limits_are_wider_and_hold_the_mean(values: list[float]) -> None:
    inner = lower_limit(values, 0.05), upper_limit(values, 0.05)
    outer = lower_limit(values, 0.01), upper_limit(values, 0.01)
    assert outer[0] <= inner[0] <= np.mean(values) + 1e-9
    assert np.mean(values) - 1e-9 <= inner[1] <= outer[1]


def test_at_any_of_100_looks_a_false_claim_is_rare() -> None:
    """Skewed and centred values, looked at after every one: at most 5 % ever reach 20, with 3 standard errors."""
    chance = np.random.default_rng(5)
    values = 0.2 - chance.exponential(0.2, (800, 100)).clip(0, 1.2)
    values -= values.mean()
    steps = np.stack([np.log1p(-bet * values).cumsum(axis=1) for bet in BETS.tolist()], axis=-1)
    alarms = (log_capital(steps).max(axis=1) >= math.log(20)).mean()
    assert alarms <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 800)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("mean", "sd"), [(-0.05, 0.1), (-0.02, 0.15), (-0.1, 0.3)])
def test_the_queries_to_go_are_the_median_of_what_it_takes(mean: float, sd: float) -> None:
    """400 futures drawn from known values: the forecast lies within 15 % of the median time of the decision."""
    chance = np.random.default_rng(3)
    known = np.clip(chance.normal(mean, sd, 400), -1, 1)
    forecast = queries_to_go(np.zeros(BETS.size), log_capitals(known[:, None]), 0.05)
    drawn = known[chance.integers(0, known.size, (400, int(2.5 * forecast)))]
    steps = np.stack([np.log1p(-bet * drawn).cumsum(axis=1) for bet in BETS.tolist()], axis=-1)
    reached = log_capital(steps) >= math.log(20)
    first = np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, 10**9)
    assert forecast == pytest.approx(float(np.median(first)), rel=0.15)


def test_what_was_won_counts_and_nothing_is_needed_when_it_is_enough() -> None:
    assert still_needed([-0.5] * 30, 0.0, 0.05) == 0
    assert still_needed([-0.1] * 20, 0.0, 0.05) < still_needed([-0.1] * 10, 0.0, 0.05)
    assert still_needed([], 0.0, 0.05) == math.inf
    assert still_needed([0.1, -0.1], 0.0, 0.05) == math.inf


def test_values_beyond_the_range_are_refused() -> None:
    with pytest.raises(SettingError, match=r"from -1 to 1, got 1.5"):
        upper_limit([0.2, 1.5], 0.05)
