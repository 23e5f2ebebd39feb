"""Database augmentation (DBA): every item is replaced by a weighted sum of itself and its neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.examples.scaling import unit
from rankscope.feedback.methods.average_qe import expand_queries
from rankscope.feedback.methods.method import Method


@dataclass(frozen=True)
class DBA(Method):
    """Average query expansion among items x' = norm(x + sum of max(0, x.y)^alpha y over the k nearest others y).

    The score of an item depends on which others there are, so results on a thinned collection do not carry over.
    """

    k: int = 10
    alpha: float = 3.0
    name: ClassVar[str] = "dba"
    source: ClassVar[str] = "Turcot & Lowe 2009; Gordo, Almazán, Revaud & Larlus 2017"
    pointwise: ClassVar[bool] = False
    least: ClassVar[Mapping[str, float]] = {"k": 0, "alpha": 0}

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """Products with the expanded queries, in the augmented collection."""
        rows = items.remember(("dba", self.k, self.alpha), lambda: augment_rows(items, self.k, self.alpha))
        return expand_queries(rows, examples).astype(rows.dtype) @ rows.T


def augment_rows(items: Items, k: int, alpha: float) -> NDArray[Any]:
    """The new rows, of length 1; one neighbour after the other is added, which needs little memory."""
    item, alike = items.neighbours(k)
    rows = items.unit.copy()
    for place in range(item.shape[1]):
        weight = np.maximum(alike[:, place], 0.0) ** alpha
        rows += weight.astype(rows.dtype)[:, None] * items.unit[item[:, place]]
    return unit(rows)
