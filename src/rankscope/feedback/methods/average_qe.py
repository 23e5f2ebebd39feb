"""Average query expansion: the query and the positives, added up."""

from __future__ import annotations

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
class AverageQE(Method):
    """Cosine to norm(q + sum of the positives), all of length 1. The query counts once; without one it is left out.

    For blind expansion give the first items of the query's own ranking as positives.
    """

    name: ClassVar[str] = "average-qe"
    source: ClassVar[str] = "Chum, Philbin, Sivic, Isard & Zisserman 2007, Total recall"

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """Products with the expanded queries."""
        return expand_queries(items.unit, examples).astype(items.matrix.dtype) @ items.unit.T


def expand_queries(rows: FloatArray, examples: Examples) -> FloatArray:
    """norm(q + sum of the positives' rows) of each session."""
    total = sums(examples.positives, rows[examples.positives["item"]])
    if examples.queries is not None:
        total += np.where(examples.has_query[:, None], unit(examples.queries), 0.0)
    return unit(total)
