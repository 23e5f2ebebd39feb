"""The vector space model as Lucene had it first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.engines.text.explanation import Explanation
from rankscope.engines.text.index.statistics import FieldStatistics, TermStatistics
from rankscope.engines.text.similarities.similarity import Scores, Similarity, Values, boost_of, of_term


@dataclass(frozen=True)
class Classic(Similarity):
    """tf-idf: the root of the frequency, how rare the term is, and the root of the length. A phrase adds up idf."""

    name: ClassVar[str] = "classic"
    formula: ClassVar[str] = "sqrt(tf) b (ln((N + 1)/(n + 1)) + 1)/sqrt(dl)"
    source: ClassVar[str] = "Salton and Buckley 1988, Term-weighting approaches in automatic text retrieval"

    def score(
        self, tf: Values, dl: Values, terms: Sequence[TermStatistics], field: FieldStatistics, boost: float
    ) -> Scores:
        """In 32 bits, in Lucene's order of operations."""
        weight = np.float32(boost) * self.idf(terms, field)
        raw = np.sqrt(tf.astype(np.float64)).astype(np.float32) * weight
        return (raw * _norm(dl)).astype(np.float32)

    def score_term(self, tf: Values, dl: Values, term: TermStatistics, field: FieldStatistics, boost: float) -> Values:
        """As for a phrase of one term."""
        return self.score(tf, dl, [term], field, boost)

    def idf(self, terms: Sequence[TermStatistics], field: FieldStatistics) -> np.float32:
        """How rare terms are, in all."""
        return np.float32(sum(float(_idf(term, field)) for term in terms))

    def explain(
        self, tf: float, dl: float, terms: Sequence[TermStatistics], field: FieldStatistics, boost: float
    ) -> Explanation:
        """Boost, idf, root of the frequency and norm of the length."""
        frequency, length = np.array([tf], dtype=np.float32), np.array([dl], dtype=np.float32)
        text = "idf = ln((N + 1)/(n + 1)) + 1"
        each = [Explanation(float(_idf(term, field)), text, of_term(term, field)) for term in terms]
        whole = Explanation(float(self.idf(terms, field)), "sum of idf", tuple(each))
        parts = (
            *boost_of(boost),
            each[0] if len(each) == 1 else whole,
            Explanation(
                float(np.float32(np.sqrt(tf))), "sqrt(tf)", (Explanation(float(frequency[0]), "tf, frequency"),)
            ),
            Explanation(float(_norm(length)[0]), "1/sqrt(dl)", (Explanation(dl, "dl, length of the field"),)),
        )
        value = self.score(frequency, length, terms, field, boost)[0]
        return Explanation(float(value), f"{self}: b idf sqrt(tf)/sqrt(dl)", parts)


def _idf(term: TermStatistics, field: FieldStatistics) -> np.float32:
    return np.float32(np.log((field.documents + 1) / (term.documents + 1)) + 1)


def _norm(dl: Values) -> Values:
    return (1 / np.sqrt(np.maximum(dl, 1).astype(np.float64))).astype(np.float32)
