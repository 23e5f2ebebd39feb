"""Out-of-fold scores: no candidate sees a label it is tested on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rankscope.core.arrays import BoolArray
from rankscope.core.errors import SettingError
from rankscope.feedback import Items
from rankscope.feedback.examples.examples import stratified_folds
from rankscope.feedback.methods import SVM, NearestNeighbour, QueryPoint
from rankscope.feedback.normalization.losses import (
    CLASSIFIERS,
    ORDERS,
    Candidate,
    Classifier,
    Estimator,
    ForestClassifier,
    LogisticClassifier,
    SvmClassifier,
    out_of_fold,
)
from tests.feedback.problems import drawn

ITEMS, TARGET = drawn()
FOLDS = stratified_folds(TARGET)
CANDIDATES: list[Candidate] = [
    QueryPoint(),
    NearestNeighbour(),
    SVM(),
    LogisticClassifier(),
    SvmClassifier(),
    ForestClassifier(20),
    CLASSIFIERS[-1],
]


class Stump:
    """Says yes where the first feature is above the middle of the class means; it has no score."""

    def fit(self, points: Any, labels: Any) -> Stump:
        self.limit = (points[labels == 1, 0].mean() + points[labels == 0, 0].mean()) / 2
        return self

    def predict(self, points: Any) -> Any:
        return (points[:, 0] > self.limit).astype(int)


class StumpClassifier(Classifier):
    name = "stump"

    def model(self, items: Items, seed: int) -> Any:
        return Stump()


@pytest.mark.parametrize("candidate", CANDIDATES, ids=str)
def test_labels_of_the_tested_fold_change_nothing(candidate: Candidate) -> None:
    before = out_of_fold(candidate, ITEMS, TARGET, FOLDS)
    other: BoolArray = TARGET.copy()
    other[FOLDS.fold == 2] ^= True
    after = out_of_fold(candidate, ITEMS, other, FOLDS)
    np.testing.assert_array_equal(before.values[2], after.values[2])
    assert not np.array_equal(before.values[0], after.values[0])


def test_what_is_left_out_is_not_learnt_either() -> None:
    left_out = np.roll(FOLDS.tested, -1, axis=0)
    other = TARGET.copy()
    other[FOLDS.fold == 3] ^= True
    for candidate in (QueryPoint(), LogisticClassifier()):
        one, two = (out_of_fold(candidate, ITEMS, each, FOLDS, left_out=left_out) for each in (TARGET, other))
        np.testing.assert_array_equal(one.values[2], two.values[2])


def test_a_classifier_without_scores_has_its_ties_broken_at_random() -> None:
    fold = out_of_fold(StumpClassifier(), ITEMS, TARGET, FOLDS)
    assert fold.values.shape == (5 * ORDERS, 200)
    assert fold.decisions is not None
    for values, decided in zip(fold.values, fold.decisions, strict=True):
        assert values[decided].min() > values[~decided].max()


def test_any_estimator_of_scikit_learns_kind_may_take_part() -> None:
    from sklearn.naive_bayes import GaussianNB

    candidate = Estimator(GaussianNB())
    fold = out_of_fold(candidate, ITEMS, TARGET, FOLDS)
    assert str(candidate) == "GaussianNB()"
    assert fold.decisions is not None
    np.testing.assert_array_equal(fold.decisions, fold.values > 0.5)


def test_classifiers_say_their_settings() -> None:
    assert [str(each) for each in CLASSIFIERS] == [each.name for each in CLASSIFIERS]
    assert str(SvmClassifier(C=1.0, gamma=0.5)) == "svm-classifier(C=1,gamma=0.5)"


def test_a_target_of_another_length_is_refused() -> None:
    with pytest.raises(SettingError, match="200 items, but a target of 3"):
        out_of_fold(QueryPoint(), ITEMS, TARGET[:3], FOLDS)
