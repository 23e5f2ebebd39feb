"""Language models: how likely a document's language gives the term, smoothed by that of all documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.engines.text.explanation import Explanation
from rankscope.engines.text.index.statistics import FieldStatistics, TermStatistics
from rankscope.engines.text.similarities.similarity import Similarity, Values

SOURCE = "Zhai and Lafferty 2001, A study of smoothing methods for language models"


def probability(term: TermStatistics, field: FieldStatistics) -> float:
    """p: the share of a term in all documents, never 0."""
    return (term.occurrences + 1) / (field.tokens + 1)


@dataclass(frozen=True)
class LMDirichlet(Similarity):
    """Smoothed as if every document had `mu` terms more, drawn from all documents; a match may score 0."""

    mu: float = 2000.0
    name: ClassVar[str] = "lm-dirichlet"
    formula: ClassVar[str] = "max(0, b (ln(1 + tf/(mu p)) + ln(mu/(dl + mu))))"
    source: ClassVar[str] = SOURCE
    above: ClassVar[dict[str, float]] = {"mu": 0}

    def score_term(self, tf: Values, dl: Values, term: TermStatistics, field: FieldStatistics, boost: float) -> Values:
        """Never below 0."""
        weight = np.log(1 + tf.astype(np.float64) / (self.mu * probability(term, field)))
        return np.maximum(0, boost * (weight + np.log(self.mu / (dl + self.mu))))

    def parts_of(self, tf: float, dl: float, term: TermStatistics, field: FieldStatistics) -> tuple[Explanation, ...]:
        """Both logarithms, mu and p."""
        share = probability(term, field)
        weight = float(np.float32(np.log(1 + tf / (self.mu * share))))
        return (
            Explanation(weight, "ln(1 + tf/(mu p))"),
            Explanation(float(np.float32(np.log(self.mu / (dl + self.mu)))), "ln(mu/(dl + mu))"),
            Explanation(self.mu, "mu"),
            Explanation(float(np.float32(share)), "p = (F + 1)/(T + 1)"),
        )


@dataclass(frozen=True)
class LMJelinekMercer(Similarity):
    """A mixture: `lambda` is the share of the language of all documents."""

    lambda_: float = 0.1
    name: ClassVar[str] = "lm-jelinek-mercer"
    formula: ClassVar[str] = "b ln(1 + (1 - lambda) tf/dl/(lambda p))"
    source: ClassVar[str] = SOURCE
    above: ClassVar[dict[str, float]] = {"lambda_": 0}
    most: ClassVar[dict[str, float]] = {"lambda_": 1}

    def score_term(self, tf: Values, dl: Values, term: TermStatistics, field: FieldStatistics, boost: float) -> Values:
        """Above 0 wherever the term occurs, unless lambda is 1."""
        share = self.lambda_ * probability(term, field)
        return boost * np.log(1 + (1 - self.lambda_) * tf.astype(np.float64) / dl / share)
