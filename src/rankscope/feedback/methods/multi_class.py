"""Multi-class marks: features count by how well they distinguish the classes that the user has given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.session import Session
from rankscope.feedback.methods.method import TwoSided

PRIOR = 1e-3  # examples of all classes that every place has: no chance is 0


@dataclass(frozen=True)
class MultiClass(TwoSided):
    """-sum of w_j (x_j - q_j)² / sd_j², w_j = e^(c R_j) / sum e^(c R), R_j how well feature j shows the class.

    Our reading. Every grade is a class of its own (positives of grade 3 and of grade 1 are two). Of each example the
    chi-squared distance between its class and the classes at its value of feature j is 1/P - 1, P the share of its own
    class there, the others weighted by a Gaussian of `width` standard deviations; R_j = 1/(1 + mean over classes of the
    mean of these). q is the mean of the positives, weighted by grade. Features that never vary do not count.
    """

    c: float = 5.0
    width: float = 0.5
    name: ClassVar[str] = "multi-class"
    source: ClassVar[str] = "Peng 2003, Multi-class relevance feedback content-based image retrieval"
    dagger: ClassVar[bool] = True
    least: ClassVar[Mapping[str, float]] = {"c": 0}
    above: ClassVar[Mapping[str, float]] = {"width": 0}

    def score_one(self, items: Items, session: Session) -> FloatArray:
        """Minus the weighted squared distance."""
        weights = self.weights(items, session) / np.where(items.sd > 0, items.sd, 1.0) ** 2
        grades = np.maximum(session.grades, 0.0)
        centre = np.average(items.matrix[session.positives], axis=0, weights=grades if grades.any() else None)
        away = np.square(items.matrix - centre.astype(items.matrix.dtype))
        return -(away @ weights.astype(items.matrix.dtype))

    def weights(self, items: Items, session: Session) -> FloatArray:
        """One for each feature, adding up to 1; 0 where a feature never varies."""
        varies = items.sd > 0
        told = class_told(
            items.matrix[session.examples][:, varies] / items.sd[varies], class_numbers(session), self.width
        )
        weights = np.zeros(items.features)
        weights[varies] = np.exp(self.c * (told - told.max(initial=0.0)))
        return weights / max(weights.sum(), 1e-300)


def class_numbers(session: Session) -> IntArray:
    """The class of each example, from 0: its side and its grade."""
    grades = np.concatenate([session.grades, session.negative_grades])
    return np.unique(np.stack([session.labels, grades]), axis=1, return_inverse=True)[1].ravel()


def class_told(rows: FloatArray, classes: IntArray, width: float) -> FloatArray:
    """R of each feature, from 0 (at the places of a class there are only others) to 1 (only its own).

    >>> class_told(np.array([[0.0, 0.0], [9.0, 0.0]]), np.array([0, 1]), 1.0).round(3)
    array([1. , 0.5])
    """
    own = classes[:, None] == classes
    near = np.exp(-0.5 * np.square((rows[:, None] - rows[None]) / width))  # example x example x feature
    share = np.bincount(classes)[classes] / classes.size
    chance = ((near * own[:, :, None]).sum(axis=1) + (PRIOR * share)[:, None]) / (near.sum(axis=1) + PRIOR)
    apart = 1.0 / chance - 1.0
    by_class = np.stack([apart[classes == each].mean(axis=0) for each in range(int(classes.max()) + 1)])
    return 1.0 / (1.0 + by_class.mean(axis=0))
