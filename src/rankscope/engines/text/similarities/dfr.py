"""Divergence from randomness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from rankscope.engines.text.explanation import Explanation
from rankscope.engines.text.index.statistics import FieldStatistics, TermStatistics
from rankscope.engines.text.similarities.normalizations import FORMULAS, Normalization, normalised
from rankscope.engines.text.similarities.similarity import Similarity, Values


@dataclass(frozen=True)
class DFR(Similarity):
    """How far a frequency is from chance (`model`), what one more occurrence adds (`after`), and lengths (`norm`)."""

    model: Literal["In", "I(ne)", "I(F)", "G"] = "In"
    after: Literal["L", "B"] = "L"
    norm: Normalization = "H2"
    name: ClassVar[str] = "dfr"
    unnamed: ClassVar[tuple[str, ...]] = ("model", "after", "norm")
    formula: ClassVar[str] = "b model(t) after(t)"
    source: ClassVar[str] = "Amati and van Rijsbergen 2002, Probabilistic models of information retrieval"

    def _write(self) -> str:
        return f"{self.name}({self.model},{self.after},{self.norm})"

    def score_term(self, tf: Values, dl: Values, term: TermStatistics, field: FieldStatistics, boost: float) -> Values:
        """Information of the frequency times the gain of one more occurrence."""
        t = normalised(self.norm, tf, dl, term, field)
        return boost * self._information(t, term, field) * self._gain(t, term)

    def _information(self, t: Values, term: TermStatistics, field: FieldStatistics) -> Values:
        if self.model == "G":
            r = (term.occurrences + 1) / (field.documents + term.occurrences + 1)
            return np.log2(1 + r) + t * np.log2((1 + r) / r)
        return t * self._rarity(term, field)

    def _rarity(self, term: TermStatistics, field: FieldStatistics) -> float:
        """Bits that an occurrence of the term tells."""
        n, count = float(term.documents), field.documents
        if self.model == "I(F)":
            return float(np.log2(1 + (count + 1) / (term.occurrences + 0.5)))
        if self.model == "I(ne)":
            n = count * (1 - ((count - 1) / count) ** term.occurrences)
        return float(np.log2((count + 1) / (n + 0.5)))

    def _gain(self, t: Values, term: TermStatistics) -> Values:
        if self.after == "L":
            return 1 / (t + 1)
        return (term.occurrences + 2) / ((term.documents + 1) * (t + 1))

    def parts_of(self, tf: float, dl: float, term: TermStatistics, field: FieldStatistics) -> tuple[Explanation, ...]:
        """t, the information and the gain."""
        t = normalised(self.norm, np.array([tf]), np.array([dl]), term, field)
        return (
            Explanation(float(t[0]), FORMULAS[self.norm]),
            Explanation(float(self._information(t, term, field)[0]), f"model {self.model} of t"),
            Explanation(float(self._gain(t, term)[0]), f"after effect {self.after} of t"),
        )
