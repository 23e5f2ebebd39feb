"""How stable the order of systems is, by brute force and in words."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau

from rankscope.analysis.comparison.leaderboard import stability, stability_sentences, top_set
from rankscope.analysis.comparison.rank_intervals import means_of_draws
from rankscope.analysis.statistics.deciding_test import skew_t_p
from rankscope.analysis.statistics.score_table import ScoreTable
from rankscope.core.errors import SettingError


def board(systems: int = 5, queries: int = 30, apart: float = 0.02, seed: int = 0) -> ScoreTable:
    chance = np.random.default_rng(seed)
    hard = chance.normal(0.4, 0.15, queries)
    return ScoreTable.make(
        {f"s{place}": hard + apart * place + chance.normal(0, 0.1, queries) for place in range(systems)}
    )


def test_shares_and_tau_are_those_of_the_draws_one_by_one() -> None:
    table = board()
    found = stability(table, resamples=200)
    order = [table.systems.index(name) for name in found.systems]
    values = table.values[:, order]
    drawn, means = means_of_draws(values, 200, 0), values.mean(axis=0)
    taus = np.array([kendalltau(means, each).statistic for each in drawn])
    change = found.of_queries
    assert change.tau == pytest.approx((taus.mean(), *np.quantile(taus, [0.05, 0.95])))
    assert change.same_order == pytest.approx(np.mean([(np.diff(each) < 0).all() for each in drawn]))
    assert change.same_best == pytest.approx((drawn.argmax(axis=1) == 0).mean())
    assert change.chance.sum(axis=0) == pytest.approx(np.ones(5))
    assert found.means.tolist() == sorted(found.means.tolist(), reverse=True)


def test_the_best_stays_wherever_the_order_stays_however_many_are_equal() -> None:
    chance = np.random.default_rng(2)
    for _ in range(20):
        values = chance.integers(0, 3, (8, 4)) / 2
        found = stability(ScoreTable.make(dict(zip("ABCD", values.T, strict=True))), resamples=100)
        assert found.of_queries.same_order <= found.of_queries.same_best


def test_assessors_and_collections_are_draws_of_their_own() -> None:
    table = ScoreTable.make({"A": [0.5, 0.7, 0.6], "B": [0.4, 0.4, 0.5]})
    turned = ScoreTable.make({"A": [0.1, 0.1, 0.2], "B": [0.9, 0.8, 0.9]})
    found = stability(table, assessors=[table, turned], collections=[table, turned, table], resamples=400)
    sources = {each.source: each for each in found.changes}
    assert sources["collection"].draws == 2
    assert sources["collection"].same_order == sources["collection"].same_best == 0.5
    means = np.array([[0.6, 0.4333333], [0.1333333, 0.8666667]])
    drawn = means_of_draws(means, 400, 0)
    best = int(means.mean(axis=0).argmax())
    assert sources["assessors"].same_best == pytest.approx((drawn.argmax(axis=1) == best).mean(), abs=0.01)


def test_who_is_far_behind_is_not_in_the_top_set_and_equals_are() -> None:
    chance = np.random.default_rng(0)
    first = chance.normal(0.5, 0.1, 40)
    close, far = first + chance.normal(0, 0.1, 40), first - 0.3 + chance.normal(0, 0.05, 40)
    found = stability(ScoreTable.make({"far": far, "close": close, "first": first, "same": first}), resamples=500)
    assert set(found.top) == {"first", "same", "close"}
    assert found.top_share == 1.0


def test_a_system_that_is_always_behind_by_the_same_is_never_the_best() -> None:
    hard = np.arange(60) / 100
    found = stability(ScoreTable.make({"A": hard, "B": hard + 0.1}), resamples=50)
    assert found.top == ("B",)
    few = stability(ScoreTable.make({"A": hard[:3], "B": hard[:3] + 0.1}), resamples=50)
    assert few.top == ("B", "A")  # another query may show the reverse


def test_the_top_set_holds_the_best_of_close_systems() -> None:
    chance, held = np.random.default_rng(5), 0
    for _ in range(100):
        gains = chance.normal(0, 1, (20, 6)) + np.array([0.02, 0, 0, 0, 0, 0])
        held += int(top_set(gains, means_of_draws(gains, 300, 1), 0.95)[0])
    assert held >= 88


@pytest.mark.parametrize(("queries", "systems"), [(5, 12), (5, 25), (12, 25)])
def test_the_top_set_of_few_queries_holds_one_of_equal_systems(queries: int, systems: int) -> None:
    """By the quantile of resampled differences .89, .85 and .91 of these trials."""
    chance, held = np.random.default_rng(queries * systems), 0
    for trial in range(300):
        gains = chance.normal(size=(queries, systems))
        held += int(top_set(gains, means_of_draws(gains, 10, trial), 0.95)[trial % systems])
    assert held >= 0.95 * 300


def test_a_system_is_left_out_where_skew_t_shows_another_ahead() -> None:
    values = board(systems=4, queries=15, apart=0.06, seed=3).values
    inside = top_set(values, means_of_draws(values, 50, 0), 0.9)
    for place in range(4):
        others = [skew_t_p(values[:, other] - values[:, place], "greater") for other in range(4) if other != place]
        assert inside[place] == (min(map(float, others)) > 0.1 / 3)
    assert 0 < inside.sum() < 4
    twice = np.concatenate([values, values, values, values])
    assert top_set(twice, means_of_draws(twice, 400, 0), 0.9).sum() < 4


def test_classes_are_drawn_where_they_are_the_unit() -> None:
    table = ScoreTable.make(
        {"A": [0.5, 0.5, 0.1, 0.1, 0.3], "B": [0.4, 0.4, 0.2, 0.2, 0.3]}, classes=["x", "x", "y", "y", "z"]
    )
    found = stability(table, by_unit=True, resamples=200)
    assert found.of_queries.source == "classes"
    assert found.means.tolist() == pytest.approx([0.3, 0.3])
    with pytest.raises(SettingError, match="two classes at least"):
        stability(table.where("x"), by_unit=True)


def test_lower_is_better_turns_the_order() -> None:
    table = ScoreTable.make({"A": [1.0, 2.0, 1.0], "B": [3.0, 4.0, 5.0]}, lower_is_better=True)
    found = stability(table, resamples=50)
    assert (found.systems, found.top) == (("A", "B"), ("A",))
    assert found.means.tolist() == pytest.approx([4 / 3, 4])


def test_words_say_what_the_numbers_say() -> None:
    found = stability(board(), resamples=300)
    first, second = stability_sentences(found)
    assert f"{len(found.top)} of 5 systems may be the best" in first
    assert f"in {found.top_share:.1%} of the draws of queries" in first
    assert f"stays in {found.of_queries.same_order:.1%} of 300 draws" in second
    for shown in ("table", "markdown", "json"):
        assert "s4" in found.render(shown)
    assert len(repr(found).splitlines()) <= 10


def test_what_is_too_little_is_refused() -> None:
    with pytest.raises(SettingError, match="two systems"):
        stability(ScoreTable.make({"A": [0.1, 0.2]}))
    with pytest.raises(SettingError, match="two queries"):
        stability(ScoreTable.make({"A": [0.1], "B": [0.2]}))
    lone = ScoreTable.make({"A": [0.1, 0.2], "B": [0.2, 0.1]}, queries=["x", "y"])
    with pytest.raises(SettingError, match="no query"):
        stability(lone, assessors=[lone, ScoreTable.make({"A": [0.1], "B": [0.2]}, queries=["z"])])
