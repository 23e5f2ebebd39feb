"""MindReader: the best ellipsoid around the positives, axes in any direction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.kernels import weighted_distances
from rankscope.feedback.examples.session import Session
from rankscope.feedback.methods.ellipsoids import axis_parallel, ellipsoid, few, ridge_of
from rankscope.feedback.methods.method import Method


@dataclass(frozen=True)
class MindReader(Method):
    """Minus (x - q)' M (x - q), q the weighted mean of the positives, M = det(C)^(1/m) C^-1, C their covariance.

    `ridge` times the variance of each feature over all items is added to C. With no more positives than features C is
    singular, and only its diagonal is used. Groups of features are not looked at.
    """

    ridge: float = 0.01
    name: ClassVar[str] = "mindreader"
    source: ClassVar[str] = "Ishikawa, Subramanya & Faloutsos 1998, MindReader: querying databases through examples"
    least: ClassVar[Mapping[str, float]] = {"ridge": 0}

    def score_one(self, items: Items, session: Session) -> FloatArray:
        """The ellipsoid of one session."""
        rows = items.matrix.astype(np.float64, copy=False)
        result = ellipsoid(rows[session.positives], session.grades, ridge_of(items, self.ridge))
        return -result.distances(rows)

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """Sessions with a diagonal C all at once, the others one by one."""
        if not few(examples, items.features):
            return super().score_many(items, examples)
        whole = (slice(0, items.features),)
        return -weighted_distances(items, *axis_parallel(items, examples, ridge_of(items, self.ridge), whole))
