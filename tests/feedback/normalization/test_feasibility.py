"""Feasibility: the permutation test against all permutations, its limits, and what is said of a hopeless topic."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from rankscope.core.arrays import FloatArray
from rankscope.core.errors import InputError, SettingError
from rankscope.feedback.examples.examples import Folds, stratified_folds
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods import QueryPoint
from rankscope.feedback.normalization.baselines import baseline, better_of, permute_labels, refitted_ap
from rankscope.feedback.normalization.feasibility import (
    Feasibility,
    FoldPlaces,
    feasibility,
    permuted_ap,
    random_subsets,
)
from rankscope.feedback.normalization.losses import (
    CLASSIFIERS,
    ForestClassifier,
    LdaClassifier,
    LogisticClassifier,
    SvmClassifier,
)
from rankscope.measures import AP
from rankscope.measures.quadruple import random_average_precision
from rankscope.ranks.relevant_ranks import RelevantRanks
from tests.feedback.normalization.test_baselines import Broken
from tests.feedback.problems import drawn


def lists(*ranks: list[int], items: int) -> RelevantRanks:
    return RelevantRanks.from_ranks(list(ranks), depth=items, collection=items)


def permuted(*ranks: list[int], items: int, permutations: int = 9999, seed: int = 0) -> FloatArray:
    """AP of permuted labels where one candidate ranks the relevant items of each fold so."""
    places = np.arange(1, items + 1)
    target = np.concatenate([np.isin(places, own) for own in ranks])
    folds = Folds.of(np.repeat(np.arange(len(ranks)), items))
    rank = np.tile(places, (len(ranks), len(ranks)))
    return permuted_ap([FoldPlaces(rank, np.arange(len(ranks)))], target, folds, permutations, seed)


def decided(*ranks: list[int], items: int, loss: float, random_loss: float, **how: int) -> Feasibility:
    made = lists(*ranks, items=items)
    return feasibility(made, loss, random_loss, float(AP().of(made).mean()), permuted(*ranks, items=items, **how))


@pytest.mark.parametrize(("items", "size"), [(6, 2), (5, 4), (7, 3), (4, 4)])
def test_every_choice_of_ranks_is_equally_likely(items: int, size: int) -> None:
    rows = random_subsets(items, size, 20_000, np.random.default_rng(0))
    assert (np.diff(rows, axis=1) > 0).all()
    assert rows.min() >= 1
    assert rows.max() <= items
    every = list(combinations(range(1, items + 1), size))
    counts = [int((rows == each).all(axis=1).sum()) for each in every]
    assert sum(counts) == 20_000
    if len(every) > 1:
        assert stats.chisquare(counts).pvalue > 0.001


def test_permuted_ap_has_the_distribution_of_all_permutations() -> None:
    exact = [
        (np.mean([1 / a[0], 2 / a[1]]) + np.mean([1 / b[0], 2 / b[1], 3 / b[2]])) / 2
        for a, b in product(combinations(range(1, 6), 2), combinations(range(1, 6), 3))
    ]
    found = permuted([1, 2], [1, 3, 4], items=5, permutations=20_000)
    values, counts = np.unique(np.round(found, 9), return_counts=True)
    expected = {value: float(np.mean(np.isclose(exact, value))) for value in values}
    assert sum(expected.values()) == pytest.approx(1)
    assert stats.chisquare(counts, [20_000 * expected[value] for value in values]).pvalue > 0.001


def test_the_mean_of_permuted_ap_is_that_of_random_order() -> None:
    found = permuted([3, 9, 30, 31], items=60)
    assert found.mean() == pytest.approx(random_average_precision(60, 4), abs=4 * found.std() / 100)


def test_the_p_value_counts_the_observed_ranking_too() -> None:
    found = decided([1, 2, 3, 4, 5], items=50, loss=0.0, random_loss=0.18)
    assert found.feasible
    assert (found.p_value, found.gain, found.permutations) == (1e-4, 1.0, 9999)
    certain = decided([1, 2], items=2, loss=0.0, random_loss=0.5, permutations=99)
    assert certain.p_value == 1.0  # every permutation is as good
    assert certain.reasons[0] == "99 permutations are too few for p below 0.01"


def test_each_condition_speaks_for_itself() -> None:
    ranks = [1, 2, 3, 5, 40]
    assert decided(ranks, items=50, loss=0.09, random_loss=0.18).feasible
    lossy = decided(ranks, items=50, loss=0.0901, random_loss=0.18)
    assert lossy.reasons == ("loss 0.0901 is more than half of the random 0.1800",)
    hopeless = decided([10, 20, 30, 40, 50], items=50, loss=0.2, random_loss=0.18)
    assert [reason.split()[0] for reason in hopeless.reasons] == ["AP", "AP", "loss"]
    assert "no better than permuted labels" in hopeless.reasons[0]


def test_p_values_of_random_rankings_are_uniform() -> None:
    chance = np.random.default_rng(1)
    values = [
        decided(
            *random_subsets(30, 5, 3, chance).tolist(),
            items=30,
            loss=0.1,
            random_loss=0.2,
            permutations=199,
            seed=seed,
        )
        for seed in range(150)
    ]
    assert stats.kstest([each.p_value for each in values], "uniform").pvalue > 0.001


def test_labels_are_permuted_within_folds() -> None:
    target, folds = np.arange(30) < 9, Folds.of(np.arange(30) % 3)
    shuffled = [permute_labels(target, folds, np.random.default_rng(seed)) for seed in range(2000)]
    assert {tuple(folds.sizes(each)) for each in shuffled} == {(3, 3, 3)}
    np.testing.assert_allclose(np.mean(shuffled, axis=0), 0.3, atol=0.05)


def test_refitting_agrees_that_a_topic_can_be_learnt_and_that_noise_cannot() -> None:
    items, target = drawn(20, 60, 3.0)
    result = baseline(items, target, [QueryPoint()], folds=3, refit=True, permutations=99)
    assert (result.feasibility.refitted, result.feasibility.permutations, result.feasibility.p_value) == (
        True,
        99,
        0.01,
    )
    noise = baseline(*drawn(20, 60, 0.0), [QueryPoint()], folds=3, refit=True, permutations=99)
    assert noise.feasibility.p_value > 0.05


def test_refitting_a_method_that_fails_says_so() -> None:
    items, target = drawn(10, 30)
    with pytest.raises(InputError, match="it never works"):
        refitted_ap([Broken()], items, target, stratified_folds(target), 3)


def test_a_topic_without_folds_is_infeasible_and_says_why() -> None:
    found = Feasibility.without_folds(0, 9)
    assert not found.feasible
    assert found.reasons == ("0 relevant among 9 items: no folds can be made",)
    with pytest.raises(SettingError, match="permutations=0: must be"):
        permuted([1], items=3, permutations=0)


def test_the_choice_among_candidates_is_part_of_the_test() -> None:
    # one list as it is and one upside down, one relevant item of three: the best of both is 1, 1/2 or 1
    rank = np.array([[1, 2, 3]])
    both = [FoldPlaces(rank, np.array([0])), FoldPlaces(4 - rank, np.array([0]))]
    folds = Folds(np.zeros(3, np.int64), 1)
    found = permuted_ap(both, np.array([True, False, False]), folds, 30_000)
    assert set(found.tolist()) == {1.0, 0.5}
    assert (found == 1.0).mean() == pytest.approx(2 / 3, abs=0.01)
    alone = permuted_ap(both[:1], np.array([True, False, False]), folds, 30_000)
    assert (alone == 1.0).mean() == pytest.approx(1 / 3, abs=0.01)
    # several lists of one fold, as of a classifier without scores, count as their mean
    one = FoldPlaces(np.concatenate([rank, 4 - rank]), np.zeros(2, np.int64))
    means = permuted_ap([one], np.array([True, False, False]), folds, 100)
    assert np.unique(means.round(9)).tolist() == [0.5, round((1 + 1 / 3) / 2, 9)]


def test_a_better_baseline_that_was_tested_apart_pays_for_the_second_try() -> None:
    items, target = drawn(20, 60, 3.0)
    first = baseline(items, target, [LdaClassifier()])
    assert first.feasibility.permutations == 9999
    both = better_of(first, baseline(items, target, [LogisticClassifier()], folds=first.folds or 5))
    assert both.feasibility.p_value == 2 * first.feasibility.p_value == 2e-4


@pytest.mark.thorough
def test_of_random_labels_few_are_below_a_level() -> None:
    learners = (LogisticClassifier(), SvmClassifier(), ForestClassifier(25), LdaClassifier())
    assert [type(each) for each in learners] == [type(each) for each in CLASSIFIERS]
    found = []
    for seed in range(200):
        chance = np.random.default_rng([1, seed])
        items, target = Items.of(chance.normal(size=(120, 10))), np.zeros(120, np.bool_)
        target[chance.choice(120, int(chance.integers(12, 40)), replace=False)] = True
        found.append(baseline(items, target, learners, permutations=999, seed=seed).feasibility.p_value)
    assert np.mean(np.array(found) < 0.05) <= 0.06
    assert np.mean(np.array(found) < 0.01) <= 0.02
