"""Stabilised nearest neighbour: the nearest-neighbour score, steadied by Bayesian query shifting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankscope.arrays import FloatArray
from rankscope.feedback.examples.examples import Examples
from rankscope.feedback.examples.items import Items
from rankscope.feedback.methods.bayesian_query_shifting import BayesianQueryShifting
from rankscope.feedback.methods.method import TwoSided
from rankscope.feedback.methods.nearest_neighbour import NearestNeighbour


@dataclass(frozen=True)
class StabilisedNearestNeighbour(TwoSided):
    """w R_shift + (1 - w) R_nn, w = (nN / l) / (1 + nN / l): the more negatives, the more weight on the query."""

    name: ClassVar[str] = "stabilised-nearest-neighbour"
    source: ClassVar[str] = "Giacinto & Roli 2004, Instance-based relevance feedback for image retrieval"

    def score_many(self, items: Items, examples: Examples) -> FloatArray:
        """The blend of the two scores."""
        share = examples.negatives.lengths / (examples.positives.lengths + examples.negatives.lengths)
        weight = (share / (1 + share))[:, None]
        values = NearestNeighbour().score_many(items, examples) * (1 - weight)
        values += weight * BayesianQueryShifting().score_many(items, examples)
        return values
