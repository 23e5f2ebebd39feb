"""Rocchio's formula on words: towards what is wanted, away from what is not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.engines.text.expansion.expansion import Expansion, FeedbackDocuments, Weights, by_term, largest, mixed


@dataclass(frozen=True)
class RocchioExpansion(Expansion):
    """alpha query + beta mean of the best documents - gamma mean of the last ones, every vector of length 1.

    Of each mean the `terms` heaviest words are kept and scaled to length 1; words that do not weigh more than 0 in the
    end are left out. As Anserini has it.
    """

    alpha: float = 1.0
    beta: float = 0.75
    gamma: float = 0.0
    name: ClassVar[str] = "rocchio"
    source: ClassVar[str] = "Rocchio 1971, Relevance feedback in information retrieval"
    least: ClassVar[dict[str, float]] = {"alpha": 0, "beta": 0, "gamma": 0}

    @property
    def uses_disliked(self) -> bool:
        """Whether gamma is above 0."""
        return self.gamma > 0

    def expand(
        self, query: Mapping[str, float], liked: FeedbackDocuments, disliked: FeedbackDocuments | None = None
    ) -> Weights:
        """Scores of documents change nothing."""
        away = self.mean_words(disliked) if disliked is not None and self.uses_disliked else {}
        return mixed((self.alpha, _scaled(query)), (self.beta, self.mean_words(liked)), (-self.gamma, away))

    def mean_words(self, feedback: FeedbackDocuments) -> Weights:
        """The heaviest words of the mean of documents, scaled to length 1."""
        counts = feedback.vectors.counts
        lengths = np.linalg.norm(counts, axis=1, keepdims=True)
        mean = (counts / np.where(lengths > 0, lengths, 1.0)).sum(axis=0, keepdims=True) / max(len(counts), 1)
        return _scaled(by_term(feedback.vectors, np.where(largest(mean, self.terms), mean, 0.0)[0]))


def _scaled(weights: Mapping[str, float]) -> Weights:
    length = math.hypot(*weights.values())
    return {term: weight / length for term, weight in weights.items()}
