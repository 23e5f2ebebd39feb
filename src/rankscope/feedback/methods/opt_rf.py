"""OPT-RF: MindReader's ellipsoid in each group of features, and the best weights of the groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.kernels import weighted_distances
from rankscope.feedback.examples.segments import sums
from rankscope.feedback.examples.session import Session
from rankscope.feedback.methods.ellipsoids import axis_parallel, ellipsoid, few, ridge_of
from rankscope.feedback.methods.method import Method

LEAST = 1e-12  # of the largest distance sum: a group in which the positives agree exactly


@dataclass(frozen=True)
class OptRF(Method):
    """Minus the sum over groups of u_i D_i: D_i as MindReader's, u_i = sum_j sqrt(f_j / f_i).

    f_i is the sum of the distances D_i of the positives, weighted by their goodness. One group only: MindReader.
    """

    ridge: float = 0.01
    name: ClassVar[str] = "opt-rf"
    source: ClassVar[str] = "Rui & Huang 2000, Optimizing learning in image retrieval"
    least: ClassVar[Mapping[str, float]] = {"ridge": 0}

    def score_one(self, items: Items, session: Session) -> FloatArray:
        """Each group's ellipsoid, then their weighted sum."""
        ridge = ridge_of(items, self.ridge)
        rows = items.matrix.astype(np.float64, copy=False)
        parts = [
            ellipsoid(rows[session.positives, group], session.grades, ridge[group]).distances(rows[:, group])
            for group in items.groups
        ]
        goodness = session.grades / session.grades.sum()
        spread = np.array([[goodness @ part[session.positives] for part in parts]])
        return -(group_weights(spread)[0] @ np.array(parts))

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """Sessions whose ellipsoids are all diagonal at once, the others one by one."""
        if not few(examples, items.narrowest):
            return super().score_many(items, examples)
        centres, weights = axis_parallel(items, examples, ridge_of(items, self.ridge), items.groups)
        lists = examples.positives
        away = np.square(items.matrix[lists["item"]] - centres[lists.row]) * weights[lists.row]
        goodness = lists["grade"] / lists.total(lists["grade"])[lists.row]
        spread = np.stack([sums(lists, goodness * away[:, group].sum(axis=1)) for group in items.groups], axis=1)
        for number, group in enumerate(items.groups):
            weights[:, group] *= group_weights(spread)[:, [number]]
        return -weighted_distances(items, centres, weights)


def group_weights(spread: FloatArray) -> FloatArray:
    """u_i = sum_j sqrt(f_j / f_i), one row per session; all alike where every f is 0.

    >>> group_weights(np.array([[1.0, 4.0], [0.0, 0.0]]))
    array([[3. , 1.5],
           [2. , 2. ]])
    """
    largest = spread.max(axis=1, keepdims=True)
    root = np.sqrt(np.where(largest > 0, np.maximum(spread, LEAST * largest), 1.0))
    return root.sum(axis=1, keepdims=True) / root
