"""RM3: a model of the words of relevant documents, mixed with the query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.engines.text.expansion.expansion import Expansion, FeedbackDocuments, Weights, by_term, largest, mixed


@dataclass(frozen=True)
class RM3Expansion(Expansion):
    """The query, scaled to sum 1, times `weight`, plus (1 - weight) times the words of the best documents.

    Of each document the `terms` most frequent words, as shares of their sum, count as much as its score; the `terms`
    heaviest in all are scaled to sum 1. Only words of the letters a to z and digits join. As Anserini has it.
    """

    weight: float = 0.5
    name: ClassVar[str] = "rm3"
    source: ClassVar[str] = "Abdul-Jaleel et al. 2004, UMass at TREC 2004: novelty and HARD"
    pattern: ClassVar[str] = "^[a-z0-9]+$"
    least: ClassVar[dict[str, float]] = {"weight": 0}
    most: ClassVar[dict[str, float]] = {"weight": 1}

    def expand(
        self, query: Mapping[str, float], liked: FeedbackDocuments, disliked: FeedbackDocuments | None = None
    ) -> Weights:
        """Documents that are not wanted change nothing."""
        asked = _scaled(query)
        model = _scaled(self.model(liked))
        return mixed((self.weight, asked), (1 - self.weight, model)) if model else asked

    def model(self, liked: FeedbackDocuments) -> Weights:
        """The heaviest words of documents; where all scores are 0 each document counts alike."""
        counts = liked.vectors.counts
        kept = np.where(largest(counts, self.terms), counts, 0.0)
        shares = kept / np.maximum(kept.sum(axis=1, keepdims=True), 1.0)
        scores = liked.scores if liked.scores.any() else np.ones(len(counts))
        weights = scores @ shares
        return by_term(liked.vectors, np.where(largest(weights[None, :], self.terms)[0], weights, 0.0))


def _scaled(weights: Mapping[str, float]) -> Weights:
    total = sum(weights.values())
    return {term: weight / total for term, weight in weights.items()}
