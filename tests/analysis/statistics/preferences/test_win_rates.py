"""Win rates and what the place on the page does to them: worked values, and biases that were put in are found again."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.analysis.assessors.preferences import Choice, Preference
from rankscope.analysis.assessors.win_rates import position_bias, win_rates
from rankscope.core.errors import SettingError


def said(query: int, choice: Choice, *, left: str = "A", right: str = "B", who: str = "ann") -> Preference:
    return Preference(query=f"q{query}", assessor=who, left=left, right=right, choice=choice)


def some(wins: int, losses: int, ties: int, start: int = 0) -> list[Preference]:
    won: list[Choice] = ["right"] * wins
    lost: list[Choice] = ["left"] * losses
    tied: list[Choice] = ["equal", "both bad"]
    choices = [*won, *lost, *(tied[place % 2] for place in range(ties))]
    return [said(start + place, choice) for place, choice in enumerate(choices)]


def test_the_worked_value() -> None:
    from scipy import stats

    (found,) = win_rates(some(14, 6, 10))
    assert (found.wins, found.losses, found.ties, found.queries) == (14, 6, 10, 30)
    assert found.rate == pytest.approx(0.633333, abs=5e-7)
    assert found.p == pytest.approx(0.115318, abs=5e-7)
    assert found.p == pytest.approx(stats.binomtest(14, 20).pvalue)
    assert found.low < 0.5 < found.high
    assert found.better == ""


def test_sides_do_not_matter_and_the_systems_can_be_named() -> None:
    turned = [
        Preference(each.query, each.assessor, "B", "A", {"left": "right", "right": "left"}.get(each.choice, "equal"))  # type: ignore[arg-type]
        for each in some(14, 6, 10)
    ]
    assert win_rates(turned)[0].row() == win_rates(some(14, 6, 10))[0].row()
    other = win_rates(turned, systems=["B", "A"])[0]
    assert (other.first, other.wins, other.losses) == ("B", 6, 14)


def test_a_clear_preference_has_a_verdict_and_its_limits_leave_out_one_half() -> None:
    (found,) = win_rates(some(38, 2, 0))
    assert found.better == "B"
    assert found.low > 0.5


def test_several_answers_to_a_query_are_no_more_queries() -> None:
    """Ten people who say the same of six queries are six queries: no verdict, and limits as wide as those of six."""
    crowd = [said(query, "right", who=f"p{person}") for query in range(5) for person in range(10)]
    crowd += [said(5, "left", who=f"p{person}") for person in range(10)]
    (many,), (few,) = win_rates(crowd), win_rates(some(5, 1, 0))
    assert (many.queries, many.answers, few.answers) == (6, 60, 6)
    assert (many.low, many.high, many.p, many.better) == (few.low, few.high, few.p, "")


def test_classes_are_corrected_together_and_each_has_its_own_rate() -> None:
    answers = some(30, 0, 0) + some(0, 2, 28, start=100)
    classes = {each.query: "easy" if place < 30 else "hard" for place, each in enumerate(answers)}
    whole, easy, hard = win_rates(answers, classes)
    assert (whole.label, easy.label, hard.label) == ("", "easy", "hard")
    assert (easy.rate, easy.better, hard.better) == (1.0, "B", "")
    assert hard.rate == pytest.approx(14 / 30)
    assert whole.answers == easy.answers + hard.answers == 60


def test_verdicts_on_several_pairs_are_corrected_for_all_of_them() -> None:
    """A pair that would be shown alone is not shown among ten of which nine say nothing."""
    chance = np.random.default_rng(1)
    alone = [said(query, "right" if query < 21 else "left") for query in range(28)]
    assert win_rates(alone)[0].better == "B"
    others = [
        said(query, "right" if chance.random() < 0.5 else "left", left=f"X{pair}", right=f"Y{pair}")
        for pair in range(9)
        for query in range(28)
    ]
    assert [each.better for each in win_rates(alone + others)] == [""] * 10


def test_nothing_and_nothing_but_ties() -> None:
    with pytest.raises(SettingError, match="no answers"):
        win_rates([])
    (found,) = win_rates(some(0, 0, 8))
    assert (found.rate, found.better) == (0.5, "")


def simulated(bias: float, noise: float, pairs: int, seed: int) -> list[Preference]:
    """Everything shown twice, with sides swapped; some answers take the left blindly, some any side."""
    chance = np.random.default_rng(seed)
    found = []
    for query in range(pairs):
        likes = "AB"[int(chance.random() < 0.3)]
        for left, right in (("A", "B"), ("B", "A")):
            blind, random = chance.random() < bias, chance.random() < noise
            true: Choice = "left" if left == likes else "right"
            side: Choice = "left" if blind else ("left" if chance.random() < 0.5 else "right") if random else true
            found.append(Preference(f"q{query}", "ann", left, right, side))
    return found


@pytest.mark.parametrize("bias", [0.0, 0.2, 0.6])
def test_a_known_bias_is_found_again(bias: float) -> None:
    found = position_bias(simulated(bias, 0.0, 400, seed=1))
    assert found.twice == 400
    assert found.follows == found.lean == pytest.approx(bias, abs=0.06)
    assert bias == 0 or found.follows_low < bias < found.follows_high
    assert bias == 0 or found.lean_low < bias < found.lean_high


def test_answers_by_chance_are_no_lean() -> None:
    """Of random answers half name the same side twice, but the left as often as the right."""
    found = position_bias(simulated(0.0, 1.0, 400, seed=2))
    assert found.follows == pytest.approx(0.5, abs=0.08)
    assert found.lean_low < 0 < found.lean_high


def test_swapped_sides_take_the_bias_out_of_the_win_rate() -> None:
    (found,) = win_rates(simulated(0.6, 0.0, 400, seed=3))
    assert found.rate == pytest.approx(0.3 * 0.4 + 0.5 * 0.6, abs=0.03)  # shrunk towards one half, on the right side
    assert found.better == "A"


def test_ties_and_one_showing_say_nothing_about_sides() -> None:
    answers = [said(1, "left"), said(1, "equal", left="B", right="A"), said(2, "left"), said(2, "left", who="bob")]
    found = position_bias(answers)
    assert (found.twice, found.sided, found.left_share) == (0, 3, 1.0)
    assert np.isnan(found.follows)
