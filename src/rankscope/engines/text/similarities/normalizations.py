"""Term frequencies made comparable between short and long documents, for the models of divergence and information."""

from __future__ import annotations

from typing import Final, Literal

import numpy as np

from rankscope.engines.text.index.statistics import FieldStatistics, TermStatistics
from rankscope.engines.text.similarities.language_models import probability
from rankscope.engines.text.similarities.similarity import Values

Normalization = Literal["H1", "H2", "H3", "Z"]
SMOOTHING: Final = 800.0
ZIPF: Final = 0.3
FORMULAS: Final[dict[str, str]] = {
    "H1": "t = tf avg/dl",
    "H2": "t = tf log2(1 + avg/dl)",
    "H3": "t = 800 (tf + 800 p)/(dl + 800)",
    "Z": "t = tf (avg/dl)^0.3",
}


def normalised(kind: Normalization, tf: Values, dl: Values, term: TermStatistics, field: FieldStatistics) -> Values:
    """t, the frequency that a document of mean length would have."""
    frequency, ratio = tf.astype(np.float64), field.average / dl
    if kind == "H1":
        return frequency * ratio
    if kind == "H2":
        return frequency * np.log2(1 + ratio)
    if kind == "H3":
        return (frequency + SMOOTHING * probability(term, field)) / (dl + SMOOTHING) * SMOOTHING
    return frequency * ratio**ZIPF
