"""One-class SVM: the region that holds most of the positives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.kernels import gram
from rankscope.feedback.examples.session import Session
from rankscope.feedback.methods.learners import KernelMethod, sklearn_part
from rankscope.ranks.ragged import Ragged


@dataclass(frozen=True)
class OneClassSVM(KernelMethod):
    """sum a_i k(x_i, x) - rho on the positives alone, the a_i adding up to nu * nP. Flat far from the positives."""

    nu: float = 0.2
    name: ClassVar[str] = "one-class-svm"
    source: ClassVar[str] = "Chen, Zhou & Huang 2001, One-class SVM for learning in image retrieval"
    above: ClassVar[Mapping[str, float]] = {"nu": 0}
    most: ClassVar[Mapping[str, float]] = {"nu": 1}

    def trained_on(self, items: Items, examples: Examples) -> Ragged:
        """The positives."""
        return examples.positives

    def fit(self, items: Items, session: Session) -> tuple[FloatArray, float]:
        """scikit-learn's OneClassSVM."""
        kernel = gram(items.matrix[session.positives], self.width(items))
        model = sklearn_part("svm").OneClassSVM(nu=self.nu, kernel="precomputed", tol=1e-6).fit(kernel)
        coefficients = np.zeros(session.positives.size)
        coefficients[model.support_] = model.dual_coef_[0]
        return coefficients, float(model.intercept_[0])
