"""Divergence from independence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from rankscope.engines.text.explanation import Explanation
from rankscope.engines.text.index.statistics import FieldStatistics, TermStatistics
from rankscope.engines.text.similarities.similarity import Similarity, Values


@dataclass(frozen=True)
class DFI(Similarity):
    """How much more often a term occurs than if it did not depend on the document; as often or less: 0."""

    measure: Literal["standardized", "saturated", "chi-squared"] = "standardized"
    name: ClassVar[str] = "dfi"
    unnamed: ClassVar[tuple[str, ...]] = ("measure",)
    formula: ClassVar[str] = "0 if tf <= e, else b log2(x + 1); x = (tf - e)/sqrt(e), (tf - e)/e or (tf - e)^2/e"
    source: ClassVar[str] = "Kocabas, Dincer and Karaoglan 2014, A nonparametric term weighting method"

    def score_term(self, tf: Values, dl: Values, term: TermStatistics, field: FieldStatistics, boost: float) -> Values:
        """The logarithm of how far the frequency is above what is expected."""
        expected = _expected(dl, term, field)
        excess = np.maximum(tf.astype(np.float64) - expected, 0)
        if self.measure == "standardized":
            return boost * np.log2(excess / np.sqrt(expected) + 1)
        return boost * np.log2((excess if self.measure == "saturated" else excess**2) / expected + 1)

    def parts_of(self, tf: float, dl: float, term: TermStatistics, field: FieldStatistics) -> tuple[Explanation, ...]:
        """e."""
        return (Explanation(float(_expected(np.array([dl]), term, field)[0]), "e = (F + 1) dl/(T + 1)"),)


def _expected(dl: Values, term: TermStatistics, field: FieldStatistics) -> Values:
    return (term.occurrences + 1) * dl.astype(np.float64) / (field.tokens + 1)
