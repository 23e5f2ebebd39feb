"""Centroid difference: along the line from the negatives' mean to the positives'; the example of the how-to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankscope.core.arrays import FloatArray
from rankscope.feedback.examples.examples import Session
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.method import TwoSided


@dataclass(frozen=True)
class CentroidDifference(TwoSided):
    """x.(mean P - mean N): a linear classifier that looks at nothing but the two means."""

    name: ClassVar[str] = "centroid-difference"
    source: ClassVar[str] = "rankscope; the limit of linear discriminant analysis with a round spread"

    def score_one(self, items: Items, session: Session) -> FloatArray:
        """The product with the difference of the means."""
        wanted = items.matrix[session.positives].mean(axis=0)
        unwanted = items.matrix[session.negatives].mean(axis=0)
        return items.matrix @ (wanted - unwanted)
