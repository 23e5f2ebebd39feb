"""Mean version space: rank by the SVM, and ask about the items after which fewest machines are left, on average."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.kernels import gram
from rankscope.feedback.examples.scored import Scored, best
from rankscope.feedback.examples.session import Session
from rankscope.feedback.methods.learners import sklearn_part
from rankscope.feedback.methods.svm import SVM


@dataclass(frozen=True)
class MeanVersionSpace(SVM):
    """Scores as the SVM's; shows the items with the least p m+ + (1 - p) m-, p = 1/(1 + e^-f).

    Our reading. m+ and m- are the margins 1/|w| of the machine trained again with the item as a positive or a negative:
    they stand for how large the version space would be. Only the `candidates` items nearest to the border (as many as
    are to be shown, at least) are tried. Do not measure quality on that display.
    """

    candidates: int = 30
    name: ClassVar[str] = "mean-version-space"
    source: ClassVar[str] = "He, Tong, Li, Zhang & Zhang 2004, Mean version space: a new active learning method"
    dagger: ClassVar[bool] = True
    active: ClassVar[bool] = True
    least: ClassVar[Mapping[str, float]] = {"candidates": 1}

    def query(self, items: Items, examples: Examples, scored: Scored, k: int) -> IntArray:
        """The candidates by their mean margin, the least first."""
        near = best(-np.abs(scored.values), max(k, self.candidates), examples.judged(len(items)))
        shown = np.full((len(examples), k), -1, np.int64)
        for row, session in enumerate(examples):
            tried = near[row][near[row] >= 0]
            size = self.mean_margins(items, session, tried, scored.values[row, tried])
            chosen = tried[np.argsort(size, kind="stable")][:k]
            shown[row, : chosen.size] = chosen
        return shown

    def mean_margins(self, items: Items, session: Session, tried: IntArray, values: FloatArray) -> FloatArray:
        """The expected margin after each of the items is judged; all alike where there is no example of either side."""
        if not (session.positives.size and session.negatives.size):
            return np.zeros(tried.size)
        points = items.matrix[np.concatenate([session.examples, tried])]
        kernel, count = gram(points, self.width(items)), session.examples.size
        sizes = np.empty((2, tried.size))
        for place in range(tried.size):
            own = np.append(np.arange(count), count + place)
            for row, side in enumerate((1.0, -1.0)):
                sizes[row, place] = margin(kernel[np.ix_(own, own)], np.append(session.labels, side), self.C)
        chance = 1.0 / (1.0 + np.exp(-np.clip(values, -500, 500)))
        return chance * sizes[0] + (1 - chance) * sizes[1]


def margin(kernel: FloatArray, labels: FloatArray, cost: float) -> float:
    """1/|w| of the machine with this kernel between its examples.

    >>> round(margin(np.eye(2), np.array([1.0, -1.0]), 10.0), 4)
    0.7071
    """
    machine = sklearn_part("svm").SVC(C=cost, kernel="precomputed", tol=1e-3).fit(kernel, labels)
    weights = machine.dual_coef_[0]
    length = float(np.sqrt(weights @ kernel[np.ix_(machine.support_, machine.support_)] @ weights))
    return 1.0 / max(length, 1e-150)
