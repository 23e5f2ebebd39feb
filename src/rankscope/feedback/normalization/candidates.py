"""Candidates for the baseline of a topic: classifiers and feedback methods, and what they score out of fold."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np

from rankscope.core.arrays import BoolArray, FloatArray, IntArray
from rankscope.core.errors import SettingError
from rankscope.core.notation import Named
from rankscope.feedback.examples.examples import Folds
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.kernel_methods import sklearn_part
from rankscope.feedback.methods.method import Method

# Classifiers that may set the baseline of a topic (approach III): told all labels but those they are tested on.


@dataclass(frozen=True)
class Classifier(Named, ABC):
    """A classifier with its settings; two with equal settings are equal."""

    @abstractmethod
    def model(self, items: Items, seed: int) -> Any:
        """A scikit-learn estimator, not fitted yet."""

    def learn(
        self, items: Items, target: BoolArray, learnt: BoolArray, seed: int = 0
    ) -> tuple[FloatArray | None, BoolArray]:
        """Score and decision for every item, from the labels of those learnt; no score where the model has none."""
        model = self.model(items, seed).fit(items.matrix[learnt], target[learnt].astype(np.int64))
        decided = np.asarray(model.predict(items.matrix)) == 1
        if hasattr(model, "decision_function"):
            return np.asarray(model.decision_function(items.matrix), dtype=np.float64), decided
        if hasattr(model, "predict_proba"):
            return np.asarray(model.predict_proba(items.matrix)[:, 1], dtype=np.float64), decided
        return None, decided


@dataclass(frozen=True)
class LogisticClassifier(Classifier):
    """A plane between relevant items and others; both classes weigh alike."""

    C: float = 1.0
    name: ClassVar[str] = "logistic-classifier"

    def model(self, items: Items, seed: int) -> Any:
        """Logistic regression with L2 penalty."""
        return sklearn_part("linear_model").LogisticRegression(C=self.C, class_weight="balanced", max_iter=5000)


@dataclass(frozen=True)
class SvmClassifier(Classifier):
    """A support vector machine with a Gaussian kernel; `gamma` None is 1 / (features * variance)."""

    C: float = 10.0
    gamma: float | None = None
    name: ClassVar[str] = "svm-classifier"

    def model(self, items: Items, seed: int) -> Any:
        """The margin is its score."""
        return sklearn_part("svm").SVC(C=self.C, gamma=items.gamma if self.gamma is None else self.gamma)


@dataclass(frozen=True)
class ForestClassifier(Classifier):
    """Many decision trees on random parts of items and features; the score is the share of their votes."""

    trees: int = 200
    name: ClassVar[str] = "forest-classifier"

    def model(self, items: Items, seed: int) -> Any:
        """The forest grown from this seed."""
        return sklearn_part("ensemble").RandomForestClassifier(self.trees, random_state=seed)


@dataclass(frozen=True)
class LdaClassifier(Classifier):
    """Linear discriminant analysis with the covariance shrunk as Ledoit and Wolf advise."""

    name: ClassVar[str] = "lda-classifier"

    def model(self, items: Items, seed: int) -> Any:
        """The distance from the plane is its score."""
        return sklearn_part("discriminant_analysis").LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")


@dataclass(frozen=True)
class Estimator(Classifier):
    """Any estimator of scikit-learn's kind, by its own settings; it is copied before it learns."""

    estimator: Any
    name: ClassVar[str] = "estimator"

    def __str__(self) -> str:
        return " ".join(str(self.estimator).split())

    def model(self, items: Items, seed: int) -> Any:
        """A copy that knows nothing yet."""
        return sklearn_part("base").clone(self.estimator)


CLASSIFIERS: tuple[Classifier, ...] = (LogisticClassifier(), SvmClassifier(), ForestClassifier(), LdaClassifier())


# Scores of every item by a candidate that learnt from all folds but one, fold by fold.

ORDERS = 20  # random orders of a classifier that has decisions but no scores

Candidate: TypeAlias = Method | Classifier


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """Rows x items: one row per fold, or several where a candidate without scores had its ties broken at random."""

    values: FloatArray
    fold: IntArray  # of each row
    decisions: BoolArray | None  # rows x items; a feedback method decides nothing by itself
    failed: tuple[str, ...] = ()


def out_of_fold(
    candidate: Candidate,
    items: Items,
    target: BoolArray,
    folds: Folds,
    *,
    left_out: BoolArray | None = None,
    seed: int = 0,
    chosen: Sequence[int] | None = None,
) -> OutOfFold:
    """All of the training part is the candidate's examples; what is `left_out` (folds x items) is not learnt either.

    Of all folds, or of those `chosen`.
    """
    if not target.size == len(folds) == len(items):
        raise SettingError(f"{len(items)} items, but a target of {target.size} and folds of {len(folds)}")
    numbers = np.arange(folds.count) if chosen is None else np.array(chosen, dtype=np.int64)
    if isinstance(candidate, Classifier):
        learnt = ~folds.tested if left_out is None else ~(folds.tested | left_out)
        results = [candidate.learn(items, target, rows, seed) for rows in learnt[numbers]]
        decisions = np.stack([each[1] for each in results])
        if all(each[0] is not None for each in results):
            values = np.stack([each[0] for each in results if each[0] is not None])
            return OutOfFold(values, numbers, decisions)
        row = np.repeat(np.arange(numbers.size), ORDERS)
        noise = np.random.default_rng(seed).random((row.size, len(items)))
        return OutOfFold(decisions[row] + 0.5 * noise, numbers[row], decisions[row])
    scored = candidate.scores(items, folds.training(target, left_out).take(numbers))
    failed = tuple(reason for reason in scored.failed if reason)
    return OutOfFold(scored.values, numbers, None, failed)
