"""Bradley and Terry's strengths: worked values, choix, the likelihood itself, limits over queries, no finite ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize
from scipy.special import expit

from rankscope.analysis.assessors.bradley_terry import bradley_terry
from rankscope.analysis.assessors.preferences import Preference
from rankscope.analysis.assessors.win_rates import preferences_text, strength_lines
from rankscope.commands.prefer import prefer
from tests.needs import needed_module

NAMES = ("A", "B", "C", "D")


def said(query: object, winner: str, loser: str, tie: bool = False, who: str = "ann") -> Preference:
    return Preference(f"q{query}", who, winner, loser, "equal" if tie else "left")


def drawn(seed: int, queries: int = 30, ties: float = 0.0) -> list[Preference]:
    """Everybody beats everybody else somewhere; most often the earlier letter wins."""
    chance = np.random.default_rng(seed)
    found = []
    for query in range(queries):
        first, second = sorted(chance.choice(4, 2, replace=False).tolist())
        won = chance.random() < expit(0.4 * (second - first))
        pair = (NAMES[first], NAMES[second]) if won else (NAMES[second], NAMES[first])
        found.append(said(query, *pair, tie=chance.random() < ties))
    around = [said("round", one, two) for one, two in zip(NAMES, (*NAMES[1:], NAMES[0]), strict=True)]
    return found + around


def strengths_of(answers: list[Preference]) -> np.ndarray:
    own = {each.system: each.strength for each in bradley_terry(answers).systems}
    return np.array([own[name] for name in NAMES])


def test_two_systems_have_the_odds_of_their_answers() -> None:
    answers = [said(n, "A", "B") for n in range(14)] + [said(20 + n, "B", "A") for n in range(6)]
    answers += [said(40 + n, "A", "B", tie=True) for n in range(10)]
    first, second = bradley_terry(answers).systems
    assert first.strength - second.strength == pytest.approx(np.log(19 / 11), rel=1e-12)
    assert first.chance == pytest.approx(19 / 30, rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_choix_finds_the_same(seed: int) -> None:
    choix = needed_module("choix", "dev")
    answers = drawn(seed, queries=60)
    wins = [(NAMES.index(each.left), NAMES.index(each.right)) for each in answers]
    theirs = choix.opt_pairwise(4, wins, tol=1e-10)
    np.testing.assert_allclose(strengths_of(answers), theirs - theirs.mean(), atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_more_likely_with_ties_as_halves(seed: int) -> None:
    answers = drawn(seed, ties=0.3)

    def unlikely(free: np.ndarray) -> float:
        strength = dict(zip(NAMES, (*free, -free.sum()), strict=True))
        return -sum(
            each.gain(name) * np.log(expit(strength[name] - strength[other]))
            for each in answers
            for name, other in ((each.left, each.right), (each.right, each.left))
        )

    best = optimize.minimize(unlikely, np.zeros(3), method="BFGS", options={"gtol": 1e-9}).x
    np.testing.assert_allclose(strengths_of(answers), (*best, -best.sum()), atol=1e-5)


def test_ten_people_who_agree_are_one_answer() -> None:
    answers = drawn(1)
    crowd = [Preference(each.query, f"p{n}", each.left, each.right, each.choice) for each in answers for n in range(10)]
    assert bradley_terry(crowd) == bradley_terry(answers)


def test_limits_follow_the_error_by_query() -> None:
    """Written out query by query, with the inverse on what sums to 0 found by leaving out a system."""
    answers = drawn(2)
    found = {each.system: each for each in bradley_terry(answers, level=0.9).systems}
    strength = strengths_of(answers)
    slopes: dict[str, np.ndarray] = {}
    curvature = np.zeros((4, 4))
    for each in answers:
        place = np.zeros(4)
        place[NAMES.index(each.left)], place[NAMES.index(each.right)] = 1, -1
        chance = expit(place @ strength)
        slopes[each.query] = slopes.get(each.query, np.zeros(4)) + (each.gain(each.left) - chance) * place
        curvature += chance * (1 - chance) * np.outer(place, place)
    basis = np.vstack([np.eye(3), -np.ones(3)])
    inverse = basis @ np.linalg.inv(basis.T @ curvature @ basis) @ basis.T
    count = len(slopes)
    covariance = inverse @ sum(np.outer(each, each) for each in slopes.values()) @ inverse * count / (count - 1)
    from scipy.stats import t

    half = t.ppf(0.95, count - 1) * np.sqrt(np.diag(covariance))
    for name, value, width in zip(NAMES, strength, half, strict=True):
        assert (found[name].low, found[name].high) == pytest.approx((value - width, value + width), rel=1e-9)


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ([("A", "B"), ("A", "C"), ("B", "C"), ("C", "B")], "A was always preferred to the others"),
        ([("B", "A"), ("C", "A"), ("B", "C"), ("C", "B")], "A was never preferred to the others"),
        ([("A", "B"), ("B", "A"), ("C", "D"), ("D", "C")], "A, B were not compared with the others"),
    ],
)
def test_strengths_without_end_are_not_printed(pairs: list[tuple[str, str]], words: str) -> None:
    answers = [said(n, *pair) for n, pair in enumerate(pairs)]
    found = bradley_terry(answers)
    assert found.systems == ()
    assert found.missing == words
    assert strength_lines(found) == [f"No strengths (Bradley-Terry): {words}, so no finite ones are the most likely."]


def test_three_systems_or_more_are_put_on_one_scale() -> None:
    found = prefer(drawn(3))
    assert found.strengths is not None
    text = preferences_text(found.rates, found.bias, 0.95, found.strengths)
    assert "strength: log odds (Bradley-Terry), their sum is 0" in text
    assert sum(each.strength for each in found.strengths.systems) == pytest.approx(0, abs=1e-12)
    assert prefer([said(n, "A", "B") for n in range(5)]).strengths is None
