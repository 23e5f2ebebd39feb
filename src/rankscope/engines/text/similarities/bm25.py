"""BM25."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.engines.text.explanation import Explanation
from rankscope.engines.text.index.statistics import FieldStatistics, TermStatistics
from rankscope.engines.text.similarities.similarity import Scores, Similarity, Values, boost_of, of_term


@dataclass(frozen=True)
class BM25(Similarity):
    """Probabilistic: rare terms count more, repetitions ever less (k1), and long documents less (b).

    As Lucene has it since version 8, without the factor k1 + 1. A phrase takes the sum of its terms' idf.
    """

    k1: float = 1.2
    b: float = 0.75
    name: ClassVar[str] = "bm25"
    formula: ClassVar[str] = "b ln(1 + (N - n + 0.5)/(n + 0.5)) tf/(tf + k1 (1 - b + b dl/avg))"
    source: ClassVar[str] = "Robertson and Walker 1994, Some simple effective approximations to the 2-Poisson model"
    least: ClassVar[dict[str, float]] = {"k1": 0, "b": 0}
    most: ClassVar[dict[str, float]] = {"b": 1}

    def score(
        self, tf: Values, dl: Values, terms: Sequence[TermStatistics], field: FieldStatistics, boost: float
    ) -> Scores:
        """In 32 bits, in Lucene's order of operations."""
        weight = np.float32(boost) * self.idf(terms, field)
        with np.errstate(divide="ignore"):
            inverse = np.float32(1) / self._norm(dl, field)
            return (weight - weight / (np.float32(1) + tf.astype(np.float32) * inverse)).astype(np.float32)

    def score_term(self, tf: Values, dl: Values, term: TermStatistics, field: FieldStatistics, boost: float) -> Values:
        """As for a phrase of one term."""
        return self.score(tf, dl, [term], field, boost)

    def idf(self, terms: Sequence[TermStatistics], field: FieldStatistics) -> np.float32:
        """How rare terms are, in all."""
        return np.float32(sum(float(_idf(term, field)) for term in terms))

    def _norm(self, dl: Values, field: FieldStatistics) -> Values:
        """k1 (1 - b + b dl/avg)."""
        k1, b, average = np.float32(self.k1), np.float32(self.b), np.float32(field.average)
        return k1 * ((np.float32(1) - b) + b * dl.astype(np.float32) / average)

    def explain(
        self, tf: float, dl: float, terms: Sequence[TermStatistics], field: FieldStatistics, boost: float
    ) -> Explanation:
        """Boost, idf and saturated frequency."""
        frequency, length = np.array([tf], dtype=np.float32), np.array([dl], dtype=np.float32)
        value = self.score(frequency, length, terms, field, boost)[0]
        saturated = float(frequency[0] / (frequency[0] + self._norm(length, field)[0])) if tf else 0.0
        numbers = (
            Explanation(float(frequency[0]), "tf, frequency in the document"),
            Explanation(self.k1, "k1, how soon repetitions count less"),
            Explanation(self.b, "b, how much length counts"),
            Explanation(dl, "dl, length of the field"),
            Explanation(float(np.float32(field.average)), "avg, mean length of the field"),
        )
        parts = (
            *boost_of(boost),
            self._explain_idf(terms, field),
            Explanation(saturated, "tf/(tf + k1 (1 - b + b dl/avg))", numbers),
        )
        return Explanation(float(value), f"{self}: b idf tf/(tf + k1 (1 - b + b dl/avg))", parts)

    def _explain_idf(self, terms: Sequence[TermStatistics], field: FieldStatistics) -> Explanation:
        text = "idf = ln(1 + (N - n + 0.5)/(n + 0.5))"
        each = [Explanation(float(_idf(term, field)), text, of_term(term, field)) for term in terms]
        return each[0] if len(each) == 1 else Explanation(float(self.idf(terms, field)), "sum of idf", tuple(each))


def _idf(term: TermStatistics, field: FieldStatistics) -> np.float32:
    return np.float32(np.log(1 + (field.documents - term.documents + 0.5) / (term.documents + 0.5)))
