"""Two-class support vector machine: the margin between positives and negatives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.kernels import gram
from rankscope.feedback.examples.session import Session
from rankscope.feedback.methods.learners import KernelMethod, sklearn_part
from rankscope.feedback.methods.method import TwoSided


@dataclass(frozen=True)
class SVM(KernelMethod, TwoSided):
    """The decision value f(x), the most positive first."""

    C: float = 10.0
    name: ClassVar[str] = "svm"
    source: ClassVar[str] = "Tong & Chang 2001, Support vector machine active learning for image retrieval"
    above: ClassVar[Mapping[str, float]] = {"C": 0}

    def fit(self, items: Items, session: Session) -> tuple[FloatArray, float]:
        """scikit-learn's SVC on the examples."""
        return support_vectors(items.matrix[session.examples], session.labels, self.C, self.width(items))


def support_vectors(
    points: FloatArray, labels: FloatArray, cost: float, gamma: float, weights: FloatArray | None = None
) -> tuple[FloatArray, float]:
    """Coefficient of each point (0 for those that support nothing) and the intercept."""
    machine = sklearn_part("svm").SVC(C=cost, kernel="precomputed", tol=1e-5)
    model = machine.fit(gram(points, gamma), labels, sample_weight=weights)
    coefficients = np.zeros(len(points))
    coefficients[model.support_] = model.dual_coef_[0]
    return coefficients, float(model.intercept_[0])
