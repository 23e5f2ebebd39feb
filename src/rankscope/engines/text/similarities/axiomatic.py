"""Axiomatic functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.engines.text.index.statistics import FieldStatistics, TermStatistics
from rankscope.engines.text.similarities.similarity import Similarity, Values

SOURCE = "Fang and Zhai 2005, An exploration of axiomatic approaches to information retrieval"


def saturated(tf: Values, dl: Values, field: FieldStatistics) -> Values:
    """tf/(tf + 0.25 + 0.25 dl/avg)."""
    frequency = tf.astype(np.float64)
    return frequency / (frequency + 0.25 + 0.25 * dl / field.average)


@dataclass(frozen=True)
class AxiomaticF2Exp(Similarity):
    """What follows from axioms of retrieval, with a power of how rare the term is."""

    name: ClassVar[str] = "axiomatic-f2exp"
    formula: ClassVar[str] = "b tf/(tf + 0.25 + 0.25 dl/avg) ((N + 1)/n)^0.35"
    source: ClassVar[str] = SOURCE

    def score_term(self, tf: Values, dl: Values, term: TermStatistics, field: FieldStatistics, boost: float) -> Values:
        """Above 0 wherever the term occurs."""
        return boost * saturated(tf, dl, field) * ((field.documents + 1) / term.documents) ** 0.35


@dataclass(frozen=True)
class AxiomaticF2Log(Similarity):
    """What follows from axioms of retrieval, with the logarithm of how rare the term is."""

    name: ClassVar[str] = "axiomatic-f2log"
    formula: ClassVar[str] = "b tf/(tf + 0.25 + 0.25 dl/avg) ln((N + 1)/n)"
    source: ClassVar[str] = SOURCE

    def score_term(self, tf: Values, dl: Values, term: TermStatistics, field: FieldStatistics, boost: float) -> Values:
        """Above 0 wherever the term occurs."""
        return boost * saturated(tf, dl, field) * float(np.log((field.documents + 1) / term.documents))
