"""Query point movement: the mean of the positives is the new query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.kernels import squared_nearness
from rankscope.feedback.examples.segments import means
from rankscope.feedback.methods.method import Method


@dataclass(frozen=True)
class QueryPoint(Method):
    """Minus the squared distance to the mean of the positives. It cannot follow a target of several parts."""

    name: ClassVar[str] = "query-point"
    source: ClassVar[str] = "Rui, Huang & Mehrotra 1997, Content-based image retrieval with relevance feedback in MARS"

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """-|x - mean(P)|²."""
        return squared_nearness(items, means(items, examples.positives))
