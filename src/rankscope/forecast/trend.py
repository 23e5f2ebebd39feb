"""Growth model from ranks alone: the curve over smaller collections, continued."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscope.arrays import FloatArray, IntArray
from rankscope.curves.hits import RelevantHits
from rankscope.curves.terms import Terms
from rankscope.curves.thinning import after
from rankscope.forecast.evidence import Evidence
from rankscope.forecast.model import GrowthModel, today
from rankscope.measures.fractions import divide

HALVINGS = 4
EDGE = 1e-4  # means are kept this far from 0 and 1, where the logit ends


@dataclass(frozen=True)
class Trend(GrowthModel):
    """The exact mean at 1, 1/2, ..., 1/16 of the distractors, as a parabola in log2 on the logit scale, continued.

    It never rises: where the parabola does, the forecast is the present.
    """

    name: ClassVar[str] = "trend"
    needs_scores: ClassVar[bool] = False
    usual_error: ClassVar[float] = 0.015

    def means_at(
        self, evidence: Evidence, terms: Terms, targets: Sequence[FloatArray], weights: FloatArray
    ) -> FloatArray:
        """Continue the parabola of each row of weights."""
        levels = self._levels(evidence)
        values = np.stack([_thinned(evidence, terms, level) for level in levels], axis=1)
        means = np.clip(weights @ values, EDGE, 1.0 - EDGE)
        doublings = [np.log2(np.median(divide(each, evidence.distractors, nothing=1.0))) for each in targets]
        curve = np.vander(-levels.astype(np.float64), min(3, levels.size), increasing=True)
        ahead = np.vander(doublings, min(3, levels.size), increasing=True)
        fitted = np.log(means / (1.0 - means)) @ np.linalg.pinv(curve).T
        logit = np.stack([fitted @ each for each in ahead])
        return np.minimum(1.0 / (1.0 + np.exp(-logit)), weights @ values[:, 0])

    def _levels(self, evidence: Evidence) -> IntArray:
        """Halvings that leave at least two distractors to half of the queries."""
        most = int(np.log2(max(np.median(evidence.distractors), 2.0) / 2.0))
        return np.arange(min(HALVINGS, most) + 1)


def _thinned(evidence: Evidence, terms: Terms, halvings: int) -> FloatArray:
    """The measure of each query with distractors halved so many times, exactly."""
    if halvings == 0:
        return today(evidence, terms)
    hits: RelevantHits = evidence.hits
    distractors = evidence.distractors.astype(np.int64)
    counts = after(hits, distractors, np.round(distractors / 2**halvings).astype(np.int64))
    return divide(hits.total(terms.mean(hits, counts)), terms.divisor)
