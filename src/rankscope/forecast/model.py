"""What a growth model is: today's evidence in, the mean of a measure in a larger collection out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.curves.distributions import Binomial, Counts
from rankscope.curves.terms import Terms
from rankscope.forecast.evidence import Evidence
from rankscope.measures.fractions import divide
from rankscope.notation import Named


@dataclass(frozen=True)
class Future:
    """How many distractors may come above hits: each hit has one distribution, or several with weights."""

    counts: Counts
    hits: IntArray | None = None  # the number of the hit that each is for; None: one for each in their order
    weight: FloatArray | float = 1.0  # those of a hit add up to 1


Fit = Callable[[FloatArray], Future]  # of the distractors that each hit's query will get


class GrowthModel(Named, ABC):
    """A way to look ahead; `weights` are rows of weights of the queries, each row adding up to 1: one mean per row."""

    needs_scores: ClassVar[bool]
    usual_error: ClassVar[float]  # per doubling of the distractors, over the collections of benchmarks/forecast.py

    @abstractmethod
    def means_at(
        self, evidence: Evidence, terms: Terms, targets: Sequence[FloatArray], weights: FloatArray
    ) -> FloatArray:
        """Means of the measure when each query has so many distractors: a row for each target."""

    def means(self, evidence: Evidence, terms: Terms, target: FloatArray, weights: FloatArray) -> FloatArray:
        """Mean of the measure when each query has `target` distractors."""
        only: FloatArray = self.means_at(evidence, terms, [target], weights)[0]
        return only


class HitModel(GrowthModel):
    """Models that look at one hit at a time: each says how many distractors will come above it."""

    @abstractmethod
    def fit(self, evidence: Evidence) -> Fit:
        """What today's evidence tells about any number of distractors to come."""

    def means_at(
        self, evidence: Evidence, terms: Terms, targets: Sequence[FloatArray], weights: FloatArray
    ) -> FloatArray:
        """Weighted means over the queries; the model is fitted once for all targets."""
        fit = self.fit(evidence)
        futures = [fit(still_to_come(evidence, each)) for each in targets]
        return np.stack([weights @ each for each in _values(evidence, terms, futures)])


def _values(evidence: Evidence, terms: Terms, futures: Sequence[Future]) -> list[FloatArray]:
    """The measure's mean for each query in each future; what it takes of each hit is computed in one go."""
    every = np.arange(evidence.hits.row.size)
    chosen = [every if each.hits is None else each.hits for each in futures]
    counts = futures[0].counts.with_all([each.counts for each in futures[1:]])
    means = terms.mean(evidence.present.take(np.concatenate(chosen)), counts)
    ends = np.cumsum([each.size for each in chosen])[:-1]
    parts = zip(futures, chosen, np.split(means, ends), strict=True)
    totals = [evidence.hits.take(hits).total(future.weight * mean) for future, hits, mean in parts]
    return [divide(each, terms.divisor) for each in totals]


def still_to_come(evidence: Evidence, target: FloatArray) -> FloatArray:
    """Distractors that each hit's query will get."""
    return np.maximum(target - evidence.distractors, 0.0)[evidence.hits.row]


def today(evidence: Evidence, terms: Terms) -> FloatArray:
    """The measure of each query as it is."""
    hits = evidence.present
    nothing = np.zeros(hits.row.size)
    return divide(hits.total(terms.mean(hits, Binomial(nothing, nothing))), terms.divisor)
