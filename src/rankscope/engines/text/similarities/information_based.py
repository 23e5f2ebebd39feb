"""Information-based models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from rankscope.engines.text.explanation import Explanation
from rankscope.engines.text.index.statistics import FieldStatistics, TermStatistics
from rankscope.engines.text.similarities.normalizations import FORMULAS, Normalization, normalised
from rankscope.engines.text.similarities.similarity import Similarity, Values


@dataclass(frozen=True)
class InformationBased(Similarity):
    """How surprising a frequency is under a log-logistic (LL) or a smoothed power law (SPL) distribution.

    `lambda` is the share of documents with the term (df), or its occurrences for each document (ttf).
    """

    distribution: Literal["LL", "SPL"] = "LL"
    lambda_: Literal["df", "ttf"] = "df"
    norm: Normalization = "H2"
    name: ClassVar[str] = "ib"
    unnamed: ClassVar[tuple[str, ...]] = ("distribution", "lambda_", "norm")
    formula: ClassVar[str] = "LL: -b ln(r/(t + r)); SPL: -b ln((r^(t/(t + 1)) - r)/(1 - r))"
    source: ClassVar[str] = "Clinchant and Gaussier 2010, Information-based models for ad hoc IR"

    def _write(self) -> str:
        return f"{self.name}({self.distribution},{self.lambda_},{self.norm})"

    def score_term(self, tf: Values, dl: Values, term: TermStatistics, field: FieldStatistics, boost: float) -> Values:
        """Minus the logarithm of the probability of such a frequency or a higher one."""
        t, r = normalised(self.norm, tf, dl, term, field), self._rate(term, field)
        if self.distribution == "LL":
            return -boost * np.log(r / (t + r))
        return -boost * np.log((r ** (t / (t + 1)) - r) / (1 - r))

    def _rate(self, term: TermStatistics, field: FieldStatistics) -> float:
        """r, which Lucene keeps off 1, where the power law has no value."""
        rate = ((term.documents if self.lambda_ == "df" else term.occurrences) + 1) / (field.documents + 1)
        return float(np.nextafter(1.0, 0.0)) if rate == 1 and self.distribution == "SPL" else rate

    def parts_of(self, tf: float, dl: float, term: TermStatistics, field: FieldStatistics) -> tuple[Explanation, ...]:
        """t and r."""
        t = normalised(self.norm, np.array([tf]), np.array([dl]), term, field)
        rate = f"r = ({'n' if self.lambda_ == 'df' else 'F'} + 1)/(N + 1)"
        return Explanation(float(t[0]), FORMULAS[self.norm]), Explanation(self._rate(term, field), rate)
