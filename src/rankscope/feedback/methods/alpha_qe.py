"""Alpha query expansion: positives count by their likeness to the query, to the power of alpha."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.scaling import unit
from rankscope.feedback.examples.segments import sums
from rankscope.feedback.methods.method import Method


@dataclass(frozen=True)
class AlphaQE(Method):
    """Cosine to norm(q + sum of max(0, q.x)^alpha x over the positives x); q itself is added once with weight 1."""

    alpha: float = 3.0
    name: ClassVar[str] = "alpha-qe"
    source: ClassVar[str] = "Radenović, Tolias & Chum 2018, Fine-tuning CNN image retrieval with no human annotation"
    needs: ClassVar[tuple[str, ...]] = ("query",)
    least: ClassVar[Mapping[str, float]] = {"alpha": 0}

    def expanded(self, items: Items, examples: Examples) -> FloatArray:
        """The new query of each session."""
        assert examples.queries is not None
        query, lists = unit(examples.queries), examples.positives
        rows = items.unit[lists["item"]]
        alike = np.einsum("ij,ij->i", rows, query[lists.row])
        return unit(query + sums(lists, rows * (np.maximum(alike, 0.0) ** self.alpha)[:, None]))

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """Products with the expanded queries."""
        return self.expanded(items, examples).astype(items.matrix.dtype) @ items.unit.T
