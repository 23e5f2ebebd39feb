"""How many of the words of a query a document has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.engines.text.index.statistics import FieldStatistics, TermStatistics
from rankscope.engines.text.similarities.similarity import Scores, Similarity, Values


@dataclass(frozen=True)
class Coordination(Similarity):
    """The boost of each term or phrase that matches, and nothing else: a level of coordination."""

    name: ClassVar[str] = "boolean"
    formula: ClassVar[str] = "b"
    source: ClassVar[str] = "van Rijsbergen 1979, Information retrieval, section 5"

    def score(
        self, tf: Values, dl: Values, terms: Sequence[TermStatistics], field: FieldStatistics, boost: float
    ) -> Scores:
        """The boost."""
        return np.full(len(tf), boost, dtype=np.float32)

    def score_term(self, tf: Values, dl: Values, term: TermStatistics, field: FieldStatistics, boost: float) -> Values:
        """The boost."""
        return self.score(tf, dl, [term], field, boost)
