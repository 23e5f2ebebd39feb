"""Errors of users in example sets, and how far the efficiency interval carries them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.methods import METHODS
from rankscope.feedback.normalization.baselines import BaselineRules
from rankscope.feedback.normalization.efficiency import combined_freedom, interval_over_draws
from rankscope.feedback.normalization.example_sets import erring_examples
from rankscope.feedback.normalization.generalisation import Normalised, generalise
from rankscope.feedback.users.topics import Topics
from rankscope.feedback.users.user_score import ErrorRates
from tests.feedback.problems import drawn


def test_marks_change_sides_as_often_as_said() -> None:
    sessions = 400
    given = Examples.of([range(20)] * sessions, [range(20, 40)] * sessions)
    told = erring_examples(given, {"miss": 0.3, "alarm": 0.1, "silent_relevant": 0.5})
    counts = {
        0.5 * 0.7: (told.positives["item"] < 20).sum(),
        0.5 * 0.3: (told.negatives["item"] < 20).sum(),
        0.1: (told.positives["item"] >= 20).sum(),
    }
    for share, found in counts.items():
        error = (share * (1 - share) * 20 * sessions) ** 0.5
        assert abs(found - share * 20 * sessions) < 4 * error
    assert told.positives["grade"].min() == 1.0
    assert set(told.negatives["grade"].tolist()) == {-1.0}


def test_without_errors_examples_are_as_they_were() -> None:
    given = Examples.of([[3, 1], [2]], [[7], [5, 6]])
    told = erring_examples(given, {})
    assert told.positives.lists("item") == given.positives.lists("item")
    assert told.negatives.lists("item") == given.negatives.lists("item")


def test_rubins_rule_by_hand() -> None:
    """Means .5, .6, .7 of two topics each .2 apart: W = .01, B = .01, T = .01 + 4/3 .01, nu by Satterthwaite."""
    from scipy import stats

    made = interval_over_draws(np.array([[0.4, 0.6], [0.5, 0.7], [0.6, 0.8]]))
    added = 4 / 3 * 0.01
    nu = (0.01 + added) ** 2 / (0.01**2 / 1 + added**2 / 2)
    half = stats.t.ppf(0.975, nu) * (0.01 + added) ** 0.5
    assert (made.mean, made.within, made.between) == pytest.approx((0.6, 0.01, 0.01))
    assert (made.low, made.high) == pytest.approx((0.6 - half, 0.6 + half))
    assert combined_freedom(0.01, 0.0, 10, 7.0) == pytest.approx(7.0)


def test_the_interval_holds_the_mean_when_rates_are_drawn() -> None:
    """Topics with sd .1 about a mean that itself moves with sd .05 from draw to draw: coverage near .95."""
    chance = np.random.default_rng(0)
    held = []
    for _ in range(400):
        topics = chance.normal(0.5, 0.1, 12)
        shift = chance.normal(0.0, 0.05)  # where the score of the user lies next to the truth
        values = topics + shift + chance.normal(0.0, 0.05, (10, 1))
        made = interval_over_draws(values)
        held.append(made.low <= 0.5 <= made.high)
    assert 0.92 <= np.mean(held) <= 0.985


def test_errors_lower_efficiency_and_widen_its_interval() -> None:
    items, target = drawn(30, 90, 3.0)
    topics = Topics.of({"one": target, "other": ~target})
    rates = ErrorRates("someone", {"miss": (0.3, 40.0), "alarm": (0.3, 40.0)})
    methods, rules = [METHODS.parse("nearest-neighbour")], BaselineRules("I")
    made = generalise(items, topics, methods, rules, repeats=1, errors=rates, draws=3)
    (row,) = made.mean_rows()
    assert float(str(row["with errors"])) < float(str(row["MAE"]))
    assert len(made.erring) == 3
    assert len({each.mae for own in made.erring for each in own}) == 6  # each draw has errors of its own


def test_intervals_of_efficiency_stay_in_its_range() -> None:
    """Student's t of MAE .2 and .9 would be [-3.9, 5.0]; at most 1 / p~ can be reached. The page has the same."""
    items, target = drawn(30, 90, 3.0)
    topics = Topics.of({"one": target, "other": np.arange(120) % 4 == 0})
    methods, rules = [METHODS.parse(name) for name in ("nearest-neighbour", "rocchio")], BaselineRules()
    made = generalise(items, topics, methods, rules, repeats=1)
    own = [replace(each, feasible=True, reached=each.reached * share) for each in made.results for share in (0.2, 0.9)]
    apart = [replace(each, topic=f"topic {number % 2}") for number, each in enumerate(own[:2])]
    (row,) = replace(made, results=tuple(apart)).mean_rows()
    most = max(each.most for each in apart)
    assert most == pytest.approx(max((1 / each.baseline).mean() for each in apart))
    low, high = float(str(row["low"])), float(str(row["high"]))
    assert 0 <= low < float(str(row["MAE"])) < high <= most
    assert "bounded (fewer than 25 topics)" in replace(made, results=tuple(apart)).intervals_told
    over = interval_over_draws(np.array([[0.2, 0.9], [0.3, 0.8]]), most=most)
    assert (over.low, over.high) == (0.0, most)
    page = Normalised(("nearest-neighbour",), made.baselines, tuple(apart), (), (), 8, 2)
    assert page.mae_table().bounds == (0.0, most)
