"""What a growth model is: today's evidence in, the mean of a measure in a larger collection out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray
from rankscope.curves.distributions import Binomial, Counts
from rankscope.curves.terms import Terms
from rankscope.forecast.evidence import Evidence
from rankscope.measures.fractions import divide
from rankscope.notation import Named

Futures = Iterator[
    tuple[FloatArray | float, Counts]
]  # weights that add up to 1, and distractors to come above each hit


class GrowthModel(Named, ABC):
    """A way to look ahead; `weights` are rows of weights of the queries, each row adding up to 1: one mean per row."""

    needs_scores: ClassVar[bool]
    usual_error: ClassVar[float]  # per doubling of the distractors, over the collections of benchmarks/forecast.py

    @abstractmethod
    def means(self, evidence: Evidence, terms: Terms, target: FloatArray, weights: FloatArray) -> FloatArray:
        """Mean of the measure when each query has `target` distractors."""


class HitModel(GrowthModel):
    """Models that look at one hit at a time: each says how many distractors will come above it."""

    @abstractmethod
    def futures(self, evidence: Evidence, target: FloatArray) -> Futures:
        """Distributions of the distractors to come above each hit, and their weights."""

    def values(self, evidence: Evidence, terms: Terms, target: FloatArray) -> FloatArray:
        """The measure's mean for each query."""
        hits = evidence.present
        total = np.zeros(hits.queries)
        for weight, counts in self.futures(evidence, target):
            total += hits.total(weight * terms.mean(hits, counts))
        return divide(total, terms.divisor)

    def means(self, evidence: Evidence, terms: Terms, target: FloatArray, weights: FloatArray) -> FloatArray:
        """Weighted means over the queries."""
        return weights @ self.values(evidence, terms, target)


def still_to_come(evidence: Evidence, target: FloatArray) -> FloatArray:
    """Distractors that each hit's query will get."""
    return np.maximum(target - evidence.distractors, 0.0)[evidence.hits.row]


def today(evidence: Evidence, terms: Terms) -> FloatArray:
    """The measure of each query as it is."""
    hits = evidence.present
    nothing = np.zeros(hits.row.size)
    return divide(hits.total(terms.mean(hits, Binomial(nothing, nothing))), terms.divisor)
