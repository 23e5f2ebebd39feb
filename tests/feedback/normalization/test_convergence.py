"""The matched protocol and convergence: examples from training parts, scores from test parts, and 1 at the end."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.core.errors import InputError, SettingError
from rankscope.feedback.examples.examples import stratified_folds
from rankscope.feedback.methods import Ideal, NearestNeighbour, QueryPoint
from rankscope.feedback.normalization.baselines import baseline
from rankscope.feedback.normalization.example_sets import convergence, matched_ranks, mean_convergence, possible_sizes
from tests.feedback.normalization.test_baselines import Memory
from tests.feedback.problems import drawn

ITEMS, TARGET = drawn(40, 160, 2.0)
FOLDS = stratified_folds(TARGET, 4)


def test_only_test_items_are_scored_and_only_training_items_shown() -> None:
    (ranks,) = matched_ranks(Memory(), ITEMS, TARGET, FOLDS, [5], repeats=3)
    assert len(ranks) == 12
    assert ranks.classes == tuple(f"fold {fold}" for fold in (1, 2, 3, 4) for _ in range(3))
    assert set(ranks.collection.tolist()) == {50}
    assert set(ranks.relevant.tolist()) == {10}
    for row, fold in enumerate(np.repeat(range(4), 3)):
        tested = np.flatnonzero(FOLDS.fold == fold)
        # memory knows no test item: all are equal and stand in the order of the items
        assert ranks.judged.lists("rank")[row] == (np.flatnonzero(TARGET[tested]) + 1).tolist()


def test_all_methods_get_the_same_sets() -> None:
    first, again = (matched_ranks(QueryPoint(), ITEMS, TARGET, FOLDS, [1, 3], repeats=2, seed=5) for _ in range(2))
    assert first[0].judged.lists("rank") == again[0].judged.lists("rank")
    alone = matched_ranks(QueryPoint(), ITEMS, TARGET, FOLDS, [3], repeats=2, seed=5)
    assert alone[0].judged.lists("rank") == first[1].judged.lists("rank")


def test_under_approach_one_efficiency_ends_at_one() -> None:
    best = baseline(ITEMS, TARGET, [QueryPoint()], folds=FOLDS, permutations=999)
    result = convergence(QueryPoint(), ITEMS, TARGET, best, [1, 4, 30, 64], repeats=5)
    assert result.sizes == (1, 4, 30)  # a training part has 30 relevant items
    assert result.most == 30
    assert result.full.mae == pytest.approx(1.0)
    assert result.mae[-1] == pytest.approx(1.0)  # all positives, and the query point ignores negatives
    assert result.mae[0] < result.mae[1] < 1.0
    assert result.corrected_mae[0] < result.mae[0]


def test_a_plateau_below_one_is_the_bias_of_the_method() -> None:
    chance = np.random.default_rng(0)
    target = np.arange(240) % 6 == 0
    centre = np.where(target, chance.choice([-3.0, 3.0], 240), 0.0)  # two islands, nothing relevant between
    from rankscope.feedback import Items

    items = Items.of((centre + 0.5 * chance.normal(size=240))[:, None])
    best = baseline(items, target, [QueryPoint(), NearestNeighbour()], permutations=999)
    assert best.winner == "nearest-neighbour"
    point, near = (convergence(each, items, target, best, [1, 8, 32]) for each in (QueryPoint(), NearestNeighbour()))
    assert near.full.mae == pytest.approx(1.0)
    assert near.mae[-1] > 0.9
    assert point.full.mae < 0.4
    assert point.mae.max() < near.mae[-1]


def test_the_mean_over_topics_leaves_infeasible_ones_out() -> None:
    good = baseline(ITEMS, TARGET, [QueryPoint()], topic="good", permutations=999)
    noise = np.random.default_rng(1).permutation(np.arange(200) < 30)
    bad = baseline(ITEMS, noise, [QueryPoint()], topic="bad", permutations=999)
    results = [
        convergence(QueryPoint(), ITEMS, TARGET, good, [1, 4]),
        convergence(QueryPoint(), ITEMS, noise, bad, [1, 4]),
    ]
    assert [each.full.feasible for each in results] == [True, False]
    np.testing.assert_array_equal(mean_convergence(results).y, results[0].mae)
    np.testing.assert_array_equal(mean_convergence(results, corrected=True).y, results[0].corrected_mae)
    assert "infeasible topic" in str(results[1].rows()[0]["flags"])
    assert [row["examples"] for row in results[0].rows()] == [1, 4, None]
    with pytest.raises(SettingError, match="at least one feasible topic"):
        mean_convergence(results[1:])


def test_the_ideal_system_beats_the_baseline_and_asks_for_a_new_one() -> None:
    best = baseline(ITEMS, TARGET, [QueryPoint()], permutations=999)
    runs = matched_ranks(Ideal(), ITEMS, TARGET, best.folds, [1])  # type: ignore[arg-type]
    from rankscope.feedback.normalization.efficiency import efficiency

    done = efficiency(runs[0], best)
    assert done.recalibrate
    np.testing.assert_allclose(done.values, 1 / done.baseline)


def test_a_baseline_of_another_target_or_of_none_is_refused() -> None:
    best = baseline(ITEMS, TARGET, [QueryPoint()], permutations=9)
    with pytest.raises(InputError, match="made for other relevant items"):
        convergence(QueryPoint(), ITEMS, ~TARGET, best)
    lonely = np.arange(200) == 3
    with pytest.raises(SettingError, match="1 relevant among 200 items: no folds can be made"):
        convergence(QueryPoint(), ITEMS, lonely, baseline(ITEMS, lonely, [QueryPoint()]))
    with pytest.raises(SettingError, match="can supply 30 examples"):
        possible_sizes([31], TARGET, FOLDS)
