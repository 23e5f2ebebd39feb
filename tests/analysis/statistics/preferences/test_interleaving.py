"""Interleaving: the worked example, every outcome of the coins, and what a random clicker is taken to prefer."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest

from rankscope.analysis.assessors.preferences import INTERLEAVING_METHODS, Interleaved, coins_of, interleave

FIRST, SECOND = "abcd", "beaf"


def test_the_worked_example() -> None:
    made = interleave(FIRST, SECOND, iter([0, 1]), depth=4)
    assert list(zip(made.items, made.teams, strict=True)) == [("a", 0), ("b", 1), ("e", 1), ("c", 0)]
    assert made.credit(["b", "c"]) == (1, 1)


def every_list(first: str, second: str, method: str, depth: int) -> list[Interleaved]:
    return [interleave(first, second, iter(coins), method=method, depth=depth) for coins in product((0, 1), repeat=8)]


@pytest.mark.parametrize("method", INTERLEAVING_METHODS)
@pytest.mark.parametrize(("first", "second"), [(FIRST, SECOND), ("abcdef", "abcdef"), ("abc", "xyz"), ("ab", "bcdefg")])
def test_a_list_has_no_item_twice_and_the_head_of_both(method: str, first: str, second: str) -> None:
    for made in every_list(first, second, method, 6):
        assert len(set(made.items)) == len(made.items) == min(6, len(set(first) | set(second)))
        assert made.items[0] in (first[0], second[0])
        assert set(made.items) <= set(first) | set(second)
        brought = [item for item, team in zip(made.items, made.teams, strict=True) if team == 0]
        assert brought == sorted(brought, key=first.index)


def test_in_team_draft_the_teams_differ_by_one_at_most() -> None:
    for depth in range(1, 7):
        for made in every_list("abcdefgh", "hgfedcba", "team-draft", depth):
            assert abs(made.teams.count(0) - made.teams.count(1)) <= 1


def random_credit(first: str, second: str, method: str, shares: np.ndarray) -> float:
    """The mean difference of the credits of somebody who clicks by the place alone, over all coins."""
    found = []
    for made in every_list(first, second, method, len(shares)):
        clicks = [made.credit([item]) for item in made.items]
        found.append(sum(share * (one - other) for share, (one, other) in zip(shares, clicks, strict=False)))
    return float(np.mean(found))


@pytest.mark.parametrize("shares", [np.full(4, 0.5), np.array([0.9, 0.5, 0.3, 0.1])], ids=["even", "falling"])
def test_who_clicks_by_the_place_alone_prefers_nobody_in_team_draft(shares: np.ndarray) -> None:
    for second in ("bcda", "dcba", "beaf", "xyzw"):
        assert random_credit("abcd", second, "team-draft", shares) == pytest.approx(0, abs=1e-12)


def test_balanced_interleaving_has_the_bias_that_is_known_of_it() -> None:
    """Rankings that are each other moved by a place (Radlinski et al. 2008): one random click prefers the second."""
    assert abs(random_credit("abcd", "bcda", "balanced", np.full(4, 0.25))) > 0.1


def test_the_credit_of_balanced_interleaving_by_hand() -> None:
    """List a b e c of abcd and beaf, first ranking first; the last click c is third in abcd: two hits against one."""
    made = interleave(FIRST, SECOND, iter([0]), method="balanced", depth=4)
    assert "".join(made.items) == "abec"
    assert made.credit(["b", "c"]) == (2, 1)
    assert made.credit([]) == made.credit(["nothing"]) == (0, 0)


def test_coins_are_even() -> None:
    chance = np.random.default_rng(0)
    coins = coins_of(lambda place: float(chance.random()))
    heads = sum(next(coins) for _ in range(400))
    assert sum(comb(400, k) for k in range(min(heads, 400 - heads) + 1)) / 2**399 > 0.01
