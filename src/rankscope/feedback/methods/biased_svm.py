"""Biased SVM: between the one-class machine (b = 1) and the two-class machine (b towards 0)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.kernels import gram
from rankscope.feedback.examples.session import Session
from rankscope.feedback.methods.capped_simplex import least_quadratic
from rankscope.feedback.methods.learners import KernelMethod
from rankscope.feedback.methods.method import CannotScore, TwoSided

SLACK = 1e-9


@dataclass(frozen=True)
class BiasedSVM(KernelMethod, TwoSided):
    """sum a_i y_i k(x_i, x), the a_i least in sum a_i a_j y_i y_j K_ij under sum a = 1, sum a y = b, a_i <= 1/(nu l).

    Our reading. The linear term sum a_i y_i K_ii of the dual is b for this kernel, where K_ii = 1, and so left out. A
    session fails where nu is above 2 nP / (l (1 + b)) or 2 nN / (l (1 - b)): no a satisfies it.
    """

    b: float = 0.5
    nu: float = 0.05
    name: ClassVar[str] = "biased-svm"
    source: ClassVar[str] = "Hoi, Chan, Huang, Lyu & King 2004, Biased support vector machine for relevance feedback"
    dagger: ClassVar[bool] = True
    above: ClassVar[Mapping[str, float]] = {"b": 0, "nu": 0}
    most: ClassVar[Mapping[str, float]] = {"b": 1, "nu": 1}

    def fit(self, items: Items, session: Session) -> tuple[FloatArray, float]:
        """Each side's coefficients add up to their own total: (1 + b) / 2 and (1 - b) / 2."""
        labels = session.labels
        cap = 1.0 / (self.nu * labels.size)
        totals = ((1 + self.b) / 2, (1 - self.b) / 2)
        for number, total, side in zip((session.positives.size, session.negatives.size), totals, "PN", strict=True):
            if total > number * cap * (1 + SLACK):
                most = f"at most {number / (total * labels.size):.4g}"
                raise CannotScore(
                    f"nu {self.nu:g} is infeasible, {number} of {labels.size} examples are in {side}: {most}"
                )
        kernel = gram(items.matrix[session.examples], self.width(items)) * labels * labels[:, None]
        return least_quadratic(kernel, labels, totals, cap) * labels, 0.0
