"""Classifiers that may set the baseline of a topic (approach III): told all labels but those they are tested on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankscope.arrays import BoolArray, FloatArray
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.learners import sklearn_part
from rankscope.notation import Named


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


CLASSIFIERS: tuple[Classifier, ...] = (
    LogisticClassifier(),
    SvmClassifier(),
    ForestClassifier(),
    LdaClassifier(),
)
