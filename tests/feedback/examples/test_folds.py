"""Folds: every item tested once, equal shares of relevant items, and scikit-learn's own where nothing is shuffled."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold

from rankscope.core.errors import SettingError
from rankscope.feedback.examples.examples import Folds, checked_target, most_folds, stratified_folds

targets = st.lists(st.booleans(), min_size=4, max_size=60).filter(lambda each: 2 <= sum(each) <= len(each) - 2)


@given(targets, st.integers(2, 6))
def test_unshuffled_folds_are_those_of_scikit_learn(target: list[bool], count: int) -> None:
    labels = np.array(target)
    folds = stratified_folds(labels, count, seed=None)
    splits = StratifiedKFold(folds.count).split(labels[:, None], labels)
    assert [test.tolist() for _, test in splits] == [np.flatnonzero(row).tolist() for row in folds.tested]


@given(targets, st.integers(2, 6), st.integers(0, 9))
def test_every_item_is_tested_once_and_shares_are_equal(target: list[bool], count: int, seed: int) -> None:
    labels = np.array(target)
    folds = stratified_folds(labels, count, seed=seed)
    assert (folds.tested.sum(axis=0) == 1).all()
    for chosen in (labels, ~labels, labels | True):
        sizes = folds.sizes(chosen)
        assert sizes.max() - sizes.min() <= 1
        assert sizes.min() >= 1


def test_a_seed_makes_the_folds_and_another_makes_others() -> None:
    target = np.arange(40) < 10
    one, same, other = (stratified_folds(target, seed=seed).fold.tolist() for seed in (1, 1, 2))
    assert one == same != other


def test_a_topic_has_no_more_folds_than_relevant_items() -> None:
    assert stratified_folds(np.arange(20) < 3).count == 3
    assert most_folds(np.arange(20) < 1) == 1


@pytest.mark.parametrize("relevant", [0, 1, 19, 20])
def test_a_topic_of_one_relevant_item_has_no_folds(relevant: int) -> None:
    with pytest.raises(SettingError, match="has no folds"):
        stratified_folds(np.arange(20) < relevant)


def test_a_fold_learns_from_all_it_does_not_test() -> None:
    target = np.array([True, True, False, False])
    examples = Folds.of([0, 1, 0, 1]).training(target)
    assert examples.positives.lists("item") == [[1], [0]]
    assert examples.negatives.lists("item") == [[3], [2]]


@pytest.mark.parametrize("wrong", [[0, 2], [[0, 1]], [], [-1, 0]])
def test_folds_by_hand_are_numbered_without_gaps(wrong: list[int]) -> None:
    with pytest.raises(SettingError, match="numbered from 0"):
        Folds.of(wrong)


def test_wrong_settings_are_told() -> None:
    with pytest.raises(SettingError, match="count=1: must be a whole number of at least 2"):
        stratified_folds(np.arange(9) < 4, 1)
    with pytest.raises(SettingError, match="one True or False per item"):
        checked_target([0, 1, 2])
